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

// Splitter forwards what a script prints, and takes out the lines behind a mark: the calls
// that the script makes, and the result that it returns at its end.
type Splitter struct {
	To   *Output
	Mark string
	// Call answers a call of the script, before more of its output is read.
	Call   func(call []byte)
	held   []byte // the last bytes, in which the mark may begin
	marked bool
	behind []byte // the mark, up to the end of the line
	result []byte
	long   bool
}

// The words behind the mark.
var calls, returned = []byte("calls "), []byte("returned ")

// Write never fails.
func (s *Splitter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if s.marked {
			rest = s.line(rest)
		} else {
			rest = s.text(rest)
		}
	}
	return len(p), nil
}

// text forwards the output up to the next mark, and returns what is behind the mark.
func (s *Splitter) text(p []byte) (rest []byte) {
	all := slices.Concat(s.held, p)
	i := bytes.Index(all, []byte(s.Mark))
	if s.marked = i >= 0; s.marked {
		s.held = nil
		_, _ = s.To.Write(all[:i])
		return all[i+len(s.Mark):]
	}
	n := max(0, len(all)-len(s.Mark)+1)
	_, _ = s.To.Write(all[:n])
	s.held = append([]byte(nil), all[n:]...)
	return nil
}

// line takes the line behind a mark, and returns what follows it. What exceeds resultLimit
// is dropped.
func (s *Splitter) line(p []byte) (rest []byte) {
	line, rest, ended := bytes.Cut(p, []byte("\n"))
	room := resultLimit + len(returned) - len(s.behind)
	s.behind, s.long = append(s.behind, line[:min(room, len(line))]...), s.long || len(line) > room
	if !ended {
		return nil
	}
	if call, ok := bytes.CutPrefix(s.behind, calls); ok && !s.long {
		s.Call(call)
	} else if result, ok := bytes.CutPrefix(s.behind, returned); ok {
		s.result = result
	}
	s.marked, s.behind = false, nil
	return rest
}

// End forwards what was held back because the mark might have begun in it.
func (s *Splitter) End() {
	_, _ = s.To.Write(s.held)
	s.held = nil
}

// Result returns the value that the script returned, nil if it returned none, and the
// values that it set in the run.
func (s *Splitter) Result() (result any, set map[string]any, err error) {
	switch {
	case s.long:
		return nil, nil, steps.Errorf(steps.Invalid, "the script returned more than %d bytes; write them to a file and return its path", resultLimit)
	case s.result == nil:
		return nil, nil, nil
	}
	var v struct {
		Result any
		Set    map[string]any
	}
	if err := json.Unmarshal(s.result, &v); err != nil {
		return nil, nil, steps.Errorf(steps.Invalid, "what the script returned is not JSON: %w", err)
	}
	return v.Result, v.Set, nil
}
