package viewer

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"understudy/engine"
)

// oneRun has one run of one step with one picture.
type oneRun struct {
	engine.Runs

	picture []byte
	reads   *atomic.Int32 // of events
}

func (oneRun) Get(context.Context, string) (engine.Header, error) {
	return engine.Header{ID: "r1", Workflow: `<script>alert(1)</script>`, Status: engine.Running}, nil
}

func (o oneRun) Events(_ context.Context, _ string, from uint64) ([]engine.Event, error) {
	if from > 1 {
		return nil, nil
	}
	if o.reads != nil {
		o.reads.Add(1)
	}
	return []engine.Event{
		{Seq: 1, Type: engine.EvStarted, Path: "0", Data: []byte(`{"kind": "click_element", "try": 1}`)},
		{Seq: 2, Type: engine.EvEnded, Path: "0", Data: []byte(`{"outcome": {"status": "success"}}`)},
		{Seq: 3, Type: engine.EvCaptured, Path: "0", Data: []byte(`{"when": "after", "hash": "aa"}`)},
	}, nil
}

func (o oneRun) File(context.Context, engine.FileSort, string) ([]byte, error) { return o.picture, nil }

// TestAnExportedPageNeedsNothingElse is about a page that is sent to somebody: it loads
// nothing from a server, and names in it are text.
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

// TestThePageOfARunReadsItsEventsOnce counts the reads of events, of which a long run has
// many.
func TestThePageOfARunReadsItsEventsOnce(t *testing.T) {
	var reads atomic.Int32
	p, err := pageOf(t.Context(), oneRun{reads: &reads}, "r1", false)
	if err != nil || len(p.Executions) != 1 || reads.Load() != 1 {
		t.Errorf("%d executions, read %d times: %v", len(p.Executions), reads.Load(), err)
	}
}
