//go:build unix

package watch_test

import (
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/recorder/watch"
)

// BenchmarkLog is what it costs to have an event on the disk.
func BenchmarkLog(b *testing.B) {
	log, err := recorder.CreateLog(filepath.Join(b.TempDir(), "events.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	ev := recorder.Event{Type: recorder.Pressed, Time: time.Now(), Button: desktop.Left, Element: &recorder.Seen{Element: desktop.Element{Role: "button", Name: "OK"}}}
	for b.Loop() {
		if err := log.Write(ev); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdle is the share of a core that a recording takes while nobody
// does anything, after something was done: then what is shown is watched. One
// program stands still. In the other a bar runs to and fro, and it tells some
// 170 times a second that something has moved.
func BenchmarkIdle(b *testing.B) {
	for _, c := range []struct {
		say, title string
		command    []string
		role       desktop.Role
		nth        int
	}{
		{"still", "Order", []string{"zenity", "--forms", "--title=Order", "--text=Order", "--add-entry=Name"}, "text", 0},
		{"still GTK 4", "GTK Widget Factory", []string{"gtk4-widget-factory"}, "checkbox", 0},
		{"moving", "gtk3-widget", []string{"gtk3-widget-factory"}, "checkbox", 4},
	} {
		b.Run(c.say, func(b *testing.B) {
			s := newScene(b, c.command[0])
			s.start(c.title, c.command[0], c.command[1:]...)
			p := s.watch()
			p.clicksNth(c.role, "", c.nth)
			before, began := used(b), time.Now()
			for b.Loop() {
				time.Sleep(time.Second)
			}
			b.ReportMetric(100*(used(b)-before).Seconds()/time.Since(began).Seconds(), "%core")
			if _, err := p.session.Stop(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkAtWork is the share of a core that a recording takes while a person acts
// once a second, in programs that answer slowly or show much, beside what the same
// acts take without one; and how long after its end an act was understood at last.
func BenchmarkAtWork(b *testing.B) {
	for _, c := range []struct {
		say, title string
		command    []string
		role       desktop.Role
		names      [2]string
		keys       []string
	}{
		{"GTK 4", "GTK Widget Factory", []string{"gtk4-widget-factory"}, "checkbox", [2]string{}, nil},
		{"Calc", "Untitled 1", []string{"soffice", "--norestore", "--nologo", "--calc", "-env:UserInstallation=file://" + b.TempDir()}, "cell", [2]string{"B3", "C4"}, []string{"7", "Return"}},
	} {
		b.Run(c.say, func(b *testing.B) {
			s := newScene(b, c.command[0])
			s.start(c.title, c.command[0], c.command[1:]...)
			at := [2]desktop.Point{s.finds(c.role, c.names[0], 0), s.finds(c.role, c.names[1], 1-len(c.keys)/2)}
			n := 0
			act := func() (ended time.Time) {
				to := at[n%2]
				n++
				s.tool("xdotool", append([]string{"mousemove", strconv.Itoa(to.X), strconv.Itoa(to.Y), "sleep", "0.2", "click", "1"}, keys(c.keys)...)...)
				ended = time.Now()
				time.Sleep(800 * time.Millisecond)
				return ended
			}
			share := func(acts func()) float64 {
				before, began := used(b), time.Now()
				acts()
				return 100 * (used(b) - before).Seconds() / time.Since(began).Seconds()
			}
			without := share(func() {
				for range 10 {
					act()
				}
			})
			var told atomic.Int64
			session, err := watch.Start(b.Context(), s.desk, watch.Options{Tell: func(recorder.Line) { told.Store(time.Now().UnixMicro()) }})
			if err != nil {
				b.Fatal(err)
			}
			acts, sum, most := 0, int64(0), int64(0)
			with := share(func() {
				for b.Loop() {
					ended := act().UnixMicro()
					late := max(0, told.Load()-ended)
					acts, sum, most = acts+1, sum+late, max(most, late)
				}
			})
			b.ReportMetric(with-without, "%core")
			b.ReportMetric(float64(sum)/1000/float64(acts), "ms-late/op")
			b.ReportMetric(float64(most)/1000, "ms-late-at-most")
			if _, err := session.Stop(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// keys are what xdotool is told to press them.
func keys(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	return append([]string{"sleep", "0.1", "key", "--delay", "40"}, all...)
}

// BenchmarkUnderstanding is how long it takes from the end of a click, by a
// program that has to be started for it, until the step is told.
func BenchmarkUnderstanding(b *testing.B) {
	s := newScene(b, "gtk3-widget-factory")
	s.start("gtk3-widget", "gtk3-widget-factory")
	told := make(chan time.Time, 100)
	session, err := watch.Start(b.Context(), s.desk, watch.Options{Tell: func(recorder.Line) { told <- time.Now() }})
	if err != nil {
		b.Fatal(err)
	}
	p := &person{scene: s, session: session}
	boxes := []desktop.Point{p.finds("checkbox", "", 4), p.finds("checkbox", "", 3)}
	var late time.Duration
	n := 0
	for b.Loop() {
		at := boxes[n%2]
		n++
		p.tool("xdotool", "mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y))
		p.looks()
		for len(told) > 0 {
			<-told
		}
		p.tool("xdotool", "click", "1")
		up := time.Now()
		late += max(0, (<-told).Sub(up))
		p.looks()
	}
	b.ReportMetric(float64(late.Microseconds())/1000/float64(n), "ms-late/op")
	if _, err := session.Stop(); err != nil {
		b.Fatal(err)
	}
}
