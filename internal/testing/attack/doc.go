// Package attack attacks the program as it runs: over HTTP and its standard input,
// as a page in a browser, a client with a narrow credential or none, a document, an
// application, and another user of the same machine. Each class of attacks makes
// its attempts at random from lists, as long as there is time, and counts them:
// make attack FOR=5m ends with a table. What needs another user needs root, for
// they play two.
//
// The attacks are tests. What the package exports are their inputs, for the tests of
// other packages: values that do harm where they are executed, the positions in
// commands where that happens, malformed messages, names that forge output, and tokens
// with invalid signatures. A new trick is one line, which is then tried everywhere.
package attack
