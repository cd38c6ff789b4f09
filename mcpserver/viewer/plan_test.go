package viewer

import (
	"strings"
	"testing"
)

// TestReplaceIn replaces selectors that a document writes in several ways, by one that the
// run has in its canonical form.
func TestReplaceIn(t *testing.T) {
	const was, use = "role:button && name?:Sent", "role:button && name:Send"
	for says, row := range map[string]struct{ step, want string }{
		"in quotes":              {`selector: "role:button && name:Sent", timeout_ms: 5}`, `selector: "role:button && name:Send", timeout_ms: 5}`},
		"in single quotes":       {`selector: 'role:button && name:Sent'}`, `selector: "role:button && name:Send"}`},
		"plainly":                {`selector: role:button && name:Sent}`, `selector: "role:button && name:Send"}`},
		"as the run has it":      {`selector: "role:button && name?:Sent"}`, `selector: "role:button && name:Send"}`},
		"with other spaces":      {`selector: "role:button&&name:Sent"}`, `selector: "role:button && name:Send"}`},
		"another stays":          {`selector: "role:button && name:Sender"}`, ""},
		"an alternative is none": {`alternative_selectors: "role:button && name:Sent"}`, ""},
	} {
		t.Run(says, func(t *testing.T) {
			other := `  - {id: other, tool_name: click_element, arguments: {selector: "role:button && name:Sent"}}` + "\n"
			begin := "name: letter\nsteps:\n" + other + "  - {id: send, tool_name: click_element, arguments: {process: zenity, "
			got, ok := replaceIn(begin+row.step+"}\n"+other, "send", was, use)
			want := begin + row.want + "}\n" + other
			if row.want == "" {
				want = begin + row.step + "}\n" + other
			}
			if got != want || ok != (row.want != "") {
				t.Errorf("%t\n%s", ok, strings.TrimPrefix(got, begin))
			}
		})
	}
}
