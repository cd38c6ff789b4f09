package local_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// The desktop of this machine, on a display of its own, keeps the contract.
func TestContract(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3", "xdotool", "xclip")
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		d := open(t, desktop.Options{Display: "virtual", Screen: desktop.Size{W: 1280, H: 900}, Dir: scratch.Dir(t)})
		info, err := d.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		app := desktoptest.Start(t, info.Env)
		return &desktoptest.System{
			Desktop: d, App: app, Launch: app.Another("Launched"), Launched: "Launched",
			Person: func(k desktop.Key) error {
				cmd := exec.Command("xdotool", "key", strings.ToUpper(string(k)))
				cmd.Env = append(cmd.Environ(), info.Env...)
				if out, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("xdotool: %w: %s", err, out)
				}
				return nil
			},
		}
	})
}
