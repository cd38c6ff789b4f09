package access

import (
	"maps"
	"strings"
	"sync"

	"understudy/steps"
)

// Rights are what the clients of a server may do.
type Rights struct {
	Policy Policy
	// Modes and Blocked are by the name of the client.
	Modes   map[string]Mode
	Blocked map[string][]string
}

// Allow returns nil if the client of a run may use a kind.
func (r Rights) Allow(client string, k steps.Kind) error {
	p := r.Policy
	for _, name := range namesOf(client) {
		p = p.Narrowed(Limits{Mode: r.Modes[name], Blocked: r.Blocked[name]})
	}
	return (Subject{Policy: p}).May(Of(k)).Denied()
}

// namesOf returns the names by which a mode can be set for the client
// CREDENTIAL/SELF#SESSION of a run: the whole without the session, the credential, and
// the name that the client gives itself.
func namesOf(client string) []string {
	name, _, _ := strings.Cut(client, "#")
	credential, self, _ := strings.Cut(name, "/")
	return []string{name, credential, self}
}

// ClientMode is the mode of a client, and the tools that it may not use in ask mode,
// although they only read.
type ClientMode struct {
	Mode    Mode
	Blocked []string
}

// Modes are the modes of clients by name, which an operator can change.
type Modes struct {
	mu       sync.Mutex
	byClient map[string]Mode
	blocked  map[string][]string
}

// NewModes returns modes that start as a copy of a map.
func NewModes(by map[string]Mode) *Modes { return &Modes{byClient: maps.Clone(by)} }

func (m *Modes) Of(client string) Limits {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Limits{Mode: m.byClient[client], Blocked: m.blocked[client]}
}

// All returns the modes, and the tools that are blocked.
func (m *Modes) All() (modes map[string]Mode, blocked map[string][]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.byClient), maps.Clone(m.blocked)
}

func (m *Modes) Set(client string, mode ClientMode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byClient == nil {
		m.byClient = map[string]Mode{}
	}
	if m.blocked == nil {
		m.blocked = map[string][]string{}
	}
	m.byClient[client], m.blocked[client] = mode.Mode, mode.Blocked
}
