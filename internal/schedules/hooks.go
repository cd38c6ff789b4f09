package schedules

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// The headers of a message, as Standard Webhooks names them.
const (
	idHeader        = "webhook-id"
	timeHeader      = "webhook-timestamp"
	signatureHeader = "webhook-signature"
	secretPrefix    = "whsec_"
	signaturePrefix = "v1,"
)

// fresh is how far the clock of a sender may differ.
const fresh = 5 * time.Minute

// A sender that gets no answer repeats a message for days, with another time. Messages
// are remembered that long, or, if they are too many, for twice as long as one is fresh.
const (
	remembered     = 3 * 24 * time.Hour
	mostRemembered = 1000
)

// ErrUnsigned is the error for a message without a valid signature. It does not tell
// whether there is such a webhook.
var ErrUnsigned = &steps.Error{
	Code: steps.Denied, Err: errors.New("there is no such webhook, or the message is not signed with its secret, or it is too old"),
	Next: "send webhook-id (without dots), webhook-timestamp (in seconds, now) and webhook-signature: v1, and the base64 of the HMAC-SHA256 of id.timestamp.body",
}

func newSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// Sign returns the signature of a message.
func Sign(secret, id, at string, body []byte) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, at)
	mac.Write(body)
	return signaturePrefix + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signed reports whether one of the signatures of a message is valid.
func signed(secret string, h http.Header, body []byte, now time.Time) (at time.Time, ok bool) {
	id, stamp := h.Get(idHeader), h.Get(timeHeader)
	want := []byte(Sign(secret, id, stamp, body))
	for given := range strings.FieldsSeq(h.Get(signatureHeader)) {
		ok = hmac.Equal([]byte(given), want) || ok
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	at = time.Unix(seconds, 0)
	// The parts are signed with dots between them, so an id with dots could be read as
	// another id, time and body.
	if err != nil || id == "" || len(id) > 256 || strings.Contains(id, ".") || math.Abs(float64(now.Sub(at))) > float64(fresh) {
		return at, false
	}
	return at, ok && secret != ""
}

// Heard is the answer to a message.
type Heard struct {
	Run      string `json:"run_id"`
	Repeated bool   `json:"repeated,omitempty"` // the message came before, and began this run
}

// refusalTime is when a message without a valid signature is answered. Reading a schedule
// takes less, so the time does not tell whether there is one of the name.
const refusalTime = 25 * time.Millisecond

// hook returns the webhook of a name, or an empty one if there is none. With an error it
// returns the webhook as it was read last.
func (s *Scheduler) hook(ctx context.Context, name string) (Schedule, error) {
	if !validName.MatchString(name) { // to a store it may be the path of another file
		return Schedule{}, nil
	}
	e, err := s.Store.Get(ctx, name)
	hook := (*s.listed.Load())[name]
	if err == nil {
		if hook = (Schedule{}); e != nil {
			hook = e.Schedule
		}
	}
	return hook, err // only a webhook has a secret
}

// Hear accepts a message for a webhook. Its members become inputs, which check accepts
// or refuses. Once Hear has returned, the run will begin even if this process dies.
func (s *Scheduler) Hear(ctx context.Context, name string, h http.Header, body []byte, check func(Schedule, map[string]any) (map[string]any, error)) (heard Heard, err error) {
	answer := time.After(refusalTime)
	hook, failed := s.hook(ctx, name)
	now := s.now()
	at, ok := signed(hook.Secret, h, body, now)
	switch {
	case !ok:
		select {
		case <-answer:
		case <-ctx.Done():
		}
		return heard, ErrUnsigned
	case failed != nil:
		return heard, steps.Errorf(steps.Unavailable, "the webhook %s cannot be read now; the log of the server says why", name)
	}
	if !s.seesTo(hook) {
		return heard, steps.Errorf(steps.Unavailable, "the schedule %s was made with a token that another server knows", name).
			WithNext("send the message to that server")
	}
	inputs, err := hook.inputsOf(body)
	if err == nil {
		inputs, err = check(hook, inputs)
	}
	if err != nil {
		return heard, err
	}
	err = s.Store.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e == nil || e.Secret != hook.Secret {
			return e, ErrUnsigned
		}
		f := e.firing(at, h.Get(idHeader))
		f.Due, f.Inputs, heard.Run = now.UTC(), inputs, f.Run
		return e, e.hear(now, f, &heard)
	})
	s.Poke()
	return heard, err
}

// hear adds the firing of a message, unless the message came before.
func (e *Entry) hear(now time.Time, f Firing, heard *Heard) error {
	for run := range e.State.Heard {
		if engine.SameWords(run, f.Run) {
			heard.Run, heard.Repeated = run, true
			return nil
		}
	}
	switch {
	case e.Paused:
		return steps.Errorf(steps.Unavailable, "the schedule %s is paused", e.Name)
	case len(e.State.Pending) >= mostPending:
		return steps.Errorf(steps.Busy, "%d messages wait already for their runs", mostPending)
	}
	for _, longest := range []time.Duration{remembered, 2 * fresh} {
		maps.DeleteFunc(e.State.Heard, func(_ string, at time.Time) bool { return now.Sub(at) > longest })
		if len(e.State.Heard) < mostRemembered {
			break
		}
	}
	if e.State.Heard == nil {
		e.State.Heard = map[string]time.Time{}
	}
	e.State.Heard[f.Run] = f.At
	e.State.Pending = append(e.State.Pending, f)
	return nil
}
