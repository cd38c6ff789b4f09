package workflows

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluators are commands that read their arguments as code, as the names of variables
// with subscripts, or as arithmetic.
var evaluators = []string{
	"eval", "trap", "let", "unset", "read", "getopts", "mapfile", "readarray", "alias", "wait", "complete", "compgen", "bind", "enable", "fc",
	"declare", "typeset", "local", "export", "readonly", "nameref", "ssh", "watch", "parallel",
}

// strictEvaluators do the same in zsh and ksh, which read every number as arithmetic.
var strictEvaluators = []string{
	"test", "[", "printf", "print", "return", "exit", "shift", "break", "continue", "integer", "float", "ulimit", "limit", "set", "autoload", "functions", "zmodload", "sched",
}

// runners run the command that follows them.
var runners = []string{"command", "builtin", "exec", "nohup", "env", "sudo", "noglob", "nocorrect", "-"}

// interpreters maps programs to the letters of the options that give them code. A
// program without letters takes its first argument as code.
var interpreters = map[string]string{
	"sh": "c", "bash": "c", "dash": "c", "zsh": "c", "ksh": "c", "mksh": "c", "ash": "c", "su": "c", "runuser": "c", "script": "c", "flock": "c",
	"python": "c", "python2": "c", "python3": "c", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "php": "r", "lua": "e", "osascript": "e",
	"awk": "", "gawk": "", "mawk": "", "nawk": "", "sed": "",
}

// call visits a simple command. It refuses values in the name of the command and in
// the words that the command executes or evaluates.
func (r *posixReader) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		r.assign(a)
	}
	code, where := r.code(c.Args)
	for _, w := range c.Args {
		if slices.Contains(code, w) {
			r.refuse(w, where)
			continue
		}
		r.word(w)
	}
}

// code returns the words of a command that are executed or evaluated, and a
// description of that place.
func (r *posixReader) code(args []*syntax.Word) (code []*syntax.Word, where string) {
	args = behindRunners(args)
	if len(args) == 0 {
		return nil, ""
	}
	name, rest := static(args[0]), args[1:]
	switch {
	case r.has(args[0]):
		return args[:1], "where the name of a program is wanted"
	case slices.Contains(evaluators, name), r.strict && slices.Contains(strictEvaluators, name):
		return rest, "after " + name + ", which evaluates it"
	case name == "test" || name == "[":
		return r.testCode(rest), "after -v, or with another value in a test"
	case name == "printf":
		return r.printfCode(rest), "into the format of printf, or after its -v"
	}
	for i, w := range args {
		program := path.Base(static(w))
		if letters, ok := interpreters[program]; ok {
			code = append(code, r.interpreted(args[i+1:], letters)...)
		}
	}
	return code, "into the code of another interpreter"
}

// behindRunners returns the words of a command without the runners before it.
func behindRunners(args []*syntax.Word) []*syntax.Word {
	for len(args) > 1 && slices.Contains(runners, path.Base(static(args[0]))) {
		args = args[1:]
		for len(args) > 1 && (strings.HasPrefix(static(args[0]), "-") || strings.Contains(wordText(args[0]), "=")) {
			args = args[1:]
		}
	}
	return args
}

// testCode returns the words of a test that follow -v, or a value that could be -v.
func (r *posixReader) testCode(args []*syntax.Word) (code []*syntax.Word) {
	for i, w := range args[:max(0, len(args)-1)] {
		if name := static(w); name == "-v" || name == "-R" || r.begins(w) || strings.HasPrefix(name, "-") && r.has(w) {
			code = append(code, args[i+1])
		}
	}
	return code
}

// printfCode returns the words of printf that name a variable, or could.
func (r *posixReader) printfCode(args []*syntax.Word) []*syntax.Word {
	if len(args) > 0 && (r.begins(args[0]) || strings.HasPrefix(wordText(args[0]), "-v")) {
		return args
	}
	return nil
}

// interpreted returns the words that an interpreter executes. It takes code after an
// option with one of the letters.
func (r *posixReader) interpreted(args []*syntax.Word, letters string) (code []*syntax.Word) {
	wanted := letters == ""
	for i, w := range args {
		option := wordText(w)
		switch {
		case letters == "" && i > 0 && slices.Contains([]string{"-v", "-F"}, static(args[i-1])):
		case strings.HasPrefix(option, "-") && r.has(w), letters == "" && strings.HasPrefix(option, "-"):
			code = append(code, w)
		case strings.HasPrefix(option, "--") && option != "--eval" && option != "--print" && option != "--expression" && option != "--command":
		case strings.HasPrefix(option, "-") && len(option) > 1 && (strings.HasPrefix(option, "--") || strings.ContainsAny(option, letters)):
			code, wanted = append(code, w), true
		case strings.HasPrefix(option, "-") && len(option) > 1:
		case wanted:
			code, wanted = append(code, w), false
		case r.begins(w) && slices.ContainsFunc(args[i+1:], func(w *syntax.Word) bool { return r.has(w) }) && len(code) == 0:
			return append(code, w) // it could be the option
		default:
			if len(code) == 0 && letters == "c" {
				return nil // a file: what follows are its arguments
			}
		}
	}
	return code
}

