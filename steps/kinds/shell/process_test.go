//go:build unix

package shell

import (
	"testing"
	"time"
)

// busy takes what is written late, as on a machine that has other things to do.
type busy struct{ n int }

func (b *busy) Write(p []byte) (int, error) {
	if b.n == 0 {
		time.Sleep(3 * outputGrace)
	}
	b.n += len(p)
	return len(p), nil
}

func TestNoOutputOfAProgramIsLost(t *testing.T) {
	for _, row := range []struct {
		sentence, line string
		want           int
	}{
		{"the program ends before it is read", "head -c 90000 /dev/zero", 90000},
		{"a program in the background keeps the output open", "head -c 90000 /dev/zero; sleep 2 &", 90000},
		{"what runs in the background goes on writing", "yes & sleep 0", -1},
		{"nothing is written", "true", 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			out := &busy{}
			status, err := Process{Name: "sh", Args: []string{"-c", row.line}, Dir: t.TempDir(), Stdout: out, Stderr: &Output{}}.Run(t.Context())
			if status != 0 || err != nil || row.want >= 0 && out.n != row.want {
				t.Errorf("status %d, %v, and %d bytes; wanted %d", status, err, out.n, row.want)
			}
		})
	}
}
