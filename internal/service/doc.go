// Package service is the one process that has a data folder, with its store, its engine and its
// desktops, and the clients of that process.
//
// Its main idea: the first command that needs the folder starts this program as its service, in
// a session of its own, and waits until it answers; the service outlives that command, and
// whoever else asks. The lock of the store decides between two that are started at once, and
// only the process with the lock creates the socket. A client has one connection, whose end is
// the end of the client. It calls the runs of the engine there, or attaches a stream that the
// service answers. When the service dies, its runs are interrupted, and the next client starts
// another one.
//
// What it cannot do: drive two displays from one folder, or span machines.
package service
