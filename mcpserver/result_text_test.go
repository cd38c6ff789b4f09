package mcpserver

import (
	"encoding/base64"
	"image"
	"image/png"
	"maps"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/steps"
	"understudy/steps/kinds"
)

// TestAnswersInWords checks the replies to a model that is shown only text.
func TestAnswersInWords(t *testing.T) {
	w := newStage(t, func(o *Options) { o.Policy.Toolsets = []steps.Toolset{access.All} }).connect("2025-11-25", byhand.Object{})
	for _, c := range []struct {
		say, tool string
		args      byhand.Object
		want      []string
	}{
		{"a tree is shown as a tree", "get_window_tree", byhand.Object{"process": "notes"}, []string{"\n  - button \"Save\" [ref=e3]"}},
		{"a window is a line", "get_applications_and_windows_list", byhand.Object{}, []string{`notes: "Notes"`, "window id "}},
		{"a filter that nothing matches tells what is open", "get_applications_and_windows_list", byhand.Object{"process": "nope"}, []string{"no open window matches; windows are open of notes"}},
		{"an element that is there is said to be", "validate_element", byhand.Object{"selector": "role:entry"}, []string{"exists: true", "\nMonday"}},
		{"a click says on what, by what that is found again, and what followed", "click_element", byhand.Object{"selector": "role:button && name:Save"}, []string{`element: button "Save"`, `selector: "role:button && name:Save"`, "\nnothing visible changed within 500ms\nrun 01"}},
		{"a click on a point says where", "click_element", byhand.Object{"x": 5, "y": 5}, []string{`at: {"x":5,"y":5}`}},
		{"what changed comes last", "type_into_element", byhand.Object{"selector": "role:entry", "text_to_type": "hello", "clear_before_typing": true, "ui_diff_before_after": true}, []string{"has_ui_changes: true", "\nwhat changed:\n", "hello"}},
		{"signs stay what they are", "open_url", byhand.Object{"url": "data:text/html,<b>&"}, []string{`url: "data:text/html,<b>&"`}},
		{"what is empty is said to be", "get_clipboard", byhand.Object{}, []string{"get_clipboard: the text is empty"}},
		{"nothing to say", "delay", byhand.Object{"duration": "1ms"}, []string{"delay: delayed_ms: 1"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			res := w.Call(c.tool, c.args)
			for _, want := range c.want {
				if text := byhand.Said(res); byhand.IsError(res) || !strings.Contains(text, want) {
					t.Errorf("the answer says nothing of %q:\n%s", want, text)
				}
			}
		})
	}
}

// TestALongTextIsShownOnce checks that an action does not repeat the text of a document,
// and that a kind that reads it shows all of it.
func TestALongTextIsShownOnce(t *testing.T) {
	text := strings.Repeat("word ", 100)
	result := byhand.Object{"element": byhand.Object{"role": "text", "text": text}}
	if said := string(textOf(kinds.PressKey, result)); strings.Count(said, "word") > 20 {
		t.Errorf("an action says:\n%s", said)
	}
	if said := string(textOf(kinds.WaitForElement, result)); strings.Count(said, "word") > 120 || !strings.Contains(said, strings.TrimSpace(text)) {
		t.Errorf("a wait says:\n%s", said)
	}
}

// TestAWindowIsNamedByItsID checks that the id can be given to change_window as it is.
func TestAWindowIsNamedByItsID(t *testing.T) {
	result := byhand.Object{"window": byhand.Object{"title": "Notes", "process": "notes", "id": 8388614.0}}
	if said := string(textOf(kinds.PressKey, result)); !strings.Contains(said, `window "Notes" of notes, id 8388614`) {
		t.Errorf("an answer says:\n%s", said)
	}
}

