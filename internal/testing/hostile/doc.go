// Package hostile has the inputs of attackers: values that do harm where they are executed,
// the positions in commands where that happens, malformed messages, names that forge
// output, and tokens with invalid signatures. Tests of packages and attacks on the whole
// program use them. Its main idea is that a new trick is one line, which is then tried
// everywhere. Its limit is that it attacks nothing by itself.
package hostile
