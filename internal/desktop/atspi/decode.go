//go:build linux

package atspi

import (
	"math"
	"regexp"
	"strings"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// Applications choose what they send, so every value is checked; one of another
// type becomes the zero value.

// first returns the first value of a reply, as a T.
func first[T any](body []any) T { return at[T](body, 0) }

// at returns the ith value of a list, as a T.
func at[T any](values []any, i int) T {
	var v T
	if i < len(values) {
		v, _ = values[i].(T)
	}
	return v
}

// variant unwraps the variant in a reply.
func variant(body []any) any { return first[dbus.Variant](body).Value() }

func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

// maxBusName bounds the length of a name on a bus.
const maxBusName = 255

// busNames matches the names of programs on a bus, which ends the connection of one
// that sends to anything else.
var busNames = regexp.MustCompile(`^(:\d+(\.\d+)+|[a-zA-Z_-][\w-]*(\.[a-zA-Z_-][\w-]*)+)$`)

func isBusName(name string) bool {
	if major, minor, _ := strings.Cut(name, "."); strings.HasPrefix(major, ":") && isNumber(major[1:]) && isNumber(minor) {
		return len(name) <= maxBusName // as nearly all are, such as :1.42; the expression is slow
	}
	return len(name) <= maxBusName && busNames.MatchString(name)
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// objectOf decodes a pair of bus name and path. It returns no object if there can be
// no such name.
func objectOf(pair []any) object {
	bus := at[string](pair, 0)
	if !isBusName(bus) {
		return object{}
	}
	return object{bus, at[dbus.ObjectPath](pair, 1)}
}

func objectsOf(v any) []object {
	pairs := as[[][]any](v)
	list := make([]object, 0, len(pairs))
	for _, p := range pairs {
		if o := objectOf(p); !o.none() {
			list = append(list, o)
		}
	}
	return list
}

// stateBits joins the two words of a state set.
func stateBits(v any) uint64 {
	words := as[[]uint32](v)
	if len(words) < 2 {
		return 0
	}
	return uint64(words[0]) | uint64(words[1])<<32
}

// maxCoordinate bounds plausible coordinates: a toolkit that does not know
// where an element is reports −2147483648.
const maxCoordinate = 1 << 20

// rectOf decodes a box; an implausible one is empty.
func rectOf(pair []any) desktop.Rect {
	n := func(i int) int { return int(at[int32](pair, i)) }
	r := desktop.Rect{X: n(0), Y: n(1), W: n(2), H: n(3)}
	for _, v := range []int{r.X, r.Y, r.W, r.H} {
		if v > maxCoordinate || v < -maxCoordinate {
			return desktop.Rect{}
		}
	}
	if r.Empty() {
		return desktop.Rect{}
	}
	return r
}

// number returns a finite number, which JSON can hold.
func number(v any) float64 {
	f := as[float64](v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
