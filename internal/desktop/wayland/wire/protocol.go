//go:build linux

// Code generated from the protocol files by `go generate`. DO NOT EDIT.

package wire

import "os"

// Display is the interface wl_display.
type Display struct{ Object }

type DisplayEvents struct {
	Error    func(objectId uint32, code uint32, message string) `event:"0"`
	DeleteId func(id uint32)                                    `event:"1"`
}

func (o Display) Sync(events CallbackEvents) Callback {
	return Callback{o.conn.create(o.id, 0, events, newID{})}
}

func (o Display) GetRegistry(events RegistryEvents) Registry {
	return Registry{o.conn.create(o.id, 1, events, newID{})}
}

// Registry is the interface wl_registry.
type Registry struct{ Object }

type RegistryEvents struct {
	Global       func(name uint32, iface string, version uint32) `event:"0"`
	GlobalRemove func(name uint32)                               `event:"1"`
}

// Callback is the interface wl_callback.
type Callback struct{ Object }

type CallbackEvents struct {
	Done func(callbackData uint32) `event:"0"`
}

// Compositor is the interface wl_compositor.
type Compositor struct{ Object }

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
type Surface struct{ Object }

func (o Surface) Destroy() { o.conn.send(o.id, 0) }

func (o Surface) Attach(buffer Buffer, x int32, y int32) { o.conn.send(o.id, 1, buffer.Object, x, y) }

func (o Surface) SetInputRegion(region Region) { o.conn.send(o.id, 5, region.Object) }

func (o Surface) Commit() { o.conn.send(o.id, 6) }

func (o Surface) DamageBuffer(x int32, y int32, width int32, height int32) {
	o.conn.send(o.id, 9, x, y, width, height)
}

// Region is the interface wl_region.
type Region struct{ Object }

func (o Region) Destroy() { o.conn.send(o.id, 0) }

// Shm is the interface wl_shm.
type Shm struct{ Object }

func BindShm(c *Conn, n int) (Shm, error) {
	o, err := c.bind("wl_shm", n, 1, nil)
	return Shm{o}, err
}

func (o Shm) CreatePool(fd *os.File, size int32) ShmPool {
	return ShmPool{o.conn.create(o.id, 0, nil, newID{}, fd, size)}
}

// ShmPool is the interface wl_shm_pool.
type ShmPool struct{ Object }

func (o ShmPool) CreateBuffer(offset int32, width int32, height int32, stride int32, format uint32) Buffer {
	return Buffer{o.conn.create(o.id, 0, nil, newID{}, offset, width, height, stride, format)}
}

func (o ShmPool) Destroy() { o.conn.send(o.id, 1) }

// Buffer is the interface wl_buffer.
type Buffer struct{ Object }

func (o Buffer) Destroy() { o.conn.send(o.id, 0) }

// Output is the interface wl_output.
type Output struct{ Object }

type OutputEvents struct {
	Geometry func(x int32, y int32, physicalWidth int32, physicalHeight int32, subpixel int32, make string, model string, transform int32) `event:"0"`
	Mode     func(flags uint32, width int32, height int32, refresh int32)                                                                  `event:"1"`
	Name     func(name string)                                                                                                             `event:"4"`
}

func BindOutput(c *Conn, n int, events OutputEvents) (Output, error) {
	o, err := c.bind("wl_output", n, 4, events)
	return Output{o}, err
}

func (o Output) Release() { o.conn.send(o.id, 0) }

// Seat is the interface wl_seat.
type Seat struct{ Object }

type SeatEvents struct {
	Capabilities func(capabilities uint32) `event:"0"`
}

func BindSeat(c *Conn, n int, events SeatEvents) (Seat, error) {
	o, err := c.bind("wl_seat", n, 5, events)
	return Seat{o}, err
}

func (o Seat) GetPointer(events PointerEvents) Pointer {
	return Pointer{o.conn.create(o.id, 0, events, newID{})}
}

