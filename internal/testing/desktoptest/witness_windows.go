package desktoptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop/winapi"
)

// The application of the contract as a program of Windows, made of the controls that the
// system has. Its window procedures run on one thread, as that of the commands does.

var (
	gdi32   = windows.NewLazySystemDLL("gdi32.dll")
	comctl  = windows.NewLazySystemDLL("comctl32.dll")
	comctls = comctl.NewProc("InitCommonControls")
)

func user(name string, args ...any) uintptr { return winapi.User(name, args...) }

func at[T any](v *T) unsafe.Pointer { return winapi.At(v) }

func wide(text string) unsafe.Pointer { return winapi.Wide(text) }

func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)
	return strings.TrimSpace(b.String())
}

func say(what, name string, rest ...any) {
	fmt.Println(append([]any{what, quoted(name)}, rest...)...)
}

// Messages, styles and notifications of Windows.
const (
	wmFocus, wmClose, wmErase                     = 0x7, 0x10, 0x14
	wmGetText, wmTextLength, wmSetFont, wmCommand = 0xd, 0xe, 0x30, 0x111
	wmKeyDown, wmKeyUp                            = 0x100, 0x101
	wmHScroll, wmVScroll, wmInitMenu              = 0x114, 0x115, 0x117
	wmMenuClosed                                  = 0x212 // WM_EXITMENULOOP
	wmMouseMove, wmWheel                          = 0x200, 0x20a
	wmTold                                        = 0x8000 // a command waits
	styleChild, styleVisible, styleTab            = 0x4000_0000, 0x1000_0000, 0x1_0000
	styleBorder, styleScroll, styleFramed         = 0x80_0000, 0x20_0000, 0xcf_0000
	styleClips                                    = 0x200_0000
	noticeClicked, noticeChanged, noticeChosen    = 0, 0x300, 1
)

// control is one control of the window.
type control struct {
	name, class string
	style       uintptr
	x, y, w, h  int
	label       bool // its text is its name
	handle      uintptr
}

// witness is the application.
type witness struct {
	window, rows, canvas uintptr
	controls             map[string]*control
	byHandle             map[uintptr]string
	others               map[string]uintptr
	menu                 uintptr
	colour               uint32
	quiet                bool // it changes things itself
	down                 map[uintptr]bool
	scrolled             int
	last                 [2]int
	commands, answers    chan string
}

var the *witness

// RunWitness is the program of the application.
func RunWitness(args []string) {
	runtime.LockOSThread()
	_, _, _ = comctls.Call()
	user("SetProcessDpiAwarenessContext", ^uintptr(3)) // per monitor
	the = &witness{controls: map[string]*control{}, byHandle: map[uintptr]string{}, others: map[string]uintptr{}, down: map[uintptr]bool{}, commands: make(chan string), answers: make(chan string)}
	the.register()
	if len(args) == 2 && args[0] == "--window" {
		the.open(args[1], 100, 100)
		loop()
		return
	}
	the.build()
	go the.listen()
	loop()
}

type message struct {
	window    uintptr
	message   uint32
	wParam, _ uintptr
	_         [4]uint32
}

// loop hands messages to their windows until the application ends.
func loop() {
	var m message
	for int32(user("GetMessageW", at(&m), 0, 0, 0)) > 0 {
		dispatch(&m)
	}
}

func dispatch(m *message) {
	if m.message == wmKeyDown || m.message == wmKeyUp {
		the.key(m)
	}
	if m.message == wmTold && m.window == the.window {
		the.answers <- the.run(strings.Fields(<-the.commands))
		return
	}
	if the.edits(m) || user("IsDialogMessageW", the.window, at(m)) != 0 {
		return
	}
	user("TranslateMessage", at(m))
	user("DispatchMessageW", at(m))
}

// edits handles what fields of other systems do with keys and those of Windows do not: a tab
// stays in a field of many lines, and ctrl+a selects all.
func (w *witness) edits(m *message) bool {
	const letterA, ctrl, selectText = 'A', 0x11, 0xb1
	switch {
	case m.message == wmKeyDown && m.wParam == letterA && int16(user("GetKeyState", ctrl)) < 0:
		user("SendMessageW", m.window, selectText, 0, ^uintptr(0))
	case w.byHandle[m.window] == "Body":
		user("TranslateMessage", at(m))
		user("DispatchMessageW", at(m))
	default:
		return false
	}
	return true
}

