package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

// TestSecrecy tells what had the keyboard, in its order, and then has keys
// written.
func TestSecrecy(t *testing.T) {
	const name, mail, code, pin = 1, 2, 3, 4
	field := func(n int) holder { return holder{n, n == code || n == pin} }
	unknown := holder{}
	const stays, moved = false, true
	type keys struct {
		before, after holder
		moved         bool
		field         int
		hidden        bool
	}
	program := func(h holder) func(s *secrecy) { return func(s *secrecy) { s.had(h) } } // a program moves the keyboard away from h
	input := (*secrecy).inputMoved
	for _, c := range []struct {
		say   string
		first []func(s *secrecy)
		keys  []keys
	}{
		{"text in an open field is written", nil, []keys{{field(name), field(name), stays, name, false}}},
		{"text in a password field is hidden", nil, []keys{{field(code), field(code), stays, code, true}}},
		{"text in an unknown place is hidden", nil, []keys{{unknown, unknown, stays, 0, true}}},
		{"text goes to what has the keyboard now, where nobody knew before", nil, []keys{{unknown, field(name), stays, name, false}}},
		{"it is hidden when that is a password field", nil, []keys{{unknown, field(code), stays, code, true}}},
		{"text goes to the field before the key that moved the keyboard on", nil, []keys{{field(name), field(mail), moved, name, false}}},
		{"it is written also when that key led to a password field", nil, []keys{{field(name), field(code), moved, name, false}}},
		{"it is written also when nobody knows where that key led", nil, []keys{{field(name), unknown, moved, name, false}}},
		{"it is hidden when the key led out of a password field", nil, []keys{{field(code), field(name), moved, code, true}}},
		{"it is hidden when nobody knew what had the keyboard before such a key", nil, []keys{{unknown, field(name), moved, 0, true}}},
		{"text goes to the field that the program moved the keyboard to", nil, []keys{{field(name), field(mail), stays, mail, false}}},
		{"it is hidden when that is a password field", nil, []keys{{field(name), field(code), stays, code, true}}},
		{"it is hidden when nobody knows where the program moved the keyboard", nil, []keys{{field(name), unknown, stays, 0, true}}},
		{"it is hidden when the program moved the keyboard out of a password field", nil, []keys{{field(code), field(name), stays, code, true}}},
		{
			"all text is hidden after a password, whatever the program does", nil,
			[]keys{{field(code), field(code), stays, code, true}, {field(name), field(name), stays, code, true}, {field(name), field(mail), moved, code, true}},
		},
		{
			"all text is hidden after a password field that was found only when its keys were written", nil,
			[]keys{{unknown, field(code), stays, code, true}, {unknown, field(name), stays, code, true}},
		},
		{
			"text is hidden when a program moved the keyboard out of a password field before a key was heard of",
			[]func(s *secrecy){program(field(code))},
			[]keys{{unknown, field(name), stays, code, true}},
		},
		{
			"it stays that password's when the program goes on to another password field",
			[]func(s *secrecy){program(field(code)), program(field(pin))},
			[]keys{{unknown, field(name), stays, code, true}},
		},
		{
			"a program that moves the keyboard out of an open field hides nothing",
			[]func(s *secrecy){program(field(name)), program(unknown)},
			[]keys{{unknown, field(mail), stays, mail, false}},
		},
		{
			"text is written again after input that may have moved the keyboard",
			[]func(s *secrecy){program(field(code)), input},
			[]keys{{unknown, field(name), stays, name, false}, {field(name), field(name), stays, name, false}},
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			var s secrecy
			for _, f := range c.first {
				f(&s)
			}
			for i, k := range c.keys {
				if field, hidden := s.attribute(k.before, k.after, k.moved); field != k.field || hidden != k.hidden {
					t.Errorf("keys %d: field %d, hidden %t, want field %d, hidden %t", i+1, field, hidden, k.field, k.hidden)
				}
			}
		})
	}
}

func TestKeysWaitOnlyInAnOpenField(t *testing.T) {
	open, password, unknown := holder{field: 1}, holder{2, true}, holder{}
	for _, c := range []struct {
		say           string
		had           holder
		before, after holder
		moved, want   bool
	}{
		{"nobody knows what has the keyboard", unknown, open, unknown, false, true},
		{"it is known", unknown, open, open, false, false},
		{"later input may have moved it", unknown, open, unknown, true, false},
		{"it was in a password field", unknown, password, unknown, false, false},
		{"it was in a password field before that", password, open, unknown, false, false},
		{"it never was known", unknown, unknown, unknown, false, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			var s secrecy
			s.had(c.had)
			if got := s.mayWait(c.before, c.after, c.moved); got != c.want {
				t.Errorf("they may wait: %t, want %t", got, c.want)
			}
		})
	}
}

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
