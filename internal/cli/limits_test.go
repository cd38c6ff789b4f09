package cli

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLimitsOfLabels reads limits.json as an owner of a data folder may write it.
func TestLimitsOfLabels(t *testing.T) {
	for text, want := range map[string]struct {
		places, perHour int
		said            string
	}{
		`{"sap": 2}`: {places: 2},
		`{"sap": {"at_once": 1, "per_hour": 20}}`:  {places: 1, perHour: 20},
		`{"sap": {"per_hour": 20}}`:                {places: math.MaxInt, perHour: 20},
		`{"mail": 1}`:                              {},
		`{"sap": 0}`:                               {said: "wanted numbers from 1, not 0"},
		`{"sap": {"at_once": -1, "per_hour": 20}}`: {said: "wanted numbers from 1"},
		`{"sap": {"an_hour": 20}}`:                 {said: "an_hour"},
	} {
		var said bytes.Buffer
		a, dir := &app{console: console{errOut: &said}}, t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, limitsName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := a.limits(dir)["sap"]
		if want.places == 0 && l != nil || want.places > 0 && (l == nil || l.Places != want.places || l.PerHour != want.perHour) {
			t.Errorf("%s limits %+v", text, l)
		}
		if (want.said == "") != (said.Len() == 0) || !strings.Contains(said.String(), want.said) {
			t.Errorf("%s: %q", text, said.String())
		}
	}
}
