package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// How many wrong credentials an address may bring: so many at once, and then
// one in each interval.
const (
	failures = 10
	interval = 5 * time.Second
	senders  = 10_000 // that are kept in mind
)

// limiter counts wrong credentials by who sends them. One with too many is told to
// wait. A right credential is heard all the same, since nobody guesses one: who
// shares an address with an attacker goes on working.
type limiter struct {
	now func() time.Time

	mu sync.Mutex
	by map[sender]bucket
}

// sender is an address and, if it is of this machine, the user whose program sends
// from there: one user has millions of loopback addresses, and many may share one.
type sender struct {
	address netip.Prefix
	user    int // noUser: it is not known
}

const noUser = -1

// thisMachine stands for all addresses from which its programs send.
var thisMachine = netip.MustParsePrefix("127.0.0.0/8")

func (s sender) String() string {
	if s.user == noUser {
		return s.address.String()
	}
	return fmt.Sprintf("%s, user %d", s.address, s.user)
}

// bucket is how many failures are left, at a time.
type bucket struct {
	left float64
	at   time.Time
}

func (b bucket) filled(now time.Time) bucket {
	return bucket{min(failures, b.left+now.Sub(b.at).Seconds()/interval.Seconds()), now}
}

// failed notes a wrong credential, and says how long its sender must wait; 0:
// it may go on.
func (l *limiter) failed(from sender) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b, ok := l.by[from]
	if !ok {
		b = bucket{failures, now}
	}
	if l.by == nil {
		l.by = map[sender]bucket{}
	}
	if len(l.by) >= senders {
		l.sweep(now)
	}
	if b = b.filled(now); b.left < 1 {
		l.by[from] = b
		return time.Duration((1 - b.left) * float64(interval))
	}
	b.left--
	l.by[from] = b
	return 0
}

// sweep forgets the senders that are even, or every one when there are too
// many of the others: the memory has an end.
func (l *limiter) sweep(now time.Time) {
	for a, b := range l.by {
		if b.filled(now).left >= failures {
			delete(l.by, a)
		}
	}
	if len(l.by) >= senders {
		clear(l.by)
	}
}

// senderOf is who sent a request, as far as it can be told.
func senderOf(r *http.Request) sender {
	s := sender{addressOf(r.RemoteAddr), noUser}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !TellsUsers() || addressOf(local.String()) != s.address {
		return s // it is of another machine
	}
	from, errFrom := netip.ParseAddrPort(r.RemoteAddr)
	to, errTo := netip.ParseAddrPort(local.String())
	if errFrom == nil && errTo == nil {
		if uid, err := userOf(from, to); err == nil {
			return sender{thisMachine, uid}
		}
	}
	return s
}

// addressOf is where a request came from: of an IPv6 address the network, for its
// holder has all of it, and of loopback all that there is.
func addressOf(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 64
	if a = a.Unmap().WithZone(""); a.Is4() {
		bits = 32
	}
	if a.IsLoopback() {
		return thisMachine
	}
	p, _ := a.Prefix(bits)
	return p
}
