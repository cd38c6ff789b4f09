//go:build linux

package atspi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// counted watches something until the test ends, and gives how often it was
// told. The first time says that nothing is missed any more.
func counted(t *testing.T, watch func(context.Context, func()) error) *atomic.Int64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	done := make(chan error, 1)
	go func() { done <- watch(ctx, func() { n.Add(1) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the watch ended with %v, want %v", err, context.Canceled)
		}
	})
	eventually(t, "it is watched", func() bool { return n.Load() > 0 }, &done)
	return &n
}

func TestTextEventsOfFields(t *testing.T) {
	d := onDesk(t, "mousepad", "featherpad", "chromium")
	for _, x := range editors(t) {
		t.Run(x.name, func(t *testing.T) {
			app := d.open(t, x.ready, x.command[0], x.command[1:]...)
			d.window(t, app)
			field := d.element(t, app, x.want)
			eventually(t, "it has the focus", func() bool {
				if err := d.client.Do(t.Context(), desktop.GrabFocus{Element: field.Handle}); err != nil {
					t.Fatal(err)
				}
				f, err := d.client.SaveFocus(t.Context())
				return err == nil && f.Element == field.Handle
			}, nil)
			changed := counted(t, func(ctx context.Context, f func()) error { return d.client.WatchElement(ctx, field.Handle, f) })
			var typed strings.Builder
			for _, key := range []string{"o", "n", "e"} {
				before := changed.Load()
				typed.WriteString(key)
				d.keys(t, key)
				eventually(t, key+" is told", func() bool { return changed.Load() > before }, changed)
				eventually(t, key+" is there", func() bool {
					e, err := d.client.Refresh(t.Context(), field.Handle)
					return err == nil && strings.Contains(e.Text, typed.String())
				}, nil)
			}
		})
	}
}

func TestTheFocusIsReported(t *testing.T) {
	s := openSandbox(t, 2)
	s.desk.window(t, s.Cmd)
	s.do("ask.grab_focus()")
	entry := s.element(func(e *desktop.Element) bool { return e.States.Has(desktop.Editable) && e.Role != "slider" })
	eventually(t, "something else has the focus", func() bool {
		f, err := s.desk.client.SaveFocus(t.Context())
		return err == nil && f.Element != "" && f.Element != entry.Handle
	}, nil)
	n := counted(t, s.desk.client.WatchFocus)
	before := n.Load()
	s.do("entry.grab_focus()")
	eventually(t, "it is told", func() bool { return n.Load() > before }, n)
}

func TestASliderReportsItsNumber(t *testing.T) {
	s := openSandbox(t, 2)
	slider := s.element(func(e *desktop.Element) bool { return e.Role == "slider" })
	n := counted(t, func(ctx context.Context, f func()) error { return s.desk.client.WatchElement(ctx, slider.Handle, f) })
	before := n.Load()
	s.do("scale.set_value(42)")
	eventually(t, "it is told", func() bool { return n.Load() > before }, n)
}

// A field that floods is heard less, and its last change is told all the same.
func TestAFieldThatFloodsIsPolledLess(t *testing.T) {
	const flood = 20_000
	s := openSandbox(t, 2)
	field := s.element(func(e *desktop.Element) bool { return e.States.Has(desktop.Editable) && e.Role != "slider" })
	var last atomic.Value
	last.Store("")
	n := counted(t, func(ctx context.Context, f func()) error {
		return s.desk.client.WatchElement(ctx, field.Handle, func() {
			f()
			if e, err := s.desk.client.Refresh(ctx, field.Handle); err == nil {
				last.Store(e.Text)
			}
		})
	})
	s.do("[entry.set_text(str(i)) for i in range(" + strconv.Itoa(flood) + ")]")
	eventually(t, "the last of it was read", func() bool { return last.Load() == strconv.Itoa(flood-1) }, n)
	if told := n.Load(); told > flood/10 {
		t.Errorf("it was told %d times", told)
	}
}

// What an event says of the text of a field goes no further.
func TestAnEventIsOnlyThatSomethingChanged(t *testing.T) {
	e := &elementWatch{changed: make(chan struct{}, 1)}
	text := func(s string) *dbus.Signal {
		return &dbus.Signal{Body: []any{"insert", int32(0), int32(len(s)), dbus.MakeVariant(s)}}
	}
	e.DeliverSignal("", "TextChanged", text("hQ7#"))
	<-e.changed
	e.DeliverSignal("", "BoundsChanged", &dbus.Signal{Body: []any{"", int32(0), int32(0)}})
	if len(e.changed) > 0 {
		t.Error("an event that tells of no other text counts as a change")
	}
	e.weight.Store(0)
	if e.DeliverSignal("", "TextChanged", text(strings.Repeat("x", maxWeight*textWeight))); e.weight.Load() < maxWeight {
		t.Errorf("a very long text weighs %d", e.weight.Load())
	}
}

func TestFocusListenersAreNotifiedAtOnce(t *testing.T) {
	n := newSignals()
	told := 0
	end := n.onFocus(func() { told++ })
	focus := func(on int32) *dbus.Signal {
		return &dbus.Signal{Sender: ":1.1", Path: "/1", Body: []any{"focused", on}}
	}
	n.DeliverSignal("", "StateChanged", focus(1))
	n.DeliverSignal("", "StateChanged", focus(0))
	n.DeliverSignal("", "Activate", &dbus.Signal{Sender: ":1.1", Path: "/2"})
	end()
	n.DeliverSignal("", "StateChanged", focus(1))
	if told != 2 {
		t.Errorf("told %d times, want 2", told)
	}
}
