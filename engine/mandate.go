package engine

import (
	"encoding/json"
	"time"
)

// Mandate says for whom a run goes on: in a fleet, who executes a run is not the
// process that knows what its client may do.
type Mandate struct {
	Client string          `json:"client,omitempty"`
	Owner  string          `json:"owner,omitempty"`  // its credential; empty: a person
	Server string          `json:"server,omitempty"` // that answers what it may do by now; empty: none has to be asked
	Rights json.RawMessage `json:"rights,omitempty"` // what it may do at most, as that server keeps it
	At     time.Time       `json:"at,omitzero"`
}

// goOnFor notes who continued the run; nil: the same as before.
func (s *State) goOnFor(m *Mandate) {
	if m != nil {
		s.Mandate = m
	}
}

func (s *State) mandate(began time.Time) Mandate {
	if s.Mandate != nil {
		return *s.Mandate
	}
	c := &s.Created
	return Mandate{Client: c.Client, Owner: c.Owner, Server: c.Server, Rights: c.Rights, At: began}
}

// Mandate is that of a run which a worker took, while it is executed.
func (e *Engine) Mandate(run string) Mandate {
	if w := e.workers.of(run); w != nil {
		return w.mandate
	}
	return Mandate{}
}
