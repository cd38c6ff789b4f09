package notify

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/engine"
	"understudy/internal/fileio"
	"understudy/internal/schedules"
)

// A Notifier tells the receivers of a configuration.
type Notifier struct {
	config Config
	log    *slog.Logger
	runs   engine.Runs
	send   func(ctx context.Context, r *Receiver, m Message) error

	// schedules lists the schedules whose notes are told; nil: none.
	schedules func(context.Context) ([]schedules.Entry, error)
	looked    time.Time // the notes before were told

	heard  chan engine.Header
	closed chan struct{}
	loop   sync.WaitGroup
}

// mostHeard bounds the runs that wait to be looked at, and mostCauses the messages that
// wait for each receiver.
const (
	mostHeard  = 1000
	mostCauses = 100
)

// mostTries bounds the tries to deliver a message, and sendTime each of them.
const (
	mostTries = 8
	sendTime  = 30 * time.Second
)

// closeTime bounds the delivery at the end of the process.
const closeTime = 10 * time.Second

// mostPicture bounds a picture in a message, in bytes; larger ones are left out.
const mostPicture = 5 << 20

// lookTime is how often the notes of schedules are read.
const lookTime = time.Minute

// New returns a notifier at work. It also tells of the schedules that list returns; list may
// be nil.
func New(c Config, runs engine.Runs, list func(context.Context) ([]schedules.Entry, error), log *slog.Logger) *Notifier {
	return start(c, runs, list, log, Send)
}

func start(c Config, runs engine.Runs, list func(context.Context) ([]schedules.Entry, error), log *slog.Logger, send func(context.Context, *Receiver, Message) error) *Notifier {
	n := &Notifier{config: c, log: log, runs: runs, send: send, schedules: list, looked: time.Now().Truncate(time.Second), heard: make(chan engine.Header, mostHeard), closed: make(chan struct{})}
	if len(c.Receivers) == 0 {
		return n
	}
	boxes := map[string]chan Message{}
	for name, r := range c.Receivers {
		boxes[name] = make(chan Message, mostCauses)
		n.loop.Go(func() { (&box{n: n, name: name, r: r}).deliver(boxes[name]) })
	}
	n.loop.Go(func() { n.sort(boxes) })
	return n
}

// Observe notes an event of a run, unless that only looks, and never waits.
func (n *Notifier) Observe(h engine.Header, ev engine.Event) {
	if len(n.config.Receivers) == 0 || h.Call != "" || h.Tally == nil {
		return
	}
	switch ev.Type {
	case engine.EvFinished, engine.EvAsked, engine.EvPaused:
		select {
		case n.heard <- h:
		default:
			n.log.Warn("notification dropped: the queue is full", "run", h.ID)
		}
	}
}

// Close delivers what waits, for a while.
func (n *Notifier) Close() {
	close(n.closed)
	n.loop.Wait()
}

// sort gives each run to those who want to hear of it.
func (n *Notifier) sort(boxes map[string]chan Message) {
	defer func() {
		for _, b := range boxes {
			close(b)
		}
	}()
	// Later than the runs that resume by themselves when the process starts.
	search := time.NewTimer(time.Duration(n.config.Wait))
	defer search.Stop()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for {
		select {
		case h := <-n.heard:
			n.tell(h, boxes)
		case <-search.C:
			for _, h := range n.interrupted() {
				n.tell(h, boxes)
			}
		case <-look.C:
			n.tellMissed(boxes)
		case <-n.closed:
			n.tellMissed(boxes)
			if search.Stop() {
				for _, h := range n.interrupted() {
					n.tell(h, boxes)
				}
			}
			for len(n.heard) > 0 {
				n.tell(<-n.heard, boxes)
			}
			return
		}
	}
}

func (n *Notifier) tell(h engine.Header, boxes map[string]chan Message) {
	e, ok := n.occasion(h)
	if !ok {
		return
	}
	n.give(of(e, h), boxes)
}

// tellMissed tells of the runs that schedules did not begin since it was last called.
func (n *Notifier) tellMissed(boxes map[string]chan Message) {
	if n.schedules == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	now := time.Now().Truncate(time.Second) // as the times of notes are; those of this second are told next time
	all, err := n.schedules(ctx)
	if err != nil {
		n.log.Warn("what schedules missed is unknown, or not all of it", "error", err)
	}
	for _, x := range all {
		for _, note := range x.State.Notes {
			if !note.At.Before(n.looked) && note.At.Before(now) {
				n.give(ofNote(x, note), boxes)
			}
		}
	}
	n.looked = now
}

// give gives a message to those who want it.
func (n *Notifier) give(m Message, boxes map[string]chan Message) {
	m.Address = n.config.Address
	for name, r := range n.config.Receivers {
		if !r.wants(name, m) {
			continue
		}
		select {
		case boxes[name] <- m:
		default:
			n.log.Warn("notification dropped: the receiver's queue is full", "receiver", name, "subject", m.Subject())
		}
	}
}

func (n *Notifier) occasion(h engine.Header) (Occasion, bool) {
	switch h.Status {
	case engine.Failed:
		return Failed, true
	case engine.Waiting:
		return Waiting, true
	case engine.Paused:
		return Paused, true
	case engine.Interrupted:
		return CutShort, true
	case engine.Succeeded:
		return Recovered, n.recovered(h)
	}
	return "", false
}

// oldest is how long ago a run may have been interrupted if nobody looked since.
const oldest = 24 * time.Hour