func (o Seat) GetKeyboard(events KeyboardEvents) Keyboard {
	return Keyboard{o.conn.create(o.id, 1, events, newID{})}
}

// Pointer is the interface wl_pointer.
type Pointer struct{ Object }

type PointerEvents struct {
	Enter func(serial uint32, surface Surface, surfaceX float64, surfaceY float64) `event:"0"`
}

func (o Pointer) Release() { o.conn.send(o.id, 1) }

// Keyboard is the interface wl_keyboard.
type Keyboard struct{ Object }

type KeyboardEvents struct {
	Keymap func(format uint32, fd *os.File, size uint32) `event:"0"`
}

// VirtualPointerManager is the interface zwlr_virtual_pointer_manager_v1.
type VirtualPointerManager struct{ Object }

func BindVirtualPointerManager(c *Conn, n int) (VirtualPointerManager, error) {
	o, err := c.bind("zwlr_virtual_pointer_manager_v1", n, 2, nil)
	return VirtualPointerManager{o}, err
}

func (o VirtualPointerManager) CreateVirtualPointer(seat Seat) VirtualPointer {
	return VirtualPointer{o.conn.create(o.id, 0, nil, seat.Object, newID{})}
}

// VirtualPointer is the interface zwlr_virtual_pointer_v1.
type VirtualPointer struct{ Object }

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
type VirtualKeyboardManager struct{ Object }

func BindVirtualKeyboardManager(c *Conn, n int) (VirtualKeyboardManager, error) {
	o, err := c.bind("zwp_virtual_keyboard_manager_v1", n, 1, nil)
	return VirtualKeyboardManager{o}, err
}

func (o VirtualKeyboardManager) CreateVirtualKeyboard(seat Seat) VirtualKeyboard {
	return VirtualKeyboard{o.conn.create(o.id, 0, nil, seat.Object, newID{})}
}

// VirtualKeyboard is the interface zwp_virtual_keyboard_v1.
type VirtualKeyboard struct{ Object }

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
type ScreencopyManager struct{ Object }

func BindScreencopyManager(c *Conn, n int) (ScreencopyManager, error) {
	o, err := c.bind("zwlr_screencopy_manager_v1", n, 3, nil)
	return ScreencopyManager{o}, err
}

func (o ScreencopyManager) CaptureOutput(overlayCursor int32, output Output, events ScreencopyFrameEvents) ScreencopyFrame {
	return ScreencopyFrame{o.conn.create(o.id, 0, events, newID{}, overlayCursor, output.Object)}
}

// ScreencopyFrame is the interface zwlr_screencopy_frame_v1.
type ScreencopyFrame struct{ Object }

type ScreencopyFrameEvents struct {
	Buffer     func(format uint32, width uint32, height uint32, stride uint32) `event:"0"`
	Flags      func(flags uint32)                                              `event:"1"`
	Ready      func(tvSecHi uint32, tvSecLo uint32, tvNsec uint32)             `event:"2"`
	Failed     func()                                                          `event:"3"`
	BufferDone func()                                                          `event:"6"`
}

func (o ScreencopyFrame) Copy(buffer Buffer) { o.conn.send(o.id, 0, buffer.Object) }

func (o ScreencopyFrame) Destroy() { o.conn.send(o.id, 1) }

// DataControlManager is the interface zwlr_data_control_manager_v1.
type DataControlManager struct{ Object }

func BindDataControlManager(c *Conn, n int) (DataControlManager, error) {
	o, err := c.bind("zwlr_data_control_manager_v1", n, 1, nil)
	return DataControlManager{o}, err
}

func (o DataControlManager) CreateDataSource(events DataControlSourceEvents) DataControlSource {
	return DataControlSource{o.conn.create(o.id, 0, events, newID{})}
}

func (o DataControlManager) GetDataDevice(seat Seat, events DataControlDeviceEvents) DataControlDevice {
	return DataControlDevice{o.conn.create(o.id, 1, events, newID{}, seat.Object)}
}

