package watch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/fake"
)

// TestSelectorsInDialogsNameTheDialog looks at the selector that is kept first.
func TestSelectorsInDialogsNameTheDialog(t *testing.T) {
	const editor = `
- frame "note.txt - Editor" [process=editor] [at=0,0,400,400]
  - button "Find" [at=10,40,80,24]
`
	for _, c := range []struct {
		say, tree, element, want string
	}{
		{"beside another window", editor + `
- dialog "Save As" [process=editor] [at=50,50,200,200]
  - button "Save" [at=60,90,80,24]
`, "role:button && name:Save", "window:Save As >> role:button && name:Save"},
		{"an element that has a twin in the other window", editor + `
- dialog "Replace" [process=editor] [at=50,50,200,200]
  - button "Find" [at=60,90,80,24]
`, "window:Replace >> role:button && name:Find", "window:Replace >> role:button && name:Find"},
		{"not in the main window, whose title names a file", editor + `
- dialog "Save As" [process=editor] [at=50,50,200,200]
  - button "Save" [at=60,90,80,24]
`, "role:button && name:Find", "role:button && name:Find"},
		{"not by a title that names a file", editor + `
- dialog "Save changes to note.txt?" [process=editor] [at=50,50,200,200]
  - button "Save" [at=60,90,80,24]
`, "role:button && name:Save", "role:button && name:Save"},
		{"a dialog that is all of its program needs no name", `
- dialog "Trip" [process=zenity] [at=50,50,200,200]
  - button "OK" [at=60,90,80,24]
`, "role:button", "role:button && name:OK"},
		{"a page of text is named with its tab", `
- frame "note.txt - Editor" [process=editor] [at=0,0,400,400]
  - pagetablist [at=0,0,400,400]
    - pagetab "note.txt" [at=0,0,80,20]
      - text [at=0,20,400,380]: "eggs"
`, "role:text", "role:pagetab >> role:text"},
		{"a display that shows a result is no name", `
- frame "Calculator" [process=calc] [at=0,0,400,400]
  - text "12×34" [at=10,40,80,24]: "12×34"
`, "role:text", "role:text"},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New(fake.MustParse(c.tree)...)
			defer d.Close()
			tree, err := d.Desktop().Tree(t.Context(), desktop.Scope{Full: true})
			if err != nil {
				t.Fatal(err)
			}
			s, err := selector.Parse(c.element)
			if err != nil {
				t.Fatal(err)
			}
			found := s.Find(tree.Roots)
			if len(found) != 1 {
				t.Fatalf("%s: %d elements", c.element, len(found))
			}
			all := candidates(found[0], tree.Roots)
			if diff := cmp.Diff(selector.Candidate{Selector: c.want, Matches: 1}, all[0]); diff != "" {
				t.Errorf("-want +got:\n%s\nof %v", diff, all)
			}
		})
	}
}
