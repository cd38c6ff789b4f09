package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

func TestATerminalAsksForAPassword(t *testing.T) {
	for _, c := range []struct {
		screen string
		behind int
		want   bool
	}{
		{"$ sudo true\n[sudo] password for ada: ", 0, true},
		{"ada@host's password:\n\n", 0, true},
		{"Enter passphrase for key '/home/ada/.ssh/id_ed25519': ", 0, true},
		{"[sudo] Passwort für ada: ", 0, true},
		{"Mot de passe : ", 0, true},
		{"[sudo] пароль для ada: ", 0, true},
		{"[sudo] password for ada: \nSorry, try again.\n", 2, true},
		{"[sudo] password for ada: \n$ ", 0, false},
		{"$ grep password: /etc/motd", 0, false},
		{"$ echo spinning: ", 0, false},
		{"", 2, false},
	} {
		if got := asksForPassword(c.screen, c.behind); got != c.want {
			t.Errorf("%q with %d lines behind: %v, wanted %v", c.screen, c.behind, got, c.want)
		}
	}
}

// TestAPasswordInATerminalIsNeverWritten types one where it is asked for, and a
// command where it is not.
func TestAPasswordInATerminalIsNeverWritten(t *testing.T) {
	for screen, kept := range map[string]bool{"[sudo] password for ada: ": false, "ada@host:~$ ": true} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			log, err := recorder.CreateLog(path)
			if err != nil {
				t.Fatal(err)
			}
			s := &stand{Desktop: fake.New(fake.MustParse(`
- frame "Terminal" [process=terminal] [at=0,0,400,400]
  - terminal "Terminal" [focused] [at=0,0,400,400]: "` + screen + `"
`)...), t: t, path: path}
			defer s.Close()
			session, err := Start(t.Context(), s.Desktop.Desktop(), Options{Log: log, Keys: recorder.DefaultKeys()})
			if err != nil {
				t.Fatal(err)
			}
			s.clicks("role:terminal")
			for _, key := range []desktop.Key{"x", "y", "z", "z", "y"} { // the terminal does not show them
				s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: key, Text: string(key)})
				time.Sleep(50 * time.Millisecond)
			}
			s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "enter"})
			seen, err := session.Stop()
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if there := strings.Contains(string(text), `"text":"z"`); there != kept {
				t.Errorf("at %q the keys are kept: %v\n%s\n%s", screen, there, text, compiled(t, seen))
			}
		})
	}
}
