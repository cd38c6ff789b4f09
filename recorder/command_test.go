package recorder

import (
	"os"
	"strings"
	"testing"
)

func TestTheManualHasTheKeys(t *testing.T) {
	manual, err := os.ReadFile("../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Steerings() {
		if !strings.Contains(string(manual), "| "+s.Keys.String()+" | ") {
			t.Errorf("docs/recording.md has no row for %s, which is to %s", s.Keys, s.Does)
		}
	}
}
