package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/workflows"
)

// step is a step of the workflow while it may still change.
type step struct {
	kind         string
	id           string // once it is written
	args         []arg
	subject      string   // the source of the step's id
	named        string   // by the person
	summary      string   // for people, while they record
	expect       []string // conditions that held afterwards
	effect       *proof   // what it did to the text of its field, with the steps before it; nil: not known
	mustExist    bool     // its element must be there
	mustHave     string   // a condition of its result, which is $, for steps that read
	otherDoubts  []string // why it may not work again
	targetDoubts []string // why its element may not be found again
	notes        []string // of the person
	picture      string   // the file of a picture of the clicked element
	begin        time.Time
	end          time.Time

	window    desktop.WindowID
	process   string
	pid       int
	target    *recorder.Seen
	input     *input   // the argument that a person typed
	command   []string // the words of the command line that it runs, as a shell reads them
	click     *click
	concluded bool // inferred from its effect: the press was not reported
	wheel     *wheel
	selects   bool           // it is a drag inside a field for text
	known     time.Time      // when the value that it sets was read
	letGo     *desktop.Point // where the button was released, if it made the step
	secrets   []string       // variables in its arguments
}

// stepList are the steps of a workflow, in its order.
type stepList []*step

// last returns the last step, or nil.
func (l stepList) last() *step {
	if len(l) == 0 {
		return nil
	}
	return l[len(l)-1]
}

// pop removes the last step.
func (l *stepList) pop() { *l = (*l)[:len(*l)-1] }

// arg is a named argument.
type arg = workflows.Pair

// input is an argument whose value was typed.
type input struct {
	arg    string
	value  string
	secret bool
	after  string // keys that follow, such as {Enter}
	parts  []any  // of a text that was pasted: texts, and the steps whose results stand between them
	many   bool   // it has several lines
	names  string // its name if no element is known
	field  int    // the field into which it was typed
	keep   keep   // the choice of the person
	// written is the value as the document writes it, once it does; "" for a secret.
	written template
}

// keep is where a typed value is kept; the zero keep leaves it to the options.
type keep int

const (
	variable keep = iota + 1
	constant
)

// click is what the next press is compared with.
type click struct {
	at     desktop.Point
	button desktop.Button
	mods   string
	count  int
	down   time.Time
	// inPopup: it was in a popup, such as a list of completions.
	inPopup bool
}

// wheel is what the next turn is compared with.
type wheel struct {
	direction string
	amount    int
	mods      string
}

func (s *step) set(name string, value any) {
	if i := s.indexOf(name); i >= 0 {
		s.args[i].Value = value
		return
	}
	s.args = append(s.args, arg{Key: name, Value: value})
}

// insert is set for an argument that comes after another.
func (s *step) insert(after, name string, value any) {
	if i := s.indexOf(after); i >= 0 && s.indexOf(name) < 0 {
		s.args = slices.Insert(s.args, i+1, arg{Key: name, Value: value})
		return
	}
	s.set(name, value)
}

// drop removes arguments.
func (s *step) drop(names ...string) {
	s.args = slices.DeleteFunc(s.args, func(a arg) bool { return slices.Contains(names, a.Key) })
}

// arg returns the value of an argument, or nil.
func (s *step) arg(name string) any {
	if i := s.indexOf(name); i >= 0 {
		return s.args[i].Value
	}
	return nil
}

func (s *step) indexOf(name string) int {
	return slices.IndexFunc(s.args, func(a arg) bool { return a.Key == name })
}

func (s *step) doubt(format string, args ...any) {
	s.otherDoubts = append(s.otherDoubts, fmt.Sprintf(format, args...))
}

// doubts returns all doubts about a step.
func (s *step) doubts() []string { return append(slices.Clip(s.targetDoubts), s.otherDoubts...) }

// clearDoubts removes all doubts about a step.
func (s *step) clearDoubts() { s.otherDoubts, s.targetDoubts = nil, nil }

// nameOf returns the name of an element as a person would give it.
func nameOf(t *recorder.Seen) string {
	if t == nil {
		return ""
	}
	names := []string{t.Name, t.Label}
	switch {
	case t.DropDown() && t.Text == "": // its name may be what is chosen in it
		names = []string{t.Label, t.Name}
	case !t.Named():
		names = names[1:]
	}
	for _, n := range names {
		if recorder.ShowsContent(t) && n == t.Text {
			continue
		}
		if n = strings.TrimSuffix(strings.Join(strings.Fields(n), " "), ":"); n != "" {
			return n
		}
	}
	if !t.TakesText() && len(t.Text) <= 40 {
		return strings.Join(strings.Fields(t.Text), " ")
	}
	return ""
}

// describe describes an element by role and name.
func describe(t *recorder.Seen) string {
	if t == nil {
		return "an unknown element"
	}
	if n := nameOf(t); n != "" {
		return fmt.Sprintf("%s %q", t.Role, n)
	}
	return string(t.Role)
}
