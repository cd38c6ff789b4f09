package words

import (
	"crypto/rand"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// Text from applications, files, programs and other clients may be written to make a
// model obey it. In everything that a client is told, such text stands in quotes on one
// line, or between two marker lines, as data. The guide for models says so once.

// Marked is text for a model, in which all that others chose is marked as data. A string
// is none: constants are, and the functions of this file make the others. A test of
// package house refuses conversions elsewhere.
type Marked string

// Say is fmt.Sprintf for marked text: a value that is more than a word or a number is quoted.
func Say(format Marked, values ...any) Marked {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = value{v}
	}
	return Marked(fmt.Sprintf(string(format), shown...))
}

// value is a value of Say.
type value struct{ v any }

// Format implements fmt.Formatter.
func (x value) Format(s fmt.State, verb rune) {
	text := fmt.Sprint(x.v)
	switch _, ours := x.v.(Marked); {
	case ours:
	case verb == 'q':
		text = fmt.Sprintf("%q", text)
	case reflect.ValueOf(x.v).CanFloat(), reflect.ValueOf(x.v).CanInt() && verb == 'd':
		text = fmt.Sprintf(fmt.FormatString(s, verb), x.v)
	default:
		text = string(Quoted(text))
	}
	fmt.Fprint(s, text)
}

// word matches what cannot be taken for a sentence, such as an id or a path below a root.
var word = regexp.MustCompile(`^[\pL\pN](?:[\pL\pN._/@#:+=~\[\]-]{0,118}[\pL\pN\]])?$`)

// Quoted returns a text on one line, in quotes unless it is a single word.
func Quoted(text string) Marked {
	switch text = Line(text); {
	case word.MatchString(text):
		return Marked(text)
	case strings.ContainsAny(text, `"\`):
		return Marked("“" + strings.NewReplacer("“", `\u201c`, "”", `\u201d`).Replace(text) + "”")
	}
	return Marked(`"` + text + `"`)
}

// Fenced puts a text between two marker lines. The marker is random each time, so the
// text cannot contain the second line.
func Fenced(text string) Marked {
	mark := "untrusted-" + strings.ToLower(rand.Text()[:8])
	return Marked("<" + mark + ">\n" + strings.TrimRight(text, "\n") + "\n</" + mark + ">")
}

// Told returns a text as data: quoted if it is one line, otherwise fenced.
func Told(text string) Marked {
	if strings.Contains(text, "\n") {
		return Fenced(text)
	}
	return Quoted(text)
}

// Outline is Told for text of this program, in which names are quoted already.
func Outline(text string) Marked {
	if strings.Contains(text, "\n") {
		return Fenced(text)
	}
	return Marked(text)
}

// Ours is text of this program, or of the person whom it answers, that is no constant.
func Ours(text string) Marked { return Marked(Visible(text)) }

// Join joins texts.
func Join(all []Marked, sep Marked) Marked {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = string(a)
	}
	return Marked(strings.Join(texts, string(sep)))
}

// List returns texts as Quoted does, with commas between them.
func List(texts []string) Marked {
	all := make([]Marked, len(texts))
	for i, t := range texts {
		all[i] = Quoted(t)
	}
	return Join(all, ", ")
}

// JSONLine returns a value as JSON on one line, cut to limit characters, and whether that is
// all of it.
func JSONLine(v any, limit int) (a Marked, whole bool) {
	given, isText := v.(string)
	if isText {
		v = Shorten(given, limit)
	}
	text, err := JSON(v, "")
	if err != nil {
		return Quoted(err.Error()), false
	}
	text = Line(text)
	if less := Shorten(text, limit); less != text && !isText {
		return Quoted(less), false // which closes its last quotes
	}
	return Marked(text), !isText || v == given
}

// Indent moves all lines but the first to the right.
func Indent(a Marked) Marked { return Marked(strings.ReplaceAll(string(a), "\n", "\n  ")) }
