//go:build linux

// Code generated from the protocol files by `go generate`. DO NOT EDIT.

package wire

import "os"

// Display is the interface wl_display.
type Display struct{ object }

type DisplayEvents struct {
	Error    func(objectId uint32, code uint32, message string)
	DeleteId func(id uint32)
}

func (e DisplayEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Error != nil {
			e.Error(d.uint(), d.uint(), d.string())
		}
	case 1:
		if e.DeleteId != nil {
			e.DeleteId(d.uint())
		}
	}
}

func (o Display) Sync(events CallbackEvents) Callback {
	return Callback{o.conn.create(o.id, 0, events.handle, newID{})}
}

func (o Display) GetRegistry(events RegistryEvents) Registry {
	return Registry{o.conn.create(o.id, 1, events.handle, newID{})}
}

// Registry is the interface wl_registry.
type Registry struct{ object }

type RegistryEvents struct {
	Global       func(name uint32, iface string, version uint32)
	GlobalRemove func(name uint32)
}

func (e RegistryEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Global != nil {
			e.Global(d.uint(), d.string(), d.uint())
		}
	case 1:
		if e.GlobalRemove != nil {
			e.GlobalRemove(d.uint())
		}
	}
}

// Callback is the interface wl_callback.
type Callback struct{ object }

type CallbackEvents struct {
	Done func(callbackData uint32)
}

func (e CallbackEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Done != nil {
			e.Done(d.uint())
		}
	}
}

// Compositor is the interface wl_compositor.
type Compositor struct{ object }

func BindCompositor(c *Conn, n int) (Compositor, error) {
	o, err := c.bind("wl_compositor", n, 4, nil)
	return Compositor{o}, err
}

func (o Compositor) CreateSurface() Surface {
	return Surface{o.conn.create(o.id, 0, nil, newID{})}
}

func (o Compositor) CreateRegion() Region {
	return Region{o.conn.create(o.id, 1, nil, newID{})}
}

// Surface is the interface wl_surface.
type Surface struct{ object }

func (o Surface) Destroy() { o.conn.send(o.id, 0) }

func (o Surface) Attach(buffer Buffer, x int32, y int32) { o.conn.send(o.id, 1, buffer.object, x, y) }

func (o Surface) SetInputRegion(region Region) { o.conn.send(o.id, 5, region.object) }

func (o Surface) Commit() { o.conn.send(o.id, 6) }

func (o Surface) DamageBuffer(x int32, y int32, width int32, height int32) {
	o.conn.send(o.id, 9, x, y, width, height)
}

// Region is the interface wl_region.
type Region struct{ object }

func (o Region) Destroy() { o.conn.send(o.id, 0) }

// Shm is the interface wl_shm.
type Shm struct{ object }

func BindShm(c *Conn, n int) (Shm, error) {
	o, err := c.bind("wl_shm", n, 1, nil)
	return Shm{o}, err
}

func (o Shm) CreatePool(fd *os.File, size int32) ShmPool {
	return ShmPool{o.conn.create(o.id, 0, nil, newID{}, fd, size)}
}

// ShmPool is the interface wl_shm_pool.
type ShmPool struct{ object }

func (o ShmPool) CreateBuffer(offset int32, width int32, height int32, stride int32, format uint32) Buffer {
	return Buffer{o.conn.create(o.id, 0, nil, newID{}, offset, width, height, stride, format)}
}

func (o ShmPool) Destroy() { o.conn.send(o.id, 1) }

// Buffer is the interface wl_buffer.
type Buffer struct{ object }

func (o Buffer) Destroy() { o.conn.send(o.id, 0) }

// Output is the interface wl_output.
type Output struct{ object }

type OutputEvents struct {
	Mode func(flags uint32, width int32, height int32, refresh int32)
	Name func(name string)
}

func (e OutputEvents) handle(op uint16, d *decoder) {
	switch op {
	case 1:
		if e.Mode != nil {
			e.Mode(d.uint(), d.int(), d.int(), d.int())
		}
	case 4:
		if e.Name != nil {
			e.Name(d.string())
		}
	}
}

