//go:build linux

// Code generated from the protocol files by `go generate`. DO NOT EDIT.

package wire

import "os"

// Display is the interface wl_display.
type Display struct{ object }

// DisplayEvents are called for the events of a Display; one that is nil is passed over.
type DisplayEvents struct {
	Error    func(objectId uint32, code uint32, message string)
	DeleteId func(id uint32)
}

func (e DisplayEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		a1 := d.uint()
		a2 := d.string()
		if e.Error != nil {
			e.Error(a0, a1, a2)
		}
	case 1:
		a0 := d.uint()
		if e.DeleteId != nil {
			e.DeleteId(a0)
		}
	}
}

// Sync is the request sync.
func (o Display) Sync(events CallbackEvents) Callback {
	return Callback{o.conn.create(o.id, 0, events.handle, newID{})}
}

// GetRegistry is the request get_registry.
func (o Display) GetRegistry(events RegistryEvents) Registry {
	return Registry{o.conn.create(o.id, 1, events.handle, newID{})}
}

// Registry is the interface wl_registry.
type Registry struct{ object }

// RegistryEvents are called for the events of a Registry; one that is nil is passed over.
type RegistryEvents struct {
	Global       func(name uint32, iface string, version uint32)
	GlobalRemove func(name uint32)
}

func (e RegistryEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		a1 := d.string()
		a2 := d.uint()
		if e.Global != nil {
			e.Global(a0, a1, a2)
		}
	case 1:
		a0 := d.uint()
		if e.GlobalRemove != nil {
			e.GlobalRemove(a0)
		}
	}
}

// Callback is the interface wl_callback.
type Callback struct{ object }

// CallbackEvents are called for the events of a Callback; one that is nil is passed over.
type CallbackEvents struct {
	Done func(callbackData uint32)
}

func (e CallbackEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		if e.Done != nil {
			e.Done(a0)
		}
	}
}

// Compositor is the interface wl_compositor.
type Compositor struct{ object }

// BindCompositor binds the n-th wl_compositor that is announced.
func BindCompositor(c *Conn, n int) (Compositor, error) {
	o, err := c.bind("wl_compositor", n, 4, nil)
	return Compositor{o}, err
}

// CreateSurface is the request create_surface.
func (o Compositor) CreateSurface() Surface {
	return Surface{o.conn.create(o.id, 0, nil, newID{})}
}

// CreateRegion is the request create_region.
func (o Compositor) CreateRegion() Region {
	return Region{o.conn.create(o.id, 1, nil, newID{})}
}

// Surface is the interface wl_surface.
type Surface struct{ object }

// Destroy is the request destroy.
func (o Surface) Destroy() { o.conn.send(o.id, 0) }

// Attach is the request attach.
func (o Surface) Attach(buffer Buffer, x int32, y int32) { o.conn.send(o.id, 1, buffer.object, x, y) }

// SetInputRegion is the request set_input_region.
func (o Surface) SetInputRegion(region Region) { o.conn.send(o.id, 5, region.object) }

// Commit is the request commit.
func (o Surface) Commit() { o.conn.send(o.id, 6) }

// DamageBuffer is the request damage_buffer.
func (o Surface) DamageBuffer(x int32, y int32, width int32, height int32) {
	o.conn.send(o.id, 9, x, y, width, height)
}

// Region is the interface wl_region.
type Region struct{ object }

// Destroy is the request destroy.
func (o Region) Destroy() { o.conn.send(o.id, 0) }

// Shm is the interface wl_shm.
type Shm struct{ object }

// BindShm binds the n-th wl_shm that is announced.
func BindShm(c *Conn, n int) (Shm, error) {
	o, err := c.bind("wl_shm", n, 1, nil)
	return Shm{o}, err
}

// CreatePool is the request create_pool.
func (o Shm) CreatePool(fd *os.File, size int32) ShmPool {
	return ShmPool{o.conn.create(o.id, 0, nil, newID{}, fd, size)}
}

// ShmPool is the interface wl_shm_pool.
type ShmPool struct{ object }

// CreateBuffer is the request create_buffer.
func (o ShmPool) CreateBuffer(offset int32, width int32, height int32, stride int32, format uint32) Buffer {
	return Buffer{o.conn.create(o.id, 0, nil, newID{}, offset, width, height, stride, format)}
}

