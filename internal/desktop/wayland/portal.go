//go:build linux

package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/fileio"
)

// portal is a session of org.freedesktop.portal.RemoteDesktop, which a person permits in a dialog
// of the desktop, and can end.
type portal struct {
	bus     *dbus.Conn
	desk    dbus.BusObject
	devices uint32 // the devices that are permitted
	streams []portalStream
	unseen  error // why there are no pictures
	lasts   bool  // the permission can be kept

	signals sync.WaitGroup // the goroutine that receives them

	mu      sync.Mutex                            // guards the fields below
	asked   int                                   // how many requests there have been
	answers map[dbus.ObjectPath]chan *dbus.Signal // to pending requests
	ended   error                                 // why the session is over

	// Set only while the portal is opened, under mu because signals are about them.
	session   dbus.ObjectPath
	clipboard *busClipboard // nil if the portal has none
}

// The names on the bus of the session.
const (
	portalName   = "org.freedesktop.portal.Desktop"
	portalRemote = "org.freedesktop.portal.RemoteDesktop"
	portalCast   = "org.freedesktop.portal.ScreenCast"
	portalShots  = "org.freedesktop.portal.Screenshot"
	portalClips  = "org.freedesktop.portal.Clipboard"
)

// The permissions that a person is asked for.
const (
	portalKeyboard = 1
	portalPointer  = 2
	portalMonitor  = 1
)

// ConsentWithin bounds the wait for a person to answer the dialog of the portal.
const ConsentWithin = 2 * time.Minute

// shotWithin bounds the wait for a picture. A person may be asked for the first one, and
// xdg-desktop-portal gives up after 25 s without an answer.
const shotWithin = 30 * time.Second

// openPortal asks a person for the permission to use keyboard, pointer and screen. With o.Look it
// asks nobody and only finds out what there is.
func openPortal(ctx context.Context, o Portal) (*portal, error) {
	bus, err := dbus.Connect(os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		return nil, &desktop.MissingError{What: "there is no session bus, so no portal either: " + err.Error(), Mend: "apt-get install xdg-desktop-portal", Wayland: true}
	}
	p := &portal{bus: bus, desk: bus.Object(portalName, "/org/freedesktop/portal/desktop"), answers: map[dbus.ObjectPath]chan *dbus.Signal{}}
	if err := p.open(ctx, o); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *portal) open(ctx context.Context, o Portal) error {
	devices, _ := p.property(ctx, portalRemote, "AvailableDeviceTypes").(uint32)
	if devices&(portalKeyboard|portalPointer) == 0 {
		return portalMissing("the compositor supports no known input protocol, and " + portalRemote + " is not on the session bus; use a separate desktop with --display virtual")
	}
	listen(p.bus, &p.signals, p.hear)
	if err := p.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender(portalName)); err != nil {
		return portalError(ctx, err)
	}
	if p.version(ctx, portalShots) == 0 {
		p.unseen = &desktop.MissingError{What: "the portal of this desktop takes no pictures: " + portalShots + " is not there"}
	}
	p.lasts = p.version(ctx, portalRemote) >= 2
	switch {
	case o.Look:
		p.devices = devices
		p.with(func() { p.ended = errUnasked })
		if p.version(ctx, portalClips) > 0 {
			p.openSelection()
		}
		return nil
	case o.Asks == nil:
		return errUnasked
	}
	return p.start(ctx, o, devices)
}

// errUnasked is the error for the use of a session about which nobody was asked.
var errUnasked error = &desktop.MissingError{What: "this compositor can be used only after a person allows it in a dialog, and this command cannot ask", Mend: "understudy mcp --display portal", Wayland: true}

