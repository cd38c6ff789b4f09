package recorder_test

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
	"strings"
	"testing"
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

// keysOf are the keys of the events of a recording, one after the other: a
// password must not stand there either, with a few others between.
var keysOf = regexp.MustCompile(`"(?:text|key)":"((?:[^"\\]|\\.)*)"`)

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
	var typed strings.Builder
	for _, m := range keysOf.FindAllSubmatch(content, -1) {
		typed.Write(m[1])
	}
	for _, run := range []string{typed.String(), strings.ToLower(typed.String())} {
		if strings.Contains(run, text) || strings.Contains(run, strings.ToLower(text)) {
			found = append(found, "key by key")
		}
	}
	return found
}

func TestTheSearchForAPasswordFindsIt(t *testing.T) {
	events := func(keys string) string {
		var b strings.Builder
		for _, r := range keys {
			fmt.Fprintf(&b, "{\"type\":\"typed\",\"key\":%q}\n", strings.ToLower(string(r)))
		}
		return b.String()
	}
	for form, content := range map[string]string{
		"plain": "x" + password, "base64 behind one": base64.StdEncoding.EncodeToString([]byte("1" + password + "22")), "base64 behind two": base64.StdEncoding.EncodeToString([]byte("12" + password + "2")),
		"base64": base64.StdEncoding.EncodeToString([]byte(password)), "backwards": "3&rod4bu0rT", "UTF-16": "T\x00r\x000\x00u\x00b\x004\x00d\x00o\x00r\x00&\x003\x00",
		"JSON": `"Tr0ub4dor\u00263"`, "URL": "code=Tr0ub4dor%263", "key by key": events(password),
	} {
		if len(formsIn([]byte(content), password)) == 0 {
			t.Errorf("%s: it was not found in %q", form, content)
		}
	}
	if found := formsIn([]byte("Ada Lovelace"), password); len(found) > 0 {
		t.Errorf("it was found where it is not: %v", found)
	}
}