// Destroy is the request destroy.
func (o ShmPool) Destroy() { o.conn.send(o.id, 1) }

// Buffer is the interface wl_buffer.
type Buffer struct{ object }

// Destroy is the request destroy.
func (o Buffer) Destroy() { o.conn.send(o.id, 0) }

// Output is the interface wl_output.
type Output struct{ object }

// OutputEvents are called for the events of a Output; one that is nil is passed over.
type OutputEvents struct {
	Mode func(flags uint32, width int32, height int32, refresh int32)
	Name func(name string)
}

func (e OutputEvents) handle(op uint16, d *decoder) {
	switch op {
	case 1:
		a0 := d.uint()
		a1 := d.int()
		a2 := d.int()
		a3 := d.int()
		if e.Mode != nil {
			e.Mode(a0, a1, a2, a3)
		}
	case 4:
		a0 := d.string()
		if e.Name != nil {
			e.Name(a0)
		}
	}
}

// BindOutput binds the n-th wl_output that is announced.
func BindOutput(c *Conn, n int, events OutputEvents) (Output, error) {
	o, err := c.bind("wl_output", n, 4, events.handle)
	return Output{o}, err
}

// Release is the request release.
func (o Output) Release() { o.conn.send(o.id, 0) }

// Seat is the interface wl_seat.
type Seat struct{ object }

// SeatEvents are called for the events of a Seat; one that is nil is passed over.
type SeatEvents struct {
	Capabilities func(capabilities uint32)
}

func (e SeatEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		if e.Capabilities != nil {
			e.Capabilities(a0)
		}
	}
}

// BindSeat binds the n-th wl_seat that is announced.
func BindSeat(c *Conn, n int, events SeatEvents) (Seat, error) {
	o, err := c.bind("wl_seat", n, 5, events.handle)
	return Seat{o}, err
}

// GetPointer is the request get_pointer.
func (o Seat) GetPointer(events PointerEvents) Pointer {
	return Pointer{o.conn.create(o.id, 0, events.handle, newID{})}
}

// GetKeyboard is the request get_keyboard.
func (o Seat) GetKeyboard(events KeyboardEvents) Keyboard {
	return Keyboard{o.conn.create(o.id, 1, events.handle, newID{})}
}

// Pointer is the interface wl_pointer.
type Pointer struct{ object }

// PointerEvents are called for the events of a Pointer; one that is nil is passed over.
type PointerEvents struct {
	Enter func(serial uint32, surface Surface, surfaceX float64, surfaceY float64)
}

func (e PointerEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		a1 := Surface{d.object()}
		a2 := d.fixed()
		a3 := d.fixed()
		if e.Enter != nil {
			e.Enter(a0, a1, a2, a3)
		}
	}
}

// Release is the request release.
func (o Pointer) Release() { o.conn.send(o.id, 1) }

// Keyboard is the interface wl_keyboard.
type Keyboard struct{ object }

// KeyboardEvents are called for the events of a Keyboard; one that is nil is passed over.
type KeyboardEvents struct {
	Keymap func(format uint32, fd *os.File, size uint32)
}

func (e KeyboardEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		a1 := d.fd()
		a2 := d.uint()
		if e.Keymap != nil {
			e.Keymap(a0, a1, a2)
		}
	}
}

// VirtualPointerManager is the interface zwlr_virtual_pointer_manager_v1.
type VirtualPointerManager struct{ object }

// BindVirtualPointerManager binds the n-th zwlr_virtual_pointer_manager_v1 that is announced.
func BindVirtualPointerManager(c *Conn, n int) (VirtualPointerManager, error) {
	o, err := c.bind("zwlr_virtual_pointer_manager_v1", n, 2, nil)
	return VirtualPointerManager{o}, err
}

// CreateVirtualPointer is the request create_virtual_pointer.
func (o VirtualPointerManager) CreateVirtualPointer(seat Seat) VirtualPointer {
	return VirtualPointer{o.conn.create(o.id, 0, nil, seat.object, newID{})}
}

// VirtualPointer is the interface zwlr_virtual_pointer_v1.
type VirtualPointer struct{ object }

