package uia

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

// handles is the source that knows controls by their window handles. It tells of the controls
// that the system has, and of the entries of their lists.
type handles struct{}

// Messages that are asked of controls.
const (
	getText, textLength, setText = 0xd, 0xe, 0xc
	getCheck, pressButton        = 0xf0, 0xf5
	caretAt, setCaretAt          = 0xb0, 0xb1
	replaceSelection, scrollTo   = 0xc2, 0xb7
	passwordCharacter            = 0xd2
	comboCount, comboChosen      = 0x146, 0x147
	comboText, comboTextLength   = 0x148, 0x149
	comboChoose, comboOpen       = 0x14e, 0x157
	listCount, listText          = 0x18b, 0x189
	listTextLength, listSelected = 0x18a, 0x187
	listBox, listChoose          = 0x198, 0x186
	listChooseOne                = 0x185
	sliderNow, sliderLow         = 0x400, 0x401
	sliderHigh, sliderSet        = 0x402, 0x405
	progressNow, progressRange   = 0x408, 0x407
	command, scrolledAcross      = 0x111, 0x114
	scrolledDown                 = 0x115
)

// Styles of windows.
const (
	styleTabStop, styleVScroll      = 0x1_0000, 0x20_0000
	styleOwnerDrawnItems            = 0x30
	hasStringsCombo, hasStringsList = 0x200, 0x40
)

const (
	mostEntries = 1000 // of a list
	mostText    = 1 << 20
	deepest     = 60
)

func (handles) close() {}

// tells is true: each window has a handle.
func (handles) tells(context.Context, desktop.WindowID) (bool, error) { return true, nil }

// handleKey returns the key of a window, or of an entry of its list.
func handleKey(h uintptr, entry int) string {
	key := strconv.FormatUint(uint64(h), 16)
	if entry >= 0 {
		key += "/" + strconv.Itoa(entry)
	}
	return key
}

// parseHandle returns the window of a key, and the entry of its list or -1.
func parseHandle(key string) (h uintptr, entry int) {
	window, item, listed := strings.Cut(key, "/")
	id, _ := strconv.ParseUint(window, 16, 64)
	if entry = -1; listed {
		entry, _ = strconv.Atoi(item)
	}
	return uintptr(id), entry
}

func (handles) read(ctx context.Context, w desktop.WindowID, key string, alone bool) (*node, error) {
	h, entry := uintptr(w), -1
	if key != "" {
		h, entry = parseHandle(key)
	}
	if user("IsWindow", h) == 0 || h != uintptr(w) && user("IsChild", uintptr(w), h) == 0 {
		return nil, fmt.Errorf("%w: its window handle is gone", desktop.ErrNotFound)
	}
	r := reading{ctx: ctx, window: uintptr(w), focus: focusIn(uintptr(w))}
	if entry >= 0 {
		return r.entry(h, entry)
	}
	n, err := r.control(h)
	if err == nil && !alone {
		err = r.below(n, 1)
	}
	return n, err
}

// focusIn returns the window that has the keyboard, if it is in a window.
func focusIn(w uintptr) uintptr {
	if user("GetForegroundWindow") != w {
		return 0
	}
	return focusOf(w)
}

// A reading reads the controls of one window.
type reading struct {
	ctx           context.Context
	window, focus uintptr
}

// childrenOf returns the windows that are directly in a window, the topmost first.
func childrenOf(h uintptr) (list []uintptr) {
	const firstChild, next = 5, 2
	for c := user("GetWindow", h, firstChild); c != 0 && !slices.Contains(list, c); c = user("GetWindow", c, next) {
		list = append(list, c)
	}
	return list
}

// below reads the descendants of a control.
func (r reading) below(n *node, level int) error {
	h, _ := parseHandle(n.key)
	list, err := r.entries(n, h)
	if err != nil {
		return err
	}
	if level < deepest {
		for _, child := range childrenOf(h) {
			c, err := r.control(child)
			if err != nil {
				return err
			}
			if err := r.below(c, level+1); err != nil {
				return err
			}
			list = append(list, c)
		}
	}
	n.adopt(list)
	return nil
}

