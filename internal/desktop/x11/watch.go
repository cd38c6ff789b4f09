//go:build linux

package x11

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/record"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// Watch calls f for each thing that a person does with mouse and keyboard, in order, until the
// context ends. Input of this driver is left out. Enter and Tab have a name and no text; of
// text from an input method only the keys are seen that were pressed for it.
//
// Watch uses the RECORD extension, on two connections of its own: xgb cannot read the stream of
// events, which is one endless reply, so that is read from a bare connection. The stream also
// has the changes of the keyboard mapping, so each key is interpreted by the mapping with which
// it was pressed.
func (d *Driver) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	control, err := connect(ctx, d.address, d.options.Authority)
	if err != nil {
		return err
	}
	defer func() {
		control.cut()
		<-control.gone
	}()
	if !control.has["RECORD"] {
		return &desktop.MissingError{What: "the display " + d.address.name + " lacks the RECORD extension, so input cannot be watched"}
	}
	translator, err := ask(ctx, control, control.newTranslator)
	if err != nil {
		return err
	}
	which, err := ask(ctx, control, control.newRecording)
	if err != nil {
		return err
	}
	s, err := openStream(ctx, d.address, d.options.Authority)
	if err != nil {
		return err
	}
	defer s.Close()
	ours := d.own.watch()
	defer ours.end()
	if err := s.enable(control, which); err != nil {
		return lost(d.address.name, err)
	}
	stop := context.AfterFunc(ctx, func() {
		// Events from before the end are still on their way: request the end of the stream
		// and read up to it.
		_ = s.SetReadDeadline(time.Now().Add(readOut))
		record.DisableContext(control.x, which)
	})
	defer stop()
	var one sync.Mutex // the clipboard is told of on another connection
	report := func(ev desktop.InputEvent) {
		one.Lock()
		defer one.Unlock()
		f(ev)
	}
	control.watchClipboard(func() { report(desktop.InputEvent{Type: desktop.ClipboardTaken, Time: time.Now()}) })
	report(desktop.InputEvent{Type: desktop.WatchBegan, Time: time.Now()})
	v := &viewer{stream: s, control: control, translator: translator, ours: ours, f: report}
	err = v.run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return lost(d.address.name, cmp.Or(err, errors.New("the display stopped recording")))
}

// readOut is how long events from before the end may take to arrive.
const readOut = 500 * time.Millisecond

// newRecording makes a recording of all devices and of changes of the mapping.
func (l *server) newRecording() (record.Context, error) {
	which, err := record.NewContextId(l.x)
	if err != nil {
		return 0, err
	}
	const allClients, changeKeyboardMapping = 3, 100
	ranges := []record.Range{
		{DeviceEvents: record.Range8{First: xproto.KeyPress, Last: xproto.MotionNotify}},
		{CoreRequests: record.Range8{First: changeKeyboardMapping, Last: changeKeyboardMapping}},
	}
	return which, record.CreateContextChecked(l.x, which, 0, 1, uint32(len(ranges)), []record.ClientSpec{allClients}, ranges).Check()
}

// viewer reads a stream and reports what a person did.
type viewer struct {
	*stream
	control    *xConn
	translator *translator
	ours       *unseenInput
	f          func(desktop.InputEvent)

	started bool
	first   uint32    // the time of the first event on the clock of the server, in milliseconds
	began   time.Time // and on ours
}

// The contents of packets of the stream.
const (
	fromServer = iota
	fromClient
	clientStarted
	clientDied
	startOfData
	endOfData
)

// run reads packets until the stream ends.
func (v *viewer) run() error {
	for {
		p, err := v.next()
		if err != nil {
			return err
		}
		switch {
		case p.event:
			if err := v.mappingChanged(p.head); err != nil {
				return err
			}
		case p.head[1] == endOfData:
			return nil
		case p.head[1] == fromClient:
			v.translator.patch(p.body)
		case p.head[1] == fromServer:
			for b := p.body; len(b) >= 32; b = b[32:] {
				v.see(b[:32])
			}
		}
	}
}