// Motion is the request motion.
func (o VirtualPointer) Motion(time uint32, dx float64, dy float64) {
	o.conn.send(o.id, 0, time, dx, dy)
}

// MotionAbsolute is the request motion_absolute.
func (o VirtualPointer) MotionAbsolute(time uint32, x uint32, y uint32, xExtent uint32, yExtent uint32) {
	o.conn.send(o.id, 1, time, x, y, xExtent, yExtent)
}

// Button is the request button.
func (o VirtualPointer) Button(time uint32, button uint32, state uint32) {
	o.conn.send(o.id, 2, time, button, state)
}

// Frame is the request frame.
func (o VirtualPointer) Frame() { o.conn.send(o.id, 4) }

// AxisSource is the request axis_source.
func (o VirtualPointer) AxisSource(axisSource uint32) { o.conn.send(o.id, 5, axisSource) }

// AxisDiscrete is the request axis_discrete.
func (o VirtualPointer) AxisDiscrete(time uint32, axis uint32, value float64, discrete int32) {
	o.conn.send(o.id, 7, time, axis, value, discrete)
}

// VirtualKeyboardManager is the interface zwp_virtual_keyboard_manager_v1.
type VirtualKeyboardManager struct{ object }

// BindVirtualKeyboardManager binds the n-th zwp_virtual_keyboard_manager_v1 that is announced.
func BindVirtualKeyboardManager(c *Conn, n int) (VirtualKeyboardManager, error) {
	o, err := c.bind("zwp_virtual_keyboard_manager_v1", n, 1, nil)
	return VirtualKeyboardManager{o}, err
}

// CreateVirtualKeyboard is the request create_virtual_keyboard.
func (o VirtualKeyboardManager) CreateVirtualKeyboard(seat Seat) VirtualKeyboard {
	return VirtualKeyboard{o.conn.create(o.id, 0, nil, seat.object, newID{})}
}

// VirtualKeyboard is the interface zwp_virtual_keyboard_v1.
type VirtualKeyboard struct{ object }

// Keymap is the request keymap.
func (o VirtualKeyboard) Keymap(format uint32, fd *os.File, size uint32) {
	o.conn.send(o.id, 0, format, fd, size)
}

// Key is the request key.
func (o VirtualKeyboard) Key(time uint32, key uint32, state uint32) {
	o.conn.send(o.id, 1, time, key, state)
}

// Modifiers is the request modifiers.
func (o VirtualKeyboard) Modifiers(modsDepressed uint32, modsLatched uint32, modsLocked uint32, group uint32) {
	o.conn.send(o.id, 2, modsDepressed, modsLatched, modsLocked, group)
}

// ScreencopyManager is the interface zwlr_screencopy_manager_v1.
type ScreencopyManager struct{ object }

// BindScreencopyManager binds the n-th zwlr_screencopy_manager_v1 that is announced.
func BindScreencopyManager(c *Conn, n int) (ScreencopyManager, error) {
	o, err := c.bind("zwlr_screencopy_manager_v1", n, 3, nil)
	return ScreencopyManager{o}, err
}

// CaptureOutput is the request capture_output.
func (o ScreencopyManager) CaptureOutput(overlayCursor int32, output Output, events ScreencopyFrameEvents) ScreencopyFrame {
	return ScreencopyFrame{o.conn.create(o.id, 0, events.handle, newID{}, overlayCursor, output.object)}
}

// ScreencopyFrame is the interface zwlr_screencopy_frame_v1.
type ScreencopyFrame struct{ object }

