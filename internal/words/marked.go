package words

import (
	"crypto/rand"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// Marked is text for a model, which may be written by others to make it obey: what an
// application, a file, a program or another client chose stands in quotes on one line, or
// between two marker lines, as data. The guide for models says so once. A string is not
// marked: constants are, and the functions of this file make the rest. A test of package
// house refuses conversions elsewhere.
type Marked string

// Say is fmt.Sprintf for marked text: a value that is no number and not marked is quoted.
func Say(format Marked, values ...any) Marked {
	shown := make([]any, len(values))
	for i, v := range values {
		if k := reflect.ValueOf(v); k.CanInt() || k.CanFloat() {
			shown[i] = v
		} else if m, ok := v.(Marked); ok {
			shown[i] = string(m)
		} else {
			shown[i] = string(Quoted(fmt.Sprint(v)))
		}
	}
	return Marked(fmt.Sprintf(string(format), shown...))
}

// word matches what cannot be taken for a sentence, such as an id or a path below a root.
var word = regexp.MustCompile(`^-{0,2}[\pL\pN](?:[\pL\pN._/@#:+=~\[\]-]{0,118}[\pL\pN\]])?$`)

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

// List returns texts as Quoted does, with commas between them.
func List(texts []string) Marked {
	all := make([]Marked, len(texts))
	for i, t := range texts {
		all[i] = Quoted(t)
	}
	return Join(all, ", ")
}

// JSONLine returns a value as JSON on one line, and whether that is all of it: it is cut
// to limit characters.
func JSONLine(v any, limit int) (line Marked, whole bool) {
	text, err := JSON(v, "")
	if less := Shorten(text, limit); err != nil || less != text {
		return Quoted(less), false // which closes its last quotes
	}
	return Marked(Line(text)), true
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
func Join(all []Marked, sep Marked) (text Marked) {
	for i, a := range all {
		if i > 0 {
			text += sep
		}
		text += a
	}
	return text
}

// Indent moves all lines but the first to the right.
func Indent(a Marked) Marked { return Marked(strings.ReplaceAll(string(a), "\n", "\n  ")) }
