package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// An Edit is a change of a text in one place.
type Edit struct {
	Inserted string
	Deleted  int    // characters
	At       string // start, end, or "" for anywhere
}

// asRead writes a text as it is compared: toolkits differ in blanks and in the ends of lines.
var asRead = strings.NewReplacer("\u00a0", " ", "\r\n", "\n", "\r", "\n", "\u2029", "\n")

// Made reports whether an edit, and nothing else, makes one text of another. In "aab" an
// inserted "a" may stand in either place.
func (e Edit) Made(before, after string) bool {
	return e.made(before, after) || e.indented(before).made(before, after)
}

// indented returns an edit whose new lines begin as the last line of a text, as editors begin them.
func (e Edit) indented(text string) Edit {
	last := text[strings.LastIndex(text, "\n")+1:]
	blanks := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	e.Inserted = strings.ReplaceAll(e.Inserted, "\n", "\n"+blanks)
	return e
}

func (e Edit) made(before, after string) bool {
	was, now, in := []rune(asRead.Replace(before)), []rune(asRead.Replace(after)), []rune(asRead.Replace(e.Inserted))
	if len(now) != len(was)-e.Deleted+len(in) || e.Deleted > len(was) {
		return false
	}
	head, tail := common(was, now), commonEnd(was, now)
	first, last := max(0, len(was)-e.Deleted-tail), min(head, len(was)-e.Deleted)
	switch e.At {
	case "start":
		last = min(last, 0)
	case "end":
		first = max(first, len(was)-e.Deleted)
	}
	for at := first; at <= last; at++ {
		if slices.Equal(now[at:at+len(in)], in) {
			return true
		}
	}
	return false
}

// Difference returns the edit that makes one text of another.
func Difference(before, after string) Edit {
	was, now := []rune(asRead.Replace(before)), []rune(asRead.Replace(after))
	head := common(was, now)
	tail := commonEnd(was[head:], now[head:])
	return Edit{Inserted: string(now[head : len(now)-tail]), Deleted: len(was) - head - tail}
}

// String describes an edit.
func (e Edit) String() string {
	if e == (Edit{At: e.At}) {
		return "no change"
	}
	var parts []string
	if e.Inserted != "" {
		parts = append(parts, fmt.Sprintf("%q inserted%s", e.Inserted, at(e.At)))
	}
	if e.Deleted > 0 {
		parts = append(parts, fmt.Sprintf("%d characters deleted", e.Deleted))
	}
	return strings.Join(parts, " and ")
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at the " + place
}

func common(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// noteField notes the text of an element before its step changes it, where it is compared afterwards.
func noteField(ctx context.Context, hand *aim.Hand, el *desktop.Element) {
	if hand.Field == nil || hand.Field.Load() != nil || el == nil || el.Handle == "" || el.Role == "password" {
		return
	}
	if now, err := hand.Desktop.Refresh(ctx, el.Handle); err == nil {
		hand.Field.Store(&steps.FieldText{Field: el.Handle, Text: now.Text})
	}
}
