// Package wayland drives the session of a Wayland compositor: pointer, keyboard, screen,
// windows and clipboard, each by the protocol that the compositor announces for it.
//
// Its main idea is that a compositor says itself what it can do: a part whose protocol is not
// announced fails with an error that names it, and the rest works. Only the positions of
// windows have no protocol; they come from a placement, of which there is one for each way in
// which compositors tell them. Virtual devices live as long as the connection, so nothing stays
// held when a process is killed.
//
// Its limit is what Wayland lets a program know: most compositors do not tell what a person
// does, and popups are in no list of windows.
package wayland

import (
	"context"

	"understudy/internal/desktop"
)

// Options say which session to use.
type Options struct {
	// Display is the compositor's socket: a name such as "wayland-1", which is in
	// XDG_RUNTIME_DIR, or a path.
	Display string
	// Env is what programs need in their environment beside the session.
	Env []string
	// Portal is for a compositor that does not tell its windows.
	Portal Portal
}

// A FrameLister lists the windows that applications report, the active one last.
type FrameLister interface {
	FrameWindows(ctx context.Context) ([]desktop.Window, error)
	Close() error
}

// Portal says how to operate a session whose compositor does not tell its windows, and may
// accept input only through the portal for remote desktops.
type Portal struct {
	// Frames connects to what lists windows. If it fails, such a session is refused.
	Frames func(context.Context) (FrameLister, error)
	// Only operates every session in this way, even if there is a better one.
	Only bool
	// Token is the file that keeps the permission, if the portal lets that be kept.
	Token string
	// Asks is called with the text to show when a dialog asks a person for permission. If it
	// is nil nobody is asked, and a session that needs permission is refused.
	Asks func(text string)
	// Look opens such a session without asking. It can be described then, but not used.
	Look bool
}
