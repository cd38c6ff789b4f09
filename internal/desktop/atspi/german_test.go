//go:build linux

package atspi

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"understudy/internal/desktop"
)

// GTK tells the names of all actions in the language of the user. A workflow
// names them as everywhere.
func TestAnActionIsKnownByItsOwnNameInGerman(t *testing.T) {
	d := onDesk(t, "zenity")
	german := t.TempDir()
	if _, err := os.Stat("/usr/share/locale/de/LC_MESSAGES/gtk30.mo"); err != nil {
		t.Skip("GTK speaks no German here: ", err)
	}
	if out, err := exec.Command("localedef", "-i", "de_DE", "-f", "UTF-8", filepath.Join(german, "de_DE.UTF-8")).CombinedOutput(); err != nil {
		t.Skipf("there is no German here: %v: %s", err, out)
	}
	zenity := d.command("zenity", "--question", "--text", "Wirklich?")
	zenity.Env = append(zenity.Env, "LC_ALL=de_DE.UTF-8", "LANGUAGE=de", "LOCPATH="+german)
	d.launch(t, zenity)
	var yes *desktop.Element
	eventually(t, "the question shows", func() bool {
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: zenity.Process.Pid, Full: true})
		if err != nil {
			t.Fatal(err)
		}
		yes = find(tree, named("button", "Ja"))
		return yes != nil
	}, nil)
	if !slices.Equal(yes.Actions, []string{"Klicken"}) {
		t.Skipf("the actions are told as %q here, not in German", yes.Actions)
	}
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: yes.Handle, Action: "click"}); err != nil {
		t.Fatal(err)
	}
	if err := zenity.Wait(); err != nil {
		t.Errorf("the question was not answered with yes: %v", err)
	}
}
