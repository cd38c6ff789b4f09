//go:build linux

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf16"

	"understudy/engine"
)

// answers makes zenity write what it answers, and its status, into a file.
func answers(s *stage) {
	s.script("zenity", `/usr/bin/zenity "$@" >answer.part; echo "status $?" >>answer.part; mv answer.part answer.txt`)
}

// answered says what zenity answered.
func answered(want string) func(*stage) error {
	return func(s *stage) error { return s.holds("answer.txt", want) }
}

const password = "Tr0ub4dor-ünd-3"

func dialogScenarios() []scenario {
	zenity := []string{"/usr/bin/zenity"}
	row := func(name, workflow, want string, flags ...string) scenario {
		return scenario{name: "zenity: " + name, workflow: workflow, needs: zenity, setup: answers, flags: flags, check: answered(want)}
	}
	secret := row("a password, which is found nowhere", "zenity_password", password+"\nstatus 0")
	secret.setup = func(s *stage) {
		answers(s)
		s.setenv("UNDERSTUDY_INPUT_PASSWORD=" + password)
	}
	secret.inspect = func(s *stage, _ engine.Report) error { return s.untold(password) }
	file := row("choose a file", "zenity_file", "")
	file.setup = func(s *stage) {
		answers(s)
		s.setenv("UNDERSTUDY_INPUT_FILE=" + s.write("chosen.txt", ""))
	}
	file.check = func(s *stage) error { return s.holds("answer.txt", filepath.Join(s.dir, "chosen.txt")+"\nstatus 0") }
	return []scenario{
		row("the example of a form", "example/form", "Ada Lovelace|ada@example.com\nstatus 0"),
		row("a line of text, sent by enter", "zenity_entry", "a line\nstatus 0"),
		secret,
		row("choose a row", "zenity_list", "pear\nstatus 0"),
		row("check a row", "zenity_checklist", "pear|plum\nstatus 0"),
		row("say no", "zenity_question", "status 1"),
		file,
		row("set a slider", "zenity_scale", "42\nstatus 0"),
		row("accept a day", "zenity_calendar", "2024-05-10\nstatus 0"),
	}
}

// untold says that no file of the data folder holds a text, in any encoding
// that one may be written in, and that the check itself can find something.
func (s *stage) untold(secret string) error {
	var wide []byte
	for _, u := range utf16.Encode([]rune(secret)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	forms := map[string][]byte{
		"UTF-8": []byte(secret), "UTF-16": wide, "hex": []byte(hex.EncodeToString([]byte(secret))),
		"base64": []byte(base64.StdEncoding.EncodeToString([]byte(secret))), "the end of it": []byte(secret[len(secret)-8:]),
		"escaped": bytes.Trim(fmt.Appendf(nil, "%+q", secret), `"`),
	}
	told, files := false, 0
	err := filepath.WalkDir(s.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		told = told || bytes.Contains(raw, []byte("zenity_password"))
		for form, text := range forms {
			if bytes.Contains(raw, text) {
				return fmt.Errorf("%s holds the secret as %s", path, form)
			}
		}
		return nil
	})
	if err == nil && !told {
		err = fmt.Errorf("none of %d files names the workflow: nothing was looked at", files)
	}
	return err
}