// settle handles all that the display has sent.
func settle() {
	var m message
	for user("PeekMessageW", at(&m), 0, 0, 0, 1) != 0 {
		dispatch(&m)
	}
}

// listen reads commands, and has the thread of the windows execute them.
func (w *witness) listen() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		user("PostMessageW", w.window, wmTold, 0, 0)
		w.commands <- lines.Text()
		fmt.Println("=", <-w.answers)
	}
	os.Exit(0)
}

// windowClass is WNDCLASSEXW.
type windowClass struct {
	size, style           uint32
	procedure             uintptr
	_                     [2]int32
	_, _, cursor, backing uintptr
	_                     uintptr
	className             unsafe.Pointer
	_                     uintptr
}

const ourClass, rowsClass, canvasClass = "Witness", "WitnessRows", "Canvas"

func (w *witness) register() {
	const doubleClicks, buttonFace, arrow = 0x8, 16, 32512
	cursor := user("LoadCursorW", 0, arrow)
	for name, f := range map[string]any{ourClass: windowProcedure, rowsClass: rowsProcedure, canvasClass: canvasProcedure} {
		c := windowClass{style: doubleClicks, procedure: syscall.NewCallback(f), cursor: cursor, backing: buttonFace, className: wide(name)}
		c.size = uint32(unsafe.Sizeof(c))
		if user("RegisterClassExW", at(&c)) == 0 {
			panic("no class of windows")
		}
	}
}

func create(class, text string, style uintptr, x, y, width, height int, parent, id uintptr) uintptr {
	h := user("CreateWindowExW", 0, wide(class), wide(text), style, uintptr(x), uintptr(y), uintptr(width), uintptr(height), parent, id, 0, 0)
	font, _, _ := gdi32.NewProc("GetStockObject").Call(17)
	user("SendMessageW", h, wmSetFont, font, 0)
	return h
}

// The kinds of controls, by their styles.
const (
	pushButton, checkBox, radioButton, pushLike = 0x0, 0x3, 0x9, 0x1000
	groupBegins                                 = 0x2_0000
	multiLine, wantReturn, password             = 0x4, 0x1000, 0x20
	scrolls                                     = 0x80 | 0x40 // ES_AUTOHSCROLL | ES_AUTOVSCROLL
	dropDownList                                = 0x3
)

func (w *witness) build() {
	w.window = create(ourClass, "Contract", styleFramed|styleClips, 40, 30, 540, 700, 0, 0)
	w.menu = user("CreateMenu")
	file := user("CreatePopupMenu")
	for i, name := range []string{"New", "Save"} {
		user("AppendMenuW", file, 0, uintptr(9000+i), wide(name))
	}
	user("AppendMenuW", w.menu, 0x10, file, wide("File"))
	user("SetMenu", w.window, w.menu)
	for _, c := range []control{
		{name: "Name", class: "Edit", style: styleBorder | styleTab | scrolls, x: 80, y: 10, w: 400, h: 22},
		{name: "Code", class: "Edit", style: styleBorder | styleTab | password | scrolls, x: 80, y: 36, w: 400, h: 22},
		{name: "Body", class: "Edit", style: styleBorder | styleTab | multiLine | wantReturn | scrolls | styleScroll, x: 80, y: 62, w: 400, h: 90},
		{name: "OK", class: "Button", style: styleTab, x: 10, y: 160, w: 90, h: 26, label: true},
		{name: "Apply", class: "Button", style: styleTab, x: 110, y: 160, w: 90, h: 26, label: true},
		{name: "Disabled", class: "Button", style: styleTab, x: 210, y: 160, w: 90, h: 26, label: true},
		{name: "Doomed", class: "Button", style: styleTab, x: 310, y: 160, w: 90, h: 26, label: true},
		{name: "Urgent", class: "Button", style: styleTab | checkBox, x: 10, y: 194, w: 90, h: 22, label: true},
		{name: "Bold", class: "Button", style: styleTab | checkBox | pushLike, x: 110, y: 194, w: 90, h: 22, label: true},
		{name: "Home", class: "Button", style: styleTab | radioButton | groupBegins, x: 210, y: 194, w: 90, h: 22, label: true},
		{name: "Work", class: "Button", style: radioButton, x: 310, y: 194, w: 90, h: 22, label: true},
		{name: "Colour", class: "ComboBox", style: styleTab | groupBegins | dropDownList, x: 80, y: 222, w: 200, h: 120},
		{name: "Volume", class: "msctls_trackbar32", style: styleTab, x: 80, y: 252, w: 300, h: 30},
	} {
		w.add(c)
	}
	w.rows = create(rowsClass, "Rows", styleChild|styleVisible|styleScroll|styleClips, 10, 290, 480, 110, w.window, 0)
	w.named("Rows", w.rows)
	for i := range 40 {
		name := fmt.Sprintf("Row %d", i)
		h := create("Button", name, styleChild|styleVisible, 0, i*26, 440, 26, w.rows, uintptr(2000+i))
		w.named(name, h)
	}
	w.canvas = create(canvasClass, "Canvas", styleChild|styleVisible, 10, 410, 480, 110, w.window, 0)
	w.named("Canvas", w.canvas)
	for _, text := range []string{"red", "green", "blue"} {
		user("SendMessageW", w.handle("Colour"), 0x143, 0, wide(text)) // CB_ADDSTRING
	}
	user("SendMessageW", w.handle("Volume"), 0x406, 1, 100<<16)             // TBM_SETRANGE
	create("Button", "Apart", styleChild, 400, 160, 90, 26, w.window, 3001) // as on a page that is not shown
	user("ShowWindow", w.window, 5)
}

