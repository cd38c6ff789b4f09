package fleet

import (
	"fmt"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/workflows"
)

// BenchmarkRuns plays runs of ten steps that act and take no time, with one worker, two
// and four on this machine, so that what bounds them is the hub and the engine.
func BenchmarkRuns(b *testing.B) {
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("%d workers", workers), func(b *testing.B) {
			s := newStage(b)
			for i := range workers {
				b.Cleanup(s.work(fmt.Sprint("w", i)))
			}
			var doc strings.Builder
			doc.WriteString("name: ten\nsteps:\n")
			for i := range 10 {
				doc.WriteString(fmt.Sprintf("  - {id: s%d, tool_name: act, arguments: {name: a}}\n", i))
			}
			packed, _, err := engine.Pack(workflows.Source{Name: "ten.yaml", Text: []byte(doc.String())}, s.Kinds, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			var runs []string
			for range b.N {
				h, err := s.Start(b.Context(), engine.Request{Bundle: packed, Queue: true})
				if err != nil {
					b.Fatal(err)
				}
				runs = append(runs, h.ID)
			}
			for _, run := range runs {
				if h, err := s.Wait(b.Context(), run); err != nil || h.Status != engine.Succeeded {
					b.Fatalf("run %s is %s, %v", run, h.Status, err)
				}
			}
			b.ReportMetric(float64(b.N)*60/b.Elapsed().Seconds(), "runs/min")
		})
	}
}
