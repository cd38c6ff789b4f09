package pagecontrol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// momentLayouts are the layouts of the value of an input by its type, as in HTML. The
// time package has none for a week.
var momentLayouts = map[string][]string{
	"date":           {"2006-01-02"},
	"time":           {"15:04", "15:04:05"},
	"month":          {"2006-01"},
	"datetime-local": {"2006-01-02T15:04", "2006-01-02T15:04:05"},
	"week":           nil,
}

// momentForms names the form of a value, such as "date as 2006-01-02".
func momentForms(kind string) string {
	if forms := momentLayouts[kind]; forms != nil {
		return kind + " as " + forms[0]
	}
	return kind + " as 2006-W01"
}

// moment is a date, a time or both, as the numbers of its parts: those of the date in the
// order of their maxima, those of the time from hours down.
type moment struct{ date, clock []int }

// parseMoment parses the value of an input of a type.
func parseMoment(kind, value string) (m moment, ok bool) {
	if kind == "week" {
		var year, week int
		_, err := fmt.Sscanf(value, "%d-W%d", &year, &week)
		_, last := time.Date(year, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
		ok := err == nil && week >= 1 && week <= last && value == fmt.Sprintf("%04d-W%02d", year, week)
		return moment{date: []int{week, year}}, ok
	}
	for _, layout := range momentLayouts[kind] {
		t, err := time.Parse(layout, value)
		if err != nil {
			continue
		}
		switch kind {
		case "month":
			m.date = []int{int(t.Month()), t.Year()}
		case "date", "datetime-local":
			m.date = []int{int(t.Month()), t.Day(), t.Year()}
		}
		if kind == "time" || kind == "datetime-local" {
			m.clock = []int{t.Hour(), t.Minute(), t.Second()}
		}
		return m, true
	}
	return m, false
}

// setMoment sets a date or a time part by part.
func setMoment(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, o Options) (observe.Checked, error) {
	m, ok := parseMoment(el.Attributes["text-input-type"], value)
	if !ok {
		return observe.Unchecked, invalidValue(el, value)
	}
	var parts []*desktop.Element
	var numbers []int
	err := aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) (err error) { // a busy browser tells of the parts one by one
		if parts, err = partsOf(ctx, hand.Desktop, el); err == nil {
			numbers, err = m.assign(el, parts)
		}
		return err
	})
	if err != nil {
		return observe.Unchecked, err
	}
	for i, part := range parts {
		if err := enterPart(ctx, hand, part, numbers[i], o.WindowOptions); err != nil {
			return observe.Unchecked, err
		}
	}
	for i, part := range parts {
		if _, err := observe.WaitUntilIs(ctx, hand, part, isNumber(numbers[i])); err != nil {
			return observe.No, err
		}
	}
	return observe.Yes, nil
}

// partsOf returns the parts of a date or a time.
func partsOf(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (parts []*desktop.Element, err error) {
	t, err := d.Tree(ctx, desktop.Scope{Root: el.Handle, Full: true})
	if err != nil {
		return nil, err
	}
	t.Walk(func(e *desktop.Element) bool {
		if e.Role == "spinbutton" && e.Value != nil {
			parts = append(parts, e)
		}
		return true
	})
	return parts, nil
}

// assign returns the number of each part. The order of the parts of a date depends on the
// locale, but the maximum of a year is more than that of a day, and that of a day more
// than that of a month. The parts of a time are in order, with AM or PM at the end.
func (m moment) assign(el *desktop.Element, parts []*desktop.Element) ([]int, error) {
	if len(parts) < len(m.date) {
		return nil, unclear(el)
	}
	numbers, times := map[*desktop.Element]int{}, slices.Clone(m.clock)
	date, clock := slices.Clone(parts[:len(m.date)]), parts[len(m.date):]
	slices.SortStableFunc(date, func(a, b *desktop.Element) int { return cmp.Compare(a.Value.Max, b.Value.Max) })
	for i, part := range date {
		if i > 0 && part.Value.Max == date[i-1].Value.Max {
			return nil, unclear(el)
		}
		numbers[part] = m.date[i]
	}
	if half := len(clock) - 1; half > 0 && times != nil && clock[half].Value.Min == 1 && clock[half].Value.Max == 2 {
		numbers[clock[half]] = 1 + times[0]/12
		times[0] = (times[0]+11)%12 + 1
		clock = clock[:half]
	}
	if len(clock) > len(times) || times != nil && len(clock) < 2 || len(clock) == 2 && times[2] != 0 {
		return nil, unclear(el)
	}
	for i, part := range clock {
		numbers[part] = times[i]
	}
	list := make([]int, len(parts))
	for i, part := range parts {
		list[i] = numbers[part]
	}
	return list, nil
}

func unclear(el *desktop.Element) error {
	return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("%s has other parts than such a value has", aim.Describe(el)), Next: "set each of its parts, which are spin buttons, with set_value"}
}

// setPart sets one part of a date or a time, such as its month.
func setPart(ctx context.Context, hand *aim.Hand, part *desktop.Element, value string, o Options) (observe.Checked, error) {
	n, err := strconv.Atoi(value)
	if err != nil || part.Value != nil && (float64(n) < part.Value.Min || float64(n) > part.Value.Max) {
		return observe.Unchecked, invalidValue(part, value)
	}
	err = enterPart(ctx, hand, part, n, o.WindowOptions)
	return observe.YesIf(err == nil), err
}

func isNumber(n int) func(*desktop.Element) bool {
	return func(now *desktop.Element) bool { return now.Value != nil && int(now.Value.Now) == n }
}

// enterPart types a number into a part. A part with two values, such as AM and PM, is
// stepped through.
func enterPart(ctx context.Context, hand *aim.Hand, part *desktop.Element, n int, o aim.WindowOptions) error {
	if isNumber(n)(part) {
		return nil
	}
	if err := aim.BringToFront(ctx, hand, o, part.Window); err != nil {
		return err
	}
	if err := aim.Focus(ctx, hand, part, aim.FocusOptions{Grab: true, Click: true}); err != nil {
		return err
	}
	if part.Value != nil && part.Value.Min == 1 && part.Value.Max == 2 {
		return stepPart(ctx, hand, part, n)
	}
	if err := hand.Desktop.Do(ctx, desktop.Type{Text: strconv.Itoa(n)}); err != nil {
		return err
	}
	// A part that is full moves the focus on, when the browser has read the key.
	_, err := observe.WaitUntilIs(ctx, hand, part, isNumber(n))
	return err
}

// stepPart presses an arrow until a part shows a number. The first press may only fill an
// empty part.
func stepPart(ctx context.Context, hand *aim.Hand, part *desktop.Element, n int) (err error) {
	for range 2 {
		if err = aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{{Key: "up"}}); err != nil {
			return err
		}
		if _, err = observe.WaitUntilIs(ctx, hand, part, isNumber(n)); err == nil {
			return nil
		}
	}
	return err
}
