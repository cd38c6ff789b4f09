package virtual

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// How long the programs of a display have to finish before they are ended.
const (
	// closeTimeout is for programs that are busy and do not read their events.
	closeTimeout = 10 * time.Second
	// settleTimeout is the CPU time for a program that is never idle.
	settleTimeout = time.Second
	// settleLongest is for programs that get no CPU time because the machine is busy.
	settleLongest = 5 * time.Second
	// settleLooks is how often in a row all programs must be found asleep.
	settleLooks = 3
)

// finish lets the programs of a display complete their work, such as a save whose key they have
// not read yet: a signal would overtake that. Then it asks their windows to close, as a person
// does. It does nothing if the X server has ended, was never ready, or is not ours to end.
func (d *Display) finish() {
	if d.name == "" || d.joined != nil {
		return
	}
	select {
	case <-d.done:
		return
	default:
	}
	seen := map[process]bool{}
	d.settle(seen)
	awaitEnd(d.closeWindows(seen))
	d.settle(seen) // programs that waited for others go on when these have ended
}

// settle waits until all programs of the display sleep, within limits. It adds them to seen:
// programs are known by their environment, which cannot be read any more once they begin to
// end.
func (d *Display) settle(seen map[process]bool) {
	asleep, began := 0, map[process]time.Duration{}
	for deadline := time.Now().Add(settleLongest); asleep < settleLooks && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		asleep++
		for _, p := range programsOf(d.folder.dir) {
			seen[p] = true
		}
		for p := range seen {
			if !p.runs() {
				delete(seen, p)
				continue
			}
			busy, used := activity(p)
			if _, known := began[p]; !known {
				began[p] = used
			}
			if busy && used-began[p] < settleTimeout {
				asleep = 0
			}
		}
	}
}

// activity reports whether a process runs, is ready to run, or waits for a disk, and how much CPU
// time it has used.
func activity(p process) (busy bool, used time.Duration) {
	stat := desktop.ProcessStat(p.PID)
	if stat == nil {
		return false, 0
	}
	for _, ticks := range stat[11:13] { // in user mode, in the kernel
		n, _ := strconv.Atoi(ticks)
		used += time.Duration(n) * (time.Second / ticksPerSecond)
	}
	return stat[0] == "R" || stat[0] == "D", used
}

// ticksPerSecond is the unit of times in /proc, the same on each system that runs Go.
const ticksPerSecond = 100

// closer asks windows to close.
type closer struct {
	client
	windows map[xproto.Window]*closing // the windows that still exist

	protocols, delete, ping xproto.Atom
}

// closing is a window that was asked to close.
type closing struct {
	pid   int
	pings int // the pings to be answered yet; negative: it answers none
}

// pingsAfter is how many pings an application must answer, one after the other, until it has
// certainly handled the request before the first.
const pingsAfter = 2

// closeWindows asks all windows to close, and returns when each is gone, or its application has
// handled the request and keeps it, perhaps to ask something. It returns the processes among
// those seen whose windows are gone.
func (d *Display) closeWindows(seen map[process]bool) (owners []process) {
	if d.wayland {
		return d.closeSurfaces(seen)
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	x, err := d.connect(ctx)
	if err != nil {
		return nil
	}
	defer x.Close()
	began := time.Now()
	late := time.AfterFunc(endTimeout, func() { x.Close() }) // the server may be stuck
	defer late.Stop()
	c := &closer{client: x, windows: map[xproto.Window]*closing{}}
	all := c.askAll()
	for c.any(func(w *closing) bool { return w.pings != 0 }) {
		timeout := endTimeout
		if c.any(func(w *closing) bool { return w.pings > 0 }) {
			timeout = closeTimeout
		}
		late.Reset(time.Until(began.Add(timeout)))
		ev, xerr := x.x.WaitForEvent()
		if ev == nil && xerr == nil {
			break // it is too late
		}
		c.take(ev)
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(seen)), func(p process) bool {
		isOf := func(w *closing) bool { return w.pid == p.PID }
		return !slices.ContainsFunc(all, isOf) || c.any(isOf)
	})
}

// any reports whether one of the windows that still exist meets a condition.
func (c *closer) any(meets func(*closing) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(c.windows)), meets)
}

// askAll asks all windows of applications to close.
func (c *closer) askAll() (all []*closing) {
	c.protocols, c.delete, c.ping = c.atom("WM_PROTOCOLS"), c.atom("WM_DELETE_WINDOW"), c.atom("_NET_WM_PING")
	_ = xproto.ChangeWindowAttributesChecked(c.x, c.root, xproto.CwEventMask, []uint32{xproto.EventMaskSubstructureNotify}).Check()
	for _, id := range c.numbers(c.root, clientList) {
		w := xproto.Window(id)
		_ = xproto.ChangeWindowAttributesChecked(c.x, w, xproto.CwEventMask, []uint32{xproto.EventMaskStructureNotify}).Check()
		speaks := c.numbers(w, "WM_PROTOCOLS")
		if !slices.Contains(speaks, uint32(c.delete)) {
			continue // its program can only be ended, or it is gone
		}
		asked := &closing{pings: -1}
		if pids := c.numbers(w, "_NET_WM_PID"); len(pids) > 0 {
			asked.pid = int(pids[0])
		}
		c.send(w, c.delete)
		if slices.Contains(speaks, uint32(c.ping)) {
			asked.pings = pingsAfter
			c.send(w, c.ping)
		}
		c.windows[w], all = asked, append(all, asked)
	}
	return all
}

// take handles an event.
func (c *closer) take(ev xgb.Event) {
	switch ev := ev.(type) {
	case xproto.DestroyNotifyEvent:
		delete(c.windows, ev.Window)
	case xproto.UnmapNotifyEvent:
		delete(c.windows, ev.Window)
	case xproto.ClientMessageEvent: // the answer to a ping, which goes to the root window
		if ev.Type != c.protocols || ev.Format != 32 || ev.Data.Data32[0] != uint32(c.ping) {
			return
		}
		w := xproto.Window(ev.Data.Data32[2])
		if asked := c.windows[w]; asked != nil && asked.pings > 0 {
			if asked.pings--; asked.pings > 0 {
				c.send(w, c.ping)
			}
		}
	}
}

// send sends a message to a window, as a window manager does.
func (c *closer) send(w xproto.Window, what xproto.Atom) {
	data := xproto.ClientMessageDataUnionData32New([]uint32{uint32(what), xproto.TimeCurrentTime, uint32(w), 0, 0})
	ev := xproto.ClientMessageEvent{Format: 32, Window: w, Type: c.protocols, Data: data}
	xproto.SendEvent(c.x, false, w, xproto.EventMaskNoEvent, string(ev.Bytes()))
}
