package uia

import (
	"context"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
	"understudy/internal/desktop/winapi"
)

// user calls a function of user32.
func user(name string, args ...any) uintptr { return winapi.User(name, args...) }

// at returns the address of a value, as an argument of a call.
func at[T any](v *T) unsafe.Pointer { return winapi.At(v) }

// rect is RECT.
type rect struct{ left, top, right, bottom int32 }

func (r rect) bounds() desktop.Rect {
	return desktop.Rect{X: int(r.left), Y: int(r.top), W: int(r.right - r.left), H: int(r.bottom - r.top)}
}

// threadInfo is GUITHREADINFO, of which the window with the focus matters.
type threadInfo struct {
	size, _  uint32
	_, focus uintptr
	_        [4]uintptr
	_        rect
}

// focusOf returns the window that has the focus in the thread of a window.
func focusOf(h uintptr) uintptr {
	info := threadInfo{}
	info.size = uint32(unsafe.Sizeof(info))
	user("GetGUIThreadInfo", user("GetWindowThreadProcessId", h, 0), at(&info))
	return info.focus
}

// joined calls f while this thread shares the input of that of a window, as SetFocus wants.
func joined(h uintptr, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	self, other := uintptr(windows.GetCurrentThreadId()), user("GetWindowThreadProcessId", h, 0)
	if other != self && user("AttachThreadInput", self, other, 1) != 0 {
		defer user("AttachThreadInput", self, other, 0)
	}
	f()
}

// messageTime bounds the answer of a control to a message. Most answer at once.
const messageTime = time.Second

// ask sends a message to a control, and returns its answer.
func ask(ctx context.Context, h uintptr, message, w, l any) (answer uintptr, err error) {
	const abortIfHung = 0x2
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	if user("SendMessageTimeoutW", h, message, w, l, abortIfHung, uintptr(messageTime.Milliseconds()), at(&answer)) != 0 {
		return answer, nil
	}
	if user("IsWindow", h) == 0 {
		return 0, fmt.Errorf("%w: its window is gone", desktop.ErrNotFound)
	}
	return 0, fmt.Errorf("a control did not answer within %v: %w", messageTime, desktop.ErrUnresponsive)
}

// answers fails unless a control answers, as one does whose program shows a dialog.
func answers(ctx context.Context, h uintptr) error {
	const null = 0
	_, err := ask(ctx, h, null, 0, 0)
	return err
}