// styleOf returns the style of a window.
func styleOf(h uintptr) uintptr {
	const index = -16 // GWL_STYLE
	return user("GetWindowLongPtrW", h, index)
}

func classOf(h uintptr, function string) string {
	var b [256]uint16
	user(function, h, at(&b[0]), uintptr(len(b)))
	return windows.UTF16ToString(b[:])
}

// control reads a control alone.
func (r reading) control(h uintptr) (*node, error) {
	class, style := classOf(h, "GetClassNameW"), styleOf(h)
	f := ofClass(class, style)
	if f.raw == "Pane" { // toolkits have classes of their own for the controls of the system
		if base := ofClass(classOf(h, "RealGetWindowClassW"), style); base.raw != "Pane" {
			base.class, f = class, base
		}
	}
	n := &node{key: handleKey(h, -1), facts: f}
	n.handle = h
	var pid uint32
	user("GetWindowThreadProcessId", h, at(&pid))
	n.pid = int(pid)
	if id := int32(user("GetDlgCtrlID", h)); h != r.window && id > 0 && id < 0xffff {
		n.id = strconv.Itoa(int(id))
	}
	n.box = boxOf(h)
	n.states |= r.statesOf(h, style, n)
	return n, r.contents(n)
}

func boxOf(h uintptr) desktop.Rect {
	var b rect
	user("GetWindowRect", h, at(&b))
	return b.bounds()
}

// statesOf returns the states that the system knows of a window.
func (r reading) statesOf(h, style uintptr, n *node) (s desktop.States) {
	if shownPart(h, r.window) != (desktop.Rect{}) {
		s |= desktop.Showing | desktop.Visible
	}
	s |= desktop.Enabled
	for p := h; p != 0; p = user("GetAncestor", p, 1) {
		if user("IsWindowEnabled", p) == 0 {
			s &^= desktop.Enabled
		}
		if p == r.window {
			break
		}
	}
	if role := n.role(); style&styleTabStop != 0 || role.Is(desktop.Operable) || role.Is(desktop.Rows) {
		s |= desktop.Focusable
	}
	if h == r.focus || n.raw == "ComboBox" && user("IsChild", h, r.focus) != 0 {
		s |= desktop.Focused
	}
	return s
}

// shownPart returns the part of a window that is not outside of the windows that it is in.
func shownPart(h, top uintptr) desktop.Rect {
	if user("IsWindowVisible", h) == 0 {
		return desktop.Rect{}
	}
	part := boxOf(h)
	for p := h; p != top && p != 0; {
		if p = user("GetAncestor", p, 1); p != 0 { // GA_PARENT
			part = part.Intersect(clientBox(p))
		}
	}
	if part.Empty() {
		return desktop.Rect{}
	}
	return part
}

// clientBox returns the part of a window in which its children are.
func clientBox(h uintptr) desktop.Rect {
	var b rect
	user("GetClientRect", h, at(&b))
	var corner struct{ x, y int32 }
	user("ClientToScreen", h, at(&corner))
	area := b.bounds()
	area.X, area.Y = int(corner.x), int(corner.y)
	return area
}

// ownText returns the text that the system keeps of a window, without asking its program.
func ownText(h uintptr) string {
	var b [512]uint16
	user("InternalGetWindowText", h, at(&b[0]), uintptr(len(b)))
	return windows.UTF16ToString(b[:])
}

