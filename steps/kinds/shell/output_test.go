package shell

import (
	"strings"
	"testing"
)

func TestLongOutputIsCut(t *testing.T) {
	for _, n := range []int{0, 10, outputKept / 2, outputKept, outputKept + 1, 5*outputKept + 7} {
		for _, piece := range []int{1 << 20, 4096, 1000} {
			o := &Output{}
			text := strings.Repeat("0123456789", n/10+1)[:n]
			for rest := text; rest != ""; {
				k := min(piece, len(rest))
				_, _ = o.Write([]byte(rest[:k]))
				rest = rest[k:]
			}
			got := o.String()
			if n <= outputKept {
				if got != text {
					t.Errorf("%d bytes in pieces of %d were changed: %d", n, piece, len(got))
				}
				continue
			}
			head, tail, cut := strings.Cut(got, "\n… ")
			_, tail, _ = strings.Cut(tail, " were cut …\n")
			if !cut || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(head)+len(tail) != outputKept {
				t.Errorf("%d bytes in pieces of %d: kept %d and %d", n, piece, len(head), len(tail))
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ say, text, printed, result, called string }{
		{"a result", "outMARKreturned in\n", "out", "in", ""},
		{"no mark", "outMARin", "outMARin", "", ""},
		{"the beginning of a mark before it", "MAMARKreturned in\n", "MA", "in", ""},
		{"nothing before and behind", "MARK", "", "", ""},
		{"a line that is not complete", "outMARKreturned in", "out", "", ""},
		{"calls between the output", "aMARKcalls 1\nbMARKcalls 2\nMARKreturned in\nc", "abc", "in", "1 2 "},
	} {
		for piece := 1; piece < 25; piece++ {
			called := ""
			s := &Splitter{To: &Output{}, Mark: "MARK", Call: func(call []byte) { called += string(call) + " " }}
			for rest := c.text; rest != ""; {
				k := min(piece, len(rest))
				_, _ = s.Write([]byte(rest[:k]))
				rest = rest[k:]
			}
			s.End()
			if s.To.String() != c.printed || string(s.result) != c.result || called != c.called {
				t.Errorf("%s, in pieces of %d: got %q, %q and %q", c.say, piece, s.To.String(), s.result, called)
			}
		}
	}
}
