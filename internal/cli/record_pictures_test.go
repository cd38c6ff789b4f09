package cli

import (
	"path/filepath"
	"testing"
)

// TestPicturesAreNamedFromTheWorkflow looks at what a workflow calls its pictures.
func TestPicturesAreNamedFromTheWorkflow(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		say, file, events, want string
	}{
		{"beside it", filepath.Join(dir, "order.yaml"), filepath.Join(dir, "order.events.jsonl"), "order.pictures"},
		{"beside it, in a folder that is named from here", "flows/order.yaml", "flows/order.events.jsonl", "order.pictures"},
		{"in another folder", filepath.Join(dir, "flows", "order.yaml"), filepath.Join(dir, "seen", "order.events.jsonl"), filepath.Join("..", "seen", "order.pictures")},
		{"a workflow that is only shown", "", "seen/order.events.jsonl", "seen/order.pictures"},
		{"events that have no pictures", filepath.Join(dir, "order.yaml"), filepath.Join(dir, "events.txt"), ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got := picturesBeside(c.file, c.events); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
