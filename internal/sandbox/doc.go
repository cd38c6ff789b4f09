// Package sandbox starts programs that may write only in a few folders. Our own binary
// starts, gives up its rights and then executes the program: on Linux with Landlock and
// no_new_privs, and limits of memory and processes. Its limits: what the kernel does not
// offer is left out (Report says what), reading and the network are not restricted, and
// other systems have none of it.
package sandbox
