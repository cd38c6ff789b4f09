package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/remote"
	"understudy/steps"
)

// Only the server through which a client began or continued a run knows what the
// client may do now, so the worker asks it before each step.

// rightsQuestion asks whether the client of a run may use a tool now.
type rightsQuestion struct {
	Run     string         `json:"run"`
	Mandate engine.Mandate `json:"mandate"`
	Tool    access.Tool    `json:"tool"`
}

// Serve answers the workers' questions about the clients of runs that were begun or
// continued here. A restarted server must use the same name as before; otherwise its
// runs are denied.
func (c *Client) Serve(ctx context.Context, name string, allow func(run string, m engine.Mandate, k steps.Kind) error) error {
	c.server = name
	return c.store.Answer(ctx, func(_ context.Context, message []byte) []byte {
		return remote.Reply(message, func(q rightsQuestion) (struct{}, error) {
			return struct{}{}, allow(q.Run, q.Mandate, q.Tool.Kind())
		})
	}, rightsName, name)
}

// serverTime is how long a step waits for a server that does not answer: it may be
// restarting.
const serverTime = 20 * time.Second

// allow returns the function that is asked at each step. It applies own and then asks
// the server of the run.
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

// askServer asks the server of a run. If the server is gone, a run of a credential is
// denied everything, because nobody can tell whether the credential is still valid;
// other runs keep the rights that they had.
func (w *Worker) askServer(ctx context.Context, q rightsQuestion) error {
	there := link(w.Store, rightsName, q.Mandate.Server)
	for late := time.Now().Add(serverTime); ; {
		limited, cancel := context.WithTimeout(ctx, askTime)
		_, err := remote.Ask[struct{}](limited, there, q)
		cancel()
		if !errors.Is(err, errNoAnswer) {
			return err
		}
		if q.Mandate.Owner == "" {
			return keptRights(q)
		}
		if time.Now().After(late) || steps.Sleep(ctx, retryTime) != nil {
			return steps.Errorf(steps.Denied, "the rights of %s are unknown: its server does not answer: %w", q.Mandate.Owner, err).
				WithNext("start the server again, and resume the run there")
		}
	}
}

func keptRights(q rightsQuestion) error {
	var p access.Policy
	if err := json.Unmarshal(q.Mandate.Rights, &p); err != nil {
		return &steps.Error{Code: steps.Denied, Err: errors.New("the rights of the run's client are not stored"), Next: "resume it"}
	}
	return (access.Subject{Policy: p}).May(q.Tool).Denied()
}

// mandate returns the mandate of a run that is continued here.
func (c *Client) mandate(m *engine.Mandate, by string) *engine.Mandate {
	out := engine.Mandate{Client: by, At: time.Now()}
	if m != nil {
		out = *m
	}
	out.Server = c.server
	return &out
}

// bounds returns the bounds that apply on the machine of a worker too.
func bounds(b *engine.Bounds) *engine.Bounds {
	if b == nil {
		return nil
	}
	return &engine.Bounds{Storage: b.Storage}
}

func (c *Client) Resume(ctx context.Context, id string, r engine.ResumeRequest) (engine.Header, error) {
	if h, is := isExecuted(ctx, c.store, id); is && (r.Key == "" || h.Key != r.Key) { // or it is being executed because of this request
		return engine.Header{}, steps.Errorf(steps.Busy, "run %s is being executed by worker %s", id, h.Worker).WithNext("wait for it, or stop it first")
	}
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
