package engine

import (
	"fmt"
	"regexp"
	"strconv"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// layout is a program with all workflows that it calls, as lists with keys. A key
// tells where a list stands, so a frame refers to its list by one string.
type layout struct {
	lists map[string]*list
	nodes map[string]*workflows.Node // by path, without loop rounds
	total int                        // number of steps in all lists, each counted once
}

type list struct {
	program *workflows.Program
	nodes   []*workflows.Node
	ids     map[string]int
}

// The keys of a document's lists, appended to the key of the document.
const (
	bodyKey    = "s"
	troubleKey = "t"
	finallyKey = "f"
)

func newLayout(p *workflows.Program) *layout {
	l := &layout{lists: map[string]*list{}, nodes: map[string]*workflows.Node{}}
	l.document("", "", p)
	return l
}

func (l *layout) document(key, base string, p *workflows.Program) {
	l.add(key+bodyKey, base, p, p.Steps)
	l.add(key+troubleKey, base+"troubleshooting.", p, p.Troubleshooting)
	l.add(key+finallyKey, base+"finally.", p, p.Finally)
}

func (l *layout) add(key, base string, p *workflows.Program, nodes []*workflows.Node) {
	x := &list{program: p, nodes: nodes, ids: map[string]int{}}
	l.lists[key] = x
	for i, n := range nodes {
		path := base + strconv.Itoa(i)
		l.nodes[path] = n
		if n.ID != "" {
			x.ids[n.ID] = i
		}
		switch n.Type {
		case workflows.StepNode:
			l.total++
		case workflows.GroupNode, workflows.ForeachNode, workflows.WhileNode:
			l.add(childKey(key, i), path+".", p, n.Steps)
		}
		if len(n.Retry.Before) > 0 {
			l.add(beforeKey(key, i), path+".before.", p, n.Retry.Before)
		}
		if n.Call != nil {
			l.document(callKey(key, i), path+"/", n.Call)
		}
	}
}

func childKey(key string, i int) string  { return key + "." + strconv.Itoa(i) }
func beforeKey(key string, i int) string { return childKey(key, i) + "!" }
func callKey(key string, i int) string   { return childKey(key, i) + "/" }

func documentKey(body string) string { return body[:len(body)-len(bodyKey)] }

// startAt returns the frames of a run that begins at the step with the given id: in
// the document's steps, in a group, or at the top level of troubleshooting.
func (l *layout) startAt(id string) ([]Frame, error) {
	root := Frame{List: bodyKey, Sort: BodyFrame, Scope: 1}
	if id == "" {
		return []Frame{root}, nil
	}
	if i, ok := l.lists[troubleKey].ids[id]; ok {
		return []Frame{root, {List: troubleKey, Sort: TroubleFrame, Base: "troubleshooting.", Next: i}}, nil
	}
	if frames := l.within([]Frame{root}, id); frames != nil {
		return frames, nil
	}
	if _, ok := l.lists[bodyKey].program.Node(id); ok {
		return nil, steps.Errorf(steps.Invalid, "a run cannot begin at %q: it is inside a loop or in finally", id)
	}
	return nil, noStep(l.lists[bodyKey].program, id, "to begin at")
}

func noStep(p *workflows.Program, id, use string) error {
	var ids []string
	p.Walk(func(n *workflows.Node) {
		if n.ID != "" {
			ids = append(ids, n.ID)
		}
	})
	return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("there is no step with the id %q %s", id, use), Next: words.DidYouMean(id, ids)}
}

// within looks for a step in the innermost of the frames and in the groups there.
func (l *layout) within(frames []Frame, id string) []Frame {
	f := &frames[len(frames)-1]
	x := l.lists[f.List]
	if i, ok := x.ids[id]; ok {
		f.Next = i
		return frames
	}
	for i, n := range x.nodes {
		if n.Type != workflows.GroupNode {
			continue
		}
		path := f.Base + strconv.Itoa(i)
		inner := Frame{List: childKey(f.List, i), Sort: GroupFrame, Base: path + ".", Limit: n.Timeout}
		outer := append([]Frame{}, frames...)
		outer[len(outer)-1].Next, outer[len(outer)-1].Cur = i, &Step{Phase: inside}
		if found := l.within(append(outer, inner), id); found != nil {
			return found
		}
	}
	return nil
}

func (l *layout) node(f *Frame) (*workflows.Node, error) {
	x := l.lists[f.List]
	if x == nil || f.Next >= len(x.nodes) {
		return nil, fmt.Errorf("the document has no step at %s%d", f.Base, f.Next)
	}
	return x.nodes[f.Next], nil
}

// nodeAt returns the node at a path, or nil.
func (l *layout) nodeAt(path string) *workflows.Node {
	return l.nodes[loopRound.ReplaceAllString(path, "")]
}

// loopRound matches the round of a loop in a path.
var loopRound = regexp.MustCompile(`\[[0-9]+\]`)
