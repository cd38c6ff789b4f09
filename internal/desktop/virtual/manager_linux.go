package virtual

import (
	_ "embed"
	"os"
	"os/exec"
	"time"
)

//go:embed rc.xml
var managerConfig []byte

// A window manager that ends by itself is started again: without one, windows have no titles and
// keys go to the window under the pointer. One that keeps ending is given up.
const (
	managerStarts = 5 // within managerCalm
	managerCalm   = time.Minute
	// managerPause is the time to notice the end of the X server, which ends the manager too.
	managerPause = 20 * time.Millisecond
)

func (d *Display) startManager() error {
	if err := os.WriteFile(d.managerConfig(), managerConfig, 0o600); err != nil {
		return err
	}
	ended, err := d.newManager()
	if err == nil {
		d.watching.Go(func() { d.keepManaged(ended) })
	}
	return err
}

func (d *Display) managerConfig() string { return d.folder.path("rc.xml") }

// newManager starts a window manager. The channel is closed when it ends.
func (d *Display) newManager() (ended chan struct{}, err error) {
	manager := exec.Command("openbox", "--sm-disable", "--config-file", d.managerConfig())
	manager.Env = append(os.Environ(), d.env()...)
	ended = make(chan struct{})
	return ended, d.programs.start(manager, ended)
}

// keepManaged starts the window manager again when it ends, until the display ends.
func (d *Display) keepManaged(ended chan struct{}) {
	starts := []time.Time{time.Now()}
	for {
		<-ended
		select {
		case <-d.done:
			return
		case <-time.After(managerPause):
		}
		for len(starts) > 0 && time.Since(starts[0]) > managerCalm {
			starts = starts[1:]
		}
		if len(starts) == managerStarts {
			return
		}
		starts = append(starts, time.Now())
		var err error
		if ended, err = d.newManager(); err != nil {
			return
		}
	}
}
