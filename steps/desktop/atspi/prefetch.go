//go:build linux

package atspi

import "fmt"

// A question is a call that may be asked before its answer is wanted.
type question struct {
	object
	method, args string
}

// A forecast is a question that is under way, or its answer.
type forecast struct {
	answered bool
	body     []any
	err      error
	then     answer // who wants it; nil when nobody has asked yet
}

func ask(to object, method string, args []any) question {
	return question{to, method, fmt.Sprint(args...)}
}

// foresee asks now for what is likely to be wanted soon. What do asks is sent
// with what is asked next, and what it would do with the answers is left out.
// So what would take a round trip for each level of a tree takes one. A wrong
// guess costs the application an answer that nobody wants, and nothing else:
// no answer is ever guessed.
func (p *pipeline) foresee(do func()) {
	p.guessing = true
	do()
	p.guessing = false
}

// guess asks a question that nobody wants the answer of yet.
func (p *pipeline) guess(to object, method string, args []any) {
	q := ask(to, method, args)
	if p.foreseen[q] != nil {
		return
	}
	if p.foreseen == nil {
		p.foreseen = map[question]*forecast{}
	}
	f := &forecast{}
	p.foreseen[q] = f
	p.queue = append(p.queue, request{to, method, args, func(body []any, err error) {
		f.answered, f.body, f.err = true, body, err
		if f.then != nil {
			f.then(body, err)
		}
	}})
}

// taken hands on the answer of a question that was foreseen, now or when it
// comes. Whoever asks a second time wants to know anew.
func (p *pipeline) taken(to object, method string, args []any, then answer) bool {
	if len(p.foreseen) == 0 {
		return false
	}
	q := ask(to, method, args)
	f := p.foreseen[q]
	if f == nil {
		return false
	}
	delete(p.foreseen, q)
	if f.answered {
		then(f.body, f.err)
	} else {
		f.then = then
	}
	return true
}