// start asks for permission. With a token from an earlier time the portal does that without a
// dialog.
func (p *portal) start(ctx context.Context, o Portal, devices uint32) error {
	made, err := p.request(ctx, settle, portalRemote+".CreateSession", options{"session_handle_token": "understudy"})
	if err != nil {
		return err
	}
	handle, _ := made["session_handle"].Value().(string)
	p.with(func() { p.session = dbus.ObjectPath(handle) })
	want := options{"types": devices & (portalKeyboard | portalPointer)}
	if p.lasts {
		const untilRevoked = uint32(2)
		want["persist_mode"] = untilRevoked
		if token, err := os.ReadFile(o.Token); err == nil {
			want["restore_token"] = string(token)
		}
	}
	if _, err = p.request(ctx, settle, portalRemote+".SelectDevices", want, p.session); err != nil {
		return err
	}
	if _, err = p.request(ctx, settle, portalCast+".SelectSources", options{"types": uint32(portalMonitor), "multiple": true}, p.session); err != nil {
		return err
	}
	if p.version(ctx, portalClips) > 0 && p.desk.CallWithContext(ctx, portalClips+".RequestClipboard", 0, p.session, map[string]dbus.Variant{}).Err == nil {
		p.openSelection()
	}
	o.Asks(fmt.Sprintf("Your desktop asks in a dialog whether its keyboard and pointer may be used and its screen be seen. Choose the screen, allow remote interaction, and share, within %v; if you do not, nothing is done. It may also ask whether applications may take screenshots.", ConsentWithin))
	granted, err := p.request(ctx, ConsentWithin, portalRemote+".Start", options{}, p.session, "")
	if err != nil {
		return err
	}
	p.devices, _ = granted["devices"].Value().(uint32)
	p.streams = portalStreams(granted["streams"].Value())
	if allowed, _ := granted["clipboard_enabled"].Value().(bool); !allowed {
		p.with(func() { p.clipboard = nil })
	}
	if token, _ := granted["restore_token"].Value().(string); token != "" {
		if err := fileio.Write(o.Token, []byte(token), 0o600); err != nil {
			return err
		}
	}
	if p.unseen == nil { // a person may be asked for pictures, which must not happen in the middle of a step
		_, err = p.shoot(ctx)
		_, refused := errors.AsType[*desktop.MissingError](err)
		if refused {
			p.unseen, err = err, nil
		}
	}
	return err
}

// portalStream is the stream of a monitor, with its bounds if the portal tells them.
type portalStream struct {
	node   uint32
	bounds desktop.Rect
}

// portalStreams decodes the streams that were granted.
func portalStreams(told any) (list []portalStream) {
	all, _ := told.([][]any)
	for _, one := range all {
		if len(one) != 2 {
			continue
		}
		node, _ := one[0].(uint32)
		about, _ := one[1].(map[string]dbus.Variant)
		s := portalStream{node: node}
		s.bounds.X, s.bounds.Y = pairOf(about["position"])
		s.bounds.W, s.bounds.H = pairOf(about["size"])
		list = append(list, s)
	}
	return list
}

// pairOf decodes two numbers.
func pairOf(v dbus.Variant) (a, b int) {
	pair, _ := v.Value().([]any)
	if len(pair) == 2 {
		x, _ := pair[0].(int32)
		y, _ := pair[1].(int32)
		a, b = int(x), int(y)
	}
	return a, b
}

// options are the options of a request.
type options map[string]any

// portalMissing is an error that advises to use a virtual desktop.
func portalMissing(what string) error {
	return &desktop.MissingError{What: what, Mend: "understudy doctor --display virtual", Wayland: true}
}

// request calls a method and waits for the answer, perhaps that of a person.
func (p *portal) request(ctx context.Context, within time.Duration, method string, o options, before ...any) (map[string]dbus.Variant, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, portalMissing(fmt.Sprintf("the dialog of your desktop that asks whether its keyboard, pointer and screen may be used was not answered within %v; nothing was done, and it will ask again next time", within)))
	defer cancel()
	p.mu.Lock()
	p.asked++
	token := fmt.Sprintf("understudy%d", p.asked)
	path := dbus.ObjectPath("/org/freedesktop/portal/desktop/request/" + strings.NewReplacer(":", "", ".", "_").Replace(p.bus.Names()[0]) + "/" + token)
	answer := make(chan *dbus.Signal, 1)
	p.answers[path] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.answers, path)
	}()
	told := map[string]dbus.Variant{"handle_token": dbus.MakeVariant(token)}
	for name, value := range o {
		told[name] = dbus.MakeVariant(value)
	}
	if err := p.desk.CallWithContext(ctx, method, 0, append(before, told)...).Err; err != nil {
		return nil, portalError(ctx, err)
	}
	select {
	case s := <-answer:
		return portalAnswer(method, s.Body)
	case <-p.bus.Context().Done():
		return nil, fmt.Errorf("%w: the session bus has ended", desktop.ErrUnavailable)
	case <-ctx.Done():
		p.end(path, "Request") // closes the dialog
		return nil, context.Cause(ctx)
	}
}

