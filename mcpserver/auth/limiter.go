package auth

import (
	"crypto/sha256"
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
	known     = 1_000  // credentials that were good
)

// limiter counts wrong credentials by the address that they come from. An
// address with too many is not heard for a while, except with a credential that
// was good before: who shares an address with an attacker goes on working.
type limiter struct {
	now func() time.Time

	mu   sync.Mutex
	by   map[netip.Prefix]bucket
	good map[[sha256.Size]byte]bool
}

// bucket is how many failures are left, at a time.
type bucket struct {
	left float64
	at   time.Time
}

func (b bucket) filled(now time.Time) bucket {
	return bucket{min(failures, b.left+now.Sub(b.at).Seconds()/interval.Seconds()), now}
}

// wait is how long an address must wait; 0: it is heard.
func (l *limiter) wait(address netip.Prefix, credential string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.by[address]
	if !ok || l.good[sha256.Sum256([]byte(credential))] {
		return 0
	}
	if b = b.filled(l.now()); b.left >= 1 {
		return 0
	}
	return time.Duration((1 - b.left) * float64(interval))
}

// failed notes a wrong credential, and says whether the address is not heard
// any more from now on.
func (l *limiter) failed(address netip.Prefix, credential string) (full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.good, sha256.Sum256([]byte(credential)))
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
	b = b.filled(now)
	b.left--
	l.by[address] = b
	return b.left < 1
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

// succeeded remembers a credential that was good.
func (l *limiter) succeeded(credential string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.good == nil || len(l.good) >= known {
		l.good = map[[sha256.Size]byte]bool{}
	}
	l.good[sha256.Sum256([]byte(credential))] = true
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
