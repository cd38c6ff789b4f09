// Package attack attacks the program as it runs: over HTTP and its standard input,
// as a page in a browser, a client with a narrow credential or none, a document, an
// application, and another user of the same machine. Each class of attacks makes
// its attempts at random from lists, as long as there is time, and counts them:
// make attack FOR=5m ends with a table. It holds only tests; what needs another
// user needs root, for they play two.
package attack
