package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"understudy/workflows"
)

// longPause is from when on a pause of the person is worth a note.
const longPause = 5 * time.Second

// writer turns steps into the text of a document.
type writer struct {
	options   Options
	ids       map[string]bool
	names     map[string]bool
	variables []variable
	notes     []Note
	body      bytes.Buffer
}

// variable is a value that a run may be given.
type variable struct {
	name, value string
	secret      bool
}

// write makes the document of steps, formatted as a person's would be.
func write(steps []*step, o Options) ([]byte, []Note, error) {
	w := &writer{options: o, ids: map[string]bool{}, names: map[string]bool{}}
	var last time.Time
	for _, s := range steps {
		w.step(s, last)
		last = s.end
	}
	doc := w.head()
	doc.WriteString("steps:")
	if len(steps) == 0 {
		doc.WriteString(" []")
	}
	doc.WriteString("\n")
	doc.Write(w.body.Bytes())
	text, err := workflows.Format(doc.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("the workflow of a recording: %w", err)
	}
	return text, w.notes, nil
}

// head is everything before the steps.
func (w *writer) head() *bytes.Buffer {
	var b bytes.Buffer
	fmt.Fprintln(&b, "version: 1")
	name := w.options.Name
	if name == "" {
		name = "recording"
	}
	fmt.Fprintf(&b, "name: %s\n", scalar(name))
	if w.options.Description != "" {
		fmt.Fprintf(&b, "description: %s\n", scalar(w.options.Description))
	}
	if len(w.variables) > 0 {
		fmt.Fprintln(&b, "variables:")
	}
	for _, v := range w.variables {
		if v.secret {
			fmt.Fprintf(&b, "  %s: {type: string, secret: true}\n", v.name)
			continue
		}
		fmt.Fprintf(&b, "  %s: {type: string, default: %s}\n", v.name, inFlow(v.value))
	}
	return &b
}

// step writes one step, with what is uncertain as comments above it.
func (w *writer) step(s *step, last time.Time) {
	id := w.id(s)
	if pause := s.begin.Sub(last); !last.IsZero() && pause >= longPause {
		w.note(id, fmt.Sprintf("the person waited %s before it", pause.Round(100*time.Millisecond)))
		s.patience(pause)
	}
	for _, d := range s.doubts() {
		w.note(id, "uncertain: "+d)
	}
	for _, name := range s.secrets {
		if !w.names[name] {
			w.variables = append(w.variables, variable{name: free(name, w.names), secret: true})
		}
	}
	if s.input != nil {
		s.set(s.input.arg, w.input(s, id))
	}
	fmt.Fprintf(&w.body, "  - id: %s\n    tool_name: %s\n", id, s.kind)
	if len(s.args) > 0 {
		fmt.Fprintln(&w.body, "    arguments:")
	}
	for _, a := range s.args {
		fmt.Fprintf(&w.body, "      %s: %s\n", a.name, value(a.value))
	}
	if len(s.expect) > 0 {
		fmt.Fprintf(&w.body, "    expect: %s\n", scalar(strings.Join(s.expect, " && ")))
	}
}

// patience gives a step as much time to find its element as the person had.
func (s *step) patience(pause time.Duration) {
	const most = time.Minute
	if s.target != nil {
		s.set("timeout_ms", min(2*pause, most).Round(time.Second).Milliseconds())
	}
}

func (w *writer) note(id, text string) {
	w.notes = append(w.notes, Note{id, text})
	fmt.Fprintf(&w.body, "  # %s\n", strings.Join(strings.Fields(text), " "))
}

// input is what stands in the step for a value that was typed: the value, or
// the variable that holds it.
func (w *writer) input(s *step, id string) string {
	in := s.input
	proposed := id
	if s.target != nil && slug(nameOf(s.target)) != "" {
		proposed = slug(nameOf(s.target))
	}
	switch {
	case in.secret && s.target != nil && slug(nameOf(s.target)) == "":
		proposed = "password"
	case in.secret && s.target == nil:
		proposed = "hidden"
	case in.many && slug(nameOf(s.target)) == "":
		proposed = "text"
	case slug(in.names) != "":
		proposed = slug(in.names)
	}
	name := proposed
	switch {
	case in.secret:
	case w.options.Literal || in.value == "" || s.kind == "select_option" && w.options.Ask == nil:
		return plain(in.value) + in.after
	case w.options.Ask != nil:
		if name = slug(w.options.Ask(proposed, in.value)); name == "" {
			return plain(in.value) + in.after
		}
	}
	name = free(name, w.names)
	w.variables = append(w.variables, variable{name: name, value: in.value, secret: in.secret})
	return "${{ inputs." + name + " }}" + in.after
}

// plain is a text in an argument, where templates would be replaced.
func plain(text string) string {
	return strings.NewReplacer("${{", "$${{", "{{", "${{ '{{' }}").Replace(text)
}

// id is the step's id: a word or two of what it is about.
func (w *writer) id(s *step) string {
	verb, _, _ := strings.Cut(s.kind, "_")
	id := slug(s.subject)
	switch number, digits := strings.CutPrefix(id, "n_"); {
	case id == "":
		id = verb
	case digits:
		id = verb + "_" + number
	}
	return free(id, w.ids)
}

// free is a name that is not taken, and takes it.
func free(name string, taken map[string]bool) string {
	n := name
	for i := 2; taken[n]; i++ {
		n = name + "_" + strconv.Itoa(i)
	}
	taken[n] = true
	return n
}

// reserved are names that mean something else in expressions.
var reserved = map[string]bool{
	"inputs": true, "env": true, "selectors": true, "steps": true, "run": true, "index": true, "in": true, "not": true, "and": true, "or": true,
	"true": true, "false": true, "nil": true, "null": true, "let": true, "if": true, "else": true, "matches": true, "contains": true,
}

// slug is a text as a name: letters, digits and underscores.
func slug(text string) string {
	const most = 30
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= most {
			break
		}
	}
	name := strings.Trim(b.String(), "_")
	switch {
	case name == "":
		return ""
	case unicode.IsDigit(rune(name[0])), reserved[name]:
		return "n_" + name
	}
	return name
}

// value is an argument as YAML.
func value(v any) string {
	switch v := v.(type) {
	case string:
		return scalar(v)
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = inFlow(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []arg:
		parts := make([]string, len(v))
		for i, a := range v {
			parts[i] = a.name + ": " + value(a.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

var (
	// bareWord is what YAML reads as text without quotes.
	bareWord = regexp.MustCompile(`^[\pL_/$(.][^#\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\x{feff}\\]*$`)
	// special are texts that YAML reads as something else.
	special = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null|y|n|~|\.inf|\.nan|[-+.0-9].*)$|: |:$|\s$|^\.\.\.`)
)

// scalar is a text as YAML, in quotes only where it needs them.
func scalar(text string) string {
	if bareWord.MatchString(text) && !special.MatchString(text) {
		return text
	}
	return inQuotes(text)
}

// inFlow is a text between brackets.
func inFlow(text string) string {
	if bareWord.MatchString(text) && !special.MatchString(text) && !strings.ContainsAny(text, `[]{},"'`) {
		return text
	}
	return inQuotes(text)
}

func inQuotes(text string) string {
	if strings.Contains(text, "'") && !strings.ContainsAny(text, "\"\\\n\t") {
		return `"` + text + `"`
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\ufeff' || !unicode.IsPrint(r) && r != ' ' }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be written
	return strings.TrimSuffix(b.String(), "\n")
}
