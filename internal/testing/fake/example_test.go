package fake_test

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

func Example() {
	ctx := context.Background()
	f := fake.New(fake.MustParse(`
- frame "Notes" [process=notes]
  - entry "Title" [focused]: "Monday"
  - checkbox "Urgent"
`)...)
	urgent := f.Find("role:checkbox")
	urgent.OnClick(func() { fmt.Println("clicked") })

	d := f.Desktop()
	_ = d.Do(ctx, desktop.Type{Text: ", 9:00"})
	_ = d.Do(ctx, desktop.Click{At: f.Get(urgent).Bounds.Center(), Button: desktop.Left})

	tree, _ := d.Tree(ctx, desktop.Scope{Full: true})
	text, _ := tree.Outline(0)
	fmt.Print(text)
	fmt.Println(f.Journal())
	// Output:
	// clicked
	// - frame "Notes" [ref=e1] [active]:
	//   - entry "Title" [ref=e2]: "Monday, 9:00"
	//   - checkbox "Urgent" [ref=e3] [checked] [focused]
	// [type ", 9:00" click 110,72 left]
}
