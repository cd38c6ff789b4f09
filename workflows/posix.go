package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"understudy/internal/words"
)

// A posixReader finds how the reference to each value of a command is quoted. It
// visits only the places where a reference to a variable is data; a value at any other
// place is refused.
type posixReader struct {
	command        string
	stem           string // stands for a value, followed by its number
	strict         bool   // the shell evaluates the arguments of its builtin commands
	quotes         []quotes
	derived        map[string]bool // the variables whose content comes from a value
	tooManyDerived bool            // there are too many such variables to follow
	lists          bool            // the command has lists, which declare reads as code
	where          string          // the last place that was refused
}

// quotes are the texts before and after a reference.
type quotes struct {
	known         bool
	before, after string
}

// posixCommand returns a command with references to the variables name(i) in place of
// its values.
func posixCommand(outline func(func(int) string) string, language syntax.LangVariant, name func(int) string) (string, error) {
	r := &posixReader{stem: "value", strict: language != syntax.LangBash, derived: map[string]bool{}}
	plain := outline(func(int) string {
		r.quotes = append(r.quotes, quotes{})
		return ""
	})
	if err := readable(plain, r.strict); err != nil {
		return "", err
	}
	for strings.Contains(plain, r.stem) {
		r.stem += "x"
	}
	r.command = outline(r.stand)
	file, err := syntax.NewParser(syntax.Variant(language)).Parse(strings.NewReader(r.command), "")
	if err != nil {
		return "", fmt.Errorf("cannot parse a command that contains templates: %s", words.Shorten(strings.ReplaceAll(err.Error(), r.stem, "value "), 200))
	}
	if r.collect(file); r.tooManyDerived {
		return "", errPlace("into a variable from which so many others come")
	}
	syntax.Walk(file, r.visit)
	for _, q := range r.quotes {
		if !q.known {
			return "", errPlace(cmp.Or(r.where, "there"))
		}
	}
	if err := r.evaluated(file); err != nil {
		return "", err
	}
	return outline(func(i int) string { return r.quotes[i].before + "${" + name(i) + "}" + r.quotes[i].after }), nil
}

// Limits of a command with values, so that reading it takes little time and memory.
const (
	maxCommandSize = 64 << 10
	maxOpened      = 1000
)

// readable returns an error if a command cannot be read safely.
func readable(command string, strict bool) error {
	opened := 0
	for _, c := range []string{"(", "{", "[", "`"} {
		opened += strings.Count(command, c)
	}
	switch {
	case strings.ContainsRune(command, mark):
		return errors.New("a command cannot hold the character NUL")
	case len(command) > maxCommandSize || opened > maxOpened:
		return errors.New("a command with values is at most 64 KiB long, with at most 1000 parentheses; put it into a file and name it by script_file")
	case strict && (strings.Contains(command, "$[") || strings.Contains(command, `$"`)):
		return errPlace("into a command with $[ or $\"")
	}
	return nil
}

// stand returns the word that stands for a value while the command is read. It ends in
// a letter, so that no such word is the beginning of another.
func (r *posixReader) stand(i int) string { return r.stem + strconv.Itoa(i) + "e" }

// has reports whether a value stands in a node.
func (r *posixReader) has(n syntax.Node) bool {
	return strings.Contains(r.source(n), r.stem)
}

func (r *posixReader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(r.command) {
		return r.stem // a node without a position may hold a value
	}
	return r.command[from:to]
}

// refuse sets the place to name in the error, if a value stands in a node.
func (r *posixReader) refuse(n syntax.Node, where string) {
	if r.has(n) {
		r.where = where
	}
}

// allow sets the quotes of the values in a literal.
func (r *posixReader) allow(n syntax.Node, before, after string) {
	text := r.source(n)
	for from := 0; ; {
		i := strings.Index(text[from:], r.stem)
		if i < 0 {
			return
		}
		i += from
		from = i + len(r.stem)
		number, _, _ := strings.Cut(text[from:], "e")
		if k, err := strconv.Atoi(number); err == nil && k < len(r.quotes) && !backslashed(text[:i]) {
			r.quotes[k] = quotes{true, before, after}
		} else {
			r.where = "after a backslash"
		}
	}
}