// add puts a control into the window. What shows no text of its own has a label to its left.
func (w *witness) add(c control) {
	text := c.name
	if !c.label {
		create("Static", c.name, styleChild|styleVisible, 10, c.y, 68, 20, w.window, 0)
		text = ""
	}
	if _, there := w.controls[c.name]; there {
		return
	}
	c.handle = create(c.class, text, styleChild|styleVisible|c.style, c.x, c.y, c.w, c.h, w.window, uintptr(1000+len(w.controls)))
	w.controls[c.name] = &c
	w.byHandle[c.handle] = c.name
}

func (w *witness) named(name string, h uintptr) {
	w.controls[name], w.byHandle[h] = &control{name: name, handle: h}, name
}

func (w *witness) handle(name string) uintptr { return w.controls[name].handle }

func textOf(h uintptr) string {
	b := make([]uint16, user("SendMessageW", h, wmTextLength, 0, 0)+1)
	user("SendMessageW", h, wmGetText, uintptr(len(b)), at(&b[0]))
	return strings.ReplaceAll(windows.UTF16ToString(b), "\r\n", "\n")
}

// windowProcedure handles the messages of the window and of those that the commands open.
func windowProcedure(h uintptr, m uint32, wParam, lParam uintptr) uintptr {
	switch m {
	case wmFocus: // which comes back to the field
		if h == the.window {
			user("SetFocus", the.handle("Name"))
		} else if field := user("FindWindowExW", h, 0, wide("Edit"), 0); field != 0 {
			user("SetFocus", field)
		}
		return 0
	case wmCommand:
		the.notice(uint32(wParam)>>16, uint32(wParam)&0xffff, lParam)
	case wmHScroll:
		if name := the.byHandle[lParam]; name != "" && !the.quiet {
			say("number", name, int32(user("SendMessageW", lParam, 0x400, 0, 0)))
		}
	case wmInitMenu:
		say("menu", "File", "open")
	case wmMenuClosed:
		say("menu", "File", "closed")
	case wmClose:
		for title, other := range the.others {
			if other == h {
				say("close", title)
				delete(the.others, title)
			}
		}
		if h == the.window {
			say("close", "Contract")
			return 0
		}
		if the.window == 0 {
			os.Exit(0)
		}
	}
	return user("DefWindowProcW", h, uintptr(m), wParam, lParam)
}

// notice handles what a control tells its parent.
func (w *witness) notice(what, id uint32, from uintptr) {
	if from == 0 && id >= 9000 {
		say("click", []string{"New", "Save"}[id-9000])
		return
	}
	name := w.byHandle[from]
	if w.quiet || name == "" {
		return
	}
	switch class := w.controls[name]; {
	case strings.HasPrefix(name, "In "), class.class == "Edit":
		if what == noticeChanged {
			say("text", name, quoted(textOf(from)))
		}
	case class.class == "ComboBox":
		if what == noticeChosen {
			n := user("SendMessageW", from, 0x147, 0, 0)
			say("choose", name, quoted([]string{"red", "green", "blue"}[n]))
		}
	case what == noticeClicked && slices.Contains([]string{"Urgent", "Bold", "Home", "Work"}, name):
		w.toggled()
	case what == noticeClicked:
		say("click", name)
	}
}