// ScreencopyFrameEvents are called for the events of a ScreencopyFrame; one that is nil is passed over.
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
		a0 := d.uint()
		a1 := d.uint()
		a2 := d.uint()
		a3 := d.uint()
		if e.Buffer != nil {
			e.Buffer(a0, a1, a2, a3)
		}
	case 1:
		a0 := d.uint()
		if e.Flags != nil {
			e.Flags(a0)
		}
	case 2:
		a0 := d.uint()
		a1 := d.uint()
		a2 := d.uint()
		if e.Ready != nil {
			e.Ready(a0, a1, a2)
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

// Copy is the request copy.
func (o ScreencopyFrame) Copy(buffer Buffer) { o.conn.send(o.id, 0, buffer.object) }

// Destroy is the request destroy.
func (o ScreencopyFrame) Destroy() { o.conn.send(o.id, 1) }

// DataControlManager is the interface zwlr_data_control_manager_v1.
type DataControlManager struct{ object }

// BindDataControlManager binds the n-th zwlr_data_control_manager_v1 that is announced.
func BindDataControlManager(c *Conn, n int) (DataControlManager, error) {
	o, err := c.bind("zwlr_data_control_manager_v1", n, 1, nil)
	return DataControlManager{o}, err
}

// CreateDataSource is the request create_data_source.
func (o DataControlManager) CreateDataSource(events DataControlSourceEvents) DataControlSource {
	return DataControlSource{o.conn.create(o.id, 0, events.handle, newID{})}
}

// GetDataDevice is the request get_data_device.
func (o DataControlManager) GetDataDevice(seat Seat, events DataControlDeviceEvents) DataControlDevice {
	return DataControlDevice{o.conn.create(o.id, 1, events.handle, newID{}, seat.object)}
}

// DataControlDevice is the interface zwlr_data_control_device_v1.
type DataControlDevice struct{ object }

// DataControlDeviceEvents are called for the events of a DataControlDevice; one that is nil is passed over.
type DataControlDeviceEvents struct {
	DataOffer func(id DataControlOffer)
	Selection func(id DataControlOffer)
}

func (e DataControlDeviceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := DataControlOffer{d.object()}
		if e.DataOffer != nil {
			e.DataOffer(a0)
		}
	case 1:
		a0 := DataControlOffer{d.object()}
		if e.Selection != nil {
			e.Selection(a0)
		}
	}
}

// SetSelection is the request set_selection.
func (o DataControlDevice) SetSelection(source DataControlSource) {
	o.conn.send(o.id, 0, source.object)
}

// DataControlSource is the interface zwlr_data_control_source_v1.
type DataControlSource struct{ object }

// DataControlSourceEvents are called for the events of a DataControlSource; one that is nil is passed over.
type DataControlSourceEvents struct {
	Send      func(mimeType string, fd *os.File)
	Cancelled func()
}

func (e DataControlSourceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.string()
		a1 := d.fd()
		if e.Send != nil {
			e.Send(a0, a1)
		}
	case 1:
		if e.Cancelled != nil {
			e.Cancelled()
		}
	}
}

// Offer is the request offer.
func (o DataControlSource) Offer(mimeType string) { o.conn.send(o.id, 0, mimeType) }

// Destroy is the request destroy.
func (o DataControlSource) Destroy() { o.conn.send(o.id, 1) }

// DataControlOffer is the interface zwlr_data_control_offer_v1.
type DataControlOffer struct{ object }

// DataControlOfferEvents are called for the events of a DataControlOffer; one that is nil is passed over.
type DataControlOfferEvents struct {
	Offer func(mimeType string)
}

func (e DataControlOfferEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.string()
		if e.Offer != nil {
			e.Offer(a0)
		}
	}
}

// Listen has the events of an object handled that the compositor made.
func (o DataControlOffer) Listen(events DataControlOfferEvents) { o.conn.listen(o.id, events.handle) }

// Receive is the request receive.
func (o DataControlOffer) Receive(mimeType string, fd *os.File) { o.conn.send(o.id, 0, mimeType, fd) }

// Destroy is the request destroy.
func (o DataControlOffer) Destroy() { o.conn.send(o.id, 1) }

// XdgOutputManager is the interface zxdg_output_manager_v1.
type XdgOutputManager struct{ object }

// BindXdgOutputManager binds the n-th zxdg_output_manager_v1 that is announced.
func BindXdgOutputManager(c *Conn, n int) (XdgOutputManager, error) {
	o, err := c.bind("zxdg_output_manager_v1", n, 2, nil)
	return XdgOutputManager{o}, err
}

// GetXdgOutput is the request get_xdg_output.
func (o XdgOutputManager) GetXdgOutput(output Output, events XdgOutputEvents) XdgOutput {
	return XdgOutput{o.conn.create(o.id, 1, events.handle, newID{}, output.object)}
}

