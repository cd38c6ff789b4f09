package recorder

import (
	"context"
	"fmt"
	"image"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

const (
	// elementWithin is how long the element under the pointer may take when a
	// button is pressed on it, or a field when it is read.
	elementWithin = 100 * time.Millisecond
	// treeWithin is how long its program's other elements may take, which
	// selectors are tried on.
	treeWithin = 400 * time.Millisecond
	// keptSelectors is how many selectors of an element are kept.
	keptSelectors = 6
)

// under is what was under the pointer when it last rested.
type under struct {
	at    desktop.Point
	seen  *Seen
	shot  *image.RGBA // what it looks like
	had   elements    // what its program had then
	when  time.Time
	known time.Time // when it was: what was done before may have changed it
	late  bool      // more input had come by then
}

// elements are those that a program had.
type elements struct {
	pid     int
	handles map[desktop.Handle]bool
}

// lack says whether an element of the same program is not among them.
func (e *elements) lack(t *Seen) bool {
	return t != nil && t.Handle != "" && e.pid == t.PID && e.pid != 0 && !e.handles[t.Handle]
}

// lookSoon looks at what is under the pointer after a time.
func (r *recording) lookSoon(after time.Duration) {
	r.rest.Reset(after)
	r.rests = true
}

// look finds what is at a point, within a time.
func (r *recording) look(ctx context.Context, at desktop.Point, within time.Duration) under {
	u := under{at: at, when: time.Now()}
	short, cancel := context.WithTimeout(ctx, r.within(within))
	defer cancel()
	var e *desktop.Element
	if w := r.windowAt(at); w != nil && w.Popup {
		e = r.item(short, at)
	}
	if e == nil {
		e, _ = r.desktop.ElementAt(short, at)
	}
	if e != nil {
		u.seen = r.seen(ctx, e)
		u.had = r.had
	} else {
		u.seen = r.recalled(at)
	}
	u.shot = r.shoot(ctx, at, u.seen)
	u.known, u.late = time.Now(), r.queue.waits()
	return u
}

// view is what a program showed when it was read last.
type view struct {
	pid   int
	roots []*desktop.Element
	when  time.Time
}

// recalled is the element that was at a point when its program was read last, if
// nothing was done since: a click that closes a window can be quicker than who
// looks.
func (r *recording) recalled(at desktop.Point) *Seen {
	w := r.windowAt(at)
	if w == nil || w.Popup || r.view.pid != w.PID || !r.view.when.After(r.disturb) {
		return nil
	}
	var best *desktop.Element
	each(r.view.roots, func(e *desktop.Element) {
		if e.Window == w.ID && e.States.Has(desktop.Showing) && e.Bounds.Contains(at) && !wide(&Seen{Element: *e}) {
			best = e // what is below another comes after it
		}
	})
	if best == nil {
		return nil
	}
	return seenIn(best, r.view.roots)
}

// item is the item of a menu at a point, in the program that has the keyboard.
// Toolkits hang menus where no box around them reaches, so they are not found
// by going down to the point.
func (r *recording) item(ctx context.Context, at desktop.Point) (item *desktop.Element) {
	w := active(r.windows)
	if w == nil {
		return nil
	}
	for _, root := range r.roots(ctx, &desktop.Element{PID: w.PID, Process: w.Process}) {
		root.Walk(func(e *desktop.Element) bool {
			if e.Bounds.Contains(at) && inMenu(&Seen{Element: *e}) {
				item = e
			}
			return true
		})
	}
	return item
}

// seenAt is what is at a point: what was there when the pointer came to rest,
// unless something happened since, for the press may have changed it already.
func (r *recording) seenAt(ctx context.Context, at desktop.Point) *Seen {
	if !near(r.under.at, at) || !r.under.when.After(r.disturb) {
		r.under = r.look(ctx, at, elementWithin)
	}
	return r.under.seen
}

// seen is an element with all that helps to find it again.
func (r *recording) seen(ctx context.Context, e *desktop.Element) *Seen {
	if r.focus.secret[e.Handle] {
		e.Role = "password"
	}
	roots := r.roots(ctx, e)
	if found := find(roots, e.Handle); found != nil {
		found.States, found.Role = e.States, e.Role
		e = found
	}
	if e.Role == "password" {
		e.Text = ""
		r.focus.secret[e.Handle] = true
	}
	return seenIn(e, roots)
}

// seenIn is an element of a program, and what helps to find it again there.
func seenIn(e *desktop.Element, roots []*desktop.Element) *Seen {
	known := candidates(e, roots) // may drop a label that is none
	t := &Seen{Element: *e, In: around(e), Selectors: known}
	t.Children, t.Parent = nil, nil
	return t
}

// around are the elements around one.
func around(e *desktop.Element) (kin []Ancestor) {
	const most = 8
	for p := e.Parent; p != nil && len(kin) < most; p = p.Parent {
		kin = append(kin, Ancestor{Role: p.Role, Name: p.Name})
	}
	return kin
}

// roots are the windows of an element's program, without what passwords hold.
func (r *recording) roots(ctx context.Context, e *desktop.Element) []*desktop.Element {
	short, cancel := context.WithTimeout(ctx, r.within(treeWithin))
	defer cancel()
	when := time.Now()
	tree, err := r.desktop.Tree(short, desktop.Scope{PID: e.PID, Process: e.Process, Full: true})
	if err != nil {
		return nil
	}
	r.secrets, r.had = nil, elements{e.PID, map[desktop.Handle]bool{}}
	tree.Walk(func(o *desktop.Element) bool {
		r.had.handles[o.Handle] = true
		if o.Role == "password" || r.focus.secret[o.Handle] {
			o.Text, r.focus.secret[o.Handle] = "", true
			r.secrets = append(r.secrets, o.Bounds)
		}
		return true
	})
	selector.FillLabels(tree.Roots)
	r.view = view{e.PID, tree.Roots, when}
	return tree.Roots
}

func find(roots []*desktop.Element, h desktop.Handle) (found *desktop.Element) {
	for _, root := range roots {
		root.Walk(func(o *desktop.Element) bool {
			if h != "" && o.Handle == h {
				found = o
			}
			return found == nil
		})
	}
	return found
}

// candidates are the selectors worth keeping: those that are unique, and the
// first when none is.
//
// What stands above a page of text is seldom its label, as what stands beside
// a field is, so a page that is alone is named by its role.
func candidates(e *desktop.Element, roots []*desktop.Element) []selector.Candidate {
	role, lone := bareRole(e, roots)
	if lone && (&Seen{Element: *e}).manyLines() {
		e.Label = ""
		return []selector.Candidate{role}
	}
	all := selector.For(e, roots)
	sole := slices.DeleteFunc(slices.Clone(all), func(c selector.Candidate) bool { return c.Matches != 1 })
	if len(sole) == 0 {
		return all[:min(len(all), 1)]
	}
	if short := slices.DeleteFunc(slices.Clone(sole), namesProcess); len(short) > 0 {
		sole = short
	}
	if lone {
		at := slices.IndexFunc(sole, func(c selector.Candidate) bool { return counts(c.Selector) || namesProcess(c) })
		if at < 0 {
			at = len(sole)
		}
		sole = slices.Insert(sole, at, role)
	}
	return sole[:min(len(sole), keptSelectors)]
}

// namesProcess says whether a selector names the program, which its step does
// already.
func namesProcess(c selector.Candidate) bool { return strings.Contains(c.Selector, "process:") }

// bareRole names an element by its role alone, when it is the only one.
func bareRole(e *desktop.Element, roots []*desktop.Element) (selector.Candidate, bool) {
	s, err := selector.Parse("role:" + string(e.Role))
	if err != nil || strings.TrimSpace(e.Name) != "" || len(s.Find(roots)) != 1 {
		return selector.Candidate{}, false
	}
	return selector.Candidate{Selector: s.String(), Matches: 1}, true
}

// pressed notes a button that goes down.
func (r *recording) pressed(ctx context.Context, ev desktop.InputEvent) {
	r.worksAgain(ev.Time)
	rested := r.under.when
	t := r.seenAt(ctx, ev.At)
	if t != nil {
		t.New = r.before.lack(t)
		r.before = r.under.had
	}
	r.write(Event{
		Type: Pressed, Time: ev.Time, At: ev.At, Picture: r.keep(r.under.shot), Button: ev.Button, Mods: ev.Mods,
		Element: t, Window: r.windowAt(ev.At),
	})
	r.nameLater(t, 0)
	r.down, r.at = &ev.At, ev.At
	r.disturb = time.Now()
	r.clicked(ctx, t)
	if c := r.combo; c != nil && t != nil && c.box.Handle == t.Handle && !t.chooses() {
		late := c.box == t && (r.under.late || r.under.when != rested || ev.Time.Before(r.under.known))
		if late || ev.Time.Before(c.known) && c.box != t {
			c.shows = "" // it was looked at after the press, which may have changed it
		}
	}
}

// released notes a button that goes up, and what it was let go over.
func (r *recording) released(ctx context.Context, ev desktop.InputEvent) {
	out := Event{Type: Released, Time: ev.Time, At: ev.At, Button: ev.Button}
	if r.down != nil && !near(*r.down, ev.At) {
		out.Element = r.look(ctx, ev.At, elementWithin).seen
	}
	r.down, r.worked = nil, ev.Time
	r.write(out)
	r.again()
	r.disturb = time.Now()
	r.lookSoon(2 * restsAfter)
}

// windowAt is the window that shows at a point.
func (r *recording) windowAt(at desktop.Point) *desktop.Window {
	for _, w := range slices.Backward(r.windows) {
		if !w.Minimized && !w.Hidden && w.Bounds.Contains(at) {
			return &w
		}
	}
	return nil
}

// lookAtWindows notes which windows came, went, and got the keyboard.
func (r *recording) lookAtWindows(ctx context.Context) {
	windows, err := r.desktop.Windows.Windows(ctx)
	if err != nil || r.paused {
		return
	}
	before := r.windows
	r.windows = windows
	for _, w := range missing(before, windows) {
		r.note(Event{Type: Closed, Window: &w})
	}
	for _, w := range missing(windows, before) {
		if w.Popup && r.under.seen != nil && r.under.when.After(r.disturb) {
			r.write(Event{Type: Rested, Time: r.under.when, At: r.under.at, Element: r.under.seen})
		}
		command, origins := "", []int(nil)
		if !w.Popup {
			command, origins = commandOf(w.PID), originsOf(w.PID)
		}
		r.note(Event{Type: Opened, Window: &w, Command: command, Origins: origins})
	}
	if now := active(windows); now != nil && (active(before) == nil || active(before).ID != now.ID) {
		r.note(Event{Type: Switched, Window: now})
		r.focus.valid = false
	}
}

// note writes what happened to a window.
func (r *recording) note(ev Event) {
	ev.Time = time.Now()
	r.write(ev)
	r.under = under{}
	r.lookSoon(restsAfter)
}

// missing are the windows of a list that another lacks.
func missing(list, other []desktop.Window) []desktop.Window {
	return slices.DeleteFunc(slices.Clone(list), func(w desktop.Window) bool {
		return slices.ContainsFunc(other, func(o desktop.Window) bool { return o.ID == w.ID })
	})
}

func active(windows []desktop.Window) *desktop.Window {
	i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.Active })
	if i < 0 {
		return nil
	}
	return &windows[i]
}

// commandOf is the command line that started a program, as a shell reads it;
// "" where the system does not say.
func commandOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	words := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// originsOf are the processes that started one, the nearest first.
func originsOf(pid int) (pids []int) {
	const most = 16
	for range most {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return pids
		}
		// The name stands in parentheses and may hold anything.
		_, rest, _ := strings.Cut(string(text)[strings.LastIndex(string(text), ")"):], " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return pids
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil || pid <= 1 {
			return pids
		}
		pids = append(pids, pid)
	}
	return pids
}
