package browse

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/steps"
)

// A Script is a text to run in a page.
type Script struct {
	Code, File string // the file only names it
	// Values are its variables.
	Values map[string]any
	// Frame is a part of the name or address of the frame to run in; empty: the page itself.
	Frame string

	source string // its address, which nobody can guess
}

// Returned is what came of a script.
type Returned struct {
	Value   any
	Console []string
	Printed []string // those lines of the console that the script itself printed
}

// scriptContext is a place in the page where scripts run.
type scriptContext struct {
	ID      int    `json:"id"`
	Origin  string `json:"origin"`
	AuxData struct {
		IsDefault bool   `json:"isDefault"`
		FrameID   string `json:"frameId"`
	} `json:"auxData"`
}

func (p *Page) addContext(params json.RawMessage) {
	var e struct{ Context scriptContext }
	if json.Unmarshal(params, &e) != nil || !e.Context.AuxData.IsDefault {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.contexts = append(p.contexts, e.Context)
}

// maxConsole bounds the lines that are kept of what a page prints.
const maxConsole = 1000

// print notes what a page prints on its console.
func (p *Page) print(params json.RawMessage) {
	var e struct {
		Type       string
		Args       []remote
		StackTrace stack
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	texts := make([]string, len(e.Args))
	for i, a := range e.Args {
		texts[i] = a.text()
	}
	line := strings.Join(texts, " ")
	if e.Type != "log" {
		line = e.Type + ": " + line
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.console) < maxConsole {
		p.console = append(p.console, line)
		if frames := e.StackTrace.CallFrames; len(frames) > 0 && p.source != "" && frames[0].URL == p.source {
			p.printed = append(p.printed, line)
		}
	}
}

// stack is where a script was.
type stack struct {
	CallFrames []struct {
		URL        string `json:"url"`
		LineNumber int    `json:"lineNumber"`
	} `json:"callFrames"`
}

// remote is a value of the page.
type remote struct {
	Type                string          `json:"type"`
	Subtype             string          `json:"subtype"`
	ClassName           string          `json:"className"`
	Value               json.RawMessage `json:"value"`
	UnserializableValue string          `json:"unserializableValue"`
	Description         string          `json:"description"`
	ObjectID            string          `json:"objectId"`
}

// text returns a value as a console shows it.
func (r remote) text() string {
	var s string
	if json.Unmarshal(r.Value, &s) == nil {
		return s
	}
	return cmp.Or(r.UnserializableValue, r.Description, string(r.Value), r.Type)
}

// exception is an error of a script.
type exception struct {
	Text         string `json:"text"`
	LineNumber   int    `json:"lineNumber"` // from 0
	ColumnNumber int    `json:"columnNumber"`
	Exception    remote `json:"exception"`
	StackTrace   *stack `json:"stackTrace"`
}

// evaluated is the answer to a method that runs a script.
type evaluated struct {
	Result           remote     `json:"result"`
	ExceptionDetails *exception `json:"exceptionDetails"`
}

// illegalReturn reports whether a script was not run because it returns outside a function.
func (e *evaluated) illegalReturn() bool {
	x := e.ExceptionDetails
	return x != nil && x.StackTrace == nil && strings.HasPrefix(x.Exception.Description, "SyntaxError: Illegal return statement")
}

// sourceName begins the address of a script. The rest is new for each, so that a page cannot
// pass its own scripts off as one.
const sourceName = "understudy-script-"

// endTime is how long a script that is told to end may take for it.
const endTime = time.Second

// Run runs a script and returns its result: the value that it returns, or that of its last
// expression. Promises are awaited. A script that ctx ends is stopped, and may have acted.
func (p *Page) Run(ctx context.Context, s Script) (r Returned, err error) {
	place, frame, err := p.placeOf(ctx, s.Frame)
	if err != nil {
		return r, err
	}
	if place != p {
		defer place.Detach()
	}
	s.source = sourceName + rand.Text()
	where, err := place.listen(ctx, frame, s.source)
	if err != nil {
		return r, err
	}
	value, err := place.run(ctx, s, where)
	if ctx.Err() != nil {
		place.terminate()
		err = steps.Ended(ctx)
	}
	place.mu.Lock()
	defer place.mu.Unlock()
	return Returned{value, slices.Clone(place.console), slices.Clone(place.printed)}, advised(err)
}

// listen begins to note what the page prints, and what a script with an address does, and
// returns the context of a frame, or 0 for that of the page.
func (p *Page) listen(ctx context.Context, frame, source string) (where int, err error) {
	if err := p.soon(ctx, "Runtime.enable"); err != nil { // repeats what was printed before
		return 0, err
	}
	p.mu.Lock()
	p.console, p.printed, p.source = nil, nil, source
	p.mu.Unlock()
	if frame == "" {
		return 0, nil
	}
	return p.contextOf(frame)
}

// run runs the script, first as it is: a script with a return is then not run, and becomes the
// body of a function.
func (p *Page) run(ctx context.Context, s Script, where int) (any, error) {
	e, err := p.evaluate(ctx, s.text(false), where)
	if err == nil && e.illegalReturn() {
		e, err = p.evaluate(ctx, s.text(true), where)
	}
	if err == nil {
		e, err = p.resolve(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	return s.value(e)
}

func (p *Page) evaluate(ctx context.Context, text string, where int) (e evaluated, err error) {
	params := map[string]any{"expression": text, "replMode": true, "userGesture": true, "awaitPromise": true}
	if where != 0 {
		params["contextId"] = where
	}
	return e, p.call(ctx, "Runtime.evaluate", params, &e)
}

// resolve awaits a promise, and reads the value of an object.
func (p *Page) resolve(ctx context.Context, e evaluated) (evaluated, error) {
	if e.ExceptionDetails != nil || e.Result.ObjectID == "" {
		return e, nil
	}
	id := e.Result.ObjectID
	if e.Result.Subtype == "promise" {
		var awaited evaluated
		err := p.call(ctx, "Runtime.awaitPromise", map[string]any{"promiseObjectId": id}, &awaited)
		if err != nil || awaited.ExceptionDetails != nil || awaited.Result.ObjectID == "" {
			return awaited, err
		}
		e, id = awaited, awaited.Result.ObjectID
	}
	var read evaluated
	err := p.call(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": id, "functionDeclaration": "function() { return this }", "returnByValue": true}, &read)
	if refused, ok := errors.AsType[refusal](err); ok {
		return e, steps.Errorf(steps.Invalid, "the script returned a %s, which cannot be written as JSON: %s", e.Result.Description, refused.Refused())
	}
	return read, err
}

// refusal is an error in which the browser says why it refused a call.
type refusal interface {
	error
	Refused() string
}

// terminate ends what runs in the page.
func (p *Page) terminate() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = p.Call(ctx, p.session, "Runtime.terminateExecution", nil, nil)
}

// text returns the script with its variables around it, all before its first line, so that the
// numbers of its lines are right.
func (s Script) text(function bool) string {
	code := s.Code
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Values)), func(name string) bool { return !isVariable(name) })
	declared := make([]string, len(names))
	for i, name := range names {
		value, err := json.Marshal(s.Values[name])
		if err != nil {
			value = []byte("undefined")
		}
		declared[i] = name + " = " + string(value)
		// A script that declares the name again means the same variable.
		again := regexp.MustCompile(`(?m)^(\s*)(?:const|let|var)\s+(` + name + `\s*=[^=])`)
		code = again.ReplaceAllString(code, "$1$2")
	}
	begin, end := "{ ", "\n}"
	if len(declared) > 0 {
		begin = "{ let " + strings.Join(declared, ", ") + "; { "
		end = "\n} }"
	}
	if function {
		begin, end = "(async () => "+begin, end+")()"
	}
	return begin + code + end + "\n//# sourceURL=" + s.source
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// taken are the names that a script needs as they are.
var taken = strings.Fields("window document console location self top parent globalThis this arguments eval undefined " +
	"await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch throw true try typeof var void while with yield async")

func isVariable(name string) bool { return variable.MatchString(name) && !slices.Contains(taken, name) }

// value returns what a script returned, or its error.
func (s Script) value(e evaluated) (any, error) {
	if x := e.ExceptionDetails; x != nil {
		return nil, steps.Errorf(steps.Unexpected, "the script failed: %s", s.describe(x))
	}
	switch {
	case e.Result.Type == "undefined":
		return nil, nil
	case e.Result.UnserializableValue != "":
		return e.Result.UnserializableValue, nil // NaN, Infinity, 1n
	}
	var v any
	if err := json.Unmarshal(e.Result.Value, &v); err != nil {
		return nil, steps.Errorf(steps.Invalid, "the script returned a %s, which cannot be written as JSON", cmp.Or(e.Result.Description, e.Result.Type))
	}
	return v, nil
}

// describe returns an error of a script, with its line and what stands there.
func (s Script) describe(x *exception) string {
	first, _, _ := strings.Cut(cmp.Or(x.Exception.Description, x.Exception.text(), x.Text), "\n")
	if x.Exception.Type == "" {
		first = x.Text
	}
	line, known := x.LineNumber, x.StackTrace == nil && x.Exception.Subtype == "error"
	if x.StackTrace != nil {
		for _, f := range x.StackTrace.CallFrames {
			if strings.HasPrefix(f.URL, sourceName) {
				line, known = f.LineNumber, true
				break
			}
		}
	}
	if at := inStack.FindStringSubmatch(x.Exception.Description); at != nil {
		_, err := fmt.Sscan(at[1], &line)
		line, known = line-1, err == nil
	}
	lines := strings.Split(s.Code, "\n")
	if !known || line < 0 || line >= len(lines) {
		return first
	}
	return fmt.Sprintf("%s (%s, line %d: %s)", first, cmp.Or(s.File, "script"), line+1, strings.TrimSpace(lines[line]))
}

var inStack = regexp.MustCompile(sourceName + `\w+:(\d+)`)
