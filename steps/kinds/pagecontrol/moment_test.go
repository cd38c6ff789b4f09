package pagecontrol

import (
	"slices"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
)

func TestValuesOfMoments(t *testing.T) {
	for _, c := range []struct {
		kind, value string
		date, clock []int
		ok          bool
	}{
		{"date", "2026-02-28", []int{2, 28, 2026}, nil, true},
		{"date", "2026-02-30", nil, nil, false},
		{"time", "23:05", nil, []int{23, 5, 0}, true},
		{"datetime-local", "2026-02-28T23:05:06", []int{2, 28, 2026}, []int{23, 5, 6}, true},
		{"month", "2026-12", []int{12, 2026}, nil, true},
		{"week", "2026-W53", []int{53, 2026}, nil, true},
		{"week", "2025-W53", nil, nil, false}, // the year has 52
		{"week", "2026-W54", nil, nil, false},
		{"week", "2026-W00", nil, nil, false},
		{"week", "2026-W05 or so", nil, nil, false},
		{"week", "26-W5", nil, nil, false},
		{"date", "2026-W05", nil, nil, false},
	} {
		m, ok := parseMoment(c.kind, c.value)
		if ok != c.ok || ok && (!slices.Equal(m.date, c.date) || !slices.Equal(m.clock, c.clock)) {
			t.Errorf("%s %s: %v, %t", c.kind, c.value, m, ok)
		}
	}
}

// TestPartsOfMoments tests which part gets which number.
func TestPartsOfMoments(t *testing.T) {
	part := func(low, high float64) *desktop.Element {
		return &desktop.Element{Role: "spinbutton", Value: &desktop.Range{Min: low, Max: high}}
	}
	day, month, year, hour, hour12, minute, second, half := part(1, 31), part(1, 12), part(1, 275760), part(0, 23), part(1, 12), part(0, 59), part(0, 59), part(1, 2)
	for _, c := range []struct {
		say, kind, value string
		parts            []*desktop.Element
		want             []int
	}{
		{"a date, the day first", "date", "2026-02-28", []*desktop.Element{day, month, year}, []int{28, 2, 2026}},
		{"a time", "time", "23:05", []*desktop.Element{hour, minute}, []int{23, 5}},
		{"a time with AM and PM", "time", "00:05", []*desktop.Element{hour12, minute, half}, []int{12, 5, 1}},
		{"seconds without a part", "time", "00:05:06", []*desktop.Element{hour, minute}, nil},
		{"a part more", "time", "00:05", []*desktop.Element{hour, minute, second, second}, nil},
		{"a time without parts", "time", "00:05", nil, nil},
		{"a time of which minutes are missing", "time", "10:05", []*desktop.Element{hour}, nil},
		{"only the date of both", "datetime-local", "2026-02-28T10:05", []*desktop.Element{day, month, year}, nil},
	} {
		m, _ := parseMoment(c.kind, c.value)
		got, err := m.assign(&desktop.Element{Role: "calendar"}, c.parts)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v, want %v", c.say, got, err, c.want)
		}
	}
}

// A busy browser tells of the parts of a date one by one.
func TestPartsOfMomentsAreAwaited(t *testing.T) {
	d := fake.New(fake.Window("Form", "browser", fake.El("calendar", "Born")))
	tree, err := d.Tree(t.Context(), desktop.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	el := tree.Roots[0].Children[0]
	el.Attributes = map[string]string{"text-input-type": "date"}
	_, err = setMoment(t.Context(), &aim.Hand{Env: &steps.Env{Desktop: d.Desktop()}}, el, "2026-02-28", Options{})
	if looks := d.Calls("Tree"); steps.CodeOf(err) != steps.NotActionable || looks < aim.UsualEffectLimit.Looks {
		t.Errorf("%v after %d looks, want %d", err, looks, aim.UsualEffectLimit.Looks)
	}
}