// contents adds what a control says of itself, and its name. The name of what shows its own
// text is that of the words before it.
func (r reading) contents(n *node) (err error) {
	h := n.handle
	switch n.raw {
	case "Edit":
		n.name = r.label(h)
		if secret, err := ask(r.ctx, h, passwordCharacter, 0, 0); err != nil || secret != 0 {
			n.password = true
			return err
		}
		n.text, err = r.text(h, textLength, getText, 0)
		return err
	case "ComboBox":
		n.name = r.label(h)
		if n.text, err = r.text(h, textLength, getText, 0); err != nil {
			return err
		}
		return r.combo(n)
	case "Slider", "ProgressBar":
		n.name = r.label(h)
		return r.number(n)
	case "List", "Tree", "Spinner":
		n.name = r.label(h)
		return nil
	case "CheckBox", "RadioButton", "Button":
		n.name = withoutMnemonic(ownText(h))
		return r.check(n)
	}
	n.name = withoutMnemonic(ownText(h))
	return nil
}

// label returns the words directly before a control, in the order of the tab key.
func (reading) label(h uintptr) string {
	const previous = 3
	p := user("GetWindow", h, previous)
	if p == 0 || baseClass(classOf(p, "GetClassNameW")) != "static" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSpace(withoutMnemonic(ownText(p))), ":")
}

// text returns a text of a control, or of an entry of its list.
func (r reading) text(h uintptr, length, get, entry uintptr) (string, error) {
	n, err := ask(r.ctx, h, length, entry, 0)
	if err != nil || int32(n) <= 0 {
		return "", err
	}
	b := make([]uint16, min(n, mostText)+1)
	size := entry
	if get == getText {
		size = uintptr(len(b))
	}
	if _, err := ask(r.ctx, h, get, size, at(&b[0])); err != nil {
		return "", err
	}
	return strings.ReplaceAll(windows.UTF16ToString(b), "\r\n", "\n"), nil
}

// check adds whether a button is on.
func (r reading) check(n *node) error {
	if !n.offers[patToggle] && !n.offers[patSelect] {
		return nil
	}
	on, err := ask(r.ctx, n.handle, getCheck, 0, 0)
	switch on {
	case toggleOn:
		n.states |= n.onState()
	case toggleMixed:
		n.states |= desktop.Indeterminate
	}
	return err
}

// number adds the number of a slider or a progress bar.
func (r reading) number(n *node) error {
	var told [3]uintptr
	for i, m := range map[string][][2]uintptr{
		"Slider":      {{sliderNow, 0}, {sliderLow, 0}, {sliderHigh, 0}},
		"ProgressBar": {{progressNow, 0}, {progressRange, 1}, {progressRange, 0}},
	}[n.raw] {
		var err error
		if told[i], err = ask(r.ctx, n.handle, m[0], m[1], 0); err != nil {
			return err
		}
	}
	n.value = &desktop.Range{Now: float64(int32(told[0])), Min: float64(int32(told[1])), Max: float64(int32(told[2]))}
	return nil
}

// combo adds whether the list of a combo box is open.
func (r reading) combo(n *node) error {
	const types, listOnly = 0x3, 0x3
	n.offers[patExpand] = true
	if styleOf(n.handle)&types != listOnly {
		n.offers[patValue] = true
		n.states |= desktop.Editable
	}
	open, err := ask(r.ctx, n.handle, comboOpen, 0, 0)
	if open != 0 {
		n.states |= desktop.Expanded
	} else {
		n.states |= desktop.Collapsed
	}
	return err
}

// listMessages are the messages of the two controls that have lists.
type listMessages struct{ count, length, text, chosen uintptr }

// listOf returns the messages of a control with a list of texts.
func listOf(h uintptr) (m listMessages, ok bool) {
	style := styleOf(h)
	class := baseClass(classOf(h, "GetClassNameW"))
	if classes[class] == "" {
		class = baseClass(classOf(h, "RealGetWindowClassW"))
	}
	var strings uintptr
	switch class {
	case "combobox":
		m, strings = listMessages{comboCount, comboTextLength, comboText, comboChosen}, hasStringsCombo
	case "listbox", "combolbox":
		m, strings = listMessages{listCount, listTextLength, listText, 0}, hasStringsList
	default:
		return m, false
	}
	drawn := style & styleOwnerDrawnItems
	return m, drawn == 0 || style&strings != 0
}

