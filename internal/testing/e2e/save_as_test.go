//go:build linux

package e2e

import (
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/itself"
)

// TestANameIsSavedWithEnter saves a text under other names as a language model does:
// call by call, with Enter at the end of the name, and the caret given back after each.
func TestANameIsSavedWithEnter(t *testing.T) {
	for _, editor := range []string{"mousepad", "l3afpad"} {
		t.Run(editor, func(t *testing.T) {
			if !itself.InChild(t, nil) {
				return
			}
			s := newStage(t, desktop.Size{})
			s.write("first.txt", "eggs")
			c := s.overMCP()
			call := func(tool string, args byhand.Object) string {
				t.Helper()
				res := c.Call(tool, args)
				if res["error"] != nil || byhand.IsError(res) {
					t.Fatalf("%s: %s", tool, byhand.Said(res))
				}
				return byhand.Said(res)
			}
			call("open_application", byhand.Object{"app_name": editor + " " + s.dir + "/first.txt"})
			for _, name := range []string{"second.txt", "third.txt"} {
				call("press_key_global", byhand.Object{"key": "ctrl+shift+s", "process": editor})
				said := call("type_into_element", byhand.Object{
					"process": editor, "selector": "role:text && name:Name:", "text_to_type": s.dir + "/" + name + "{Enter}",
				})
				if err := s.holds(name, "eggs"); err != nil {
					t.Fatalf("%v; it was said:\n%s", err, said)
				}
				if strings.Contains(said, "taken_by") {
					t.Errorf("Enter saved, and is said to have been taken:\n%s", said)
				}
			}
		})
	}
}
