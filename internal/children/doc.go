// Package children starts programs that do not outlive this process, however it ends. Its
// limit: on macOS, which has no means for it, a program outlives a process that is killed.
// Programs that a program starts itself are ended only on Windows and if StartGuarded is
// used, and then only those that stay in the group of the program.
package children
