package local_test

import (
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/browse"
	"understudy/steps/kinds"
)

// A page says what shows at a point, and what a click went to.
func TestAPageIsAWitness(t *testing.T) {
	p := showPage(t, placesPage)
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "role:button && name:Plain", "timeout_ms": 60_000.0})
	env := &steps.Env{Desktop: p.Desktop}
	find := func(name string) *desktop.Element {
		t.Helper()
		tree, err := p.Tree(t.Context(), desktop.Scope{Process: "chromium", Full: true})
		if err != nil {
			t.Fatal(err)
		}
		found := selector.MustParse("role:button && name:" + name).Find(tree.Roots)
		if len(found) != 1 {
			t.Fatalf("%d buttons %s", len(found), name)
		}
		return found[0]
	}
	w, err := browse.WitnessOf(t.Context(), env, find("Plain"))
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	defer w.Close()
	for name, want := range map[string]bool{
		"Plain": true, "With parts": true, "Shadowed": true, "Framed": true, "Fixed": true, "Seen through": true, "Veil": true,
		"Covered by a box": false, "Covered by a button": false, "Not to be clicked": false,
	} {
		el := find(name)
		if got, err := w.Shows(t.Context(), el, el.Bounds.Center()); err != nil || got != want {
			t.Errorf("%s shows: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"Covered by a box": "div", "Covered by a button": "button", "Plain": "", "Seen through": ""} {
		el := find(name)
		if now, err := w.Watch(t.Context(), el, el.Bounds.Center()); err != nil || !strings.HasPrefix(now.Over, want) || want == "" && now.Over != "" {
			t.Errorf("over %s lies %q, %v; want %q", name, now.Over, err, want)
		}
	}
	for _, row := range []struct{ clicked, says string }{{"Plain", ""}, {"Round", `"Round"`}} {
		el, at := find("Plain"), find(row.clicked).Bounds.Center()
		if now, err := w.Watch(t.Context(), el, el.Bounds.Center()); err != nil || !now.Found {
			t.Fatal(now, err)
		}
		if err := p.Do(t.Context(), desktop.Click{At: at, Button: desktop.Left, Count: 1}); err != nil {
			t.Fatal(err)
		}
		if got := w.Beside(t.Context(), el, at); got != row.says && (row.says == "" || !strings.Contains(got, row.says)) {
			t.Errorf("%s was clicked instead of Plain, and the page says %q, want %q", row.clicked, got, row.says)
		}
	}
	if o := p.does(kinds.ExecuteBrowserScript, map[string]any{"script": "[typeof wanted, typeof pressed, typeof listens].join()"}); o.Result["result"] != "undefined,undefined,undefined" {
		t.Errorf("the page sees of it: %v", o.Result["result"])
	}
	if w, err := browse.WitnessOf(t.Context(), env, &desktop.Element{PID: find("Plain").PID}); w != nil || err != nil {
		t.Errorf("what is in no page has the witness %v, %v", w, err)
	}
}
