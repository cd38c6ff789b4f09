// Package owner lets several processes use one data folder.
//
// Its main idea: one of them owns the folder, its store and its desktop; the
// others reach it through a socket in the folder. Each has a Member, which is
// engine.Runs and hides which it is. The lock of the store decides who owns:
// only who holds it makes the socket, so two newcomers cannot both win, and a
// socket that was left behind is replaced by the next owner.
//
// When the owner leaves, its runs pause, and a member continues those of the
// members that are still there. When it dies, the next member that needs the
// folder takes it over.
//
// What it cannot do: drive two displays from one folder, or span machines.
package owner
