package compile

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"understudy/recorder"
	"understudy/workflows"
)

const (
	// longPause is the shortest pause of the person that is noted.
	longPause = 5 * time.Second
	// newPause is the shortest pause after which a step gets more time than the default
	// to find a new element.
	newPause = 1500 * time.Millisecond
	// patience is how many times longer than in the recording a program may take.
	patience = 3
)

// readRetries is how often reading copied text is repeated: the copy may be under way.
const readRetries = 10

// writer turns steps into a document.
type writer struct {
	options  Options
	ids      map[string]bool
	names    map[string]bool // of variables
	declared map[string]bool // variables that are declared
	draft    workflows.Draft
	notes    []Note
	opened   bool // the step before started a program
}

// write makes a document of steps, or inserts them into one.
func write(steps []*step, sign string, o Options) (Made, error) {
	w := &writer{options: o, ids: map[string]bool{}, names: map[string]bool{}, declared: map[string]bool{}}
	if o.Onto != nil { // whose names are taken
		ids, variables := workflows.NamesIn(o.Onto)
		for _, id := range ids {
			w.ids[id] = true
		}
		for _, name := range variables {
			w.names[name], w.declared[name] = true, true
		}
	}
	for _, s := range steps {
		for _, name := range s.secrets { // which no other value may take
			w.names[name] = true
		}
	}
	w.draft.Kinds = o.Kinds
	if w.draft.Name, w.draft.Description = o.Name, o.Description; o.Name == "" {
		w.draft.Name = "recording"
	}
	var last time.Time
	for _, s := range steps {
		w.step(s, last)
		last = s.end
	}
	text, err := w.draft.YAML()
	if err != nil {
		return Made{}, fmt.Errorf("writing the workflow of a recording: %w", err)
	}
	if o.Onto != nil {
		if o.At.If == "" {
			o.At.If = sign
		}
		if text, err = workflows.Graft(o.Onto, text, o.At); err != nil {
			return Made{}, err
		}
	}
	made := Made{Text: text, Notes: w.notes, Sign: sign}
	for _, v := range w.draft.Variables {
		if v.Secret {
			made.Secrets = append(made.Secrets, v.Name)
		}
	}
	return made, nil
}

// step writes one step, with its doubts as comments above it.
func (w *writer) step(s *step, last time.Time) {
	if sel, ok := s.arg("selector").(string); ok && s.mustExist {
		s.addExpect(exists(s.process, sel))
	}
	out := workflows.DraftStep{ID: w.id(s), Tool: s.kind, Expect: strings.Join(s.expect, " && ")}
	if s.id = out.ID; s.mustHave != "" {
		out.Expect, out.Retries = strings.ReplaceAll(s.mustHave, "$", s.id+"_result"), readRetries
	}
	note := func(text string) {
		w.notes = append(w.notes, Note{out.ID, text})
		out.Comments = append(out.Comments, text)
	}
	if pause := s.begin.Sub(last); s.isNew() && !last.IsZero() && pause >= MinIdle {
		s.set("timeout_ms", waitsFor(pause))
	} else if !last.IsZero() && pause >= longPause {
		note(fmt.Sprintf("the person waited %s before it", pause.Round(100*time.Millisecond)))
		s.allowTime(pause)
	} else if s.isNew() && !last.IsZero() && pause >= newPause {
		s.allowTime(pause)
	} else if w.opened {
		s.allowTime(max(pause, openTime)) // on another machine a program may take longer to show its elements
	}
	w.opened = s.kind == openApplication
	for _, d := range s.doubts() {
		note("uncertain: " + d)
	}
	out.Comments = append(out.Comments, s.notes...)
	for _, name := range s.secrets {
		if !w.declared[name] {
			w.declare(name, "", true)
		}
	}
	if s.input != nil {
		s.set(s.input.arg, w.input(s, out.ID))
	}
	if s.command != nil {
		s.set("app_name", w.command(s.command))
	}
	out.Arguments = written(s.args).([]arg)
	out.Effect = s.effect.written(s)
	w.draft.Steps = append(w.draft.Steps, out)
}

// isNew reports whether the target appeared since the previous press, so the person may have waited.
func (s *step) isNew() bool {
	return s.target != nil && s.target.New && !recorder.InMenu(s.target) && !recorder.IsOption(s.target.Role)
}