var toggles = map[string]bool{}

// toggled tells which of the switches have changed.
func (w *witness) toggled() {
	for _, name := range []string{"Urgent", "Bold", "Home", "Work"} {
		on := user("SendMessageW", w.handle(name), 0xf0, 0, 0) == 1
		if on != toggles[name] && !w.quiet {
			say("toggle", name, map[bool]string{true: "on", false: "off"}[on])
		}
		toggles[name] = on
	}
}

// rowsProcedure scrolls the rows.
func rowsProcedure(h uintptr, m uint32, wParam, lParam uintptr) uintptr {
	switch m {
	case wmWheel:
		the.scroll(the.scrolled - int(int16(wParam>>16))*52/120)
		return 0
	case wmVScroll:
		switch wParam & 0xffff {
		case 0, 2:
			the.scroll(the.scrolled - 26)
		case 1, 3:
			the.scroll(the.scrolled + 26)
		case 4, 5:
			the.scroll(int(int16(wParam >> 16)))
		}
		return 0
	case wmCommand:
		the.notice(uint32(wParam)>>16, uint32(wParam)&0xffff, lParam)
	}
	return user("DefWindowProcW", h, uintptr(m), wParam, lParam)
}

// scroll shows the rows from a position on.
func (w *witness) scroll(to int) {
	to = max(0, min(to, 40*26-110))
	user("ScrollWindow", w.rows, 0, uintptr(w.scrolled-to), 0, 0)
	w.scrolled = to
	info := struct {
		size, mask            uint32
		low, high             int32
		page                  uint32
		position, trackedByUs int32
	}{size: 28, mask: 7, high: 40 * 26, page: 110, position: int32(to)}
	user("SetScrollInfo", w.rows, 1, at(&info), 1)
	user("UpdateWindow", w.rows)
}

// canvasProcedure tells what the pointer does over the canvas.
func canvasProcedure(h uintptr, m uint32, wParam, lParam uintptr) uintptr {
	x, y := int(int16(lParam)), int(int16(lParam>>16))
	held := ""
	if wParam&0x8 != 0 {
		held = " ctrl"
	}
	spot := fmt.Sprintf("at %d,%d%s", x, y, held)
	switch button := []string{"left", "right", "middle"}[max(0, int(m)-0x201)/3%3]; m {
	case 0x201, 0x204, 0x207:
		user("SetCapture", h)
		say("press", "Canvas", button, spot)
	case 0x203, 0x206, 0x209: // the second press of a double click
		say("press", "Canvas", button, spot)
		say("double", "Canvas", button, spot)
	case 0x202, 0x205, 0x208:
		user("ReleaseCapture")
		say("release", "Canvas", button, spot)
	case wmMouseMove:
		if the.last != [2]int{x, y} {
			the.last = [2]int{x, y}
			say("move", "Canvas", spot)
		}
	case wmWheel:
		say("wheel", "Canvas", map[bool]string{true: "up", false: "down"}[int16(wParam>>16) > 0])
	case wmErase:
		the.fill(h, wParam)
		return 1
	}
	return user("DefWindowProcW", h, uintptr(m), wParam, lParam)
}

// fill paints the canvas.
func (w *witness) fill(h, dc uintptr) {
	var area [4]int32
	user("GetClientRect", h, at(&area))
	brush, _, _ := gdi32.NewProc("CreateSolidBrush").Call(uintptr(w.colour))
	user("FillRect", dc, at(&area), brush)
	_, _, _ = gdi32.NewProc("DeleteObject").Call(brush)
}

func (w *witness) paint(r, g, b uint32) {
	w.colour = r | g<<8 | b<<16
	user("InvalidateRect", w.canvas, 0, 1)
	user("UpdateWindow", w.canvas)
}

