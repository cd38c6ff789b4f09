package viewer

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"testing"

	"understudy/engine"
)

// imported matches the modules that a script imports.
var imported = regexp.MustCompile(`(?m)^\s*(?:import|export)\b(?:[^"';=]*\bfrom)?\s*["']([^"']+\.js)["']`)

// The scripts of the page of a desktop, and all that they import, are served.
func TestScriptsFindWhatTheyImport(t *testing.T) {
	v := New(Options{})
	seen := map[string]bool{}
	var follow func(script string)
	follow = func(script string) {
		if seen[script] {
			return
		}
		seen[script] = true
		w := httptest.NewRecorder()
		v.ServeHTTP(w, httptest.NewRequest(http.MethodGet, script, nil))
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", script, w.Code)
			return
		}
		for _, m := range imported.FindAllStringSubmatch(w.Body.String(), -1) {
			next := m[1]
			if !path.IsAbs(next) {
				next = path.Join(path.Dir(script), next)
			}
			follow(next)
		}
	}
	follow("/pages/desktop.js")
	if len(seen) < 20 {
		t.Errorf("followed %d scripts, wanted those of noVNC too", len(seen))
	}
}

// TestAStepIsDoneOnlyIfItIsMeant holds that the proposal of the page, that the step at which the
// run stands is done, is not taken for another step that the person chooses.
func TestAStepIsDoneOnlyIfItIsMeant(t *testing.T) {
	for form, want := range map[string]any{
		"decision=holds":        engine.DoneByHand,
		"from=a&decision=holds": nil,
		"from=a&decision=done":  engine.DoneByHand,
		"decision=":             nil,
	} {
		values, err := url.ParseQuery(form)
		if err != nil {
			t.Fatal(err)
		}
		if args, err := new(Viewer).resumeArgs(&http.Request{PostForm: values}, nil, engine.Header{}); err != nil || args["decision"] != want {
			t.Errorf("%s: %v, %v; want the decision %v", form, args, err, want)
		}
	}
}