// entries reads the entries of the list of a control.
func (r reading) entries(of *node, h uintptr) (list []*node, err error) {
	m, ok := listOf(h)
	if !ok {
		return nil, nil
	}
	count, err := ask(r.ctx, h, m.count, 0, 0)
	for i := range min(int(int32(count)), mostEntries) {
		var n *node
		if n, err = r.entryOf(of, h, i, m); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, err
}

// entry reads one entry of a list.
func (r reading) entry(h uintptr, i int) (*node, error) {
	m, ok := listOf(h)
	count, err := ask(r.ctx, h, m.count, 0, 0)
	if err != nil {
		return nil, err
	}
	if !ok || i >= int(int32(count)) {
		return nil, fmt.Errorf("%w: the list has fewer entries now", desktop.ErrNotFound)
	}
	of, err := r.control(h)
	if err != nil {
		return nil, err
	}
	n, err := r.entryOf(of, h, i, m)
	if err == nil {
		n.index = i
	}
	return n, err
}

func (r reading) entryOf(of *node, h uintptr, i int, m listMessages) (*node, error) {
	text, err := r.text(h, m.length, m.text, uintptr(i))
	if err != nil {
		return nil, err
	}
	n := &node{key: handleKey(h, i), facts: facts{raw: "ListItem", name: text, pid: of.pid, offers: map[pattern]bool{patSelect: true}}}
	n.states = of.states&desktop.Enabled | desktop.Selectable
	var on uintptr
	if m.chosen != 0 {
		on, err = ask(r.ctx, h, m.chosen, 0, 0)
		on = map[bool]uintptr{true: 1}[int32(on) == int32(i)]
	} else if on, err = ask(r.ctx, h, listSelected, uintptr(i), 0); err == nil {
		var b rect
		_, err = ask(r.ctx, h, listBox, uintptr(i), at(&b))
		area := clientBox(h)
		n.box = b.bounds()
		n.box.X, n.box.Y = n.box.X+area.X, n.box.Y+area.Y
		if part := shownPart(h, r.window).Intersect(area).Intersect(n.box); !part.Empty() {
			n.states |= desktop.Showing | desktop.Visible
		}
	}
	if int32(on) > 0 {
		n.states |= desktop.Selected
	}
	return n, err
}

// at reads the controls at a point. Boxes around groups and labels are transparent to it where
// something else is.
func (handles) at(ctx context.Context, w desktop.WindowID, at desktop.Point) (chain []*node, err error) {
	r := reading{ctx: ctx, window: uintptr(w), focus: focusIn(uintptr(w))}
	path := []uintptr{uintptr(w)}
	for inner := uintptr(w); len(path) < deepest; path = append(path, inner) {
		if inner = childAt(inner, at, r.window); inner == 0 {
			break
		}
	}
	for _, h := range slices.Backward(path) {
		n, err := r.control(h)
		if err != nil {
			return nil, err
		}
		chain = append(chain, n)
	}
	if list, err := r.entries(chain[0], path[len(path)-1]); err == nil {
		if i := slices.IndexFunc(list, func(n *node) bool { return n.box.Contains(at) && n.states.Has(desktop.Showing) }); i >= 0 {
			list[i].index = i
			chain = slices.Insert(chain, 0, list[i])
		}
	}
	return chain, nil
}

// childAt returns the window in another one that is drawn at a point, or 0.
func childAt(of uintptr, at desktop.Point, top uintptr) (best uintptr) {
	for _, h := range childrenOf(of) {
		if !shownPart(h, top).Contains(at) {
			continue
		}
		if f := ofClass(classOf(h, "GetClassNameW"), styleOf(h)); f.raw != "Group" {
			return h
		}
		if best == 0 {
			best = h
		}
	}
	return best
}

func (handles) focused(ctx context.Context, w desktop.WindowID) (*node, error) {
	h := focusIn(uintptr(w))
	if h == 0 {
		return nil, nil
	}
	return reading{ctx, uintptr(w), h}.control(h)
}
