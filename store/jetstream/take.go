package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"understudy/engine"
)

// A taker takes runs for workers with the same labels, one request at a time. A class
// that was empty is polled again only after a message about a run of that class, so
// idle workers cost the servers next to nothing, also where clients make many classes.
type taker struct {
	s      *queue
	labels []string
	turn   chan struct{} // a mutex that respects contexts; guards what follows

	inbox   string
	answers *nats.Subscription
	asked   int

	mu      sync.Mutex
	classes []*offered
	listed  time.Time     // when the classes were listed
	failing time.Time     // since when they cannot be listed; zero: they can
	woken   chan struct{} // closed when a run is announced
}

// offered is a class whose runs a worker can execute.
type offered struct {
	name   string
	prefix string // of the subjects of its entries
	needs  int
	took   time.Time // when the last run was taken
	told   time.Time // when a run of it was last announced
	next   time.Time // next poll, unless a run is announced before
}

// A run is announced before it is stored, so polls of its class follow soon, with growing
// delays. An expired lease is not announced: one taker polls each class every lookEvery,
// and tells the others when the class is empty.
const (
	firstAgain   = 5 * time.Millisecond
	laterAgain   = 4
	quickestLook = 500 * time.Millisecond
)

func (s *queue) lookEvery() time.Duration { return max(quickestLook, s.lease/15) }

// nextLook is the delay before an empty class is polled again. It is random, so that most
// takers hear that another has found the class empty before they poll it themselves.
func (s *queue) nextLook() time.Duration { return s.lookEvery()*3/4 + rand.N(s.lookEvery()/2) }

// The names under which takers tell others of a class that has no run, and of a run
// that was put back.
const (
	noneName = "none"
	backName = "back"
)

// listEvery is how often a taker lists the classes, unless a new one is announced.
const listEvery = 10 * time.Second

// taker returns the taker for some labels, and creates it the first time.
func (s *queue) taker(labels []string) (*taker, error) {
	key := strings.Join(labels, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.takers[key]; t != nil {
		return t, nil
	}
	if len(s.takers) == 0 {
		for subject, hear := range map[string]func(*nats.Msg){
			s.prefix + ".q.>":            func(m *nats.Msg) { s.wake(m.Subject) },
			s.messageSubject(queuedName): func(m *nats.Msg) { s.wake(string(m.Data)) },
			s.messageSubject(backName):   func(m *nats.Msg) { s.wake(string(m.Data)) },
			s.messageSubject(noneName):   func(m *nats.Msg) { s.postpone(string(m.Data)) },
		} {
			sub, err := s.nc.Subscribe(subject, hear)
			if err != nil {
				return nil, err
			}
			s.listening = append(s.listening, sub)
		}
	}
	t := &taker{s: s, labels: labels, turn: make(chan struct{}, 1), woken: make(chan struct{}), inbox: s.nc.NewRespInbox()}
	var err error
	if t.answers, err = s.nc.SubscribeSync(t.inbox + ".*"); err != nil {
		return nil, err
	}
	s.listening, s.takers[key] = append(s.listening, t.answers), t
	return t, nil
}

// wake announces a run that wants a worker to all takers.
func (s *queue) wake(subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.takers {
		t.wake(subject)
	}
}

func (t *taker) wake(subject string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.classes, func(c *offered) bool { return strings.HasPrefix(subject, c.prefix) })
	if i < 0 {
		t.listed = time.Time{} // the class may be new
	} else {
		t.classes[i].told, t.classes[i].next = time.Now(), time.Time{}
	}
	close(t.woken)
	t.woken = make(chan struct{})
}

// postpone delays the next poll of a class that another taker found empty, unless a run of
// it was announced lately.
func (s *queue) postpone(class string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.takers {
		t.mu.Lock()
		for _, c := range t.classes {
			if c.name == class && time.Since(c.told) > s.lookEvery() {
				c.next = time.Now().Add(s.nextLook())
			}
		}
		t.mu.Unlock()
	}
}