func BindOutput(c *Conn, n int, events OutputEvents) (Output, error) {
	o, err := c.bind("wl_output", n, 4, events.handle)
	return Output{o}, err
}

func (o Output) Release() { o.conn.send(o.id, 0) }

// Seat is the interface wl_seat.
type Seat struct{ object }

type SeatEvents struct {
	Capabilities func(capabilities uint32)
}

func (e SeatEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Capabilities != nil {
			e.Capabilities(d.uint())
		}
	}
}

func BindSeat(c *Conn, n int, events SeatEvents) (Seat, error) {
	o, err := c.bind("wl_seat", n, 5, events.handle)
	return Seat{o}, err
}

func (o Seat) GetPointer(events PointerEvents) Pointer {
	return Pointer{o.conn.create(o.id, 0, events.handle, newID{})}
}

func (o Seat) GetKeyboard(events KeyboardEvents) Keyboard {
	return Keyboard{o.conn.create(o.id, 1, events.handle, newID{})}
}

// Pointer is the interface wl_pointer.
type Pointer struct{ object }

type PointerEvents struct {
	Enter func(serial uint32, surface Surface, surfaceX float64, surfaceY float64)
}

func (e PointerEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Enter != nil {
			e.Enter(d.uint(), Surface{d.object()}, d.fixed(), d.fixed())
		}
	}
}

func (o Pointer) Release() { o.conn.send(o.id, 1) }

// Keyboard is the interface wl_keyboard.
type Keyboard struct{ object }

type KeyboardEvents struct {
	Keymap func(format uint32, fd *os.File, size uint32)
}

func (e KeyboardEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Keymap != nil {
			e.Keymap(d.uint(), d.fd(), d.uint())
		} else {
			d.fd()
		}
	}
}

// VirtualPointerManager is the interface zwlr_virtual_pointer_manager_v1.
type VirtualPointerManager struct{ object }

func BindVirtualPointerManager(c *Conn, n int) (VirtualPointerManager, error) {
	o, err := c.bind("zwlr_virtual_pointer_manager_v1", n, 2, nil)
	return VirtualPointerManager{o}, err
}

func (o VirtualPointerManager) CreateVirtualPointer(seat Seat) VirtualPointer {
	return VirtualPointer{o.conn.create(o.id, 0, nil, seat.object, newID{})}
}

// VirtualPointer is the interface zwlr_virtual_pointer_v1.
type VirtualPointer struct{ object }

func (o VirtualPointer) Motion(time uint32, dx float64, dy float64) {
	o.conn.send(o.id, 0, time, dx, dy)
}

func (o VirtualPointer) MotionAbsolute(time uint32, x uint32, y uint32, xExtent uint32, yExtent uint32) {
	o.conn.send(o.id, 1, time, x, y, xExtent, yExtent)
}

func (o VirtualPointer) Button(time uint32, button uint32, state uint32) {
	o.conn.send(o.id, 2, time, button, state)
}

func (o VirtualPointer) Frame() { o.conn.send(o.id, 4) }

func (o VirtualPointer) AxisSource(axisSource uint32) { o.conn.send(o.id, 5, axisSource) }

func (o VirtualPointer) AxisDiscrete(time uint32, axis uint32, value float64, discrete int32) {
	o.conn.send(o.id, 7, time, axis, value, discrete)
}

// VirtualKeyboardManager is the interface zwp_virtual_keyboard_manager_v1.
type VirtualKeyboardManager struct{ object }

func BindVirtualKeyboardManager(c *Conn, n int) (VirtualKeyboardManager, error) {
	o, err := c.bind("zwp_virtual_keyboard_manager_v1", n, 1, nil)
	return VirtualKeyboardManager{o}, err
}

func (o VirtualKeyboardManager) CreateVirtualKeyboard(seat Seat) VirtualKeyboard {
	return VirtualKeyboard{o.conn.create(o.id, 0, nil, seat.object, newID{})}
}

// VirtualKeyboard is the interface zwp_virtual_keyboard_v1.
type VirtualKeyboard struct{ object }

func (o VirtualKeyboard) Keymap(format uint32, fd *os.File, size uint32) {
	o.conn.send(o.id, 0, format, fd, size)
}

