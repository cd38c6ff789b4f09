//go:build linux

// Package wire is a client of the Wayland protocol, without cgo.
//
// Its main idea is that requests are methods and events are functions, both generated from the
// protocol files for what is used here (see used in generate_test.go). Bind functions bind the
// n-th object of an interface that is announced. A request returns at once; the next Sync returns
// its error. Functions for events are called one at a time, on the goroutine that reads, so they
// must not wait for events themselves; those that are nil are not called.
//
// Its limit is the needs of a program that acts on a desktop: it draws next to nothing and has
// no window of its own.
package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"understudy/internal/desktop"
)

//go:generate go test -run TestProtocol -update .

// A Conn is a connection to a compositor. It is safe for concurrent use.
type Conn struct {
	socket   *net.UnixConn
	display  Display
	registry Registry
	gone     chan struct{} // closed when the connection has ended

	mu      sync.Mutex     // guards the fields below
	last    uint32         // the highest object ID
	free    []uint32       // object IDs that can be used again
	events  map[uint32]any // the functions for the events of each object, in a struct of the protocol
	globals map[string][]global
	err     error // why it has ended

	together bool   // requests are buffered
	held     []byte // the buffered requests
}

// A global is an object that the compositor announces.
type global struct{ name, version uint32 }

// An Object is known to both sides by its ID.
type Object struct {
	conn *Conn
	id   uint32
}

// writeWithin bounds the writing of a request, if the compositor does not read.
const writeWithin = 5 * time.Second

// Dial connects to the socket of a compositor and reads what it announces.
func Dial(ctx context.Context, path string) (*Conn, error) {
	s, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	c := &Conn{
		socket: s.(*net.UnixConn), gone: make(chan struct{}), last: 1,
		events: map[uint32]any{}, globals: map[string][]global{},
	}
	c.display = Display{Object{c, 1}}
	c.events[1] = DisplayEvents{
		Error: func(id, code uint32, message string) {
			c.end(fmt.Errorf("the compositor refused a request to object %d with code %d: %s", id, code, message))
		},
		DeleteId: c.forget,
	}
	go c.read()
	c.registry = c.display.GetRegistry(RegistryEvents{Global: c.announce, GlobalRemove: c.withdraw})
	if err := c.Sync(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection. The compositor removes everything that belongs to it.
func (c *Conn) Close() { c.end(errors.New("the connection was closed")) }

// Peer returns the process of the compositor, or 0 if that is not known.
func (c *Conn) Peer() int { return PeerOf(c.socket) }

// PeerOf returns the process on the other side of a connection, or 0 if that is not known.
func PeerOf(c *net.UnixConn) (pid int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

// Sync returns when the compositor has handled all requests so far, and the resulting events
// have been handled here.
func (c *Conn) Sync(ctx context.Context) error {
	done := make(chan struct{})
	c.display.Sync(CallbackEvents{Done: func(uint32) { close(done) }})
	return c.Await(ctx, done)
}

// Await waits for a channel that an event closes.
func (c *Conn) Await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-c.gone:
		c.mu.Lock()
		defer c.mu.Unlock()
		return fmt.Errorf("%w: %w", desktop.ErrUnavailable, c.err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Count returns how many objects of an interface are announced.
func (c *Conn) Count(iface string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.globals[iface])
}

func (c *Conn) announce(name uint32, iface string, version uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.globals[iface] = append(c.globals[iface], global{name, version})
}

func (c *Conn) withdraw(name uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for iface, all := range c.globals {
		c.globals[iface] = slices.DeleteFunc(all, func(g global) bool { return g.name == name })
	}
}

// bind creates the object for the n-th announcement of an interface.
func (c *Conn) bind(iface string, n int, version uint32, events any) (Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.globals[iface]
	if n >= len(all) {
		return Object{}, &desktop.MissingError{What: "the compositor does not announce " + iface}
	}
	const bind = 0
	return c.createLocked(c.registry.id, bind, events, all[n].name, iface, min(version, all[n].version), newID{}), nil
}

// newID stands for the ID of a new object among the arguments of a request.
type newID struct{}

// create sends a request that creates an object.
func (c *Conn) create(id uint32, op uint16, events any, args ...any) Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.createLocked(id, op, events, args...)
}

// createLocked is create for callers that hold mu: the compositor refuses IDs out of order.
func (c *Conn) createLocked(id uint32, op uint16, events any, args ...any) Object {
	var made uint32
	if n := len(c.free); n > 0 {
		made, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.last++
		made = c.last
	}
	c.events[made] = events
	for i, a := range args {
		if _, ok := a.(newID); ok {
			args[i] = made
		}
	}
	c.sendLocked(id, op, args...)
	return Object{c, made}
}

// send sends a request.
func (c *Conn) send(id uint32, op uint16, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendLocked(id, op, args...)
}

func (c *Conn) sendLocked(id uint32, op uint16, args ...any) {
	b := make([]byte, 8, 64)
	var files []int
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = binary.NativeEndian.AppendUint32(b, a)
		case int32:
			b = binary.NativeEndian.AppendUint32(b, uint32(a))
		case float64: // fixed point
			b = binary.NativeEndian.AppendUint32(b, uint32(int32(a*256)))
		case string:
			b = binary.NativeEndian.AppendUint32(b, uint32(len(a)+1))
			b = append(b, a...)
			b = append(b, make([]byte, 4-len(a)%4)...)
		case Object:
			b = binary.NativeEndian.AppendUint32(b, a.id)
		case *os.File:
			files = append(files, int(a.Fd()))
		}
	}
	binary.NativeEndian.PutUint32(b, id)
	binary.NativeEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(op))
	if c.err != nil {
		return
	}
	c.held = append(c.held, b...)
	if !c.together || files != nil || len(c.held) > pieceSize {
		c.flushLocked(files)
	}
}

