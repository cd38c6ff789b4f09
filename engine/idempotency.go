package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"understudy/steps"
)

// ids makes the random part of keys, which grows within a millisecond.
var ids = &ulid.LockedMonotonicReader{MonotonicReader: ulid.Monotonic(rand.Reader, 0)}

// NewKey returns a key for one request. A caller that does not know whether its
// request arrived may send it again with the same key.
func NewKey() string { return strings.ToLower(ulid.MustNew(ulid.Now(), ids).String()) }

// KeyAt returns the key of something that is due at a time. Equal times and words
// give equal keys, so what several processes want to begin is begun once.
func KeyAt(at time.Time, words ...string) string {
	var id ulid.ULID
	_ = id.SetTime(uint64(max(0, at.UnixMilli()))) // fails beyond the year 10889
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	_ = id.SetEntropy(sum[:10]) // fails for another length
	return strings.ToLower(id.String())
}

// SameWords reports whether two keys from KeyAt were made from the same words,
// whatever their times.
func SameWords(a, b string) bool {
	const timeLetters = 10
	return len(a) == ulid.EncodedSize && len(b) == len(a) && a[timeLetters:] == b[timeLetters:]
}

// IDBytes returns the 128 bits of a run's id, which are its trace id too. It reports
// false for an id of another form.
func IDBytes(run string) (id [16]byte, ok bool) {
	u, err := ulid.ParseStrict(strings.ToUpper(run))
	return u, err == nil
}

// once calls do for a request, unless an earlier one with the same key had its effect: it
// began the run with that key, or continued the given run. It waits for one under way.
func (e *Engine) once(ctx context.Context, run, key string, do func() (Header, error)) (Header, error) {
	if key == "" {
		return do()
	}
	mine := make(chan struct{})
	for {
		other, under := e.requests.LoadOrStore(run+key, mine)
		if !under {
			break
		}
		select {
		case <-other.(chan struct{}): //nolint:forcetypeassert // nothing else is stored
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
	defer close(mine)
	defer e.requests.Delete(run + key)
	h, done, err := e.requested(ctx, run, key)
	if done || err != nil {
		return h, err
	}
	h, err = do()
	if Lost(err) { // another process was faster
		if now, done, _ := e.requested(ctx, run, key); done {
			return now, nil
		}
	}
	return h, err
}

// requested reports whether an earlier request with a key had its effect.
func (e *Engine) requested(ctx context.Context, run, key string) (h Header, done bool, err error) {
	if _, err := ulid.ParseStrict(key); err != nil || key != strings.ToLower(key) {
		return h, false, steps.Errorf(steps.Invalid, "invalid key %q: make one with NewKey", key)
	}
	h, err = e.Get(ctx, cmp.Or(run, key))
	if run == "" && errors.Is(err, ErrNoRun) {
		return h, false, nil
	}
	return h, err == nil && (run == "" || h.Key == key), err
}
