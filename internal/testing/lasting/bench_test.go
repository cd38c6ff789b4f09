//go:build linux

package lasting

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"understudy/internal/testing/byhand"
)

// BenchmarkDesktops plays on so many desktops of one server at once, a client on
// each: what a desktop costs, and how many runs there are in a minute. A run starts
// an editor, writes and saves a line, and closes it.
func BenchmarkDesktops(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			o := newOperator(b)
			s := o.serves("--desktops", strconv.Itoa(n))
			var clients []byhand.Visitor
			for range n {
				clients = append(clients, s.client())
			}
			each := func(steps func(file string) []any) {
				var all sync.WaitGroup
				for i, c := range clients {
					all.Go(func() {
						s.call(c, "execute_sequence", byhand.Object{"steps": steps(fmt.Sprintf("note%d.txt", i))})
					})
				}
				all.Wait()
			}
			began := time.Now()
			each(func(string) []any { return []any{step("mouse_move", "x", 5, "y", 5)} })
			started, idle := time.Since(began), o.memory(n)
			each(opens)
			busy := o.memory(n)
			each(func(string) []any { return saves })
			for b.Loop() {
				each(func(file string) []any { return append(opens(file), saves...) })
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Minutes(), "runs/min")
			b.ReportMetric(float64(started.Milliseconds()), "ms/all-started")
			b.ReportMetric(idle, "MB/idle")
			b.ReportMetric(busy, "MB/with-editor")
		})
	}
}

func step(tool string, pairs ...any) byhand.Object {
	args := byhand.Object{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	return byhand.Object{"tool_name": tool, "arguments": args}
}

// saves are the steps by which a line is written into the editor, which then ends.
var saves = []any{
	step("type_into_element", "process", "mousepad", "selector", "role:text", "text_to_type", "remember the milk"),
	step("press_key_global", "process", "mousepad", "key", "ctrl+s"),
	step("close_window", "process", "mousepad"),
}

func opens(file string) []any {
	return []any{
		step("open_application", "app_name", "mousepad "+file),
		byhand.Object{"tool_name": "wait_for_element", "timeout": "60s", "arguments": byhand.Object{"process": "mousepad", "selector": "role:text"}},
	}
}

// memory is that of a desktop in megabytes, of so many.
func (o *operator) memory(n int) float64 {
	o.Helper()
	all := o.desktops()
	if len(all) != n {
		o.Fatalf("wanted %d desktops, there are %d", n, len(all))
	}
	var sum int64
	for _, k := range all {
		sum += k.Memory
	}
	return float64(sum>>20) / float64(n)
}