// variable declares a variable, and returns its name.
func (w *writer) variable(name, value string, secret bool) string {
	name = workflows.UnusedName(name, w.names)
	w.declare(name, value, secret)
	return name
}

func (w *writer) declare(name, value string, secret bool) {
	w.declared[name] = true
	w.draft.Variables = append(w.draft.Variables, workflows.DraftVariable{Name: name, Default: value, Secret: secret})
}

// allowTime gives a step patience times the pause of the person to find its element.
func (s *step) allowTime(pause time.Duration) {
	const most = time.Minute
	if s.target != nil {
		s.set("timeout_ms", min(patience*pause, most).Round(time.Second).Milliseconds())
	}
}

// input returns the argument for a typed value: the value itself, or a reference to its variable.
func (w *writer) input(s *step, id string) template {
	in := s.input
	if len(in.parts) > 0 {
		return in.template()
	}
	proposed := s.variableName(id)
	var ref template
	switch {
	case in.secret, in.keep == variable:
		ref = inputs(w.variable(proposed, in.value, in.secret))
	case in.keep == constant, s.kind == selectOption && w.options.Ask == nil:
	default:
		ref = w.reference(proposed, in.value)
	}
	if ref == "" {
		in.written = templateOf(in.value)
		return templateOf(in.value, in.after)
	}
	if !in.secret {
		in.written = ref
	}
	return templateOf(ref, in.after)
}

// variableName proposes a name for the variable of a step's typed value.
func (s *step) variableName(id string) string {
	in, field := s.input, ""
	if s.target != nil {
		field = slug(nameOf(s.target))
	}
	switch {
	case slug(in.names) != "":
		return slug(in.names)
	case field != "":
		return field
	case in.secret && s.target != nil:
		return "password"
	case in.secret:
		return "hidden"
	case in.many:
		return "text"
	}
	return id
}

// reference returns a reference to a new variable for a value, or "" if none is wanted.
func (w *writer) reference(proposed, value string) template {
	if w.options.Literal || value == "" {
		return ""
	}
	if w.options.Ask != nil {
		if proposed = slug(w.options.Ask(proposed, value)); proposed == "" {
			return ""
		}
	}
	return inputs(w.variable(proposed, value, false))
}

// id returns the step's id: a word or two about its subject.
func (w *writer) id(s *step) string {
	verb, _, _ := strings.Cut(s.kind, "_")
	id := slug(s.subject)
	switch number, digits := strings.CutPrefix(id, "n_"); {
	case id == "":
		id = verb
	case digits:
		id = verb + "_" + number
	}
	return workflows.UnusedName(id, w.ids)
}

// reserved are names with another meaning in expressions.
var reserved = map[string]bool{
	"inputs": true, "env": true, "selectors": true, "steps": true, "run": true, "index": true, "in": true, "not": true, "and": true, "or": true,
	"true": true, "false": true, "nil": true, "null": true, "let": true, "if": true, "else": true, "matches": true, "contains": true,
}

// latin transliterates letters that are not an English one with a mark.
var latin = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "oe", "å", "aa", "œ", "oe", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "ħ", "h",
	"а", "a", "б", "b", "в", "v", "г", "g", "ґ", "g", "д", "d", "е", "e", "ё", "yo", "є", "ye", "ж", "zh", "з", "z", "и", "i", "і", "i", "ї", "yi", "й", "y", "к", "k", "л", "l",
	"м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "shch", "ъ", "", "ы", "y", "ь", "",
	"э", "e", "ю", "yu", "я", "ya",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m", "ν", "n", "ξ", "x", "ο", "o", "π", "p", "ρ", "r",
	"σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o",
	"ά", "a", "έ", "e", "ή", "i", "ί", "i", "ό", "o", "ύ", "y", "ώ", "o",
)

// slug turns a text into a name: letters, digits and underscores.
func slug(text string) string {
	const most = 30
	var b strings.Builder
	for _, r := range norm.NFKD.String(latin.Replace(norm.NFC.String(strings.ToLower(text)))) {
		switch {
		case unicode.Is(unicode.Mn, r): // a mark of the letter before it
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(unicode.ToLower(r))
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

// ErrInvalid returns the error of a made workflow that does not compile.
func ErrInvalid(err error) error {
	return fmt.Errorf("internal error: the generated workflow is not valid: %w", err)
}
