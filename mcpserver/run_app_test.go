package mcpserver

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/viewer"
	"understudy/steps"
)

// mostAppBytes bounds the page that a client loads beside an answer.
const mostAppBytes = 60 << 10

func TestRunAppIsAPage(t *testing.T) {
	text, mime, res := newStage(t).connect(modern, byhand.Object{}).content(runAppURI)
	if mime != appType || !strings.Contains(text, "ui/initialize") {
		t.Fatalf("%v", res)
	}
	if len(text) > mostAppBytes {
		t.Errorf("%d bytes, want at most %d", len(text), mostAppBytes)
	}
	for _, remote := range []string{"http://", "https://", "innerHTML", "<link"} {
		if strings.Contains(viewer.App(), remote) {
			t.Errorf("it holds %q: a host lets it load nothing, and texts of applications are never markup", remote)
		}
	}
}

func TestRunAppHasItsDataBesideTheAnswer(t *testing.T) {
	shows := byhand.Object{"extensions": byhand.Object{appExtension: byhand.Object{"mimeTypes": []any{appType}}}}
	failing := byhand.Object{"steps": []any{
		byhand.Object{"tool_name": "delay", "id": "first", "arguments": byhand.Object{"delay_ms": 1}},
		byhand.Object{"tool_name": "click_element", "id": "press", "arguments": byhand.Object{"selector": "role:button && name:Nowhere", "timeout_ms": 1}},
	}}
	for _, c := range []struct {
		say     string
		client  byhand.Object
		hasData bool
	}{
		{"a client that shows apps", shows, true},
		{"a client that does not", byhand.Object{}, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			w := newStage(t).connect(modern, c.client)
			res := w.Call("execute_sequence", failing)
			data, _ := byhand.Dig(res, "result", "_meta", appDataKey).(byhand.Object)
			if (data != nil) != c.hasData {
				t.Fatalf("the data are %v", data)
			}
			if !c.hasData {
				return
			}
			if data["status"] != "failed" || byhand.Dig(data, "error", "step") != "press" || byhand.Dig(data, "plan", "from") != "press" {
				t.Errorf("%v", data)
			}
			again := w.Call("get_run", byhand.Object{"run_id": data["run_id"]})
			if all, _ := byhand.Dig(again, "result", "_meta", appDataKey, "steps").([]any); len(all) != 2 {
				t.Errorf("get_run: %v", byhand.Dig(again, "result", "_meta"))
			}
		})
	}
}

func TestRunAppBelongsToToolsOfRuns(t *testing.T) {
	w := newStage(t).connect(modern, byhand.Object{})
	var named []string
	list, _ := byhand.Dig(w.Ask("tools/list", byhand.Object{}), "result", "tools").([]any)
	for _, one := range list {
		if byhand.Dig(one, "_meta", "ui", "resourceUri") == runAppURI {
			named = append(named, byhand.Dig(one, "name").(string))
		}
	}
	if got := strings.Join(named, " "); got != "execute_sequence get_run resume_run" {
		t.Errorf("tools with the page: %s", got)
	}
}

// TestRunAppShowsAFormBeforeTheRun gives the page what it needs to ask for inputs.
func TestRunAppShowsAFormBeforeTheRun(t *testing.T) {
	st := newStage(t)
	st.save("report", fmt.Sprintf(savedReport, "delay, arguments: {delay_ms: 1}"))
	shows := byhand.Object{"extensions": byhand.Object{appExtension: byhand.Object{"mimeTypes": []any{appType}}}}
	res := st.connect(modern, shows).Call("execute_sequence", byhand.Object{"url": "report"})
	form := byhand.Dig(res, "result", "_meta", appFormKey)
	if !byhand.IsError(res) || byhand.Dig(form, "schema", "properties", "month", "title") != "Month" {
		t.Fatalf("%v", res)
	}
	if diff := cmp.Diff(any([]any{"password"}), byhand.Dig(form, "secrets")); diff != "" || byhand.Dig(form, "schema", "properties", "password") != nil {
		t.Errorf("a secret is no field: %v", form)
	}
	if res := st.connect(modern, byhand.Object{}).Call("execute_sequence", byhand.Object{"url": "report"}); byhand.Dig(res, "result", "_meta", appFormKey) != nil {
		t.Errorf("a client without apps is given the form: %v", res)
	}
}

// TestRunAppNeedsNoToolOfItsOwn holds that models see every tool that the page calls, so
// that nothing can be reached by the page alone.
func TestRunAppNeedsNoToolOfItsOwn(t *testing.T) {
	listed := listedTools(newStage(t, func(o *Options) { o.Policy.Toolsets = []steps.Toolset{access.All} }).connect(modern, byhand.Object{}))
	called := regexp.MustCompile(`(?:call|act)\("([a-z_]+)"|button\([^"\n]*"[^"]*", "([a-z_]+)"`).FindAllStringSubmatch(viewer.App(), -1)
	if len(called) < 4 {
		t.Errorf("%d calls of tools are in the page, which is too few: the test sees nothing", len(called))
	}
	for _, m := range called {
		if name := m[1] + m[2]; listed[name] == nil {
			t.Errorf("the page calls %s, which is not listed", name)
		}
	}
}
