package win32

import (
	"context"
	"fmt"
	"runtime"
	"time"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

const (
	unicodeText = 13  // CF_UNICODETEXT
	moveable    = 0x2 // GMEM_MOVEABLE
)

// locked calls f on one thread of the system, as a series of calls wants that belongs together.
func locked(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}

// withClipboard calls f while the clipboard is open, which one program at a time can have.
func withClipboard(ctx context.Context, f func() error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("another program keeps the clipboard open: %w", desktop.ErrUnresponsive))
	defer cancel()
	locked(func() {
		for user("OpenClipboard", 0) == 0 {
			if err = desktop.Sleep(ctx, 10*time.Millisecond); err != nil {
				return
			}
		}
		defer user("CloseClipboard")
		err = f()
	})
	return err
}

// ReadClipboard returns the text of the clipboard.
func (d *Driver) ReadClipboard(ctx context.Context) (text string, err error) {
	err = withClipboard(ctx, func() error {
		if user("IsClipboardFormatAvailable", unicodeText) == 0 {
			if user("CountClipboardFormats") > 0 {
				return fmt.Errorf("the clipboard holds something other than text: %w", desktop.ErrRefused)
			}
			return nil
		}
		h := user("GetClipboardData", unicodeText)
		text = textIn(h)
		return nil
	})
	return text, err
}

// textIn returns the text in memory of the system.
func textIn(handle uintptr) string {
	p := lock(handle)
	if p == nil {
		return ""
	}
	defer call(kernel32, "GlobalUnlock", handle)
	return windows.UTF16PtrToString(p)
}

// lock returns the memory of a handle.
func lock(handle uintptr) *uint16 {
	address := call(kernel32, "GlobalLock", handle)
	return *(**uint16)(unsafe.Pointer(&address)) // memory that is not Go's
}

// writeClipboard puts text on the clipboard.
func writeClipboard(ctx context.Context, text string) error {
	units := append(utf16.Encode([]rune(text)), 0)
	return withClipboard(ctx, func() error {
		user("EmptyClipboard")
		h := call(kernel32, "GlobalAlloc", moveable, uintptr(len(units))*2)
		p := lock(h)
		if p == nil {
			return fmt.Errorf("the clipboard: Windows has no memory for %d characters: %w", len(units), desktop.ErrUnavailable)
		}
		copy(unsafe.Slice(p, len(units)), units)
		call(kernel32, "GlobalUnlock", h)
		if user("SetClipboardData", unicodeText, h) == 0 {
			call(kernel32, "GlobalFree", h)
			return fmt.Errorf("the clipboard did not take the text: %w", desktop.ErrRefused)
		}
		return nil
	})
}
