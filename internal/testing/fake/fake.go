// Package fake is a desktop in memory, for tests and dry runs.
//
// Its windows are trees of nodes, built by Go helpers or parsed from an outline:
//
//	d := fake.New(fake.MustParse(`
//	- frame "Notes" [process=notes]
//	  - entry "Title": "Monday"
//	  - checkbox "Urgent" [checked]
//	  - button "Save" [disabled]
//	`)...)
//	run(d.Desktop())
//	d.Journal() // "click 20,75 left", `type "hello"`, …
//
// Actions have the effect that an ordinary application would show: a click focuses
// an entry or turns a checkbox, typed text is inserted at the caret, windows are
// raised, moved and closed. Calls can be made to fail, to take long, or never to
// answer; timers follow testing/synctest. A capture looks nothing like a real
// screen: it shows one coloured box per element. The contract in desktoptest holds
// the fake to what a real desktop does.
package fake

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"understudy/internal/desktop"
)

// Desktop is a desktop in memory. All of its methods may be called by several
// goroutines, and by the functions that it calls.
type Desktop struct {
	plans
	records

	mu sync.Mutex // guards the fields below
	stack
	picture
	watchers
	input     input
	apps      map[string]func() *Node
	frozen    map[string]bool
	timers    []*time.Timer
	listeners []*listener
	trees     int
}

// plans say how calls of methods fail, and how long they take.
type plans struct {
	mu       sync.Mutex
	failures map[string][]failure
	delays   map[string]time.Duration
	calls    map[string]int
}

// records are the actions on the desktop, and what reached the applications.
type records struct {
	mu       sync.Mutex
	journal  []string
	received []string
}

// stack holds the windows, and what elements of them share.
type stack struct {
	*records
	size      desktop.Size
	windows   []*Node // from the bottom of the stack to its top
	active    *Node
	focused   *Node
	menu      *Node // the one that is open
	panel     desktop.Panel
	clipboard string
	pids      map[string]int
	handles   int
	pending   []func() // to call when the mutex is released
}

// input is the pointer and the keyboard.
type input struct {
	*stack
	pointer desktop.Point
	keys    []desktop.Key
	buttons []desktop.Button
	grabbed *Node // the node on which the held button was pressed
	presses map[string]func()
	rest    func(desktop.Click) time.Duration
	last    desktop.Click // the last press of a button that was held
}

// A failure is a planned error of a method.
type failure struct {
	err   error
	times int // negative means always
	acts  bool
}

// New returns a desktop of 1280×800 pixels that shows windows, the last on top.
func New(windows ...*Node) *Desktop {
	d := &Desktop{
		plans:  plans{failures: map[string][]failure{}, delays: map[string]time.Duration{}, calls: map[string]int{}},
		apps:   map[string]func() *Node{},
		frozen: map[string]bool{},
	}
	d.stack = stack{records: &d.records, size: desktop.Size{W: 1280, H: 800}, pids: map[string]int{}}
	d.input = input{stack: &d.stack, presses: map[string]func(){}}
	for _, w := range windows {
		d.open(w)
	}
	return d
}

// Desktop returns the fake as the rest of the program sees a desktop.
func (d *Desktop) Desktop() *desktop.Desktop {
	return &desktop.Desktop{
		Actor: d, Pointer: d, Screen: d, WindowLister: d, Clipboard: d, Elements: d,
		Focus: d, Changes: d, Input: d, Session: d, BrowserLister: noBrowsers{},
	}
}

// Fail makes the next calls of a method of the desktop's interfaces fail before
// they do anything; "*" is every method, and a negative number of times means
// always.
func (p *plans) Fail(method string, err error, times int) {
	p.plan(method, failure{err, times, false})
}

// FailAfter is Fail for calls that act and then fail, such as one whose reply
// was lost.
func (p *plans) FailAfter(method string, err error, times int) {
	p.plan(method, failure{err, times, true})
}

func (p *plans) plan(method string, f failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures[method] = append(p.failures[method], f)
}

// Delay makes each call of a method take a time, or until its context ends; "*"
// is every method without a delay of its own.
func (p *plans) Delay(method string, long time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delays[method] = long
}

// After calls f when a time has passed, unless the desktop was closed.
func (d *Desktop) After(wait time.Duration, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timers = append(d.timers, time.AfterFunc(wait, f))
}

// Journal lists the actions on the desktop, in order; calls that only look are
// not in it.
func (r *records) Journal() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.journal)
}

// Received lists what reached the applications, in order, in the format of an
// application under desktoptest.
func (r *records) Received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.received)
}

// hear records what reached an application.
func (r *records) hear(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, fmt.Sprintf(format, args...))
}

// Calls returns how often a method of the desktop's interfaces was called.
func (p *plans) Calls(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[method]
}

// note writes a line of the journal.
func (r *records) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.journal = append(r.journal, fmt.Sprintf(format, args...))
}

// do makes one call of a method: it waits and fails as planned, or else calls f
// under the mutex, and then the functions that are pending.
func (d *Desktop) do(ctx context.Context, method string, f func() error) error {
	fail, err := d.enter(ctx, method)
	if err != nil {
		return err
	}
	if fail.err != nil && !fail.acts {
		return fail.err
	}
	if err := d.change(f); err != nil {
		return err
	}
	return fail.err
}

// get is do for a method that returns a value.
func get[T any](ctx context.Context, d *Desktop, method string, f func() (T, error)) (v T, err error) {
	err = d.do(ctx, method, func() (err error) { v, err = f(); return err })
	return v, err
}

func (p *plans) count(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[method]++
}

// enter counts a call, waits for its delay and returns its planned failure.
func (p *plans) enter(ctx context.Context, method string) (failure, error) {
	p.mu.Lock()
	p.calls[method]++
	long, ok := p.delays[method]
	if !ok {
		long = p.delays["*"]
	}
	fail := p.next(method)
	if fail.err == nil {
		fail = p.next("*")
	}
	p.mu.Unlock()
	if ctx.Err() != nil {
		return failure{}, context.Cause(ctx)
	}
	if err := desktop.Sleep(ctx, long); err != nil {
		return failure{}, err
	}
	return fail, nil
}

// next returns the next planned failure of a method.
func (p *plans) next(method string) failure {
	for i := range p.failures[method] {
		f := &p.failures[method][i]
		if f.times != 0 {
			f.times--
			return *f
		}
	}
	return failure{}
}

// change calls f under the mutex, and then the functions that are pending.
func (d *Desktop) change(f func() error) error {
	d.mu.Lock()
	err := f()
	d.notify()
	calls := d.pending
	d.pending = nil
	d.mu.Unlock()
	for _, call := range calls {
		call()
	}
	return err
}

// later has a function called when the mutex is released.
func (s *stack) later(f func()) {
	if f != nil {
		s.pending = append(s.pending, f)
	}
}

// noBrowsers is a desktop without a connected browser.
type noBrowsers struct{}

func (noBrowsers) Browsers(context.Context) ([]desktop.BrowserProcess, error) { return nil, nil }

func (noBrowsers) Browse(context.Context, int) (desktop.Browser, error) {
	return nil, desktop.ErrNotFound
}
