// Package virtual starts displays of our own for a machine that has none: an
// X server without a screen (Xvfb), a window manager and a session bus, each
// private to us.
//
// Its main idea: a display is held by one process, and ends with it. Start
// holds one in this process, for as long as it lives. Keep makes a lasting
// desktop: a process of its own, the keeper, holds the display and every
// program that is started there, so who uses it may die and come back; Attach
// goes to it. The kernel ends what a process holds when that dies, whatever
// killed it, and what is left even then is found by the next Start or Keep in
// the same folder, through the state file that each display keeps.
//
// It works on Linux only; elsewhere Start and Keep fail with a
// desktop.MissingError, and there is no lasting desktop to be found.
package virtual

import (
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"understudy/steps/desktop"
)

// Options say what display to start.
type Options struct {
	// Dir is the folder in which displays keep their cookies, sockets and
	// state; each has a folder of its own inside. When it is empty, or too
	// long for the address of a socket, a folder in the system's temporary
	// folder is used.
	Dir string
	// Screen is the size of the screen; zero means 1920×1080.
	Screen desktop.Size
	// Layout is that of the keyboard, such as "de"; empty: that of the X server.
	Layout string

	// Name is what a lasting desktop is called.
	Name string
	// Run is the run that a lasting desktop is made for, or empty.
	Run string
	// Linger is how long a lasting desktop stays when nobody is attached to it;
	// 0: until it is ended.
	Linger time.Duration
}

// DefaultScreen is the size of a virtual screen when none is asked for.
var DefaultScreen = desktop.Size{W: 1920, H: 1080}

// Kept describes a lasting desktop.
type Kept struct {
	Name string `json:"name"`
	// Birth tells it from others that had the same name.
	Birth   string        `json:"birth"`
	Display string        `json:"display"`
	Screen  desktop.Size  `json:"screen"`
	Layout  string        `json:"layout,omitempty"`
	Run     string        `json:"run,omitempty"` // that it was made for
	Started time.Time     `json:"started"`
	Linger  time.Duration `json:"linger,omitempty"`
	Keeper  int           `json:"keeper"` // its process
	Dir     string        `json:"dir"`    // its folder
	Bus     string        `json:"bus"`    // address of the session bus
	// Env is what a program needs to show itself there.
	Env []string `json:"env"`

	// These are as they were when it was asked.
	Users     int       `json:"users"`          // who is attached
	Until     time.Time `json:"until,omitzero"` // when it ends if nobody attaches
	Memory    int64     `json:"memory"`         // of all its processes, in bytes
	Processes int       `json:"processes"`      // started there
	Programs  []string  `json:"programs"`       // started there by name, without its own
}

// Authority is the file with the cookie that lets a program in.
func (k Kept) Authority() string { return filepath.Join(k.Dir, "Xauthority") }

// A Closing is what is known of a lasting desktop that has ended.
type Closing struct {
	Name  string    `json:"name"`
	Birth string    `json:"birth"`
	Run   string    `json:"run,omitempty"`
	At    time.Time `json:"at"`
	Why   string    `json:"why"`
}

// Program is a program to start on a lasting desktop.
type Program struct {
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
}

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// CheckName says whether a lasting desktop may be called so.
func CheckName(name string) error {
	if !goodName.MatchString(name) {
		return fmt.Errorf("%q cannot name a desktop: wanted up to 32 small letters, digits and hyphens, and no hyphen first", name)
	}
	return nil
}