// TestReadTextInWords checks that a reply states where to click the text that was read.
func TestReadTextInWords(t *testing.T) {
	words := []any{
		byhand.Object{"text": "Save", "area": byhand.Object{"x": 10.0, "y": 20.0, "w": 40.0, "h": 10.0}, "confidence": 0.9},
		byhand.Object{"text": "as", "area": byhand.Object{"x": 60.0, "y": 22.0, "w": 10.0, "h": 10.0}, "confidence": 0.9},
		byhand.Object{"text": "Quit", "area": byhand.Object{"x": 100.0, "y": 50.0, "w": 20.0, "h": 10.0}, "confidence": 0.9},
	}
	for _, c := range []struct {
		say  string
		m    byhand.Object
		want string
	}{
		{"lines", byhand.Object{"text": "Save as\nQuit", "words": words}, "\nSave as [40,26]\nQuit [110,55]"},
		{"nothing", byhand.Object{"text": "", "words": []any{}}, "no text was read"},
		{"fewer words than the text has", byhand.Object{"text": "Save as\nQuit", "words": words[:1]}, "\nSave as [30,25]\nQuit [0,0]"},
	} {
		before, inside, after := unfence(t, string(textOf(kinds.ReadText, c.m)))
		if !strings.HasSuffix(inside, c.want) || before+after != "" {
			t.Errorf("%s: %q does not end in %q", c.say, inside, c.want)
		}
	}
}

// TestIncludedImage checks the pictures in replies.
func TestIncludedImage(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	for _, c := range []struct {
		say, tool string
		args      byhand.Object
		shown     bool
	}{
		{"the picture when nothing is said", "capture_screenshot", byhand.Object{}, true},
		{"a link when it is not wanted", "capture_screenshot", byhand.Object{"include_image": false}, false},
		{"the picture when it is wanted", "capture_screenshot", byhand.Object{"include_image": true}, true},
		{"the window after an action", "click_element", byhand.Object{"selector": "role:button && name:Save", "include_image": true}, true},
	} {
		t.Run(c.say, func(t *testing.T) {
			res := w.Call(c.tool, c.args)
			pictures := contents(res, "image")
			if byhand.IsError(res) || (len(pictures) == 1) != c.shown || (len(contents(res, "resource_link")) == 1) == c.shown {
				t.Fatalf("pictures shown: %d: %s", len(pictures), byhand.Said(res))
			}
			if !c.shown {
				return
			}
			if text := byhand.Said(res); !strings.Contains(text, "pixels") {
				t.Errorf("it is not said how the picture lies on the screen: %s", text)
			}
			data, _ := byhand.Dig(pictures[0], "data").(string)
			p, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
			if err != nil {
				t.Fatal(err)
			}
			if size := p.Bounds(); size.Dx() > maxImageSide || size.Dy() > maxImageSide || size.Dx()*size.Dy() > maxImagePixels {
				t.Errorf("the picture is %v", size)
			}
		})
	}
}

// TestARunShowsItsLastPicture checks the picture of runs that succeed, that fail, and
// that take none.
func TestARunShowsItsLastPicture(t *testing.T) {
	st := newStage(t)
	st.engine.Pictures = &engine.Camera{Files: st.engine.Files}
	w := st.connect("2025-11-25", byhand.Object{})
	save := byhand.Object{"tool_name": "click_element", "id": "save", "arguments": byhand.Object{"selector": "role:button && name:Save"}}
	absent := byhand.Object{"tool_name": "click_element", "id": "absent", "arguments": byhand.Object{"selector": "name:Absent", "timeout_ms": 50}}
	for _, c := range []struct {
		say   string
		steps []any
		want  string
		shown int
	}{
		{"after the last step", []any{save}, "the screen after step save", 1},
		{"after a step that failed", []any{save, absent}, "the screen after step absent", 1},
		{"no picture", []any{byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"delay_ms": 1}}}, "no step left a picture", 0},
	} {
		t.Run(c.say, func(t *testing.T) {
			res := w.Call("execute_sequence", byhand.Object{"steps": c.steps, "include_image": true})
			if n := len(contents(res, "image")); n != c.shown || !strings.Contains(byhand.Said(res), c.want) {
				t.Fatalf("%d pictures are shown, wanted %d, and %q: %s", n, c.shown, c.want, byhand.Said(res))
			}
			run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
			if n := len(contents(w.Call("get_run", byhand.Object{"run_id": run, "include_image": true}), "image")); n != c.shown {
				t.Errorf("get_run shows %d pictures, wanted %d", n, c.shown)
			}
		})
	}
}

