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

import (
	"context"

	"understudy/steps/desktop"
)

// Options say which session to use.
type Options struct {
	// Display is the compositor's socket: a name such as "wayland-1", which is in
	// XDG_RUNTIME_DIR, or a path.
	Display string
	// Env is what programs need in their environment beside the session.
	Env []string
	// Portal is for a compositor that tells nobody of its windows.
	Portal Portal
}

// A FrameLister lists the windows that applications tell of, the active one last.
type FrameLister interface {
	FrameWindows(ctx context.Context) ([]desktop.Window, error)
	Close() error
}

// Portal says how a session is operated whose compositor tells nobody of its windows,
// and may take input only by the portal for remote desktops.
type Portal struct {
	// Frames connects to what lists windows. Where it fails such a session is refused.
	Frames func(context.Context) (FrameLister, error)
	// Only operates every session so, also where there is a better way.
	Only bool
	// Token is the file that keeps what a person allowed, where the portal lets that be
	// kept.
	Token string
	// Asks tells that a person is asked in a dialog, and what. Without it nobody is asked,
	// and what needs that is refused.
	Asks func(text string)
	// Look opens what needs that without asking: it cannot be used then.
	Look bool
}
