package access

import (
	"strings"
	"sync"

	"understudy/steps"
)

// namesOf returns the names by which a mode can be set for the client
// CREDENTIAL/SELF#SESSION of a run: the whole without the session, the credential, and
// the name that the client gives itself.
func namesOf(client string) []string {
	name, _, _ := strings.Cut(client, "#")
	credential, self, _ := strings.Cut(name, "/")
	return []string{name, credential, self}
}

// Modes are the limits of clients by name, which an operator can change.
type Modes struct {
	mu       sync.Mutex
	byClient map[string]Limits
}

// NewModes returns modes that start as those of a map.
func NewModes(by map[string]Mode) *Modes {
	m := &Modes{byClient: map[string]Limits{}}
	for name, mode := range by {
		m.byClient[name] = Limits{Mode: mode}
	}
	return m
}

func (m *Modes) Of(client string) Limits {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byClient[client]
}

func (m *Modes) Set(client string, l Limits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.byClient[client] = l
}

// Allow returns nil if a policy lets the client of a run use a kind, under each of its names.
func (m *Modes) Allow(p Policy, client string, k steps.Kind) error {
	for _, name := range namesOf(client) {
		p = p.Narrowed(m.Of(name))
	}
	return (Subject{Policy: p}).May(Of(k)).Denied()
}
