package cli

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"understudy/internal/words"
)

func (a *app) document(v any) error {
	return a.encode(v, "  ")
}

// line writes a value as one line of JSON on the standard output.
func (a *app) line(v any) error {
	return a.encode(v, "")
}

func (a *app) encode(v any, indent string) error {
	doc, err := words.JSON(v, indent)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, words.Visible(doc)) // what it cannot show stands as its number
	return err
}

func (a *app) table(rows func(w io.Writer)) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	rows(w)
	return w.Flush()
}

type paint bool

// paintFor paints for a terminal, unless NO_COLOR is set.
func paintFor(w io.Writer) paint {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return paint(err == nil && info.Mode()&os.ModeCharDevice != 0)
}

func (p paint) red(text string) string   { return p.with("31", text) }
func (p paint) green(text string) string { return p.with("32", text) }

func (p paint) with(colour, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
