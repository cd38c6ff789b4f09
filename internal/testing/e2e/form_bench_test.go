//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/virtualtest"
)

const formDocument = `
steps:
  - {tool_name: type_into_element, arguments: {selector: "window:Witness >> role:text && name:Name", text_to_type: Ada Lovelace}}
  - {tool_name: set_selected, arguments: {selector: "window:Witness >> role:checkbox", state: true}}
  - {tool_name: select_option, arguments: {selector: "window:Witness >> role:combobox", option_name: blue}}
  - {tool_name: set_value, arguments: {selector: "window:Witness >> role:spinbutton", value: 7}}
  - {tool_name: set_value, arguments: {selector: "window:Witness >> role:slider", value: 70}}
  - {tool_name: click_element, arguments: {selector: "window:Witness >> role:pagetab && name:Second"}}
  - {tool_name: type_into_element, arguments: {selector: "window:Witness >> role:text && name:Body", text_to_type: A note}}
  - {tool_name: set_selected, arguments: {selector: "window:Witness >> role:checkbox", state: false}}
  - {tool_name: click_element, arguments: {selector: "window:Witness >> role:pagetab && name:First"}}
  - {tool_name: click_element, arguments: {selector: "window:Witness >> role:button && name:OK"}}
`

// formSleep is what scripts that click blindly commonly sleep after each step,
// as they cannot see when the application has come to it. With much less they
// fail on a busy machine, with more they are slower still.
const formSleep = 300 * time.Millisecond

// formScript are the same ten steps for xdotool: a place, which whoever writes
// such a script has measured before, and what is done there, with _ for a space
// that is typed.
var formScript = []struct{ place, do string }{
	{`role:text && name:Name`, "click 1 type Ada_Lovelace"},
	{`role:checkbox`, "click 1"},
	{`role:combobox`, "click 1 sleep 0.3 key Down Down Return"},
	{`role:spinbutton`, "click --repeat 3 1 type 7 key Tab"},
	{`role:slider`, "click 1 key Home key --repeat 70 --delay 5 Right"},
	{`role:pagetab && name:Second`, "click 1"},
	{`role:text && name:Body`, "click 1 type A_note"},
	{`role:checkbox`, "click 1"},
	{`role:pagetab && name:First`, "click 1"},
	{`role:button && name:OK`, "click 1"},
}

// formFilled is what the application's own log ends with, for each control.
var formFilled = []string{"entry Ada Lovelace", "combo blue", "spin 7", "scale 70", "body A note", "check False", "tab 0", "clicked OK"}

// BenchmarkForm is a form of ten steps in one application, with all checks,
// durable events and pictures, beside the same by xdotool with fixed sleeps.
// Both are done in turns, each in an application of its own; the application's
// log says which of them were done right.
func BenchmarkForm(b *testing.B) {
	virtualtest.Need(b, "xdotool")
	s, e := warmEngine(b, true)
	f := &form{stage: s}
	places := f.measure(b, e)
	var ours, theirs side
	for b.Loop() {
		ours.add(f.filled(func() { play(b, e, formDocument) }))
		theirs.add(f.filled(func() { f.blindly(places) }))
	}
	ours.report(b, "understudy")
	theirs.report(b, "xdotool")
	b.ReportMetric(float64(theirs.took)/float64(ours.took), "xdotool/understudy")
	b.ReportMetric(0, "ns/op") // of both and of what lies between them, which says nothing
}

// side is one of the two ways.
type side struct {
	times, failed int
	took          time.Duration
}

func (s *side) add(took time.Duration, right bool) {
	s.times++
	s.took += took
	if !right {
		s.failed++
	}
}

func (s *side) report(b *testing.B, name string) {
	b.ReportMetric(float64(s.took.Milliseconds())/float64(s.times), name+"-ms")
	b.ReportMetric(float64(s.failed)/float64(s.times), name+"-failed")
}

// form is the application that is filled in.
type form struct {
	*stage
	times int
}

// filled shows the form anew, has it filled in, and says how long that took and
// whether it is right.
func (f *form) filled(fill func()) (took time.Duration, right bool) {
	log, end := f.shown()
	defer end()
	began := time.Now()
	fill()
	took = time.Since(began)
	soon, cancel := context.WithTimeout(f.t.Context(), 10*time.Second) // what was done wrong stays so
	defer cancel()
	right = poll(soon, func() error { return formIs(log) }) == nil
	return took, right
}

// shown shows the form, and gives its log and what ends it.
func (f *form) shown() (log string, end func()) {
	f.t.Helper()
	f.times++
	log = filepath.Join(f.dir, fmt.Sprintf("form%d.log", f.times))
	cmd := exec.CommandContext(f.t.Context(), "/usr/bin/python3", f.testdata("witness.py"), log, "Witness")
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.shows("^Witness$")
	return log, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// formIs says whether the log of a form ends as it should.
func formIs(log string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	last := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		last[strings.Fields(line + " ?")[0]] = line
	}
	for _, want := range formFilled {
		if word := strings.Fields(want)[0]; last[word] != want {
			return fmt.Errorf("wanted %q, found %q", want, last[word])
		}
	}
	return nil
}

// measure finds the places of the form's controls.
func (f *form) measure(b *testing.B, e *engine.Engine) (places []desktop.Point) {
	b.Helper()
	_, end := f.shown()
	defer end()
	d, err := e.Desk.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, step := range formScript {
		s, err := selector.Parse("window:Witness >> " + step.place)
		if err != nil {
			b.Fatal(err)
		}
		err = eventually(b, func() error {
			tree, err := d.Tree(b.Context(), desktop.Scope{Title: "Witness", Full: true})
			if err != nil {
				return err
			}
			found := s.Find(tree.Roots)
			if len(found) != 1 || found[0].Bounds.Empty() {
				return fmt.Errorf("wanted one %s, found %d", step.place, len(found))
			}
			places = append(places, found[0].Bounds.Center())
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return places
}

// blindly fills the form in at places.
func (f *form) blindly(places []desktop.Point) {
	for i, step := range formScript {
		args := strings.Fields(step.do)
		for n := range args {
			args[n] = strings.ReplaceAll(args[n], "_", " ")
		}
		at := places[i]
		f.tool("xdotool", slices.Concat([]string{"mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y)}, args)...)
		time.Sleep(formSleep)
	}
}
