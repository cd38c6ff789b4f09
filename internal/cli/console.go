package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"golang.org/x/term"

	"understudy/internal/words"
)

// console is where a command reads and writes: results go to the standard
// output, everything else to the error output.
type console struct {
	in          io.Reader
	inRead      bool // to its end
	out, errOut io.Writer
	Quiet       bool `flag:"quiet,q" usage:"print only results and errors"`
}

// document writes a value as indented JSON on the standard output.
func (c *console) document(v any) error { return c.encode(v, "  ") }

// line writes a value as one line of JSON on the standard output.
func (c *console) line(v any) error { return c.encode(v, "") }

// encode writes characters that a terminal would obey as their numbers.
func (c *console) encode(v any, indent string) error {
	doc, err := words.JSON(v, indent)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, words.Visible(doc))
	return err
}

// show writes a result on the standard output: as JSON for programs, or as lines of
// cells, whose texts may come from anywhere.
func (c *console) show(asJSON bool, v any, lines func(line func(cells ...any))) error {
	if asJSON {
		return c.document(v)
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	lines(func(cells ...any) {
		texts := make([]string, len(cells))
		for i, cell := range cells {
			texts[i] = clean(fmt.Sprint(cell))
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	})
	return w.Flush()
}

// tell writes a line for a person, unless only results are wanted.
func (c *console) tell(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintln(c.errOut, clean(fmt.Sprintf(format, args...)))
	}
}

// maxInput exceeds the size that a document or an answer may have, and is how much of the
// standard input is taken.
const maxInput = 5 << 20

// standardInput returns all of the standard input, which can be had once.
func (c *console) standardInput() ([]byte, error) {
	if c.inRead {
		return nil, errors.New("the standard input was read already, and is empty now")
	}
	c.inRead = true
	raw, err := io.ReadAll(io.LimitReader(c.in, maxInput+1))
	if len(raw) > maxInput {
		err = fmt.Errorf("the standard input has more than %d MiB", maxInput>>20)
	}
	return raw, err
}

// terminal reports whether an input or an output is a person's terminal.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(*os.File)
	if ok {
		fd = int(f.Fd())
	}
	return fd, ok && term.IsTerminal(fd)
}

// askSecret asks for the value of a secret, which is not kept: a line, not shown if a
// person types it.
func (c *console) askSecret(in *bufio.Reader, name string) (string, error) {
	fmt.Fprintf(c.errOut, "the secret %s, for this once: ", clean(name))
	if fd, ok := terminal(c.in); ok {
		text, err := term.ReadPassword(fd)
		fmt.Fprintln(c.errOut)
		return string(text), err
	}
	line, err := in.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// paint reports whether text is coloured.
type paint bool

// paintFor colours text for a terminal, unless NO_COLOR is set.
func paintFor(w io.Writer) paint {
	_, ok := terminal(w)
	return paint(ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p paint) red(text string) string   { return p.with("31", text) }
func (p paint) green(text string) string { return p.with("32", text) }

func (p paint) with(colour, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// Text that is shown to a person may come from anywhere: the name of a window, the
// content of a field, the log of a script. A terminal would obey the control
// characters in it, and a reader would see reordered characters in the wrong order.

// clean makes a text safe to show in one cell of a table, or one line.
func clean(text string) string {
	return strings.ReplaceAll(words.Line(validUTF8(text)), "\t", `\t`)
}

// cleanLines is clean, but keeps line breaks and tabs.
func cleanLines(text string) string { return words.Visible(validUTF8(text)) }

func validUTF8(text string) string { return strings.ToValidUTF8(text, string(unicode.ReplacementChar)) }

// texts returns values as plain texts.
func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// count returns a number with its noun: "1 step", "2 steps".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
