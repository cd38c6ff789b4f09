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

// A posixReader finds how each value of a command has to be written. It visits
// only the places where a reference to a variable is data; a value that it does
// not come across is refused.
type posixReader struct {
	command string
	stem    string // with its number, it stands for a value
	strict  bool   // the shell evaluates the arguments of its builtin commands
	quotes  []quotes
	derived map[string]bool // the variables that hold what came from a value
	tangled bool            // they are too many to be followed
	lists   bool            // the command has lists, which declare reads as code
	where   string          // the last place that was refused
}

// quotes are what stands before and behind a reference.
type quotes struct {
	known         bool
	before, after string
}

// posixCommand writes a command with references to the variables name(i) where
// its values stand.
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
		return "", fmt.Errorf("a command with values has to be one that can be read: %s", words.Shorten(strings.ReplaceAll(err.Error(), r.stem, "value "), 200))
	}
	if r.collect(file); r.tangled {
		return "", errPlace("into a variable from which so many others come")
	}
	r.stmts(file.Stmts)
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

// What a command with values may be at most, so that reading it takes little
// time and memory.
const (
	maxCommandSize = 64 << 10
	maxOpened      = 1000
)

// readable says what is wrong with a command before it is read.
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

// stand is what stands for a value while the command is read: a word of
// letters, that ends in one so that no value begins another's.
func (r *posixReader) stand(i int) string { return r.stem + strconv.Itoa(i) + "e" }

// has says whether a value stands in a node.
func (r *posixReader) has(n syntax.Node) bool {
	return strings.Contains(r.source(n), r.stem)
}

func (r *posixReader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(r.command) {
		return r.stem // what has no place is not known to be free of values
	}
	return r.command[from:to]
}

// refuse remembers where a value was found that stands in a node.
func (r *posixReader) refuse(n syntax.Node, where string) {
	if r.has(n) {
		r.where = where
	}
}

// allow gives quotes to the values of a piece of text.
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
			r.where = "behind a backslash"
		}
	}
}

// backslashed says whether what follows a text has a backslash before it.
func backslashed(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

func (r *posixReader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *posixReader) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	for _, x := range s.Redirs {
		r.word(x.Word)
		if x.Hdoc != nil {
			r.refuse(x.Hdoc, "into a here-document")
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.DeclClause:
		r.declare(c)
	case *syntax.TestClause:
		r.test(c.X)
	case *syntax.ArithmCmd, *syntax.LetClause:
		r.refuse(c, "into arithmetic")
	default:
		r.compound(c)
	}
}

func (r *posixReader) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.Subshell:
		r.stmts(c.Stmts)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		r.stmt(c.Y)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.stmts(c.Then)
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond)
		r.stmts(c.Do)
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.WordIter); ok {
			r.words(loop.Items)
		} else {
			r.refuse(c.Loop, "into arithmetic")
		}
		r.stmts(c.Do)
	case *syntax.CaseClause:
		r.word(c.Word)
		for _, item := range c.Items {
			r.words(item.Patterns)
			r.stmts(item.Stmts)
		}
	case *syntax.FuncDecl:
		r.stmt(c.Body)
	case *syntax.TimeClause:
		r.stmt(c.Stmt)
	case *syntax.CoprocClause:
		r.stmt(c.Stmt)
	}
}

func (r *posixReader) words(list []*syntax.Word) {
	for _, w := range list {
		r.word(w)
	}
}

func (r *posixReader) word(w *syntax.Word) {
	if w != nil {
		r.parts(w.Parts, `"`, `"`)
	}
}

// parts visits the parts of a word, or of what stands in double quotes, where a
// reference needs no more.
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
				r.stmts(p.Stmts)
			}
		case *syntax.ProcSubst:
			r.stmts(p.Stmts)
		case *syntax.ArithmExp:
			r.refuse(p, "into arithmetic")
		default:
			r.refuse(p, "into ${…} or a pattern")
		}
	}
}

// allowSingle closes the quotes for a value, and opens them again. A backslash
// means nothing there.
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

// test visits what stands in [[ … ]].
func (r *posixReader) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		r.word(x)
	case *syntax.ParenTest:
		r.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			r.refuse(x, "behind "+x.Op.String())
			return
		}
		r.test(x.X)
	case *syntax.BinaryTest:
		if compares(x.Op) {
			r.refuse(x, "beside "+x.Op.String()+" in [[ … ]], which evaluates it (write [ … ] instead)")
			return
		}
		r.test(x.X)
		r.test(x.Y)
	}
}

// compares says whether an operator takes its operands for arithmetic.
func compares(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// assign visits what is assigned. A subscript is arithmetic.
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

// declare visits declare, export and the like: without options, what stands
// behind = is data, unless the variable is a list.
func (r *posixReader) declare(c *syntax.DeclClause) {
	name := c.Variant.Value
	plain := name == "export" || name == "readonly" || !r.lists && name != "nameref"
	for _, a := range c.Args {
		plain = plain && a.Name != nil && a.Array == nil && a.Index == nil
	}
	if !plain {
		r.refuse(c, "behind "+name+" with options, subscripts or lists")
		return
	}
	for _, a := range c.Args {
		r.word(a.Value)
	}
}
