//go:build linux

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/desktop"
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
	secret.needs = append(slices.Clone(zenity), "import")
	secret.inspect = func(s *stage, r engine.Report) error {
		return errors.Join(s.untold(password, "zenity_password"), s.blanked(r, "1", "ok"))
	}
	file := row("choose a file", "zenity_file", "")
	file.setup = func(s *stage) {
		answers(s)
		s.setenv("UNDERSTUDY_INPUT_FILE=" + s.write("chosen.txt", ""))
	}
	file.check = func(s *stage) error { return s.holds("answer.txt", filepath.Join(s.dir, "chosen.txt")+"\nstatus 0") }
	form := row("the example of a form", "example/form", "Ada Lovelace|ada@example.com\nstatus 0")
	form.stays = func(s *stage) error {
		if _, err := os.Stat(filepath.Join(s.dir, "answer.txt")); err != nil {
			return nil // it was not answered
		}
		return form.check(s)
	}
	foreign := row("a document of another program", "zenity_foreign", "a line\nstatus 0")
	foreign.needs = append(slices.Clone(zenity), "node")
	foreign.inspect = func(_ *stage, r engine.Report) error {
		if diff := cmp.Diff(map[string]any{"success": true, "shown": "success"}, r.Output); diff != "" {
			return errors.New("the output (-want +got):\n" + diff)
		}
		return nil
	}
	return []scenario{
		form,
		row("a line of text, sent by enter", "zenity_entry", "a line\nstatus 0"),
		secret,
		row("choose a row", "zenity_list", "pear\nstatus 0"),
		row("check a row", "zenity_checklist", "pear|plum\nstatus 0"),
		row("check a row and uncheck one, by their boxes", "zenity_unchecked", "apple|plum\nstatus 0"),
		row("add to a line that is selected", "zenity_append", "one and two\nstatus 0"),
		row("say no", "zenity_question", "status 1"),
		foreign,
		file,
		row("set a slider", "zenity_scale", "42\nstatus 0"),
		row("accept a day", "zenity_calendar", "2024-05-10\nstatus 0"),
	}
}

// untold says that no file of the data folder holds a text, in any encoding
// that one may be written in, and that the check itself can find a word that
// is there.
func (s *stage) untold(secret, there string) error {
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
		told = told || bytes.Contains(raw, []byte(there))
		for form, text := range forms {
			if bytes.Contains(raw, text) {
				return fmt.Errorf("%s holds the secret as %s", path, form)
			}
		}
		return nil
	})
	if err == nil && !told {
		err = fmt.Errorf("none of %d files holds %q: nothing was looked at", files, there)
	}
	return err
}

// blanked says that a field, which shows bullets on the picture that another
// program took, is nothing but black on the pictures that were kept: after the
// step that typed, and before the next that acted.
func (s *stage) blanked(r engine.Report, typed, next string) error {
	var field desktop.Rect
	if err := into(r, &field); err != nil {
		return err
	}
	inside := desktop.Rect{X: field.X + 1, Y: field.Y + 1, W: field.W - 2, H: field.H - 2}
	if n := s.colours(filepath.Join(s.dir, "outside.png"), inside); n < 3 {
		return fmt.Errorf("the field shows %d colours, and bullets have more: there was nothing to hide", n)
	}
	dir := filepath.Join(s.dir, "pictures")
	if status, _, errOut := s.command("runs", "export", r.RunID, dir); status != 0 {
		return fmt.Errorf("exporting the pictures: %s", errOut)
	}
	var errs []error
	for _, name := range []string{typed + "-try1-after", next + "-try1-before"} {
		found, _ := filepath.Glob(filepath.Join(dir, "captures", "*-"+name+".png"))
		if len(found) != 1 {
			errs = append(errs, fmt.Errorf("wanted one picture %s, found %q", name, found))
			continue
		}
		if n := s.colours(found[0], inside); n != 1 {
			errs = append(errs, fmt.Errorf("the picture %s shows the password field: %d colours", name, n))
		}
	}
	return errors.Join(errs...)
}

// colours counts the colours of a part of a picture.
func (s *stage) colours(path string, part desktop.Rect) int {
	return len(coloursOf(s.picture(path), part.Image()))
}

// shown are the colours of a picture in the working folder.
func (s *stage) shown(name string) map[color.NRGBA]bool {
	picture := s.picture(filepath.Join(s.dir, name))
	return coloursOf(picture, picture.Bounds())
}

func (s *stage) picture(path string) image.Image {
	f, err := os.Open(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		s.t.Fatal(path, err)
	}
	return picture
}

func coloursOf(picture image.Image, part image.Rectangle) map[color.NRGBA]bool {
	found := map[color.NRGBA]bool{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			found[color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)] = true
		}
	}
	return found
}