// key tells of the keys that the contract asks about.
func (w *witness) key(m *message) {
	name := map[uintptr]string{0x10: "shift", 0x11: "ctrl", 0x76: "f7", 0x77: "f8"}[m.wParam]
	down := m.message == wmKeyDown
	if name == "" || w.down[m.wParam] == down {
		return
	}
	w.down[m.wParam] = down
	say("key", name, map[bool]string{true: "down", false: "up"}[down])
}

// boxes tells where everything is drawn.
func (w *witness) boxes() string {
	all := map[string][4]int32{}
	put := func(name string, h uintptr) {
		if user("IsWindowVisible", h) != 0 {
			var r [4]int32
			user("GetWindowRect", h, at(&r))
			all[name] = [4]int32{r[0], r[1], r[2] - r[0], r[3] - r[1]}
		}
	}
	put("Contract", w.window)
	for name, c := range w.controls {
		put(name, c.handle)
	}
	for title, h := range w.others {
		put(title, h)
	}
	for name, item := range map[string][2]uintptr{"File": {w.menu, 0}, "New": {user("GetSubMenu", w.menu, 0), 0}, "Save": {user("GetSubMenu", w.menu, 0), 1}} {
		var r [4]int32
		if user("GetMenuItemRect", w.window, item[0], item[1], at(&r)) != 0 && r[2] > r[0] {
			all[name] = [4]int32{r[0], r[1], r[2] - r[0], r[3] - r[1]}
		}
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// open shows another window of the application, with a field in it.
func (w *witness) open(title string, x, y int) {
	h := create(ourClass, title, styleFramed|styleVisible, x, y, 300, 200, 0, 0)
	create("Static", "In "+title, styleChild|styleVisible, 0, 0, 0, 0, h, 0)
	field := create("Edit", "", styleChild|styleVisible|scrolls, 0, 0, 290, 160, h, 3000)
	w.others[title] = h
	w.named("In "+title, field)
	user("SetForegroundWindow", h)
	user("SetFocus", field)
}

func (w *witness) reset() {
	w.quiet = true
	for title, h := range w.others {
		user("DestroyWindow", h)
		delete(w.others, title)
		delete(w.controls, "In "+title)
	}
	user("EndMenu")
	for _, name := range []string{"Name", "Code", "Body"} {
		user("SendMessageW", w.handle(name), 0xc, 0, wide(""))
	}
	if w.controls["Doomed"] == nil {
		w.add(control{name: "Doomed", class: "Button", style: styleTab, x: 310, y: 160, w: 90, h: 26, label: true})
	}
	for _, name := range []string{"OK", "Apply"} {
		user("EnableWindow", w.handle(name), 1)
	}
	user("EnableWindow", w.handle("Disabled"), 0)
	for _, name := range []string{"Urgent", "Bold", "Home", "Work"} {
		on := uintptr(0)
		if name == "Home" {
			on = 1
		}
		user("SendMessageW", w.handle(name), 0xf1, on, 0)
	}
	w.toggled()
	user("SendMessageW", w.handle("Colour"), 0x14e, 0, 0) // CB_SETCURSEL
	user("SendMessageW", w.handle("Volume"), 0x405, 1, 0) // TBM_SETPOS
	w.scroll(0)
	w.paint(200, 40, 80)
	w.last = [2]int{-1, -1}
	clear(w.down)
	user("ShowWindow", w.window, 9)
	user("SetWindowPos", w.window, 0, 40, 30, 0, 0, 0x15)
	user("SetForegroundWindow", w.window)
	user("SetFocus", w.handle("Name"))
	settle()
	w.quiet = false
}

// run executes a command.
func (w *witness) run(words []string) string {
	place := func(name string) (x, y int) {
		var r [4]int32
		user("GetWindowRect", w.handle(name), at(&r))
		return int(r[0]), int(r[1])
	}
	switch words[0] {
	case "boxes":
		return w.boxes()
	case "reset":
		w.reset()
	case "remove":
		user("DestroyWindow", w.handle(words[1]))
		delete(w.controls, words[1])
	case "disable":
		user("EnableWindow", w.handle(words[1]), 0)
	case "open":
		x, y := place("Canvas")
		w.open(words[1], x, y)
	case "cover":
		x, y := place(words[1])
		w.open("Cover", x, y)
	case "paint":
		var r, g, b uint32
		_, _ = fmt.Sscan(strings.Join(words[1:], " "), &r, &g, &b)
		w.paint(r, g, b)
	}
	settle()
	return ""
}
