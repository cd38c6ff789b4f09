package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// noDesktop is a machine that notes how a desktop was to be opened, and opens none.
type noDesktop struct{ options *desktop.Options }

func (m noDesktop) Open(_ context.Context, o desktop.Options) (*desktop.Desktop, error) {
	*m.options = o
	return nil, errors.New("none today")
}

func (m noDesktop) Diagnose(_ context.Context, o desktop.Options) []desktop.Finding {
	*m.options = o
	return nil
}

// TestALastingDesktopIsThatOfTheDataFolder holds for the commands that open one
// without a run.
func TestALastingDesktopIsThatOfTheDataFolder(t *testing.T) {
	for _, args := range [][]string{{"record", "-o", filepath.Join(t.TempDir(), "x.yaml")}, {"inspect"}, {"doctor"}} {
		home := t.TempDir()
		var o desktop.Options
		var out bytes.Buffer
		Main(t.Context(), noDesktop{&o}, append(args, "--home", home, "--display", "virtual:books"), strings.NewReader(""), &out, &out)
		if want := desktopsFolder(home); o.Dir != want || o.Display != "virtual:books" {
			t.Errorf("%s opened %q in the folder %q, wanted it in %q: %s", args[0], o.Display, o.Dir, want, out.String())
		}
	}
}

// TestACommandWithoutADesktopKeepsThoseOfOthers: a command that only lists or follows
// runs may become the owner of the data folder, and then executes runs of others.
func TestACommandWithoutADesktopKeepsThoseOfOthers(t *testing.T) {
	usual := defaultDisplay()
	if diff := cmp.Diff(usual.keeps(), anyDisplay.keeps()); diff != "" {
		t.Error(diff)
	}
}
