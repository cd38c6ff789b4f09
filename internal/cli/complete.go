package cli

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/clients"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/fileio"
	"understudy/internal/notify"
	"understudy/internal/schedules"
	"understudy/steps"
	"understudy/workflows"
)

// completer offers what a shell may complete a command with. It never creates a data
// folder.
type completer struct{ *app }

// An argument is what a word of a usage stands for.
type argument struct {
	what     string // in the message of a command that lacks it
	complete cobra.CompletionFunc
}

// arguments maps the words of usages to what they stand for.
func (c completer) arguments() map[string]argument {
	return map[string]argument{
		"ANSWER":    {"an answer, or - for the standard input", offered(c.answers)},
		"CLIENT":    {"the name of one client", offered(c.clients)},
		"COMMAND":   {"a program with its arguments", cobra.NoFileCompletions},
		"DESKTOP":   {"the name of one desktop", offered(c.desktops)},
		"EVENTS":    {"the file of a recording's events", filesOf("jsonl")},
		"FILE":      {"the file of a workflow, or - for the standard input", filesOf("yaml", "yml", "json")},
		"FILE|NAME": {"the file or the name of one workflow", c.workflows},
		"FOLDER":    {"a folder", folders},
		"CAUSE":     {"the id of a cause, or of one run", c.run},
		"JSON":      {"its arguments as one JSON object in quotes", cobra.NoFileCompletions},
		"KIND":      {"the name of one kind", oneOf(steps.Names(c.kinds)...)},
		"NEW":       {"a new name", cobra.NoFileCompletions},
		"PLAN":      {"the id of one plan", offered(c.plans)},
		"RECEIVER":  {"the name of one receiver of messages", offered(c.receivers)},
		"RUN":       {"the id of one run", c.run},
		"SCHEDULE":  {"the name of one schedule", offered(c.scheduled)},
		"SELECTOR":  {"one selector", cobra.NoFileCompletions},
		"SHELL":     {"the name of one shell: bash, fish, powershell or zsh", oneOf(shells...)},
		"VERSION":   {"the beginning of the hash of a version", offered(c.versions)},
		"WORKFLOW":  {"the name of one saved workflow", offered(c.saved)},
	}
}

// flags maps the names of flags to their completions.
func (c completer) flags() map[string]cobra.CompletionFunc {
	kinds := oneOf(steps.Names(c.kinds)...)
	return map[string]cobra.CompletionFunc{
		"catch-up":      oneOf(schedules.None, schedules.Last, schedules.All),
		"client":        oneOf(clients.Names()...),
		"display":       oneOf("auto", desktop.Seat, desktop.Portal, "virtual"),
		"exclude-tools": kinds,
		"server":        oneOf(virtual.Servers()...),
		"from":          offered(c.steps, cobra.ShellCompDirectiveKeepOrder),
		"home":          folders,
		"input":         offered(c.inputs, cobra.ShellCompDirectiveNoSpace),
		"inputs-file":   filesOf("yaml", "yml", "json"),
		"overlap":       oneOf(schedules.Skip, schedules.Queue, schedules.Allow),
		"schedule":      offered(c.scheduled),
		"status":        oneOf(engine.Statuses()...),
		"to":            offered(c.steps, cobra.ShellCompDirectiveKeepOrder),
		"tools":         kinds,
		"toolsets":      oneOf(access.Toolsets()...),
	}
}

// completing reports whether the first word is that of a shell that asks for
// completions. Only then are they registered, because cobra never releases a command
// whose flags have completions.
func completing(word string) bool {
	return word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd
}

// completeAll gives a command and those below it their completions, by the words of
// their usages and the names of their flags.
func (c completer) completeAll(cmd *cobra.Command) {
	cmd.ValidArgsFunction = inPlace(cmd, c.arguments())
	byFlag := c.flags()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := byFlag[f.Name]
		if x, ok := f.Value.(*choice); ok {
			complete = oneOf(x.words...)
		}
		if complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails only when it was given before
		}
	})
	for _, below := range cmd.Commands() {
		c.completeAll(below)
	}
}

// arguments returns the words of a command's usage that stand for arguments, the number of
// those that must be given, and whether the last of them may be repeated.
func arguments(cmd *cobra.Command) (names []string, least int, repeated bool) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		if !strings.HasPrefix(word, "[") {
			least++
		}
		word = strings.Trim(word, "[]")
		word, repeated = strings.CutSuffix(word, "...")
		names = append(names, word)
	}
	return names, least, repeated
}

// inPlace completes each argument by its word.
func inPlace(cmd *cobra.Command, byWord map[string]argument) cobra.CompletionFunc {
	if cmd.HasSubCommands() {
		return nil // cobra offers them
	}
	names, _, repeated := arguments(cmd)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if repeated {
			at = min(at, len(names)-1)
		}
		if at >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return byWord[names[at]].complete(cmd, args, typed)
	}
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func filesOf(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

func oneOf[T ~string](known ...T) cobra.CompletionFunc {
	return cobra.FixedCompletions(texts(known), cobra.ShellCompDirectiveNoFileComp)
}

// offered completes with a list, and with no files.
func offered(list func(cmd *cobra.Command, args []string) []cobra.Completion, how ...cobra.ShellCompDirective) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, d := range how {
		directive |= d
	}
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(cmd, args), directive
	}
}