// pieceSize is how many bytes a compositor reads at once.
const pieceSize = 3 << 10

// Together sends the requests of f in one piece. The compositor then sends the resulting events
// in one piece too. A program that gets each key by itself is disconnected sooner, because its
// unread events take more room.
func (c *Conn) Together(f func()) {
	c.mu.Lock()
	c.together = true
	c.mu.Unlock()
	f()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.together = false; c.err == nil && len(c.held) > 0 {
		c.flushLocked(nil)
	}
}

// flushLocked writes the buffered requests. The caller holds mu.
func (c *Conn) flushLocked(files []int) {
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeWithin))
	var rights []byte
	if files != nil {
		rights = syscall.UnixRights(files...)
	}
	if _, _, err := c.socket.WriteMsgUnix(c.held, rights, nil); err != nil {
		c.endLocked(fmt.Errorf("writing to the compositor: %w", err))
	}
	c.held = c.held[:0]
}

func (c *Conn) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(why)
}

func (c *Conn) endLocked(why error) {
	if c.err != nil {
		return
	}
	c.err = why
	c.socket.Close()
	close(c.gone)
}

// forget makes the ID of an object available again.
func (c *Conn) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.events, id)
	c.free = append(c.free, id)
}

// listen sets the functions for the events of an object that the compositor created.
func (c *Conn) listen(id uint32, events any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events[id] = events
}

// read dispatches events until the connection ends.
func (c *Conn) read() {
	var in []byte
	var files []int
	buf, rights := make([]byte, 1<<16), make([]byte, syscall.CmsgSpace(28*4)) // the most that one message holds
	for {
		n, told, _, _, err := c.socket.ReadMsgUnix(buf, rights)
		if err == nil && n == 0 {
			err = errors.New("it closed the connection")
		}
		if err != nil {
			c.end(fmt.Errorf("reading from the compositor: %w", err))
			return
		}
		files = append(files, received(rights[:told])...)
		in = append(in, buf[:n]...)
		for len(in) >= 8 {
			size := int(binary.NativeEndian.Uint32(in[4:]) >> 16)
			if size < 8 || len(in) < size {
				break
			}
			c.dispatch(binary.NativeEndian.Uint32(in), uint16(binary.NativeEndian.Uint32(in[4:])), &decoder{b: in[8:size], conn: c, files: &files})
			in = in[size:]
		}
	}
}

// dispatch calls the function for an event of an object. It decodes the arguments even if there is
// no function, so that a file among them is not taken for that of the next event.
func (c *Conn) dispatch(id uint32, op uint16, d *decoder) {
	c.mu.Lock()
	events := reflect.ValueOf(c.events[id])
	c.mu.Unlock()
	if !events.IsValid() {
		return
	}
	for field, f := range events.Fields() {
		if field.Tag.Get("event") != strconv.Itoa(int(op)) {
			continue
		}
		args := make([]reflect.Value, f.Type().NumIn())
		for i := range args {
			args[i] = reflect.New(f.Type().In(i)).Elem()
			d.decode(args[i])
		}
		if !f.IsNil() {
			f.Call(args)
		}
	}
}

// received returns the files that came with a message.
func received(rights []byte) (files []int) {
	all, _ := syscall.ParseSocketControlMessage(rights)
	for _, m := range all {
		some, _ := syscall.ParseUnixRights(&m)
		files = append(files, some...)
	}
	return files
}

// A decoder reads the arguments of an event. Missing arguments read as zero.
type decoder struct {
	b     []byte
	conn  *Conn
	files *[]int
}

func (d *decoder) uint() uint32 {
	if len(d.b) < 4 {
		return 0
	}
	v := binary.NativeEndian.Uint32(d.b)
	d.b = d.b[4:]
	return v
}

// decode reads the next argument, of the type of a variable, into that.
func (d *decoder) decode(v reflect.Value) {
	switch v.Kind() {
	case reflect.Uint32:
		v.SetUint(uint64(d.uint()))
	case reflect.Int32:
		v.SetInt(int64(int32(d.uint())))
	case reflect.Float64: // fixed point
		v.SetFloat(float64(int32(d.uint())) / 256)
	case reflect.String:
		v.SetString(d.string())
	case reflect.Pointer:
		v.Set(reflect.ValueOf(d.fd()))
	case reflect.Struct: // a type with an Object in it
		v.Field(0).Set(reflect.ValueOf(Object{d.conn, d.uint()}))
	}
}

func (d *decoder) string() string {
	n := int(d.uint())
	padded := (n + 3) &^ 3
	if n == 0 || padded > len(d.b) {
		return ""
	}
	v := string(d.b[:n-1])
	d.b = d.b[padded:]
	return v
}

func (d *decoder) fd() *os.File {
	if len(*d.files) == 0 {
		return nil
	}
	f := (*d.files)[0]
	*d.files = (*d.files)[1:]
	_ = syscall.SetNonblock(f, true) // so that writing to it can be bounded
	return os.NewFile(uintptr(f), "from the compositor")
}

// None reports whether an object is null.
func (o Object) None() bool { return o.id == 0 }

// ID identifies an object of its connection.
func (o Object) ID() uint32 { return o.id }
