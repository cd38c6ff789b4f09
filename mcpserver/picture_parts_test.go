package mcpserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
)

// pictureIn returns the picture in a reply; an empty rectangle means none.
func pictureIn(t *testing.T, res byhand.Object) image.Rectangle {
	t.Helper()
	all := contents(res, "image")
	if len(all) == 0 {
		return image.Rectangle{}
	}
	raw, err := base64.StdEncoding.DecodeString(byhand.Dig(all[0], "data").(string))
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return p.Bounds()
}

// lostFiles are runs some of whose files cannot be read.
type lostFiles struct {
	engine.Runs
	lost func(hash string) bool
}

func (r *lostFiles) File(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if r.lost(hash) {
		return nil, engine.ErrNoFile
	}
	return r.Runs.File(ctx, sort, hash)
}

// TestActIsNoFailureWithoutItsPicture clicks while pictures cannot be read: the click is
// done, and its answer must not have a model do it again.
func TestActIsNoFailureWithoutItsPicture(t *testing.T) {
	runs := &lostFiles{}
	st := newStage(t, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (Backend, error) {
			b, err := open(ctx)
			runs.Runs, b.Runs = b.Runs, runs
			return b, err
		}
	})
	w := st.connect(modern, byhand.Object{})
	click := func(want string, args byhand.Object) {
		t.Helper()
		args["selector"] = "role:button && name:Save"
		if res := w.Call("click_element", args); byhand.IsError(res) || !strings.Contains(byhand.Said(res), want) {
			t.Errorf("%v is answered with %v, want %s", args, res, want)
		}
	}
	runs.lost = func(string) bool { return true }
	click("the picture cannot be shown", byhand.Object{"include_image": true})
	runs.lost = func(string) bool { return false }
	click("picture p1", byhand.Object{"include_image": true})
	read := 0
	runs.lost = func(string) bool { // the earlier one, which is read after the new one
		read++
		return read == 2
	}
	click("is complete, because no picture p1 is known", byhand.Object{"image_since": "p1"})
}

func TestAtLengthOnlyWhatChangedOfAPictureIsShown(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Structured = false })
	w := st.connect("2025-11-25", byhand.Object{})
	pressed := false
	whole := pictureIn(t, w.Call("capture_screenshot", byhand.Object{"include_image": true}))
	for _, step := range []struct {
		say   string
		first func()
		tool  string
		args  byhand.Object
		says  string
		size  image.Rectangle
	}{
		{"nothing changed", nil, "capture_screenshot", byhand.Object{"image_since": "p1"}, "picture p2 is not shown: it equals p1", image.Rectangle{}},
		{
			"a dialog opened", func() {
				ok := fake.Button("OK").At(520, 420, 60, 30).OnClick(func() { pressed = true })
				st.desk.Open(fake.Window("New", "other", ok).At(500, 400, 100, 60).Painted(color.RGBA{200, 0, 0, 255}))
			}, "capture_screenshot",
			byhand.Object{"image_since": "p1"},
			"picture p3 is shown where it differs from p1: it has 116x76 pixels: its point (x, y) is the screen's (492 + 1·x, 392 + 1·y), which is what a click takes; image_since: \"p3\" shows only what changes",
			image.Rect(0, 0, 116, 76),
		},
		{"a part of what was shown", nil, "capture_screenshot", byhand.Object{"region": byhand.Object{"x": 490, "y": 390, "w": 200, "h": 100}, "image_since": "p1"}, "picture p4 is shown where it differs from p1: it has 116x76 pixels", image.Rect(0, 0, 116, 76)},
		{"more than was shown", nil, "capture_screenshot", byhand.Object{"image_since": "p4"}, "picture p5 is complete, because p4 shows another part of the screen", whole},
		{"what nobody was shown", nil, "capture_screenshot", byhand.Object{"image_since": "p77"}, "picture p6 is complete, because no picture p77 is known", whole},
		{"an act", nil, "click_element", byhand.Object{"x": 492 + 58, "y": 392 + 38, "image_since": "p1"}, "picture p7 is shown where it differs from p1", image.Rectangle{}},
		{"a run", nil, "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": "capture_screenshot"}}, "image_since": "p1"}, "", image.Rectangle{}},
	} {
		t.Run(step.say, func(t *testing.T) {
			if step.first != nil {
				step.first()
			}
			res := w.Call(step.tool, step.args)
			if got := byhand.Said(res); byhand.IsError(res) || !strings.Contains(got, step.says) {
				t.Fatalf("the answer is\n%s\nwant one that says %q", got, step.says)
			}
			if got := pictureIn(t, res); step.tool == "capture_screenshot" && got != step.size {
				t.Errorf("the picture is %v, want %v", got, step.size)
			}
		})
	}
	if !pressed {
		t.Error("the point of a part of a picture led elsewhere")
	}
}
