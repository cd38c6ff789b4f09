// Package virtual starts displays of our own: an X server without a screen (Xvfb), a window
// manager and a session bus, each private to us.
//
// Its main idea is that a display is held by one process and ends with it. Start holds one in
// this process. Keep starts a lasting desktop: a process of its own, the keeper, holds the
// display and every program on it, so that those who use it may die and come back; Attach
// connects to it. The kernel ends what a process holds when that dies, however that happens. The
// next Start or Keep in the same folder ends what is left even then, by the state file of each
// display.
//
// It works on Linux only; elsewhere Start and Keep fail with a desktop.MissingError, and no
// lasting desktop is found.
package virtual

import (
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"understudy/internal/desktop"
)

// Options say which display to start.
type Options struct {
	// Dir is the folder for the cookies, sockets and state of displays, each of which has a
	// folder of its own inside. If it is empty, or too long for the address of a socket, a
	// folder in the system's temporary folder is used.
	Dir string
	// Screen is the size of the screen; zero means 1920×1080.
	Screen desktop.Size
	// Layout is the keyboard layout, such as "de"; empty: that of the X server.
	Layout string
	// Server is one of Servers; empty: Xvfb.
	Server string

	// Display is a display that exists already, such as ":1" or "host:1", and becomes a
	// lasting desktop; empty: one is started. It is never ended.
	Display string
	// Authority is the file with the cookie of that display; empty: that of the user.
	Authority string
	// Bus is the address of its session bus, by which elements are read; empty: one of our
	// own, for programs that are started there.
	Bus string

	// Name is the name of a lasting desktop.
	Name string
	// Run is the run that a lasting desktop is made for, or empty.
	Run string
	// Owner is the credential that a lasting desktop belongs to; empty: the person at the
	// machine.
	Owner string
	// Worker is the worker of a fleet that executes that run; empty: this machine does.
	Worker string
	// Linger is how long a lasting desktop stays when nobody is attached to it; 0: until it is
	// ended.
	Linger time.Duration
	// OwnHome gives the programs of a lasting desktop a home folder and a /tmp of their own, which
	// are removed with it.
	OwnHome bool
	// Share are folders that these programs share with others, also if they are in /tmp.
	Share []string
}

// The display servers.
const (
	Xvfb   = "xvfb"   // X without a screen
	Xephyr = "xephyr" // X in a window of another display
	Xvnc   = "xvnc"   // X for VNC viewers
	Sway   = "sway"   // Wayland without a screen
)

// Servers returns the names of the servers.
func Servers() []string { return []string{Xvfb, Xephyr, Xvnc, Sway} }

// DefaultScreen is the size of the screen unless another one is asked for.
var DefaultScreen = desktop.Size{W: 1920, H: 1080}

// Protocol is the version of the protocol with keepers. A program speaks all versions up to its
// own: the keeper may be of any earlier release.
const Protocol = 1

// Kept describes a lasting desktop.
type Kept struct {
	Name     string `json:"name"`
	Protocol int    `json:"protocol"` // the version that its keeper speaks
	// Birth distinguishes it from earlier ones with the same name.
	Birth   string        `json:"birth"`
	Display string        `json:"display"`
	Screen  desktop.Size  `json:"screen"`
	Layout  string        `json:"layout,omitempty"`
	Run     string        `json:"run,omitempty"`    // the run that it was made for
	Owner   string        `json:"owner,omitempty"`  // a credential; empty: the person at the machine
	Worker  string        `json:"worker,omitempty"` // the worker of a fleet that has the run
	Client  string        `json:"client,omitempty"` // the last client of a desktop of a pool
	Started time.Time     `json:"started"`
	Linger  time.Duration `json:"linger,omitempty"`
	Keeper  int           `json:"keeper,omitempty"` // its process ID
	Dir     string        `json:"dir,omitempty"`    // its folder
	Bus     string        `json:"bus,omitempty"`    // the address of its session bus
	Server  string        `json:"server,omitempty"` // one of Servers; empty: Xvfb, or that of a joined display
	Joined  bool          `json:"joined,omitempty"` // the display existed before, and stays
	VNC     *VNC          `json:"vnc,omitempty"`    // where people can look
	// Env is what a program needs to show itself there.
	Env []string `json:"env,omitempty"`

	// The rest is as it was when the keeper was asked.
	Users     int       `json:"users"`          // how many are attached
	Until     time.Time `json:"until,omitzero"` // when it ends unless somebody attaches
	Memory    int64     `json:"memory"`         // of all its processes, in bytes
	Processes int       `json:"processes"`      // how many run there
	Programs  []string  `json:"programs"`       // their names, without those of the desktop itself
}

// IsSeat reports whether it is the display of the person at the machine instead of one of ours.
func (k Kept) IsSeat() bool { return k.Name == desktop.Seat && k.Birth == "" }

// VNC is where a VNC viewer can look at a desktop.
type VNC struct {
	Address  string `json:"address"` // reached from this machine only
	Password string `json:"password"`
}

// Authority returns the file with the cookie of the display.
func (k Kept) Authority() string { return filepath.Join(k.Dir, "Xauthority") }

// A Closing is the record of the end of a lasting desktop.
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

// CheckName fails if a lasting desktop cannot have a name.
func CheckName(name string) error {
	if name == desktop.Seat {
		return fmt.Errorf("%s is the display of the person at the machine: wanted another name", desktop.Seat)
	}
	if !goodName.MatchString(name) {
		return fmt.Errorf("%q cannot name a desktop: wanted up to 32 small letters, digits and hyphens, and no hyphen first", name)
	}
	return nil
}
