package watch

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// clipboardTimeout bounds a read of the clipboard: its owner is another program.
const clipboardTimeout = 500 * time.Millisecond

// clips are the numbers of the texts that the clipboard held. The texts themselves, which may be
// passwords, are kept nowhere.
type clips map[[sha256.Size]byte]int

// number returns the number of a text.
func (c clips) number(text string) int {
	sum := sha256.Sum256([]byte(text))
	if c[sum] == 0 {
		c[sum] = len(c) + 1
	}
	return c[sum]
}

// clipboard is what is known of the clipboard.
type clipboard struct {
	clips      clips
	now        int       // the number of what it held when it was read last; 0: it was not read
	copiedAt   time.Time // when keys copied something, until that is reported or looked at
	meanwhile  bool      // it was taken during a pause
	unreported bool      // nothing reports what takes it
}

// readClipboard reads what the clipboard holds, and returns its number.
func (r *recording) readClipboard(ctx context.Context) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(clipboardTimeout))
	defer cancel()
	text, err := r.desktop.ReadClipboard(ctx)
	if err != nil {
		return 0, err
	}
	return r.clipboard.clips.number(text), nil
}

// clipNumber returns the number of what the clipboard holds. What cannot be read equals nothing else.
func (r *recording) clipNumber(ctx context.Context) int {
	n, err := r.readClipboard(ctx)
	if err != nil {
		n = r.clipboard.clips.number("\x00unread at " + time.Now().String())
	}
	r.clipboard.now = n
	return n
}

// noteCopied records that a program took the clipboard.
func (r *recording) noteCopied(ctx context.Context, at time.Time) {
	r.clipboard.copiedAt = time.Time{}
	r.write(recorder.Event{Type: recorder.Copied, Time: at, Clip: r.clipNumber(ctx)})
}

// noteKeyCopied records what keys copied, before the next input, where nothing reports that.
func (r *recording) noteKeyCopied(ctx context.Context) {
	if at := r.clipboard.copiedAt; !at.IsZero() && r.clipboard.unreported {
		r.noteCopied(ctx, at)
	}
}

// notePaste looks at what is pasted: it may have been copied in a way that nothing reported.
func (r *recording) notePaste(ctx context.Context, at time.Time) {
	if !r.clipboard.copiedAt.IsZero() {
		return // the program may not have copied it yet
	}
	if n, err := r.readClipboard(ctx); err == nil && n != r.clipboard.now {
		r.flushKeys(ctx, false)
		r.clipboard.now = n
		r.write(recorder.Event{Type: recorder.Copied, Time: at, Clip: n, Found: true})
	}
}

// isCopy and isPaste report what a chord does in most programs.
func isCopy(ev desktop.InputEvent) bool {
	return slices.Equal(ev.Mods, []desktop.Key{desktop.Ctrl}) && (ev.Key == "c" || ev.Key == "x")
}

func isPaste(ev desktop.InputEvent) bool {
	return slices.Equal(ev.Mods, []desktop.Key{desktop.Ctrl}) && ev.Key == "v"
}
