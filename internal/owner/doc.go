// Package owner lets several processes use one data folder.
//
// Its main idea: one of the processes owns the folder, its store and its desktop; the
// others reach it through a socket in the folder. Each process has a Member, which
// implements engine.Runs and hides whether the process is the owner. The lock of the
// store decides who is: only the process that holds the lock creates the socket, so
// two new processes cannot both win, and a socket that was left behind is replaced by
// the next owner.
//
// When the owner leaves, its runs pause, and the next owner continues the runs of all
// members that are still there. When the owner dies, the next member that needs the
// folder becomes the owner.
//
// What it cannot do: drive two displays from one folder, or span machines.
package owner
