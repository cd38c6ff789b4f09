package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"understudy/steps"
)

// rights are what the clients of a server may do. They go to the process that
// owns the data folder, so that its engine can hold each step to them.
type rights struct {
	Policy Policy          `json:"policy"`
	Modes  map[string]Mode `json:"modes,omitempty"`
}

func (s *Server) rights() rights { return rights{s.o.Policy, s.modes.all()} }

// Rights are what the clients of this server may do, in words that Allows
// reads.
func (s *Server) Rights() string {
	raw, err := json.Marshal(s.rights())
	if err != nil { // they are plain words
		panic(err)
	}
	return string(raw)
}

// Allows says whether rights that another process has told let a client use a
// kind. A process that told none is a person's.
func Allows(told, client string, k steps.Kind) error {
	if told == "" {
		return nil
	}
	var r rights
	if err := json.Unmarshal([]byte(told), &r); err != nil {
		return &steps.Error{
			Code: steps.Denied, Err: errors.New("what the other process may do cannot be read"),
			Next: "end the process that is of another version",
		}
	}
	return r.allow(client, k)
}

func (r rights) allow(client string, k steps.Kind) error {
	p := r.Policy
	for _, name := range namesOf(client) {
		p = p.narrowed(r.Modes[name], false, nil)
	}
	if why := p.refuses(ruleOf(k)); why != nil {
		return why.denied(k.Name)
	}
	return nil
}

// setMode sets the mode of a client by name.
func (s *Server) setMode(ctx context.Context, client, mode string) error {
	s.modes.set(client, Mode(mode))
	return s.tellRights(ctx)
}

// tellRights tells the owner of the data folder, if it is another process, that
// what the clients may do has changed.
func (s *Server) tellRights(ctx context.Context) error {
	if m, ok := s.isOpen().(interface {
		SetPolicy(ctx context.Context, policy string) error
	}); ok {
		return m.SetPolicy(ctx, s.Rights())
	}
	return nil
}