// DataControlDevice is the interface zwlr_data_control_device_v1.
type DataControlDevice struct{ Object }

type DataControlDeviceEvents struct {
	DataOffer func(id DataControlOffer) `event:"0"`
	Selection func(id DataControlOffer) `event:"1"`
}

func (o DataControlDevice) SetSelection(source DataControlSource) {
	o.conn.send(o.id, 0, source.Object)
}

// DataControlSource is the interface zwlr_data_control_source_v1.
type DataControlSource struct{ Object }

type DataControlSourceEvents struct {
	Send      func(mimeType string, fd *os.File) `event:"0"`
	Cancelled func()                             `event:"1"`
}

func (o DataControlSource) Offer(mimeType string) { o.conn.send(o.id, 0, mimeType) }

func (o DataControlSource) Destroy() { o.conn.send(o.id, 1) }

// DataControlOffer is the interface zwlr_data_control_offer_v1.
type DataControlOffer struct{ Object }

type DataControlOfferEvents struct {
	Offer func(mimeType string) `event:"0"`
}

func (o DataControlOffer) Listen(events DataControlOfferEvents) { o.conn.listen(o.id, events) }

func (o DataControlOffer) Receive(mimeType string, fd *os.File) { o.conn.send(o.id, 0, mimeType, fd) }

func (o DataControlOffer) Destroy() { o.conn.send(o.id, 1) }

// XdgOutputManager is the interface zxdg_output_manager_v1.
type XdgOutputManager struct{ Object }

func BindXdgOutputManager(c *Conn, n int) (XdgOutputManager, error) {
	o, err := c.bind("zxdg_output_manager_v1", n, 2, nil)
	return XdgOutputManager{o}, err
}

func (o XdgOutputManager) GetXdgOutput(output Output, events XdgOutputEvents) XdgOutput {
	return XdgOutput{o.conn.create(o.id, 1, events, newID{}, output.Object)}
}

// XdgOutput is the interface zxdg_output_v1.
type XdgOutput struct{ Object }

type XdgOutputEvents struct {
	LogicalPosition func(x int32, y int32)          `event:"0"`
	LogicalSize     func(width int32, height int32) `event:"1"`
}

func (o XdgOutput) Destroy() { o.conn.send(o.id, 0) }

// FakeInput is the interface org_kde_kwin_fake_input.
type FakeInput struct{ Object }

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
type LayerShell struct{ Object }

func BindLayerShell(c *Conn, n int) (LayerShell, error) {
	o, err := c.bind("zwlr_layer_shell_v1", n, 1, nil)
	return LayerShell{o}, err
}

func (o LayerShell) GetLayerSurface(surface Surface, output Output, layer uint32, namespace string, events LayerSurfaceEvents) LayerSurface {
	return LayerSurface{o.conn.create(o.id, 0, events, newID{}, surface.Object, output.Object, layer, namespace)}
}

// LayerSurface is the interface zwlr_layer_surface_v1.
type LayerSurface struct{ Object }

type LayerSurfaceEvents struct {
	Configure func(serial uint32, width uint32, height uint32) `event:"0"`
}

func (o LayerSurface) SetSize(width uint32, height uint32) { o.conn.send(o.id, 0, width, height) }

func (o LayerSurface) SetAnchor(anchor uint32) { o.conn.send(o.id, 1, anchor) }

func (o LayerSurface) SetExclusiveZone(zone int32) { o.conn.send(o.id, 2, zone) }

func (o LayerSurface) SetMargin(top int32, right int32, bottom int32, left int32) {
	o.conn.send(o.id, 3, top, right, bottom, left)
}

func (o LayerSurface) AckConfigure(serial uint32) { o.conn.send(o.id, 6, serial) }

func (o LayerSurface) Destroy() { o.conn.send(o.id, 7) }