// portalAnswer decodes the answer to a request.
func portalAnswer(method string, body []any) (map[string]dbus.Variant, error) {
	const granted, refused = 0, 1
	if len(body) != 2 {
		return nil, fmt.Errorf("%w: the portal answered %s with %v", desktop.ErrUnavailable, method, body)
	}
	code, _ := body[0].(uint32)
	results, _ := body[1].(map[string]dbus.Variant)
	switch code {
	case granted:
		return results, nil
	case refused:
		return nil, portalMissing("the dialog of your desktop did not allow the use of its keyboard, pointer and screen; nothing was done, and it will ask again next time")
	}
	return nil, portalMissing(fmt.Sprintf("the portal of this desktop ended %s without an answer", method))
}

// portalError puts the error of a call on the bus into words.
func portalError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(context.Cause(ctx), fmt.Errorf("%w: the portal: %w", desktop.ErrUnavailable, err))
}

// hear receives a signal of the portal.
func (p *portal) hear(s *dbus.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch s.Name {
	case "org.freedesktop.portal.Request.Response":
		if answer := p.answers[s.Path]; answer != nil {
			select {
			case answer <- s:
			default:
			}
		}
	case "org.freedesktop.portal.Session.Closed":
		if s.Path == p.session {
			p.ended = portalMissing("a person withdrew the permission to use keyboard, pointer and screen; nothing was done, and the dialog will ask again next time")
		}
	default:
		if p.clipboard != nil && len(s.Body) > 0 && s.Body[0] == p.session {
			p.clipboard.hear(strings.TrimPrefix(s.Name, portalClips+"."), s.Body[1:])
		}
	}
}

// with calls f, which changes the fields.
func (p *portal) with(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// openSelection starts to listen for changes of the clipboard.
func (p *portal) openSelection() {
	c := &busClipboard{explain: portalError, ready: p.ready, call: func(ctx context.Context, method string, args ...any) *dbus.Call {
		return p.desk.CallWithContext(ctx, portalClips+"."+method, 0, append([]any{p.session}, args...)...)
	}}
	p.with(func() { p.clipboard = c })
}

// ready fails if the session is over.
func (p *portal) ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// lacks fails if a device may not be used.
func (p *portal) lacks(device uint32, does string) error {
	if p.devices&device == 0 {
		return &desktop.MissingError{What: "the dialog did not allow that a program " + does + ": allow remote interaction in it", Mend: "understudy doctor --display virtual"}
	}
	return nil
}

// notify sends input and waits until the portal has received it: the portal may reorder
// concurrent calls.
func (p *portal) notify(method string, args ...any) error {
	all := append([]any{p.session, map[string]dbus.Variant{}}, args...)
	ctx, cancel := bounded()
	defer cancel()
	return portalError(ctx, p.desk.CallWithContext(ctx, portalRemote+"."+method, 0, all...).Err)
}

func (p *portal) property(ctx context.Context, iface, name string) any {
	var v dbus.Variant
	if p.desk.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, iface, name).Store(&v) != nil {
		return nil
	}
	return v.Value()
}

// version returns the version of an interface, or 0 if that does not exist.
func (p *portal) version(ctx context.Context, iface string) uint32 {
	n, _ := p.property(ctx, iface, "version").(uint32)
	return n
}

func (p *portal) close() {
	if p.session != "" {
		p.end(p.session, "Session")
	}
	p.bus.Close()
	p.signals.Wait()
}

// end ends a session or a request, which may be over.
func (p *portal) end(path dbus.ObjectPath, iface string) {
	ctx, cancel := bounded()
	defer cancel()
	_ = p.bus.Object(portalName, path).CallWithContext(ctx, "org.freedesktop.portal."+iface+".Close", 0).Err
}
