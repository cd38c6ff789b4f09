package owner

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"understudy/internal/access"
	"understudy/steps"
)

// A server knows who began each of its runs, and what their credential may do now.
// When another process executes its runs, that process asks the server before each
// step, as the server's own engine would do. The guest fetches the questions one by
// one.

// question asks whether the client of a run may use a kind.
type question struct {
	Run    string      `json:"run"`
	Client string      `json:"client"`
	Tool   access.Tool `json:"tool"`

	answer chan verdict
}

// verdict is a guest's answer to a question.
type verdict struct {
	Why *failure `json:"why,omitempty"` // nil: allowed
	// Bound means that the run belongs to a credential, which only the guest can
	// check.
	Bound bool `json:"bound,omitempty"`
}

// answerTime is how long a guest has to answer. It only consults its memory and the
// file of its tokens.
const answerTime = 10 * time.Second

// ask asks the guest to which a run belongs. If the guest has gone, a run of a
// credential is denied everything, because nobody can tell whether the credential is
// still valid; other runs keep the rights that the guest sent.
//
// A credential can be revoked at any time, so its guest is asked before each step.
// The answer for the run of a person depends only on the rights, which are checked
// anyway, and on who continues the run, so it is cached for each kind.
func (h *host) ask(a attributed, run, client string, k steps.Kind) error {
	g := h.guest(a.member)
	switch {
	case g == nil && a.bound:
		return unanswered("is gone")
	case g == nil, !g.Answers, slices.Contains(a.allowed, k.Name):
		return nil
	}
	q := &question{Run: run, Client: client, Tool: access.Of(k), answer: make(chan verdict, 1)}
	t := time.NewTimer(answerTime)
	defer t.Stop()
	for toSend := g.questions; ; {
		select {
		case toSend <- q:
			toSend = nil
		case v := <-q.answer:
			h.attribution.note(run, a.member, k.Name, v)
			return v.Why.error()
		case <-g.gone:
			return unanswered("is gone")
		case <-t.C:
			return unanswered("does not answer")
		}
	}
}

func unanswered(why string) error {
	return &steps.Error{
		Code: steps.Denied, Err: errors.New("nobody can say any more what the client of the run may do: its server " + why),
		Next: "start the server again, and resume the run there",
	}
}

// serveQuestions receives a guest's answer to the last question, and waits for the
// next question.
func (h *host) serveQuestions(w http.ResponseWriter, r *http.Request, g *guest) {
	var v verdict
	if err := readRequest(w, r, &v); err != nil {
		reply(w, nil, err)
		return
	}
	if last := g.asked.Swap(nil); last != nil {
		last.answer <- v
	}
	select {
	case q := <-g.questions:
		g.asked.Store(q)
		reply(w, q, nil)
	case <-g.gone:
		w.WriteHeader(statusMoved)
	case <-r.Context().Done():
	}
}

// answerQuestions answers the questions of the owner until the membership ends.
func (c *client) answerQuestions(allow Allow) {
	var v verdict
	for {
		raw, err := c.call(c.life, questionsPath, v)
		var q question
		if err != nil || json.Unmarshal(raw, &q) != nil {
			return
		}
		bound, why := allow(q.Run, q.Client, q.Tool.Kind())
		v = verdict{failureOf(why), bound}
	}
}

// Allow returns an error if the client of a run may not use a kind, and whether the
// run belongs to a credential.
type Allow func(run, client string, k steps.Kind) (bound bool, err error)
