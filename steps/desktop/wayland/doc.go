// Package wayland drives the session of a Wayland compositor: pointer, keyboard,
// screen, windows and clipboard, each by the protocol that the compositor
// announces for it.
//
// Its main idea is that a compositor says itself what it can do: a part whose
// protocol is not announced is missing, by name, and the rest works. Only where
// windows are has no protocol; that is asked of a placement, of which there is
// one for each way that compositors answer it. The virtual devices live as long
// as the connection, so nothing stays held when a process is killed.
//
// Its limit is what Wayland lets a program know. What a person does is not told
// to others, and popups are in no list of windows.
package wayland

// Options say which session to use.
type Options struct {
	// Display is the compositor's socket: a name such as "wayland-1", which is in
	// XDG_RUNTIME_DIR, or a path.
	Display string
	// Env is what programs need in their environment beside the session.
	Env []string
}
