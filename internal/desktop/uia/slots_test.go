package uia

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// header is where mingw-w64-common has the interfaces of UI Automation, which its authors
// wrote from the documentation; that of Debian 12 lacks most of them.
const header = "/usr/share/mingw-w64/include/uiautomationclient.h"

func readHeader(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(header)
	if err != nil || !strings.Contains(string(b), "IUIAutomationTextRange") {
		t.Skip("needs the headers of mingw 12 or later: apt-get install mingw-w64-common, in Debian 13")
	}
	if core, err := os.ReadFile(filepath.Join(filepath.Dir(header), "uiautomationcore.h")); err == nil {
		b = append(b, core...)
	}
	return string(b)
}

var (
	declared = regexp.MustCompile(`(?s)MIDL_INTERFACE\("([0-9a-fA-F-]+)"\)\s*(\w+) : public (\w+)\s*\{(.*?)\n\};`)
	virtual  = regexp.MustCompile(`virtual \w+ STDMETHODCALLTYPE (\w+)\(`)
)

// The slots and IDs by which methods are called are those of the headers of others.
func TestSlotsAreThoseOfTheHeaders(t *testing.T) {
	methods := map[string][]string{"IUnknown": {"QueryInterface", "AddRef", "Release"}}
	ids := map[string]string{}
	for _, m := range declared.FindAllStringSubmatch(readHeader(t), -1) {
		list := slices.Clone(methods[m[3]])
		for _, v := range virtual.FindAllStringSubmatch(m[4], -1) {
			list = append(list, v[1])
		}
		methods[m[2]], ids[m[2]] = list, strings.ToLower(m[1])
	}
	for name, slot := range slots {
		in, method, _ := strings.Cut(name, ".")
		if want := slices.Index(methods[in], method); want != slot {
			t.Errorf("%s is called in slot %d, want %d", name, slot, want)
		}
	}
	for name, id := range interfaces {
		if ids[name] != id {
			t.Errorf("%s has the ID %s, want %s", name, id, ids[name])
		}
	}
}

// The numbers of properties, patterns and control types are those of the headers of others.
func TestNumbersAreThoseOfTheHeaders(t *testing.T) {
	text := readHeader(t)
	numbers := func(what string) map[string]int {
		all := map[string]int{}
		for _, m := range regexp.MustCompile(`UIA_(\w+)`+what+`Id\s*[(=]?\s*\(?\s*(\d+)`).FindAllStringSubmatch(text, -1) {
			all[m[1]], _ = strconv.Atoi(m[2])
		}
		return all
	}
	all := numbers("Property")
	for name := range maps.Keys(properties) {
		if all[name] != int(properties[name]) {
			t.Errorf("the property %s is %d, want %d", name, properties[name], all[name])
		}
	}
	for name, p := range patterns {
		if want := numbers("Pattern")[name]; want != int(p.pattern) {
			t.Errorf("the pattern %s is %d, want %d", name, p.pattern, want)
		}
	}
	for i, name := range controlTypes {
		if want := numbers("ControlType")[name]; want != firstControlType+i {
			t.Errorf("the control type %s is %d, want %d", name, firstControlType+i, want)
		}
	}
}

// Each method that is called has a slot, and no other has one.
func TestSlotsAreThoseOfTheCalls(t *testing.T) {
	files, err := filepath.Glob("*_windows.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	called := map[string]bool{"IUnknown.QueryInterface": true}
	whole := regexp.MustCompile(`"(IU\w+\.\w+)"`)
	perform := regexp.MustCompile(`perform\("(\w+)", "(\w+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range whole.FindAllSubmatch(text, -1) {
			called[string(m[1])] = true
		}
		for _, m := range perform.FindAllSubmatch(text, -1) {
			called["IUIAutomation"+string(m[1])+"Pattern."+string(m[2])] = true
		}
	}
	for name := range called {
		if _, ok := slots[name]; !ok {
			t.Errorf("%s is called and has no slot", name)
		}
	}
	for name := range slots {
		if !called[name] {
			t.Errorf("%s has a slot and is not called", name)
		}
	}
}
