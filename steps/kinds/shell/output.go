package shell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"understudy/steps"
)

// outputKept bounds the output of a command that is kept: half from its beginning, half
// from its end.
const outputKept = 64 << 10

// Output keeps the beginning and the end of what is written to it.
type Output struct {
	mu   sync.Mutex
	head []byte
	tail []byte // at most twice the part that is kept of the end
	cut  int    // bytes dropped between them
}

// Write never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if room := outputKept/2 - len(o.head); room > 0 {
		room = min(room, len(p))
		o.head = append(o.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > outputKept {
		o.cut += len(p) - outputKept
		p = p[len(p)-outputKept:]
	}
	o.tail = append(o.tail, p...)
	if extra := len(o.tail) - outputKept/2; len(o.tail) > outputKept {
		o.cut += extra
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	return n, nil
}

// String returns the kept output, with a note of how much was cut.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail, cut := o.tail, o.cut
	if extra := len(tail) - outputKept/2; extra > 0 {
		tail, cut = tail[extra:], cut+extra
	}
	text := string(o.head)
	if cut > 0 {
		text += fmt.Sprintf("\n… %d bytes were cut …\n", cut)
	}
	return strings.ToValidUTF8(text+string(tail), "�")
}

// resultLimit bounds the result of a script, in bytes of JSON.
const resultLimit = 1 << 20

// Splitter forwards what a script prints up to a mark, and keeps the result that follows
// the mark.
type Splitter struct {
	To     *Output
	Mark   string
	held   []byte // the last bytes, in which the mark may begin
	marked bool
	behind []byte
}

// Write never fails; what exceeds resultLimit after the mark is dropped.
func (s *Splitter) Write(p []byte) (int, error) {
	if s.marked {
		s.keep(p)
		return len(p), nil
	}
	all := slices.Concat(s.held, p)
	if i := bytes.Index(all, []byte(s.Mark)); i >= 0 {
		s.marked, s.held = true, nil
		_, _ = s.To.Write(all[:i])
		s.keep(all[i+len(s.Mark):])
		return len(p), nil
	}
	n := max(0, len(all)-len(s.Mark)+1)
	_, _ = s.To.Write(all[:n])
	s.held = append([]byte(nil), all[n:]...)
	return len(p), nil
}

func (s *Splitter) keep(p []byte) {
	room := resultLimit + 1 - len(s.behind)
	s.behind = append(s.behind, p[:min(room, len(p))]...)
}

// End forwards what was held back because the mark might have begun in it.
func (s *Splitter) End() {
	_, _ = s.To.Write(s.held)
	s.held = nil
}

// Result returns the value that the script returned, nil if it returned none.
func (s *Splitter) Result() (any, error) {
	if !s.marked {
		return nil, nil
	}
	if len(s.behind) > resultLimit {
		return nil, steps.Errorf(steps.Invalid, "the script returned more than %d bytes; write them to a file and return its path", resultLimit)
	}
	var v any
	if err := json.Unmarshal(s.behind, &v); err != nil {
		return nil, steps.Errorf(steps.Invalid, "what the script returned is not JSON: %w", err)
	}
	return v, nil
}
