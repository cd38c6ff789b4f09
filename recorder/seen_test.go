package recorder

import "testing"

func TestPositional(t *testing.T) {
	for selector, want := range map[string]bool{
		"role:button && nth:2": true, "role:button && nth-1": true, "nth:0": true, "role:list >> nth:1": true, "pos:3,4": true,
		"role:button && below:(role:label && nth:3)": true,
		"role:radiobutton && name:Monthly":           false, "name:Tenth": false, "role:label && name:Pos: 3": false, `name:"nth:1"`: false,
	} {
		if got := Positional(selector); got != want {
			t.Errorf("%s: %v, want %v", selector, got, want)
		}
	}
}
