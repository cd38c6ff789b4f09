package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/steps/kinds"
)

func TestKindsOfAWorker(t *testing.T) {
	shell, _ := steps.Find(kinds.All(), "run_command")
	click, _ := steps.Find(kinds.All(), "click_element")
	for _, c := range []struct {
		toolsets     []string
		exclude      []string
		shell, click bool
	}{
		{nil, nil, true, true},
		{[]string{"all"}, nil, true, true},
		{[]string{"core"}, nil, false, true},
		{[]string{"core", "shell"}, nil, true, true},
		{[]string{"all"}, []string{"run_command"}, false, true},
	} {
		w := &worker{app: &app{library: library{kinds: kinds.All()}}, Name: "w", Desktops: 1, Replicas: 1, Toolsets: c.toolsets, Exclude: c.exclude}
		w.Fleet = "nats://127.0.0.1:1"
		if err := w.check(&cobra.Command{}); err != nil {
			t.Fatal(err)
		}
		if got := w.allow("", "", shell) == nil; got != c.shell {
			t.Errorf("%+v: run_command is allowed: %t", c, got)
		}
		if got := w.allow("", "", click) == nil; got != c.click {
			t.Errorf("%+v: click_element is allowed: %t", c, got)
		}
	}
}