// backslashed reports whether a text ends in a backslash that escapes the next
// character.
func backslashed(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// visit visits a node for syntax.Walk, and reports whether its children may hold
// values too.
func (r *posixReader) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.File, *syntax.Block, *syntax.Subshell, *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause,
		*syntax.ForClause, *syntax.WordIter, *syntax.CaseClause, *syntax.CaseItem, *syntax.FuncDecl, *syntax.TimeClause,
		*syntax.CmdSubst, *syntax.ProcSubst, *syntax.TestClause, *syntax.ParenTest:
		return true
	case *syntax.Stmt:
		for _, x := range n.Redirs {
			r.word(x.Word)
			if x.Hdoc != nil {
				r.refuse(x.Hdoc, "into a here-document")
			}
		}
		if n.Cmd != nil {
			syntax.Walk(n.Cmd, r.visit)
		}
	case *syntax.CoprocClause:
		syntax.Walk(n.Stmt, r.visit) // but not its name
	case *syntax.Word:
		r.word(n)
	case *syntax.CallExpr:
		r.call(n)
	case *syntax.DeclClause:
		r.declare(n)
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		r.refuse(n, "into arithmetic")
	case *syntax.UnaryTest:
		if n.Op != syntax.TsVarSet && n.Op != syntax.TsRefVar {
			return true
		}
		r.refuse(n, "after "+n.Op.String())
	case *syntax.BinaryTest:
		if !compares(n.Op) {
			return true
		}
		r.refuse(n, "beside "+n.Op.String()+" in [[ … ]], which evaluates it (write [ … ] instead)")
	}
	return false
}

func (r *posixReader) word(w *syntax.Word) {
	if w != nil {
		r.parts(w.Parts, `"`, `"`)
	}
}

// parts visits the parts of a word, or of a text in double quotes. References in them
// stand between before and after.
func (r *posixReader) parts(list []syntax.WordPart, before, after string) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			r.allow(p, before, after)
		case *syntax.SglQuoted:
			if p.Dollar {
				r.refuse(p, "into $'…'")
			} else {
				r.allowSingle(p)
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				r.refuse(p, `into $"…"`)
			} else {
				r.parts(p.Parts, "", "")
			}
		case *syntax.CmdSubst:
			if p.Backquotes || p.TempFile || p.ReplyVar {
				r.refuse(p, "into backquotes")
			} else {
				syntax.Walk(p, r.visit)
			}
		case *syntax.ProcSubst:
			syntax.Walk(p, r.visit)
		case *syntax.ArithmExp:
			r.refuse(p, "into arithmetic")
		default:
			r.refuse(p, "into ${…} or a pattern")
		}
	}
}

// allowSingle is allow for a text in single quotes: they are closed before a reference,
// and opened again after it. A backslash escapes nothing there.
func (r *posixReader) allowSingle(q *syntax.SglQuoted) {
	if !r.has(q) {
		return
	}
	for i := range r.quotes {
		if strings.Contains(r.source(q), r.stand(i)) {
			r.quotes[i] = quotes{true, `'"`, `"'`}
		}
	}
}

// compares reports whether an operator evaluates its operands as arithmetic.
func compares(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// assign visits the value of an assignment. A subscript is arithmetic.
func (r *posixReader) assign(a *syntax.Assign) {
	if a.Index != nil {
		r.refuse(a, "into a subscript, or what is assigned to one")
		return
	}
	r.word(a.Value)
	if a.Array == nil {
		return
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			r.refuse(e, "into a subscript, or what is assigned to one")
			continue
		}
		r.word(e.Value)
	}
}

// declare visits declare, export and the like. Without options the text after = is
// data, unless the variable is a list.
func (r *posixReader) declare(c *syntax.DeclClause) {
	name := c.Variant.Value
	plain := name == "export" || name == "readonly" || !r.lists && name != "nameref"
	for _, a := range c.Args {
		plain = plain && a.Name != nil && a.Array == nil && a.Index == nil
	}
	if !plain {
		r.refuse(c, "after "+name+" with options, subscripts or lists")
		return
	}
	for _, a := range c.Args {
		r.word(a.Value)
	}
}
