package viewer

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"understudy/engine"
)

// oneRun gives one run of one step with one picture.
type oneRun struct {
	engine.Runs

	picture []byte
}

func (oneRun) Get(context.Context, string) (engine.Header, error) {
	return engine.Header{ID: "r1", Workflow: `<script>alert(1)</script>`, Status: engine.Running}, nil
}

func (oneRun) Report(context.Context, string, engine.Page) (engine.Report, error) {
	return engine.Report{RunID: "r1", Status: engine.Running, Steps: []engine.StepReport{
		{Path: "0", Kind: "click_element", Status: "success", Captures: []engine.CaptureReport{{When: "after", URI: engine.CaptureURI("aa")}}},
	}}, nil
}

func (oneRun) Events(context.Context, string, uint64) ([]engine.Event, error) { return nil, nil }

func (o oneRun) File(context.Context, engine.FileSort, string) ([]byte, error) { return o.picture, nil }

// TestAnExportedPageNeedsNothingElse is about a page that is sent to somebody: it
// asks no server for anything, and names in it are text.
func TestAnExportedPageNeedsNothingElse(t *testing.T) {
	var picture, page bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 1920, 1080))); err != nil {
		t.Fatal(err)
	}
	if err := Export(t.Context(), oneRun{picture: picture.Bytes()}, "r1", &page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{"data:image/jpeg;base64,", `width="1920" height="1080"`, "<style>", "document.addEventListener", "&lt;script&gt;alert(1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, bad := range []string{`(?:src|href|action)="/`, `https?://[^w]`, `<script>alert`, `ZgotmplZ`, `data-live`} {
		if at := regexp.MustCompile(bad).FindStringIndex(strings.ReplaceAll(text, "main\")?.dataset.live", "")); at != nil {
			t.Errorf("the page has %s: …%s", bad, text[at[0]:min(len(text), at[1]+80)])
		}
	}
}