func (o VirtualKeyboard) Key(time uint32, key uint32, state uint32) {
	o.conn.send(o.id, 1, time, key, state)
}

func (o VirtualKeyboard) Modifiers(modsDepressed uint32, modsLatched uint32, modsLocked uint32, group uint32) {
	o.conn.send(o.id, 2, modsDepressed, modsLatched, modsLocked, group)
}

// ScreencopyManager is the interface zwlr_screencopy_manager_v1.
type ScreencopyManager struct{ object }

func BindScreencopyManager(c *Conn, n int) (ScreencopyManager, error) {
	o, err := c.bind("zwlr_screencopy_manager_v1", n, 3, nil)
	return ScreencopyManager{o}, err
}

func (o ScreencopyManager) CaptureOutput(overlayCursor int32, output Output, events ScreencopyFrameEvents) ScreencopyFrame {
	return ScreencopyFrame{o.conn.create(o.id, 0, events.handle, newID{}, overlayCursor, output.object)}
}

// ScreencopyFrame is the interface zwlr_screencopy_frame_v1.
type ScreencopyFrame struct{ object }

type ScreencopyFrameEvents struct {
	Buffer     func(format uint32, width uint32, height uint32, stride uint32)
	Flags      func(flags uint32)
	Ready      func(tvSecHi uint32, tvSecLo uint32, tvNsec uint32)
	Failed     func()
	BufferDone func()
}

func (e ScreencopyFrameEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Buffer != nil {
			e.Buffer(d.uint(), d.uint(), d.uint(), d.uint())
		}
	case 1:
		if e.Flags != nil {
			e.Flags(d.uint())
		}
	case 2:
		if e.Ready != nil {
			e.Ready(d.uint(), d.uint(), d.uint())
		}
	case 3:
		if e.Failed != nil {
			e.Failed()
		}
	case 6:
		if e.BufferDone != nil {
			e.BufferDone()
		}
	}
}

func (o ScreencopyFrame) Copy(buffer Buffer) { o.conn.send(o.id, 0, buffer.object) }

func (o ScreencopyFrame) Destroy() { o.conn.send(o.id, 1) }

// DataControlManager is the interface zwlr_data_control_manager_v1.
type DataControlManager struct{ object }

func BindDataControlManager(c *Conn, n int) (DataControlManager, error) {
	o, err := c.bind("zwlr_data_control_manager_v1", n, 1, nil)
	return DataControlManager{o}, err
}

func (o DataControlManager) CreateDataSource(events DataControlSourceEvents) DataControlSource {
	return DataControlSource{o.conn.create(o.id, 0, events.handle, newID{})}
}

func (o DataControlManager) GetDataDevice(seat Seat, events DataControlDeviceEvents) DataControlDevice {
	return DataControlDevice{o.conn.create(o.id, 1, events.handle, newID{}, seat.object)}
}

// DataControlDevice is the interface zwlr_data_control_device_v1.
type DataControlDevice struct{ object }

type DataControlDeviceEvents struct {
	DataOffer func(id DataControlOffer)
	Selection func(id DataControlOffer)
}

func (e DataControlDeviceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.DataOffer != nil {
			e.DataOffer(DataControlOffer{d.object()})
		}
	case 1:
		if e.Selection != nil {
			e.Selection(DataControlOffer{d.object()})
		}
	}
}

func (o DataControlDevice) SetSelection(source DataControlSource) {
	o.conn.send(o.id, 0, source.object)
}

// DataControlSource is the interface zwlr_data_control_source_v1.
type DataControlSource struct{ object }

type DataControlSourceEvents struct {
	Send      func(mimeType string, fd *os.File)
	Cancelled func()
}

func (e DataControlSourceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Send != nil {
			e.Send(d.string(), d.fd())
		} else {
			d.fd()
		}
	case 1:
		if e.Cancelled != nil {
			e.Cancelled()
		}
	}
}

func (o DataControlSource) Offer(mimeType string) { o.conn.send(o.id, 0, mimeType) }

func (o DataControlSource) Destroy() { o.conn.send(o.id, 1) }

// DataControlOffer is the interface zwlr_data_control_offer_v1.
type DataControlOffer struct{ object }

