package expression

import (
	"context"
	"fmt"
	"time"
)

// Limits of one evaluation.
const (
	maxTime   = time.Second // of computing, without the time in the Probe
	maxBytes  = 16 << 20    // of the values that functions and operators make
	maxValues = 250_000     // elements of lists and fields of objects that the expression makes
	maxDepth  = 500         // nesting of a value
	workCheck = 4096        // units of work between two checks of clock and context
)

// A budget counts what one evaluation uses. Its methods panic with an error when a
// limit is reached or the context is done.
type budget struct {
	ctx                        context.Context
	bytes, values, work, depth int
	deadline                   time.Time // zero until the clock is first checked
}

func fail(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// spend counts work.
func (b *budget) spend(units int) {
	if b.work += units; b.work >= workCheck {
		b.checkTime()
	}
}

func (b *budget) checkTime() {
	b.work = 0
	if b.ctx.Err() != nil {
		panic(context.Cause(b.ctx))
	}
	now := time.Now()
	if b.deadline.IsZero() {
		b.deadline = now.Add(maxTime)
	}
	if now.After(b.deadline) {
		fail("it takes longer than %v; make it work on less", maxTime)
	}
}

// charge counts the bytes of a value before the value is made.
func (b *budget) charge(bytes int) {
	if bytes < 0 || bytes > maxBytes-b.bytes {
		fail("it needs more than %d MiB; make it work on less", maxBytes>>20)
	}
	b.bytes += bytes
	b.spend(1 + bytes>>6)
}

// grow counts elements of lists and fields of objects.
func (b *budget) grow(values int) {
	if b.values += values; b.values >= maxValues {
		fail("memory budget exceeded")
	}
}

// enter counts a level of nesting, until leave.
func (b *budget) enter() {
	if b.depth++; b.depth > maxDepth {
		fail("the value nests deeper than %d levels", maxDepth)
	}
}

func (b *budget) leave() { b.depth-- }