// mappingChanged reads the mapping again if something other than the requests in the stream
// changed it, such as the choice of another layout.
func (v *viewer) mappingChanged(event []byte) error {
	if event[0]&127 != xproto.MappingNotify || v.translator.patched(event[5], event[6]) {
		return nil
	}
	_, err := ask(context.Background(), v.control, func() (struct{}, error) {
		return struct{}{}, v.translator.load(&v.control.server)
	})
	return err
}

// see reports one event, unless it is ours.
func (v *viewer) see(b []byte) {
	kind, detail, state := b[0]&127, b[1], xgb.Get16(b[28:])
	at := desktop.Point{X: int(int16(xgb.Get16(b[20:]))), Y: int(int16(xgb.Get16(b[22:])))}
	s := sent{kind: kind, detail: detail}
	if kind == xproto.MotionNotify {
		s = sent{kind: kind, at: at}
	}
	if v.ours.consume(s) {
		return
	}
	ev := desktop.InputEvent{At: at, Time: v.time(xgb.Get32(b[4:]), time.Now())}
	if v.fill(&ev, kind, detail, state) {
		v.f(ev)
	}
}

// fill fills in what happened, and reports whether that is worth reporting.
func (v *viewer) fill(ev *desktop.InputEvent, kind, detail byte, state uint16) bool {
	switch kind {
	case xproto.KeyPress, xproto.KeyRelease:
		ev.Type = desktop.KeyRelease
		ev.Key = v.translator.key(xproto.Keycode(detail), state)
		ev.Mods = slices.DeleteFunc(v.translator.mods(state), func(m desktop.Key) bool { return m == ev.Key })
		if kind == xproto.KeyPress {
			ev.Type = desktop.KeyPress
			ev.Text = v.translator.text(xproto.Keycode(detail), state)
		}
		return ev.Key != "" || ev.Text != ""
	case xproto.ButtonPress, xproto.ButtonRelease:
		ev.Mods = v.translator.mods(state)
		return fillButton(ev, kind == xproto.ButtonPress, detail)
	case xproto.MotionNotify:
		ev.Type = desktop.PointerMove
		return true
	}
	return false
}

// notches are the turns of the wheel by its buttons.
var notches = map[byte]desktop.Point{wheelUp: {Y: -1}, wheelDown: {Y: 1}, wheelLeft: {X: -1}, wheelRight: {X: 1}}

func fillButton(ev *desktop.InputEvent, press bool, number byte) bool {
	if turn, ok := notches[number]; ok {
		ev.Type, ev.DX, ev.DY = desktop.WheelTurn, turn.X, turn.Y
		return press // the release means nothing
	}
	for b, x := range buttons {
		if x.number == number {
			ev.Button = b
		}
	}
	ev.Type = desktop.ButtonRelease
	if press {
		ev.Type = desktop.ButtonPress
	}
	return ev.Button != ""
}

// time returns when an event happened that arrives now. The clock of the server counts
// milliseconds and starts again every 49 days. How its time relates to ours is known from the
// event that arrived with the least delay: the first one may have been late.
func (v *viewer) time(ms uint32, now time.Time) time.Time {
	if !v.started {
		v.started, v.first, v.began = true, ms, now
	}
	at := v.began.Add(time.Duration(int32(ms-v.first)) * time.Millisecond)
	if at.After(now) {
		v.began = v.began.Add(now.Sub(at))
		return now
	}
	return at
}

// packet is one reply of the stream, or an event among them.
type packet struct {
	head  []byte
	body  []byte
	event bool
}

// next reads a packet. An error of the server ends the stream.
func (s *stream) next() (packet, error) {
	head := make([]byte, 32)
	if _, err := io.ReadFull(s.r, head); err != nil {
		return packet{}, err
	}
	const failed, reply, generic = 0, 1, 35
	switch head[0] {
	case failed:
		return packet{}, fmt.Errorf("the X server refused to record: error %d", head[1])
	case reply, generic:
	default:
		return packet{head: head, event: true}, nil
	}
	const most = 1 << 20 // in units of four bytes; the server sends far less
	n := xgb.Get32(head[4:])
	if n > most {
		return packet{}, fmt.Errorf("the X server announced a packet of %d bytes", 4*n)
	}
	body := make([]byte, 4*n)
	if _, err := io.ReadFull(s.r, body); err != nil {
		return packet{}, err
	}
	return packet{head: head, body: body, event: head[0] == generic}, nil
}
