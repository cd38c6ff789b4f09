package engine

import "maps"

// Belongings are what is never stored of a run, so that it is lost with the
// process that executes the run, unless that hands it on.
type Belongings struct {
	Secrets map[string]string `json:"secrets,omitempty"`
	Environ []string          `json:"environ,omitempty"`
}

// Belongings are those of a run that waits or is paused.
func (e *Engine) Belongings(id string) Belongings {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.kept[id]
	b.Secrets = maps.Clone(b.Secrets)
	return b
}

// Entrust gives a run that waits or is paused what another process kept of it.
func (e *Engine) Entrust(id string, b Belongings) {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept[id] = b
}

// bring replaces the environment of a run, if its caller brings one.
func (w *worker) bring(environ []string) {
	if environ != nil {
		w.environ = environ
	}
}
