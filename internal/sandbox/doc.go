// Package sandbox starts programs that may write in a few folders only. A
// program is started by our own binary, which gives up its rights and then
// becomes it: on Linux by Landlock and no_new_privs, with bounds of memory and of
// processes. Its limit: what the kernel does not offer is left out (Report says
// what), reading and the network stay free, and other systems have none of it.
package sandbox
