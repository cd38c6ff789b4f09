package access

import (
	"context"
	"errors"
	"testing"

	"understudy/engine"
)

// newsRuns are runs of which one after the other changes; the id of each is its owner.
type newsRuns struct {
	engine.Runs
	changed []string
}

var errQuiet = errors.New("nothing else has changed")

func (r newsRuns) Await(_ context.Context, _ string, after uint64) (engine.Header, error) {
	if after == uint64(len(r.changed)) {
		return engine.Header{}, errQuiet
	}
	return engine.Header{ID: r.changed[after], Seq: after + 1}, nil
}

func (newsRuns) Get(_ context.Context, id string) (engine.Header, error) {
	return engine.Header{ID: id, Owner: id}, nil
}

// TestEventsOfOthersAreNotReported holds that the news of any run name only runs that the
// subject may see.
func TestEventsOfOthersAreNotReported(t *testing.T) {
	runs := RunsFor(newsRuns{changed: []string{"other", "", "other", "mine", "other"}}, Subject{Owner: "mine"}, Tool{Name: "list_runs", Always: true}, nil)
	var named []string
	for after := uint64(0); ; {
		h, err := runs.Await(t.Context(), "", after)
		if err != nil {
			if !errors.Is(err, errQuiet) {
				t.Error(err)
			}
			break
		}
		named, after = append(named, h.ID), h.Seq
	}
	if len(named) != 2 || named[0] != "" || named[1] != "mine" {
		t.Errorf("the news: %q", named)
	}
}