type DataControlOfferEvents struct {
	Offer func(mimeType string)
}

func (e DataControlOfferEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Offer != nil {
			e.Offer(d.string())
		}
	}
}

func (o DataControlOffer) Listen(events DataControlOfferEvents) { o.conn.listen(o.id, events.handle) }

func (o DataControlOffer) Receive(mimeType string, fd *os.File) { o.conn.send(o.id, 0, mimeType, fd) }

func (o DataControlOffer) Destroy() { o.conn.send(o.id, 1) }

// XdgOutputManager is the interface zxdg_output_manager_v1.
type XdgOutputManager struct{ object }

func BindXdgOutputManager(c *Conn, n int) (XdgOutputManager, error) {
	o, err := c.bind("zxdg_output_manager_v1", n, 2, nil)
	return XdgOutputManager{o}, err
}

func (o XdgOutputManager) GetXdgOutput(output Output, events XdgOutputEvents) XdgOutput {
	return XdgOutput{o.conn.create(o.id, 1, events.handle, newID{}, output.object)}
}

// XdgOutput is the interface zxdg_output_v1.
type XdgOutput struct{ object }

type XdgOutputEvents struct {
	LogicalPosition func(x int32, y int32)
	LogicalSize     func(width int32, height int32)
}

func (e XdgOutputEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.LogicalPosition != nil {
			e.LogicalPosition(d.int(), d.int())
		}
	case 1:
		if e.LogicalSize != nil {
			e.LogicalSize(d.int(), d.int())
		}
	}
}

func (o XdgOutput) Destroy() { o.conn.send(o.id, 0) }

// FakeInput is the interface org_kde_kwin_fake_input.
type FakeInput struct{ object }

func BindFakeInput(c *Conn, n int) (FakeInput, error) {
	o, err := c.bind("org_kde_kwin_fake_input", n, 4, nil)
	return FakeInput{o}, err
}

func (o FakeInput) Authenticate(application string, reason string) {
	o.conn.send(o.id, 0, application, reason)
}

func (o FakeInput) Button(button uint32, state uint32) { o.conn.send(o.id, 2, button, state) }

func (o FakeInput) Axis(axis uint32, value float64) { o.conn.send(o.id, 3, axis, value) }

func (o FakeInput) PointerMotionAbsolute(x float64, y float64) { o.conn.send(o.id, 9, x, y) }

func (o FakeInput) KeyboardKey(button uint32, state uint32) { o.conn.send(o.id, 10, button, state) }

// LayerShell is the interface zwlr_layer_shell_v1.
type LayerShell struct{ object }

func BindLayerShell(c *Conn, n int) (LayerShell, error) {
	o, err := c.bind("zwlr_layer_shell_v1", n, 1, nil)
	return LayerShell{o}, err
}

func (o LayerShell) GetLayerSurface(surface Surface, output Output, layer uint32, namespace string, events LayerSurfaceEvents) LayerSurface {
	return LayerSurface{o.conn.create(o.id, 0, events.handle, newID{}, surface.object, output.object, layer, namespace)}
}

// LayerSurface is the interface zwlr_layer_surface_v1.
type LayerSurface struct{ object }

type LayerSurfaceEvents struct {
	Configure func(serial uint32, width uint32, height uint32)
}

func (e LayerSurfaceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		if e.Configure != nil {
			e.Configure(d.uint(), d.uint(), d.uint())
		}
	}
}

func (o LayerSurface) SetSize(width uint32, height uint32) { o.conn.send(o.id, 0, width, height) }

func (o LayerSurface) SetAnchor(anchor uint32) { o.conn.send(o.id, 1, anchor) }

func (o LayerSurface) SetExclusiveZone(zone int32) { o.conn.send(o.id, 2, zone) }

func (o LayerSurface) SetMargin(top int32, right int32, bottom int32, left int32) {
	o.conn.send(o.id, 3, top, right, bottom, left)
}

func (o LayerSurface) AckConfigure(serial uint32) { o.conn.send(o.id, 6, serial) }

func (o LayerSurface) Destroy() { o.conn.send(o.id, 7) }
