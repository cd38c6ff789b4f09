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
	// Server is what to start: Xvfb, which empty means too, or another of Servers.
	Server string

	// Display is one that is there already, such as ":1" or "host:1", and becomes a
	// lasting desktop; empty: one is started. It is never ended.
	Display string
	// Authority is the file with its cookie; empty: the user's.
	Authority string
	// Bus is the address of its session bus, by which elements are read; empty: one
	// of our own, for what is started there.
	Bus string

	// Name is what a lasting desktop is called.
	Name string
	// Run is the run that a lasting desktop is made for, or empty.
	Run string
	// Owner is the credential that a lasting desktop belongs to; empty: the
	// person at the machine.
	Owner string
	// Worker is who executes that run, in a fleet; empty: it is of this machine.
	Worker string
	// Linger is how long a lasting desktop stays when nobody is attached to it;
	// 0: until it is ended.
	Linger time.Duration
	// OwnHome gives its programs a home folder of their own, which ends with it.
	OwnHome bool
}

// The servers that a display can have: of X, and of Wayland.
const (
	Xvfb   = "xvfb"   // has no screen
	Xephyr = "xephyr" // is a window of another display
	Xvnc   = "xvnc"   // shows itself to VNC viewers
	Sway   = "sway"   // is a session of Wayland, and has no screen
)

// Servers are the names of the servers.
func Servers() []string { return []string{Xvfb, Xephyr, Xvnc, Sway} }

// DefaultScreen is the size of a virtual screen when none is asked for.
var DefaultScreen = desktop.Size{W: 1920, H: 1080}

// Protocol is the version of what keepers are asked and answer. A program speaks
// all versions up to its own: the keeper may be of any earlier release.
const Protocol = 1

// Kept describes a lasting desktop.
type Kept struct {
	Name     string `json:"name"`
	Protocol int    `json:"protocol"` // that its keeper speaks
	// Birth tells it from others that had the same name.
	Birth   string        `json:"birth"`
	Display string        `json:"display"`
	Screen  desktop.Size  `json:"screen"`
	Layout  string        `json:"layout,omitempty"`
	Run     string        `json:"run,omitempty"`    // that it was made for
	Owner   string        `json:"owner,omitempty"`  // whose it is; empty: the person's at the machine
	Worker  string        `json:"worker,omitempty"` // of a fleet, that has the run
	Client  string        `json:"client,omitempty"` // whose traces are on it, of a pool
	Started time.Time     `json:"started"`
	Linger  time.Duration `json:"linger,omitempty"`
	Keeper  int           `json:"keeper,omitempty"` // its process
	Dir     string        `json:"dir,omitempty"`    // its folder
	Bus     string        `json:"bus,omitempty"`    // address of the session bus
	Server  string        `json:"server,omitempty"` // one of Servers; empty: Xvfb, or the one that was there
	Joined  bool          `json:"joined,omitempty"` // the display was there already, and stays
	VNC     *VNC          `json:"vnc,omitempty"`    // where people can look
	// Env is what a program needs to show itself there.
	Env []string `json:"env,omitempty"`

	// These are as they were when it was asked.
	Users     int       `json:"users"`          // who is attached
	Until     time.Time `json:"until,omitzero"` // when it ends if nobody attaches
	Memory    int64     `json:"memory"`         // of all its processes, in bytes
	Processes int       `json:"processes"`      // started there
	Programs  []string  `json:"programs"`       // started there by name, without its own
}

// IsSeat says whether it is no desktop of ours, but the display of the person at
// the machine.
func (k Kept) IsSeat() bool { return k.Name == desktop.Seat && k.Birth == "" }

// VNC is where a VNC viewer can look at a desktop.
type VNC struct {
	Address  string `json:"address"` // reached from this machine only
	Password string `json:"password"`
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

// An Assignment says for whom a lasting desktop is, from now on.
type Assignment struct {
	Run    string        `json:"run,omitempty"`
	Owner  string        `json:"owner,omitempty"`
	Client string        `json:"client,omitempty"`
	Linger time.Duration `json:"linger,omitempty"`
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
	if name == desktop.Seat {
		return fmt.Errorf("%s is the display of the person at the machine: wanted another name", desktop.Seat)
	}
	if !goodName.MatchString(name) {
		return fmt.Errorf("%q cannot name a desktop: wanted up to 32 small letters, digits and hyphens, and no hyphen first", name)
	}
	return nil
}