// contents returns the parts of a result of one type.
func contents(res byhand.Object, sort string) (out []any) {
	all, _ := byhand.Dig(res, "result", "content").([]any)
	for _, c := range all {
		if byhand.Dig(c, "type") == sort {
			out = append(out, c)
		}
	}
	return out
}

// TestPixelMapping checks the sentence that maps the points of a picture to those of
// the screen.
func TestPixelMapping(t *testing.T) {
	for _, c := range []struct {
		say  string
		area desktop.Rect
		size desktop.Size
		want string
	}{
		{"the whole screen as it is", desktop.Rect{W: 800, H: 600}, desktop.Size{W: 800, H: 600}, "which are those of the screen"},
		{"a screen made smaller", desktop.Rect{W: 1600, H: 1200}, desktop.Size{W: 800, H: 600}, "(0 + 2·x, 0 + 2·y)"},
		{"a window", desktop.Rect{X: 30, Y: -4, W: 100, H: 100}, desktop.Size{W: 100, H: 100}, "(30 + 1·x, -4 + 1·y)"},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got := string(pixelMapping(c.area, c.size)); !strings.Contains(got, c.want) {
				t.Errorf("%q does not say %q", got, c.want)
			}
		})
	}
}

// TestEncodeForModel checks the limits of what models can see.
func TestEncodeForModel(t *testing.T) {
	for _, c := range []struct{ w, h int }{{10, 10}, {1568, 700}, {1920, 1080}, {5000, 20}, {20, 5000}, {3840, 2160}, {1, 5000}} {
		_, size, err := encodeForModel(image.NewGray(image.Rect(0, 0, c.w, c.h)))
		if err != nil || size.W > maxImageSide || size.H > maxImageSide || size.W*size.H > maxImagePixels || size.W < 1 || size.H < 1 {
			t.Errorf("%dx%d is shown as %v, %v", c.w, c.h, size, err)
		}
	}
}

func TestTreeDiffsReportAllChanges(t *testing.T) {
	for _, c := range []struct {
		say  string
		on   bool
		args byhand.Object
		want bool
	}{
		{"without the flag", false, byhand.Object{}, false},
		{"with the flag", true, byhand.Object{}, true},
		{"with the flag, but not for this call", true, byhand.Object{"ui_diff_before_after": false}, false},
	} {
		w := newStage(t, func(o *Options) { o.TreeDiffs = c.on }).connect("2025-11-25", byhand.Object{})
		args := byhand.Object{"selector": "role:entry", "text_to_type": "hello"}
		maps.Copy(args, c.args)
		text := byhand.Said(w.Call("type_into_element", args))
		if got := strings.Contains(text, "what changed:\n"); got != c.want || strings.Count(text, "→ \"hello\"") != 1 {
			t.Errorf("%s: all changes are told: %v, want %v, and each once:\n%s", c.say, got, c.want, text)
		}
	}
}

func TestFailuresSayHowStepsCount(t *testing.T) {
	for step, want := range map[string]string{"8": "not_found: step 8 (counted from 0): ", "finally.1": "not_found: step finally.1 (counted from 0): ", "save": "not_found: step save: "} {
		f := &failure{Code: steps.NotFound, Message: "no button", Step: step, RunID: "01run", ResumeFrom: step}
		if text := string(f.text()); !strings.HasPrefix(text, want) {
			t.Errorf("the failure of step %s reads %q", step, text)
		}
	}
}
