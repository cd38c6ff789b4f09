//go:build !linux

package virtual

import (
	"context"
	"os"
	"time"

	"understudy/internal/desktop"
)

// Display is a running virtual display.
type Display struct{}

// Start fails: only Linux has virtual displays.
func Start(context.Context, Options) (*Display, error) {
	return nil, &desktop.MissingError{What: "virtual displays exist only on Linux"}
}

func (d *Display) Name() string          { return "" }
func (d *Display) Authority() string     { return "" }
func (d *Display) Bus() string           { return "" }
func (d *Display) Env() []string         { return nil }
func (d *Display) Done() <-chan struct{} { return nil }
func (d *Display) Close() error          { return nil }

// KeeperCommand is the command of this program that keeps a lasting desktop.
const KeeperCommand = "keep-desktop"

// The errors are variables: the linter would complain that callers check an error that on this
// system is never nil.
var (
	errNoKept error = &desktop.MissingError{What: "lasting desktops exist only on Linux"}
	errGone   error = desktop.ErrGone
)

// Attachment is the use of a lasting desktop.
type Attachment struct{ Kept }

func Keep(context.Context, Options) (Kept, error) { return Kept{}, errNoKept }
func RunKeeper(context.Context, []string) error   { return errNoKept }
func OwnTmp() error                               { return errNoKept }
func MissingServer(string) error                  { return errNoKept }
func Find(string, string) (Kept, error)           { return Kept{}, errGone }
func FindClosing(string, string) (Closing, bool)  { return Closing{}, false }
func List(string) []Kept                          { return nil }
func End(Kept, string) error                      { return errNoKept }
func SetLinger(Kept, time.Duration) error         { return errNoKept }
func Assign(Kept, Assignment) error               { return errNoKept }
func Clean(string) int                            { return 0 }
func Attach(Kept) (*Attachment, error)            { return nil, errNoKept }
func (a *Attachment) Close() error                { return nil }
func (a *Attachment) Start(Program, *os.File) (int, <-chan error, error) {
	return 0, nil, errNoKept
}

func (a *Attachment) Browsers(context.Context) ([]desktop.BrowserProcess, error) { return nil, nil }

func (a *Attachment) Browse(context.Context, int) (desktop.Browser, error) { return nil, errGone }
