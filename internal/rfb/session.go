package rfb

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"slices"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/steps/observe"
)

// Session is what one viewer sees and may do.
type Session struct {
	Name    string // of the desktop, for the title of the viewer
	Desktop *desktop.Desktop
	// While lets the viewer act; nil: its input is dropped.
	While While
	// Hide paints over what the viewer must not see; nil: nothing. It is called
	// after a picture was taken and before it is sent.
	Hide func(context.Context, *image.RGBA) *image.RGBA
}

// While calls act, which performs the input of a viewer, with a context that ends when
// the viewer may not act any more. The view ends when While returns.
type While func(ctx context.Context, act func(context.Context)) error

// Of returns a session that shows a desktop and closes it at the end. A viewer who may
// not act, because while is nil, sees no password fields.
func Of(d *desktop.Desktop, name string, while While) *Session {
	s := &Session{Name: name, Desktop: d, While: while}
	if while == nil {
		var fields observe.Passwords
		s.Hide = func(ctx context.Context, p *image.RGBA) *image.RGBA {
			return observe.Blank(p, desktop.Point{}, append(fields.Where(ctx, d), fields.Find(ctx, d)...))
		}
	}
	return s
}

// Close closes the desktop, which was opened for this session alone.
func (s *Session) Close() error { return s.Desktop.Close() }

// Live is a desktop, here or on another machine, as shown to one viewer.
type Live interface {
	// Serve speaks with a viewer until one side ends it.
	Serve(ctx context.Context, conn io.ReadWriteCloser) error
	Close() error
}

// The messages of a viewer.
const (
	setPixelFormat  = 0
	setEncodings    = 2
	requestUpdate   = 3
	keyEvent        = 4
	pointerEvent    = 5
	clientCutText   = 6
	protocolVersion = "RFB 003.008\n"
)

// The supported encodings, and the one that announces a new size.
const (
	encodingRaw  = 0
	encodingZRLE = 16
	desktopSize  = -223
)

// LongestMessage bounds a message of a viewer.
const LongestMessage = 1 << 20

// maxClipboard bounds the clipboard text of a viewer, which is discarded.
const maxClipboard = LongestMessage / 2

// viewer is one open connection.
type viewer struct {
	*Session
	in    *bufio.Reader
	out   io.Writer
	zrle  zrle
	input inputQueue

	requested chan struct{} // holds a token when the viewer has requested an update

	size desktop.Size // of the screen, as the viewer knows it

	mu        sync.Mutex
	format    pixelFormat // guarded by mu
	encodings []int32     // guarded by mu: its encodings
	full      bool        // guarded by mu: the next update must show everything
}

// Serve serves a viewer until it hangs up or the context ends, and closes the
// connection. Keys and buttons that the viewer holds at the end are released.
func (s *Session) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	v := &viewer{Session: s, in: bufio.NewReader(conn), out: conn, requested: make(chan struct{}, 1), format: serverFormat}
	v.input = inputQueue{Session: s, ready: make(chan struct{}, 1)}
	var work sync.WaitGroup
	if s.While != nil {
		work.Go(func() { cancel(s.While(ctx, v.input.perform)) })
	}
	err := v.greet(ctx)
	if err == nil {
		work.Go(func() { cancel(v.sendPictures(ctx)) })
		err = v.read(ctx)
	}
	cancel(err)
	work.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// greet negotiates the version and no security beyond that of the connection, and sends
// the size of the screen.
func (v *viewer) greet(ctx context.Context) error {
	if _, err := io.WriteString(v.out, protocolVersion); err != nil {
		return err
	}
	version := make([]byte, len(protocolVersion))
	if _, err := io.ReadFull(v.in, version); err != nil {
		return err
	}
	if string(version) != protocolVersion {
		return fmt.Errorf("the viewer speaks %q, wanted %q", version, protocolVersion)
	}
	answer := make([]byte, 2) // the security type that the viewer chose, and its shared flag
	for i, said := range [][]byte{{1, 1}, {0, 0, 0, 0}} {
		if _, err := v.out.Write(said); err != nil {
			return err
		}
		if _, err := io.ReadFull(v.in, answer[i:i+1]); err != nil {
			return err
		}
		if i == 0 && answer[0] != 1 {
			return fmt.Errorf("the viewer wants security type %d, and 1 was offered", answer[0])
		}
	}
	p, err := v.Desktop.Capture(ctx, desktop.Rect{})
	if err != nil {
		return err
	}
	v.size = desktop.Size{W: p.Rect.Dx(), H: p.Rect.Dy()}
	hello := binary.BigEndian.AppendUint16(nil, uint16(v.size.W))
	hello = binary.BigEndian.AppendUint16(hello, uint16(v.size.H))
	hello = append(hello, serverFormat.raw[:]...)
	hello = binary.BigEndian.AppendUint32(hello, uint32(len(v.Name)))
	_, err = v.out.Write(append(hello, v.Name...))
	return err
}

