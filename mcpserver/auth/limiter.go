package auth

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// How many wrong credentials an address may bring: so many at once, and then
// one in each interval.
const (
	failures  = 10
	interval  = 5 * time.Second
	addresses = 10_000 // that are kept in mind
)

// limiter counts wrong credentials by the address that they come from. One with
// too many is told to wait. A right credential is heard all the same, since
// nobody guesses one: who shares an address with an attacker goes on working.
type limiter struct {
	now func() time.Time

	mu sync.Mutex
	by map[netip.Prefix]bucket
}

// bucket is how many failures are left, at a time.
type bucket struct {
	left float64
	at   time.Time
}

func (b bucket) filled(now time.Time) bucket {
	return bucket{min(failures, b.left+now.Sub(b.at).Seconds()/interval.Seconds()), now}
}

// failed notes a wrong credential, and says how long its address must wait; 0:
// it may go on.
func (l *limiter) failed(address netip.Prefix) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b, ok := l.by[address]
	if !ok {
		b = bucket{failures, now}
	}
	if l.by == nil {
		l.by = map[netip.Prefix]bucket{}
	}
	if len(l.by) >= addresses {
		l.sweep(now)
	}
	if b = b.filled(now); b.left < 1 {
		l.by[address] = b
		return time.Duration((1 - b.left) * float64(interval))
	}
	b.left--
	l.by[address] = b
	return 0
}

// sweep forgets the addresses that are even, or every one when there are too
// many of the others: the memory has an end.
func (l *limiter) sweep(now time.Time) {
	for a, b := range l.by {
		if b.filled(now).left >= failures {
			delete(l.by, a)
		}
	}
	if len(l.by) >= addresses {
		clear(l.by)
	}
}

// addressOf is who sent a request, as far as it can be told: of an IPv6 address
// the network, for its holder has all of it.
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
	p, _ := a.Prefix(bits)
	return p
}
