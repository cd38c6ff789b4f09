package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"understudy/engine"
	"understudy/internal/owner"
	"understudy/mcpserver/access"
	"understudy/steps"
)

// Only the server through which a client began or continued a run knows what that
// client may do by now, so the worker asks it before each step.

// rightsQuestion asks whether the client of a run may use a tool by now.
type rightsQuestion struct {
	Run     string         `json:"run"`
	Mandate engine.Mandate `json:"mandate"`
	Tool    access.Tool    `json:"tool"`
}

// Serve answers workers under a name that tell what the clients of the runs may do
// that were begun and continued here. A server that is started again has the name that
// it had, or its runs are refused.
func (c *Client) Serve(ctx context.Context, name string, allow func(run string, m engine.Mandate, k steps.Kind) error) error {
	c.server = name
	return c.store.Answer(ctx, func(_ context.Context, message []byte) []byte {
		return owner.Reply(message, func(q rightsQuestion) (struct{}, error) {
			return struct{}{}, allow(q.Run, q.Mandate, q.Tool.Kind())
		})
	}, rightsName, name)
}

// serverTime is how long a step waits for a server that does not answer: it may have
// been started again.
const serverTime = 20 * time.Second

// allow asks at each step what this worker does, and what the client of the run may do.
func (w *Worker) allow(ctx context.Context, own func(run, client string, k steps.Kind) error) func(run, client string, k steps.Kind) error {
	return func(run, client string, k steps.Kind) error {
		if own != nil {
			if err := own(run, client, k); err != nil {
				return err
			}
		}
		m := w.Engine.Mandate(run)
		if m.Server == "" {
			return nil
		}
		return w.askServer(ctx, rightsQuestion{Run: run, Mandate: m, Tool: access.Of(k)})
	}
}

// askServer asks the server of a run. When that is gone, a run of a credential may do
// nothing any more, for nobody can tell whether the credential still counts; others
// keep the rights that they had.
func (w *Worker) askServer(ctx context.Context, q rightsQuestion) error {
	there := remote(w.Store, rightsName, q.Mandate.Server)
	for late := time.Now().Add(serverTime); ; {
		limited, cancel := context.WithTimeout(ctx, askTime)
		_, err := owner.Ask[struct{}](limited, there, q)
		cancel()
		if !errors.Is(err, errNoAnswer) {
			return err
		}
		if q.Mandate.Owner == "" {
			return keptRights(q)
		}
		if time.Now().After(late) || steps.Sleep(ctx, retryTime) != nil {
			return steps.Errorf(steps.Denied, "nobody can say any more what %s may do: its server does not answer: %w", q.Mandate.Owner, err).
				WithNext("start the server again, and resume the run there")
		}
	}
}

func keptRights(q rightsQuestion) error {
	var p access.Policy
	if err := json.Unmarshal(q.Mandate.Rights, &p); err != nil {
		return &steps.Error{Code: steps.Denied, Err: errors.New("the run does not say what its client may do"), Next: "resume it"}
	}
	return (access.Subject{Policy: p}).May(q.Tool).Denied()
}

// mandate is whose the run is from here on.
func (c *Client) mandate(m *engine.Mandate, by string) *engine.Mandate {
	out := engine.Mandate{Client: by, At: time.Now()}
	if m != nil {
		out = *m
	}
	out.Server = c.server
	return &out
}

// bounds are those that count on the machine of a worker too.
func bounds(b *engine.Bounds) *engine.Bounds {
	if b == nil {
		return nil
	}
	return &engine.Bounds{Storage: b.Storage}
}

func (c *Client) Resume(ctx context.Context, id string, r engine.ResumeRequest) (engine.Header, error) {
	r.Mandate, r.Within, r.Environ = c.mandate(r.Mandate, r.By), bounds(r.Within), nil
	return c.Engine.Resume(ctx, id, r)
}

func (c *Client) Fork(ctx context.Context, id, from string, r engine.ResumeRequest) (engine.Header, error) {
	r.Mandate, r.Within, r.Environ = c.mandate(r.Mandate, r.By), bounds(r.Within), nil
	return c.Engine.Fork(ctx, id, from, r)
}

func (c *Client) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	a.Mandate, a.Within, a.Environ = c.mandate(a.Mandate, a.By), bounds(a.Within), nil
	return c.Engine.Answer(ctx, id, a)
}