// completions is the number of runs that are offered: the newest.
const completions = 100

// run offers runs, the newest first, each with its workflow and status.
func (c completer) run(cmd *cobra.Command, args []string, typed string) (found []string, d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	c.withStored(cmd, func(runs engine.Runs) {
		list, err := runs.List(cmd.Context(), engine.Query{Limit: 10 * completions})
		if err != nil || len(list) == 0 {
			return
		}
		offer := func(name, about string) {
			if strings.HasPrefix(name, typed) && !slices.Contains(args, name) && len(found) < completions {
				found = append(found, cobra.CompletionWithDesc(name, about))
			}
		}
		offer("last", "the newest run")
		for _, h := range list {
			offer(h.ID, clean(h.Workflow)+", "+string(h.Status))
		}
	})
	return found, d
}

// withStored calls do with the runs of an existing data folder.
func (c completer) withStored(cmd *cobra.Command, do func(engine.Runs)) {
	dir, err := c.folder()
	if err != nil {
		return
	}
	if _, err := os.Stat(dir); err == nil {
		_ = c.withRuns(cmd, &anyDisplay, func(runs engine.Runs) error { do(runs); return nil })
	}
}

// workflows offers saved workflows and examples, beside the files of the shell.
func (c completer) workflows(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	saved, _ := c.savedNames()
	for _, name := range workflows.ExampleNames() {
		saved = append(saved, "example/"+name)
	}
	for _, name := range saved {
		if strings.HasPrefix(name, typed) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveDefault
}

func (c completer) answers(cmd *cobra.Command, args []string) (found []cobra.Completion) {
	c.withStored(cmd, func(runs engine.Runs) {
		id, err := findRun(cmd.Context(), runs, args[0])
		if err != nil {
			return
		}
		if h, err := runs.Get(cmd.Context(), id); err == nil && h.Question != nil && h.Question.Sort != engine.AskSecret {
			found = h.Question.Choices
		}
	})
	return found
}

func (c completer) steps(cmd *cobra.Command, args []string) (found []cobra.Completion) {
	c.program(cmd, args).Walk(func(n *workflows.Node) {
		kind := ""
		if n.Kind != nil {
			kind = n.Kind.Name
		}
		if n.ID != "" {
			found = append(found, cobra.CompletionWithDesc(n.ID, kind))
		}
	})
	return found
}

// inputs offers the names of the inputs, each followed by "=".
func (c completer) inputs(cmd *cobra.Command, args []string) (found []cobra.Completion) {
	for _, v := range c.program(cmd, args).Variables {
		found = append(found, cobra.CompletionWithDesc(v.Name+"=", v.Label))
	}
	return found
}

// program compiles the document of the workflow or the run that the arguments name. It
// returns an empty program if that fails.
func (c completer) program(cmd *cobra.Command, args []string) *workflows.Program {
	var p *workflows.Program
	switch {
	case len(args) == 0:
	case cmd.Name() == "run":
		if src, err := c.workflow(args[0]); err == nil {
			_, p, _ = engine.Pack(src, c.kinds, c.load)
		}
	default:
		c.withStored(cmd, func(runs engine.Runs) {
			id, err := findRun(cmd.Context(), runs, args[0])
			if err == nil {
				p, _ = c.programFor(cmd.Context(), runs, id, "", &engine.ResumeRequest{})
			}
		})
	}
	return cmp.Or(p, &workflows.Program{})
}

func (c completer) clients(cmd *cobra.Command, _ []string) (found []cobra.Completion) {
	file, _ := cmd.Flags().GetString("token-file")
	tokens, err := c.tokens(file)
	if err != nil {
		return nil
	}
	list, _ := tokens.List()
	for _, x := range list {
		found = append(found, cobra.CompletionWithDesc(x.Name, x.Mode))
	}
	return found
}

func (c completer) desktops(*cobra.Command, []string) (names []cobra.Completion) {
	home, err := c.folder()
	if err != nil {
		return nil
	}
	for _, k := range virtual.List(desktopsFolder(home)) {
		names = append(names, k.Name)
	}
	return names
}

func (c completer) scheduled(cmd *cobra.Command, _ []string) (names []cobra.Completion) {
	on, _, end, err := c.schedules(cmd)
	if err != nil {
		return nil
	}
	defer end()
	all, _ := on.List(cmd.Context())
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

func (c completer) receivers(*cobra.Command, []string) []cobra.Completion {
	home, err := c.folder()
	if err != nil {
		return nil
	}
	all, _ := notify.Load(home)
	return slices.Sorted(maps.Keys(all.Receivers))
}

func (c completer) plans(*cobra.Command, []string) []cobra.Completion {
	home, err := c.folder()
	if err != nil {
		return nil
	}
	return plansFolder(home).List()
}

func (c completer) saved(*cobra.Command, []string) []cobra.Completion {
	names, _ := c.savedNames()
	return names
}

func (c completer) versions(_ *cobra.Command, args []string) (found []cobra.Completion) {
	path, err := savedFiles{c.app}.Path(args[0])
	if err != nil {
		return nil
	}
	all, _ := fileio.Versions(path)
	for _, v := range all {
		found = append(found, cobra.CompletionWithDesc(v.Short(), v.Saved.Local().Format(time.DateTime)))
	}
	return found
}
