package cli

import (
	"fmt"
	"time"

	"golang.org/x/term"

	"understudy/engine"
	"understudy/internal/words"
)

// progress shows the events of a run: a line for each step on the error
// output, or each event as JSON on the standard output.
type progress struct {
	*console
	paint paint // if set, the line of the current step is redrawn
	jsonl bool
	quiet bool
	open  string // the line that has no line end yet
	last  string // the last sentence of say
	kinds map[string]string
}

func newProgress(c *console, f *showFlags) *progress {
	jsonl := f.Output != ""
	return &progress{console: c, paint: paintFor(c.errOut), jsonl: jsonl, quiet: c.Quiet || jsonl, kinds: map[string]string{}}
}

func (p *progress) event(ev engine.Event) {
	if p.jsonl {
		_ = p.console.line(ev)
	}
	if p.quiet {
		return
	}
	fact, err := engine.Fact(ev)
	if err != nil {
		return
	}
	switch f := fact.(type) {
	case engine.Started:
		p.started(ev, f)
	case engine.Ended:
		p.ended(ev, f)
	case engine.Evaluated:
		p.evaluated(ev, f)
	case engine.Moved:
		p.line("→", "", ev.Path, fmt.Sprintf("%s to %s", f.Why, f.To), f.Reason, 0)
	case engine.Waited:
		if f.Why == "retry" {
			p.line("↻", "", ev.Path, "another try", "", 0)
		}
	case engine.Logged:
		p.line("·", "", ev.Path, f.Message, "", 0)
	case engine.Resumed:
		p.say(fmt.Sprintf("attempt %d", ev.Attempt))
	}
}

func (p *progress) started(ev engine.Event, st engine.Started) {
	p.kinds[ev.Path] = st.Kind
	if p.paint {
		p.open = fmt.Sprintf("  … %-8s %s %s", ev.Path, clean(st.ID), st.Kind)
		if fd, ok := terminal(p.errOut); ok { // only one line can be drawn again
			if columns, _, _ := term.GetSize(fd); columns > 0 {
				p.open = words.Shorten(p.open, columns-2)
			}
		}
		fmt.Fprintf(p.errOut, "\r\x1b[2K%s", p.open)
	}
}

func (p *progress) ended(ev engine.Event, end engine.Ended) {
	kind := p.kinds[ev.Path]
	delete(p.kinds, ev.Path)
	if e := end.Outcome.Error; e != nil {
		p.line("✗", end.ID, ev.Path, kind, string(e.Code)+": "+e.Message, end.Duration)
		return
	}
	p.line("✓", end.ID, ev.Path, kind, "", end.Duration)
}

func (p *progress) evaluated(ev engine.Event, e engine.Evaluated) {
	switch {
	case e.Error != nil:
		p.line("✗", e.ID, ev.Path, string(e.Purpose), string(e.Error.Code)+": "+e.Error.Message, 0)
	case e.Purpose == engine.TheIf && !e.Holds:
		p.line("–", e.ID, ev.Path, "skipped", "", 0)
	}
}

func (p *progress) line(mark, id, path, what, detail string, took time.Duration) {
	switch mark {
	case "✓":
		mark = p.paint.green(mark)
	case "✗":
		mark = p.paint.red(mark)
	}
	text := fmt.Sprintf("  %s %-8s", mark, path)
	for _, word := range []string{id, what} {
		if word != "" {
			text += " " + clean(word)
		}
	}
	if took > 0 {
		text += fmt.Sprintf("  %s", took.Round(100*time.Microsecond))
	}
	if detail != "" {
		text += "  " + cleanLines(detail)
	}
	if p.paint {
		text = "\r\x1b[2K" + text
	}
	p.open = ""
	fmt.Fprintln(p.errOut, text)
}

// say writes a sentence, unless it was the last one.
func (p *progress) say(text string) {
	if p.quiet || p.last == text {
		return
	}
	p.last = text
	fmt.Fprintln(p.errOut, "  "+cleanLines(text))
}

// end ends the line of a step that is still running.
func (p *progress) end() {
	if p.open != "" {
		fmt.Fprintln(p.errOut)
		p.open = ""
	}
}