// interrupted returns the runs that another process left behind since this was last called
// for the folder. Nothing that happens then is an event: a process that is killed stores
// none.
func (n *Notifier) interrupted() (all []engine.Header) {
	if n.config.mark == "" {
		return nil
	}
	now, since := time.Now(), time.Now().Add(-oldest)
	if raw, err := os.ReadFile(n.config.mark); err == nil {
		if at, err := time.Parse(time.RFC3339Nano, string(raw)); err == nil && at.After(since) {
			since = at
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	list, err := n.runs.List(ctx, engine.Query{Status: []engine.Status{engine.Interrupted}})
	if err == nil {
		err = fileio.Write(n.config.mark, []byte(now.Format(time.RFC3339Nano)), 0o600)
	}
	if err != nil {
		n.log.Warn("which runs were interrupted is unknown", "error", err)
	}
	for _, h := range list {
		if h.UpdatedAt.After(since) && h.Tally != nil {
			all = append(all, h)
		}
	}
	return all
}

// recovered reports whether the run of the workflow before this one failed.
func (n *Notifier) recovered(h engine.Header) bool {
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	before, err := n.runs.List(ctx, engine.Query{Workflow: h.Workflow, Owner: h.Owner, Before: h.ID, Limit: 1, Status: []engine.Status{engine.Failed, engine.Succeeded}})
	if err != nil {
		n.log.Warn("whether a workflow recovered is unknown", "run", h.ID, "error", err)
	}
	return len(before) == 1 && before[0].Status == engine.Failed && h.Workflow != ""
}

// picture returns the last picture of a run, in which password fields are black, as in all
// that is stored. A message without it is better than none.
func (n *Notifier) picture(ctx context.Context, run string) []byte {
	r, err := n.runs.Report(ctx, run, engine.Page{All: true})
	for _, s := range slices.Backward(r.Steps) {
		if len(s.Captures) == 0 {
			continue
		}
		var file []byte
		if file, err = n.runs.File(ctx, engine.Captures, s.Captures[len(s.Captures)-1].Hash); err == nil && len(file) <= mostPicture {
			return file
		}
		break
	}
	if err != nil {
		n.log.Warn("a message goes without its picture", "run", run, "error", err)
	}
	return nil
}

// box holds the messages that wait for one receiver. It has one goroutine.
type box struct {
	n       *Notifier
	name    string
	r       *Receiver
	waiting []*letter // with distinct keys
	told    map[string]time.Time
	sent    []time.Time // within the last hour
}

type letter struct {
	Message
	due   time.Time
	tries int
}

func (b *box) deliver(in <-chan Message) {
	b.told = map[string]time.Time{}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(b.rest())
		select {
		case m, ok := <-in:
			if !ok {
				b.finish()
				return
			}
			b.put(m)
		case <-timer.C:
			b.sendDue()
		}
	}
}

// rest returns the time until the next message is due.
func (b *box) rest() time.Duration {
	least := time.Hour
	for _, l := range b.waiting {
		least = min(least, time.Until(l.due))
	}
	return max(least, 0)
}

// put adds a run to the message of its cause.
func (b *box) put(m Message) {
	for _, l := range b.waiting {
		if l.key() == m.key() {
			l.Message = l.and(m)
			return
		}
	}
	if len(b.waiting) == mostCauses {
		b.n.log.Warn("notification dropped: too many causes wait for the receiver", "receiver", b.name, "runs", m.Runs)
		return
	}
	due := time.Now().Add(time.Duration(b.n.config.Wait))
	if again := b.told[m.key()].Add(time.Duration(b.n.config.Again)); again.After(due) {
		due = again
	}
	b.waiting = append(b.waiting, &letter{Message: m, due: due})
}

func (b *box) sendDue() {
	now := time.Now()
	for _, l := range slices.Clone(b.waiting) {
		switch {
		case l.due.After(now):
		case b.full(now):
			l.due = b.sent[0].Add(time.Hour)
		default:
			b.send(context.Background(), l)
		}
	}
	for key, at := range b.told {
		if now.Sub(at) > time.Duration(b.n.config.Again) {
			delete(b.told, key)
		}
	}
}

// full reports whether the receiver was told enough within the hour.
func (b *box) full(now time.Time) bool {
	b.sent = slices.DeleteFunc(b.sent, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	return len(b.sent) >= b.n.config.PerHour && len(b.sent) > 0
}

// send delivers a message, or says when it is tried again.
func (b *box) send(ctx context.Context, l *letter) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if b.r.Picture && l.Picture == nil && len(l.Runs) > 0 {
		l.Picture = b.n.picture(ctx, l.Runs[0])
	}
	err := b.n.send(ctx, b.r, l.Message)
	now := time.Now()
	b.sent = append(b.sent, now)
	if l.tries++; err != nil && l.tries < mostTries {
		l.due = now.Add(min(time.Minute<<l.tries, time.Hour))
		b.n.log.Warn("a message was not delivered and will be tried again", "receiver", b.name, "cause", l.Cause, "error", err)
		return
	}
	if err != nil {
		b.n.log.Error("a message was not delivered", "receiver", b.name, "subject", l.Subject(), "runs", l.Runs, "error", err)
	}
	b.told[l.key()] = now
	b.waiting = slices.DeleteFunc(b.waiting, func(x *letter) bool { return x == l })
}

// finish delivers what was not told yet, since nobody will later.
func (b *box) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for _, l := range slices.Clone(b.waiting) {
		if _, told := b.told[l.key()]; told || b.full(time.Now()) {
			continue
		}
		l.tries = mostTries
		b.send(ctx, l)
	}
}
