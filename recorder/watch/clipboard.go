package watch

import (
	"context"
	"crypto/sha256"
	"time"

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

// clipNumber returns the number of what the clipboard holds. What cannot be read equals nothing else.
func (r *recording) clipNumber(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(clipboardTimeout))
	defer cancel()
	text, err := r.desktop.ReadClipboard(ctx)
	if err != nil {
		text = "\x00unread at " + time.Now().String()
	}
	return r.clips.number(text)
}

// noteCopied records that a program took the clipboard.
func (r *recording) noteCopied(ctx context.Context, at time.Time) {
	r.write(recorder.Event{Type: recorder.Copied, Time: at, Clip: r.clipNumber(ctx)})
}