// XdgOutput is the interface zxdg_output_v1.
type XdgOutput struct{ object }

// XdgOutputEvents are called for the events of a XdgOutput; one that is nil is passed over.
type XdgOutputEvents struct {
	LogicalPosition func(x int32, y int32)
	LogicalSize     func(width int32, height int32)
}

func (e XdgOutputEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.int()
		a1 := d.int()
		if e.LogicalPosition != nil {
			e.LogicalPosition(a0, a1)
		}
	case 1:
		a0 := d.int()
		a1 := d.int()
		if e.LogicalSize != nil {
			e.LogicalSize(a0, a1)
		}
	}
}

// Destroy is the request destroy.
func (o XdgOutput) Destroy() { o.conn.send(o.id, 0) }

// FakeInput is the interface org_kde_kwin_fake_input.
type FakeInput struct{ object }

// BindFakeInput binds the n-th org_kde_kwin_fake_input that is announced.
func BindFakeInput(c *Conn, n int) (FakeInput, error) {
	o, err := c.bind("org_kde_kwin_fake_input", n, 4, nil)
	return FakeInput{o}, err
}

// Authenticate is the request authenticate.
func (o FakeInput) Authenticate(application string, reason string) {
	o.conn.send(o.id, 0, application, reason)
}

// Button is the request button.
func (o FakeInput) Button(button uint32, state uint32) { o.conn.send(o.id, 2, button, state) }

// Axis is the request axis.
func (o FakeInput) Axis(axis uint32, value float64) { o.conn.send(o.id, 3, axis, value) }

// PointerMotionAbsolute is the request pointer_motion_absolute.
func (o FakeInput) PointerMotionAbsolute(x float64, y float64) { o.conn.send(o.id, 9, x, y) }

// KeyboardKey is the request keyboard_key.
func (o FakeInput) KeyboardKey(button uint32, state uint32) { o.conn.send(o.id, 10, button, state) }

// LayerShell is the interface zwlr_layer_shell_v1.
type LayerShell struct{ object }

// BindLayerShell binds the n-th zwlr_layer_shell_v1 that is announced.
func BindLayerShell(c *Conn, n int) (LayerShell, error) {
	o, err := c.bind("zwlr_layer_shell_v1", n, 1, nil)
	return LayerShell{o}, err
}

// GetLayerSurface is the request get_layer_surface.
func (o LayerShell) GetLayerSurface(surface Surface, output Output, layer uint32, namespace string, events LayerSurfaceEvents) LayerSurface {
	return LayerSurface{o.conn.create(o.id, 0, events.handle, newID{}, surface.object, output.object, layer, namespace)}
}

// LayerSurface is the interface zwlr_layer_surface_v1.
type LayerSurface struct{ object }

// LayerSurfaceEvents are called for the events of a LayerSurface; one that is nil is passed over.
type LayerSurfaceEvents struct {
	Configure func(serial uint32, width uint32, height uint32)
}

func (e LayerSurfaceEvents) handle(op uint16, d *decoder) {
	switch op {
	case 0:
		a0 := d.uint()
		a1 := d.uint()
		a2 := d.uint()
		if e.Configure != nil {
			e.Configure(a0, a1, a2)
		}
	}
}

// SetSize is the request set_size.
func (o LayerSurface) SetSize(width uint32, height uint32) { o.conn.send(o.id, 0, width, height) }

// SetAnchor is the request set_anchor.
func (o LayerSurface) SetAnchor(anchor uint32) { o.conn.send(o.id, 1, anchor) }

// SetExclusiveZone is the request set_exclusive_zone.
func (o LayerSurface) SetExclusiveZone(zone int32) { o.conn.send(o.id, 2, zone) }

// SetMargin is the request set_margin.
func (o LayerSurface) SetMargin(top int32, right int32, bottom int32, left int32) {
	o.conn.send(o.id, 3, top, right, bottom, left)
}

// AckConfigure is the request ack_configure.
func (o LayerSurface) AckConfigure(serial uint32) { o.conn.send(o.id, 6, serial) }

// Destroy is the request destroy.
func (o LayerSurface) Destroy() { o.conn.send(o.id, 7) }