// Take waits for a run that a worker with these labels can execute: the most
// urgent one, and among equally urgent ones the one with the most needs.
func (s *queue) Take(ctx context.Context, labels []string) (engine.Entry, error) {
	t, err := s.taker(labels)
	if err != nil {
		return nil, err
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for {
		woken, err := t.list(ctx)
		if err != nil {
			return nil, err
		}
		e, next := t.ask(ctx)
		if e != nil {
			return e, nil
		}
		select {
		case <-woken:
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// list refreshes the list of classes when it is older than listEvery. The channel is
// closed when the next run is announced.
func (t *taker) list(ctx context.Context) (woken <-chan struct{}, err error) {
	t.mu.Lock()
	woken = t.woken
	known := time.Since(t.listed) < listEvery
	t.mu.Unlock()
	if known {
		return woken, nil
	}
	asked := time.Now()
	found, err := t.s.classes(ctx, t.labels)
	if err != nil && final(err) {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil { // there is no leader now
		t.listed = time.Now().Add(t.s.lookEvery() - listEvery)
		if t.failing.IsZero() {
			t.failing = asked
		}
		if time.Since(t.failing) > t.s.wait {
			t.failing = time.Time{}
			return nil, fmt.Errorf("looking for runs: the servers do not answer: %w", err)
		}
		return woken, nil
	}
	t.listed, t.failing = asked, time.Time{}
	for _, c := range found {
		if i := slices.IndexFunc(t.classes, func(x *offered) bool { return x.name == c.name }); i >= 0 {
			*c = *t.classes[i]
		} else {
			c.told = asked
		}
	}
	t.classes = found
	return woken, nil
}

// ask polls the classes that are due, in their order, until one has a run, or else
// returns when the next poll is due.
func (t *taker) ask(ctx context.Context) (engine.Entry, time.Time) {
	for {
		c, next := t.due()
		if c == nil || ctx.Err() != nil {
			return nil, next
		}
		asked := time.Now()
		e, none := t.fetch(ctx, c.name)
		t.mu.Lock()
		if e != nil {
			c.took = asked
			t.mu.Unlock()
			return e, time.Time{}
		}
		if !c.told.After(asked) {
			again := max(firstAgain, laterAgain*asked.Sub(c.told))
			if none = none && again > t.s.lookEvery(); again > t.s.lookEvery() {
				again = t.s.nextLook()
			}
			c.next = asked.Add(again)
		} else {
			none = false
		}
		t.mu.Unlock()
		if none {
			_ = t.s.Tell([]byte(c.name), noneName) // without it the others poll the class too
		}
	}
}

// due returns the first class to poll now, or nil and when the next poll is due. Among
// equal classes, the one from which a run was taken longest ago goes first.
func (t *taker) due() (first *offered, next time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	next = t.listed.Add(listEvery)
	slices.SortStableFunc(t.classes, func(a, b *offered) int {
		return cmp.Or(cmp.Compare(a.name[:2], b.name[:2]), cmp.Compare(b.needs, a.needs), a.took.Compare(b.took))
	})
	for _, c := range t.classes {
		if !c.next.After(now) {
			return c, now
		}
		if c.next.Before(next) {
			next = c.next
		}
	}
	return nil, next
}

// classes returns the classes whose runs a worker with these labels can execute.
func (s *queue) classes(ctx context.Context, labels []string) ([]*offered, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stream, err := s.js.Stream(ctx, s.stream(runsStream))
	if err != nil {
		return nil, err
	}
	var out []*offered
	list := stream.ListConsumers(ctx)
	for info := range list.Info() {
		var needs []string
		if json.Unmarshal([]byte(info.Config.Metadata[needsKey]), &needs) != nil || slices.ContainsFunc(needs, func(n string) bool { return !slices.Contains(labels, n) }) {
			continue
		}
		out = append(out, &offered{name: info.Name, prefix: strings.TrimSuffix(info.Config.FilterSubject, "*"), needs: len(needs)})
	}
	return out, list.Err()
}

// fetch takes a run of a class, if it has one. It also takes a run that came too late
// for the previous request, because this worker has the lease. It reports none if the
// server said that the class has no run.
func (t *taker) fetch(ctx context.Context, class string) (e engine.Entry, none bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	t.asked++
	reply := fmt.Sprint(t.inbox, ".", t.asked)
	ask := []byte(`{"batch":1,"no_wait":true}`)
	if err := t.s.nc.PublishRequest(fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", t.s.stream(runsStream), class), reply, ask); err != nil {
		return nil, false
	}
	for {
		m, err := t.answers.NextMsgWithContext(ctx)
		switch {
		case err != nil:
			return nil, false // there is no leader now
		case m.Header.Get("Status") == "":
			return &queueEntry{t.s.messaging, m.Subject, m.Reply}, false
		case m.Subject == reply:
			return nil, m.Header.Get("Status") == "404"
		}
	}
}
