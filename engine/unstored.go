package engine

import "maps"

// Unstored are what is never stored of a run, so that it is lost with the
// process that executes the run, unless that hands it on.
type Unstored struct {
	Secrets map[string]string `json:"secrets,omitempty"`
	Environ []string          `json:"environ,omitempty"`
}

// Unstored are those of a run that waits or is paused.
func (e *Engine) Unstored(id string) Unstored {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.kept[id]
	b.Secrets = maps.Clone(b.Secrets)
	return b
}

// RestoreUnstored gives a run that waits or is paused what another process kept of it.
func (e *Engine) RestoreUnstored(id string, b Unstored) {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept[id] = b
}

func (w *worker) replaceEnviron(environ []string) {
	if environ != nil {
		w.environ = environ
	}
}
