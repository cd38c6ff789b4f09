package virtual

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// The pipe to a browser outlives those who use it: the page is as the last one left it.
func TestAtLengthABrowserStaysConnectedToItsKeeper(t *testing.T) {
	need(t, "chromium")
	k := keepOne(t, Options{Name: "browse"})
	if info, err := os.Stat(filepath.Join(k.Dir, controlName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	attach := func() *Attachment {
		a, err := Attach(k)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		return a
	}
	a := attach()
	args := []string{"chromium", "--no-sandbox", "--no-first-run", "--password-store=basic", "--disable-gpu", "--user-data-dir=" + scratch.Dir(t), "about:blank"}
	pid, _, err := a.Start(Program{Args: args, Env: os.Environ(), Dir: "/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(a *Attachment, script string) (value any) {
		t.Helper()
		b, err := a.Browse(t.Context(), pid)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close() // without detaching, as one that is killed
		var targets struct {
			TargetInfos []struct{ TargetID, Type string }
		}
		var page string
		scratch.Until(t, "there is a page", func() bool {
			if err := b.Call(t.Context(), "", "Target.getTargets", nil, &targets); err != nil {
				t.Fatal(err)
			}
			for _, x := range targets.TargetInfos {
				if x.Type == "page" {
					page = x.TargetID
				}
			}
			return page != ""
		})
		var session struct{ SessionID string }
		var got struct{ Result struct{ Value any } }
		err = errors.Join(
			b.Call(t.Context(), "", "Target.attachToTarget", map[string]any{"targetId": page, "flatten": true}, &session),
			b.Call(t.Context(), session.SessionID, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &got))
		if err != nil {
			t.Fatal(err)
		}
		return got.Result.Value
	}
	evaluate(a, "globalThis.kept = 'still here'")
	other := attach()
	if all, err := other.Browsers(t.Context()); err != nil || len(all) != 1 || all[0] != (desktop.BrowserProcess{PID: pid, Name: "chromium"}) {
		t.Errorf("the browsers: %v, %v", all, err)
	}
	if got := evaluate(other, "globalThis.kept"); got != "still here" {
		t.Errorf("the next client found %v", got)
	}
	if _, err := other.Browse(t.Context(), 1); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("a browser that is none: %v", err)
	}
}
