package virtual

import (
	"bytes"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// How long the programs of a display have to finish before they are ended.
const (
	// closeTimeout is for those that are busy, and read nothing meanwhile.
	closeTimeout = 10 * time.Second
	// settleTimeout is how much time of a processor each gets that is never at rest.
	settleTimeout = time.Second
	// settleLongest is for those that get none, because the machine is busy.
	settleLongest = 5 * time.Second
	// settleLooks is how often in a row all must be found asleep.
	settleLooks = 3
)

// finish lets the programs of a display complete what they were told to do, such
// as a save whose key they have not read yet: a signal would come before it. Their
// windows are asked to close, as a person does it. It does nothing when the X server
// has ended, was never ready, or is not ours to end.
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
	d.settle(seen) // what waited for those that have ended goes on now
}

// settle waits until all programs of the display sleep, for a while. One that was
// seen counts until it has ended: as soon as it begins to, its environment, by which
// programs are known, can be read no more.
func (d *Display) settle(seen map[process]bool) {
	asleep, began := 0, map[process]time.Duration{}
	for deadline := time.Now().Add(settleLongest); asleep < settleLooks && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		asleep++
		for _, p := range programsOf(d.folder.dir) {
			seen[p] = true
		}
		for p := range seen {
			if !anyRuns([]process{p}) {
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

// activity says whether a process runs, wants to, or waits for a disk, and how much
// time of a processor it has used.
func activity(p process) (busy bool, used time.Duration) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
	i := bytes.LastIndexByte(stat, ')') // a name may hold anything
	if err != nil || i < 0 {
		return false, 0
	}
	fields := strings.Fields(string(stat[i+1:]))
	if len(fields) < 13 {
		return false, 0
	}
	for _, ticks := range fields[11:13] { // in user mode, in the kernel
		n, _ := strconv.Atoi(ticks)
		used += time.Duration(n) * (time.Second / ticksPerSecond)
	}
	return fields[0] == "R" || fields[0] == "D", used
}

// ticksPerSecond is that of /proc, on each system that runs Go.
const ticksPerSecond = 100

// awaitEnd waits until processes have ended, for a while.
func awaitEnd(procs []process) {
	for deadline := time.Now().Add(endTimeout); anyRuns(procs) && time.Now().Before(deadline); {
		time.Sleep(2 * time.Millisecond)
	}
}

// closer asks windows to close.
type closer struct {
	x       *xgb.Conn
	root    xproto.Window
	windows map[xproto.Window]*closing // that are still there

	protocols, delete, ping xproto.Atom
}

// closing is a window that was asked.
type closing struct {
	pid   int
	pings int // that are still to be answered; below 0: it answers none
}

// pingsAfter is how many pings an application answers, one after the other, until
// it has certainly handled what came before the first.
const pingsAfter = 2

// closeWindows asks all windows to close, and returns when each is gone, or its
// application has handled that and keeps it, perhaps to ask something. It gives those
// of the processes that were seen whose windows are gone.
func (d *Display) closeWindows(seen map[process]bool) (owners []process) {
	if d.wayland {
		return d.closeSurfaces(seen)
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	conn, x, err := d.connect(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	began := time.Now()
	late := time.AfterFunc(endTimeout, func() { conn.Close() }) // the server may be stuck
	defer late.Stop()
	c := &closer{x: x, root: xproto.Setup(x).DefaultScreen(x).Root, windows: map[xproto.Window]*closing{}}
	all := c.askAll()
	for c.waits() {
		late.Reset(time.Until(began.Add(c.patience())))
		ev, xerr := x.WaitForEvent()
		if ev == nil && xerr == nil {
			break // it is late
		}
		c.take(ev)
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(seen)), func(p process) bool {
		return !slices.ContainsFunc(all, func(w *closing) bool { return w.pid == p.PID }) || c.has(p.PID)
	})
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
			continue // it can only be ended, or is gone
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

// patience is how long to wait for the windows.
func (c *closer) patience() time.Duration {
	for _, w := range c.windows {
		if w.pings > 0 {
			return closeTimeout
		}
	}
	return endTimeout
}

// waits says whether one of the windows is still to be closed, or to be kept.
func (c *closer) waits() bool {
	for _, w := range c.windows {
		if w.pings != 0 {
			return true
		}
	}
	return false
}

// has says whether a process still has a window.
func (c *closer) has(pid int) bool {
	for _, w := range c.windows {
		if w.pid == pid {
			return true
		}
	}
	return false
}

func (c *closer) take(ev xgb.Event) {
	switch ev := ev.(type) {
	case xproto.DestroyNotifyEvent:
		delete(c.windows, ev.Window)
	case xproto.UnmapNotifyEvent:
		delete(c.windows, ev.Window)
	case xproto.ClientMessageEvent: // an answer to a ping goes to the root window
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

// send sends a message of the window manager's to a window.
func (c *closer) send(w xproto.Window, what xproto.Atom) {
	data := xproto.ClientMessageDataUnionData32New([]uint32{uint32(what), xproto.TimeCurrentTime, uint32(w), 0, 0})
	ev := xproto.ClientMessageEvent{Format: 32, Window: w, Type: c.protocols, Data: data}
	xproto.SendEvent(c.x, false, w, xproto.EventMaskNoEvent, string(ev.Bytes()))
}

func (c *closer) atom(name string) xproto.Atom {
	a, err := xproto.InternAtom(c.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return xproto.AtomNone
	}
	return a.Atom
}

// numbers are those of a property; none when it is not there.
func (c *closer) numbers(w xproto.Window, name string) (all []uint32) {
	p, err := xproto.GetProperty(c.x, false, w, c.atom(name), xproto.GetPropertyTypeAny, 0, 1<<16).Reply()
	if err != nil || p.Format != 32 {
		return nil
	}
	for b := p.Value; len(b) >= 4; b = b[4:] {
		all = append(all, xgb.Get32(b))
	}
	return all
}