// read handles messages of the viewer until it hangs up.
func (v *viewer) read(ctx context.Context) error {
	for ctx.Err() == nil {
		sort, err := v.in.ReadByte()
		if err != nil {
			return err
		}
		if err := v.handle(sort); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (v *viewer) handle(sort byte) error {
	lengths := map[byte]int{setPixelFormat: 19, setEncodings: 3, requestUpdate: 9, keyEvent: 7, pointerEvent: 5, clientCutText: 7}
	n, ok := lengths[sort]
	if !ok {
		return fmt.Errorf("the viewer sent a message of the unknown type %d", sort)
	}
	m := make([]byte, n)
	if _, err := io.ReadFull(v.in, m); err != nil {
		return err
	}
	be := binary.BigEndian
	switch sort {
	case setPixelFormat:
		return v.useFormat(m[3:])
	case setEncodings:
		return v.useEncodings(int(be.Uint16(m[1:])))
	case requestUpdate:
		v.mu.Lock()
		v.full = v.full || m[0] == 0
		v.mu.Unlock()
		select {
		case v.requested <- struct{}{}:
		default:
		}
	case keyEvent:
		return v.input.key(be.Uint32(m[3:]), m[0] != 0)
	case pointerEvent:
		return v.input.pointer(m[0], desktop.Point{X: int(be.Uint16(m[1:])), Y: int(be.Uint16(m[3:]))})
	case clientCutText:
		n := be.Uint32(m[3:])
		if n > maxClipboard {
			return fmt.Errorf("the viewer sent a clipboard of %d bytes, more than the limit of %d", n, maxClipboard)
		}
		_, err := v.in.Discard(int(n))
		return err
	}
	return nil
}

func (v *viewer) useFormat(raw []byte) error {
	f, err := readFormat(raw)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.format = f
	return err
}

func (v *viewer) useEncodings(n int) error {
	raw := make([]byte, 4*n)
	if _, err := io.ReadFull(v.in, raw); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.encodings = nil
	for chunk := range slices.Chunk(raw, 4) {
		v.encodings = append(v.encodings, int32(binary.BigEndian.Uint32(chunk)))
	}
	return nil
}

// Intervals at which the screen is polled: while something changes, and after nothing
// has changed for a while.
const (
	pollFast  = 16 * time.Millisecond
	pollSlow  = 100 * time.Millisecond // also with Hide, which queries applications
	slowAfter = 2 * time.Second
)

// sendPictures answers requests for updates, each as soon as something has changed.
func (v *viewer) sendPictures(ctx context.Context) error {
	var shown *image.RGBA
	s := screenPoller{Session: v.Session}
	for {
		select {
		case <-v.requested:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		v.mu.Lock()
		if v.full {
			shown, v.full, s.captured = nil, false, time.Time{}
		}
		v.mu.Unlock()
		next, changed, err := s.await(ctx, shown)
		if err != nil {
			return err
		}
		update, err := v.update(next, changed)
		if err != nil {
			return err
		}
		if _, err := v.out.Write(update); err != nil {
			return err
		}
		shown = next
	}
}

// screenPoller polls the screen for one viewer.
type screenPoller struct {
	*Session
	captured time.Time // when the last picture was taken
	changed  time.Time // when it last differed
}

// await returns a picture that differs from the last one sent, and the areas that
// differ.
func (s *screenPoller) await(ctx context.Context, shown *image.RGBA) (*image.RGBA, []image.Rectangle, error) {
	for {
		p, err := s.capture(ctx)
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			if areas := changedAreas(shown, p); len(areas) > 0 {
				s.changed = time.Now()
				return p, areas, nil
			}
		}
		pause := pollFast
		if s.Hide != nil || time.Since(s.changed) > slowAfter {
			pause = pollSlow
		}
		if err := desktop.Sleep(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
}

// capture returns a picture for the viewer, or nil if nothing was drawn since the last
// one.
func (s *screenPoller) capture(ctx context.Context) (*image.RGBA, error) {
	now := time.Now()
	drawn, err := s.Desktop.LastDrawn(ctx, 0, desktop.Rect{})
	if err != nil {
		return nil, err
	}
	if drawn.Before(s.captured) {
		return nil, nil
	}
	p, err := s.Desktop.Capture(ctx, desktop.Rect{})
	if err != nil {
		return nil, err
	}
	s.captured = now
	if s.Hide != nil {
		p = s.Hide(ctx, p)
	}
	return p, nil
}
