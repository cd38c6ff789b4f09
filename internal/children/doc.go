// Package children starts programs that do not outlive this process, however
// it ends. Its limit: where the system has no such promise to give (macOS), a
// program outlives a process that is killed; and what a program starts itself
// is its own affair, except on Windows and where StartGuarded is used, and then
// only as long as it stays in the program's group.
package children
