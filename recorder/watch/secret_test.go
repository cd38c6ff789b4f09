//go:build unix

package watch_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// password is what must be found nowhere.
const password = "Tr0ub4dor&3"

// forms are the ways in which a text could stand in a file.
func forms(text string) map[string]string {
	backwards := []rune(text)
	slices.Reverse(backwards)
	quoted, _ := json.Marshal(text) // text can always be written
	letters := strings.Split(text, "")
	all := map[string]string{
		"plain": text, "backwards": string(backwards), "JSON": strings.Trim(string(quoted), `"`), "hex": hex.EncodeToString([]byte(text)),
		"UTF-16": strings.Join(letters, "\x00"), "UTF-32": strings.Join(letters, "\x00\x00\x00"), "URL": url.QueryEscape(text),
	}
	for skip := range 3 { // base64 looks other wherever in a longer text it begins
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", skip) + text))
		all[fmt.Sprintf("base64, %d on", skip)] = strings.TrimRight(whole[(skip*8+5)/6:], "=")[:len(text)]
	}
	return all
}

// keysOf are the keys of the events of a recording, and what they typed, one
// after the other: a password must stand in neither.
var keysOf = map[string]*regexp.Regexp{
	"key":  regexp.MustCompile(`"key":"((?:[^"\\]|\\.)*)"`),
	"text": regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`),
}

// unshifted are the keys that type the password, without Shift.
const unshifted = "tr0ub4dor73"

// keycodes are the numbers of those keys on a keyboard for X.
var keycodes = []int{28, 27, 19, 30, 56, 13, 40, 32, 27, 16, 12}

// listed finds numbers in a row, with whatever stands between the entries of a
// list.
func listed(numbers []int, base int) *regexp.Regexp {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.FormatInt(int64(n), base)
	}
	return regexp.MustCompile(`(?i)\b(?:0x)?` + strings.Join(words, `[^0-9a-f]{1,3}(?:0x)?`) + `\b`)
}

// inNumbers are the ways in which the password could stand as a list of them.
var inNumbers = func() map[string]*regexp.Regexp {
	var codes []int
	for _, r := range password {
		codes = append(codes, int(r))
	}
	return map[string]*regexp.Regexp{"keycodes": listed(keycodes, 10), "codepoints": listed(codes, 10), "keysyms": listed(codes, 16)}
}()

// holdsNo looks for a text, in several forms, in every file of the scene.
func (s *scene) holdsNo(text string) {
	s.t.Helper()
	files := 0
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // an application may delete its files meanwhile
		}
		files++
		content, _ := os.ReadFile(path)
		for _, form := range formsIn(content, text) {
			s.t.Errorf("%s holds the password, %s", path, form)
		}
		return nil
	})
	if err != nil || files == 0 {
		s.t.Errorf("there is no file to look into: %v", err)
	}
}

// formsIn are the forms in which a file holds a text.
func formsIn(content []byte, text string) (found []string) {
	for form, f := range forms(text) {
		if bytes.Contains(content, []byte(f)) {
			found = append(found, form)
		}
	}
	for what, form := range inNumbers {
		if form.Match(content) {
			found = append(found, what)
		}
	}
	for what, keys := range keysOf {
		var typed strings.Builder
		for _, m := range keys.FindAllSubmatch(content, -1) {
			var key string
			_ = json.Unmarshal([]byte(`"`+string(m[1])+`"`), &key)
			typed.WriteString(key)
		}
		if run := strings.ToLower(typed.String()); strings.Contains(run, strings.ToLower(text)) || strings.Contains(run, unshifted) {
			found = append(found, what+" by "+what)
		}
	}
	return found
}

func TestTheSearchForAPasswordFindsIt(t *testing.T) {
	var events strings.Builder
	for i, r := range password {
		ev := recorder.Event{Type: recorder.Typed, Key: desktop.Key(unshifted[i]), Text: string(r)}
		if err := json.NewEncoder(&events).Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	only := func(what string) string {
		return regexp.MustCompile(`"`+what+`":"[^"]*",?`).ReplaceAllString(events.String(), "")
	}
	for form, content := range map[string]string{
		"plain": "x" + password, "base64 behind one": base64.StdEncoding.EncodeToString([]byte("1" + password + "22")), "base64 behind two": base64.StdEncoding.EncodeToString([]byte("12" + password + "2")),
		"base64": base64.StdEncoding.EncodeToString([]byte(password)), "backwards": "3&rod4bu0rT", "UTF-16": "T\x00r\x000\x00u\x00b\x004\x00d\x00o\x00r\x00&\x003\x00",
		"JSON": `"Tr0ub4dor\u00263"`, "URL": "code=Tr0ub4dor%263", "as it would be recorded": events.String(), "key by key": only("text"), "text by text": only("key"),
		"keycodes": "[28, 27, 19, 30, 56, 13, 40, 32, 27, 16, 12]", "codepoints": "84 114 48 117 98 52 100 111 114 38 51",
		"keysyms": "0x54,0x72,0x30,0x75,0x62,0x34,0x64,0x6f,0x72,0x26,0x33",
	} {
		if len(formsIn([]byte(content), password)) == 0 {
			t.Errorf("%s: it was not found in %q", form, content)
		}
	}
	if found := formsIn([]byte("Ada Lovelace"), password); len(found) > 0 {
		t.Errorf("it was found where it is not: %v", found)
	}
}
