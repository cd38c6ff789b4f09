package auth

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits on wrong credentials from one sender: a burst of maxFailures, then one
// per refillInterval.
const (
	maxFailures    = 10
	refillInterval = 5 * time.Second
	maxSenders     = 10_000 // whose failures are counted at a time
)

// A Limiter counts wrong credentials and signatures per sender. A sender with too many
// must wait. A valid one is still accepted, because it cannot have been guessed: clients that
// share an address with an attacker can continue to work.
type Limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[sender]*rate.Limiter
}

// sender is an address and, on this machine, the user whose program sends from it: one
// user has millions of loopback addresses, and many users may share one.
type sender struct {
	address netip.Prefix
	user    int // noUser if it is unknown
}

const noUser = -1

// thisMachine stands for all loopback addresses.
var thisMachine = netip.MustParsePrefix("127.0.0.0/8")

func (s sender) String() string {
	if s.user == noUser {
		return s.address.String()
	}
	return fmt.Sprintf("%s, user %d", s.address, s.user)
}

// NewLimiter returns a limiter.
func NewLimiter() *Limiter { return &Limiter{now: time.Now} }

// Exceeded counts a request with a wrong signature. If its sender must wait, Exceeded
// replies so and reports true.
func (l *Limiter) Exceeded(w http.ResponseWriter, r *http.Request) bool {
	wait := backoffError(l.recordFailure(senderOf(r)))
	if wait <= 0 {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(wait.seconds()))
	writeDenied(w, http.StatusTooManyRequests, wait.Error(), "wait, and sign with the right secret")
	return true
}

// recordFailure notes a wrong credential and returns how long its sender must wait, or 0.
func (l *Limiter) recordFailure(from sender) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.buckets) >= maxSenders {
		l.sweep(now)
	}
	if l.buckets == nil {
		l.buckets = map[sender]*rate.Limiter{}
	}
	b, ok := l.buckets[from]
	if !ok {
		b = rate.NewLimiter(rate.Every(refillInterval), maxFailures)
		l.buckets[from] = b
	}
	if b.AllowN(now, 1) {
		return 0
	}
	return time.Duration((1 - b.TokensAt(now)) * float64(refillInterval))
}

// sweep forgets the senders without failures left, or all of them if the others are too
// many, to bound the memory.
func (l *Limiter) sweep(now time.Time) {
	maps.DeleteFunc(l.buckets, func(_ sender, b *rate.Limiter) bool { return b.TokensAt(now) >= maxFailures })
	if len(l.buckets) >= maxSenders {
		clear(l.buckets)
	}
}

// senderOf returns the sender of a request, as far as it can be determined.
func senderOf(r *http.Request) sender {
	s := sender{addressOf(r.RemoteAddr), noUser}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !TellsUsers() || addressOf(local.String()) != s.address {
		return s // from another machine, or the system does not report users
	}
	from, errFrom := netip.ParseAddrPort(r.RemoteAddr)
	to, errTo := netip.ParseAddrPort(local.String())
	if errFrom == nil && errTo == nil {
		if s, err := socketOf(from, to); err == nil {
			return sender{thisMachine, s.uid}
		}
	}
	return s
}

// addressOf returns the address of a request for counting: for IPv6 the /64 network,
// whose holder has all of its addresses, and for loopback all of loopback.
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