// begins reports whether a word begins with a value.
func (r *posixReader) begins(w *syntax.Word) bool {
	return strings.HasPrefix(strings.TrimLeft(r.source(w), `"'`), r.stem)
}

// static returns the text of a word, or "" if part of it is expanded.
func static(w *syntax.Word) string {
	s := wordText(w)
	if strings.ContainsRune(s, mark) {
		return ""
	}
	return s
}

// wordText returns the text of a word, with a mark in place of each part that is
// expanded.
func wordText(w *syntax.Word) string {
	var b strings.Builder
	partsText(&b, w.Parts)
	return b.String()
}

func partsText(b *strings.Builder, parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			partsText(b, p.Parts)
		default:
			b.WriteRune(mark)
		}
	}
}

var (
	shellName  = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	expanded   = regexp.MustCompile(`\$\{?!?([A-Za-z_][A-Za-z0-9_]*)`)
	positional = regexp.MustCompile(`\$\{?!?[0-9@*]`)
)

// handedOver is the name in derived of the arguments of a function or a script.
const handedOver = "$@"

// maxPasses bounds through how many variables a value is followed that are assigned in
// the opposite order.
const maxPasses = 20

// collect finds the variables whose content comes from a value, through any number of
// assignments.
func (r *posixReader) collect(f *syntax.File) {
	functions := map[string]bool{}
	for known, pass := -1, 0; known < len(r.derived) && pass < maxPasses; pass++ {
		known = len(r.derived)
		syntax.Walk(f, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FuncDecl:
				if n.Name != nil {
					functions[n.Name.Value] = true
				}
			case *syntax.Assign:
				r.lists = r.lists || n.Array != nil
				if n.Name != nil && r.holds(n) {
					r.derived[n.Name.Value] = true
				}
			case *syntax.WordIter:
				if r.holds(n) || r.derived[handedOver] && len(n.Items) == 0 {
					r.derived[n.Name.Value] = true
				}
			case *syntax.CallExpr:
				r.collectCall(n, functions)
			}
			return true
		})
		if pass == 0 {
			known = -1 // one more pass, now that all functions are known
		}
		r.tooManyDerived = pass == maxPasses-1 && known < len(r.derived)
	}
}

func (r *posixReader) collectCall(c *syntax.CallExpr, functions map[string]bool) {
	args := behindRunners(c.Args)
	if len(args) == 0 {
		return
	}
	switch name := static(args[0]); {
	case name == "read" || name == "mapfile" || name == "readarray" || name == "getopts":
		for _, w := range args[1:] {
			r.derived[wordText(w)] = true
		}
		r.derived["REPLY"], r.derived["MAPFILE"] = true, true
	case functions[name] || name == "set":
		if r.holds(c) {
			r.derived[handedOver] = true
		}
	}
}

// holds reports whether a value stands in a node, or a variable derived from one.
func (r *posixReader) holds(n syntax.Node) bool {
	return r.has(n) || r.mentions(r.source(n), expanded)
}

func (r *posixReader) mentions(source string, names *regexp.Regexp) bool {
	if r.derived[handedOver] && positional.MatchString(source) {
		return true
	}
	for _, m := range names.FindAllStringSubmatch(source, -1) {
		if r.derived[m[len(m)-1]] {
			return true
		}
	}
	return false
}

// evaluated returns an error if the command evaluates a variable that is derived from a
// value.
func (r *posixReader) evaluated(f *syntax.File) (err error) {
	syntax.Walk(f, func(n syntax.Node) bool {
		found := false
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			found = r.mentions(r.source(n), shellName)
		case *syntax.ParamExp:
			found = (n.Index != nil || n.Slice != nil || n.Excl) && r.mentions(r.source(n), shellName)
		case *syntax.Assign:
			found = n.Index != nil && r.mentions(r.source(n), expanded)
		case *syntax.DeclClause:
			found = r.changes(n) && r.mentions(r.source(n), shellName)
		case *syntax.BinaryTest:
			found = compares(n.Op) && r.mentions(r.source(n), shellName)
		case *syntax.UnaryTest:
			found = (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) && r.mentions(r.source(n), expanded)
		case *syntax.CallExpr:
			code, _ := r.code(n.Args)
			found = slices.ContainsFunc(code, func(w *syntax.Word) bool { return r.mentions(r.source(w), expanded) })
		}
		if found && err == nil {
			err = errPlace("into a variable that the command evaluates")
		}
		return err == nil
	})
	return err
}

// changes reports whether a declaration has options or expanded names.
func (r *posixReader) changes(c *syntax.DeclClause) bool {
	return slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool { return a.Name == nil })
}
