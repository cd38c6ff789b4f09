package selector_test

import (
	"fmt"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

func Example() {
	form := &desktop.Element{Role: "frame", Name: "Form", Children: []*desktop.Element{
		{Role: "button", Name: "Save"},
		{Role: "button", Name: "Save as…"},
	}}
	for _, text := range []string{"role:frame >> name:Save", "name~:save", "role:buton"} {
		s, err := selector.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(text, "matches", len(s.Find([]*desktop.Element{form})))
	}
	// Output:
	// role:frame >> name:Save matches 1
	// name~:save matches 2
	// selector, column 6: there is no role "buton"; write button
}
