package access

import (
	"maps"
	"strings"
	"sync"

	"understudy/steps"
)

// Rights are what the clients of a server may do. They go to the process that
// owns the data folder, so that its engine can hold each step to them.
type Rights struct {
	Policy Policy          `json:"policy"`
	Modes  map[string]Mode `json:"modes,omitempty"` // by the name of the client
}

// Allow returns nil if the client of a run may use a kind.
func (r Rights) Allow(client string, k steps.Kind) error {
	p := r.Policy
	for _, name := range namesOf(client) {
		p = p.Narrowed(Limits{Mode: r.Modes[name]})
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

// Modes are the modes of clients by name, which an operator can change.
type Modes struct {
	mu       sync.Mutex
	byClient map[string]Mode
}

// NewModes returns modes that start as a copy of a map.
func NewModes(by map[string]Mode) *Modes { return &Modes{byClient: maps.Clone(by)} }

func (m *Modes) Of(client string) Limits {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Limits{Mode: m.byClient[client]}
}

func (m *Modes) All() map[string]Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.byClient)
}

func (m *Modes) Set(client string, mode Mode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byClient == nil {
		m.byClient = map[string]Mode{}
	}
	m.byClient[client] = mode
}
