package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/engine"
	"understudy/internal/clients"
	"understudy/internal/schedules"
	"understudy/mcpserver/access"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
	"understudy/workflows"
	"understudy/workflows/examples"
)

func (a *app) argumentCompleters() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"CLIENT": a.completeClient, "NEW": cobra.NoFileCompletions,
		"ANSWER":    a.completeAnswer,
		"COMMAND":   cobra.NoFileCompletions,
		"DESKTOP":   a.completeDesktop,
		"EVENTS":    filesOf("jsonl"),
		"FILE":      filesOf("yaml", "yml", "json"),
		"FILE|NAME": a.completeWorkflow,
		"FOLDER":    folders,
		"JSON":      cobra.NoFileCompletions,
		"KIND":      oneOf(steps.Names(a.kinds)...),
		"RUN":       a.completeRun,
		"SCHEDULE":  a.completeSchedule,
		"SELECTOR":  cobra.NoFileCompletions,
		"SHELL":     oneOf(shells...),
		"VERSION":   a.completeVersion,
		"WORKFLOW":  a.completeSaved,
	}
}

func (a *app) flagCompleters() map[string]cobra.CompletionFunc {
	kinds := oneOf(steps.Names(a.kinds)...)
	return map[string]cobra.CompletionFunc{
		"catch-up":      oneOf(schedules.None, schedules.Last, schedules.All),
		"client":        oneOf(clients.Names()...),
		"display":       oneOf("auto", desktop.Seat, desktop.Portal, "virtual"),
		"exclude-tools": kinds,
		"server":        oneOf(virtual.Servers()...),
		"from":          a.completeStep,
		"home":          folders,
		"input":         a.completeInput,
		"inputs-file":   filesOf("yaml", "yml", "json"),
		"mode":          oneOf(access.Ask, access.Act),
		"on-disconnect": oneOf("cancel", "continue"),
		"overlap":       oneOf(schedules.Skip, schedules.Queue, schedules.Allow),
		"schedule":      a.completeSchedule,
		"status":        oneOf(engine.Statuses()...),
		"to":            a.completeStep,
		"tools":         kinds,
		"toolsets":      oneOf(access.Toolsets()...),
	}
}

// completing says whether a first word is that of a shell which asks what may
// come next. Nobody else needs completions, and cobra never lets go of a command
// whose flags have some.
func completing(word string) bool {
	return word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd
}

// completeAll gives every command its completions, by the words of its usage
// and the names of its flags.
func (a *app) completeAll(cmd *cobra.Command) {
	byWord, byFlag := a.argumentCompleters(), a.flagCompleters()
	var all func(*cobra.Command)
	all = func(cmd *cobra.Command) {
		cmd.ValidArgsFunction = inPlace(cmd, byWord)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if c := byFlag[f.Name]; c != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, c) // fails only when it was given before
			}
		})
		for _, c := range cmd.Commands() {
			all(c)
		}
	}
	all(cmd)
}

// arguments are the words of a command's usage that stand for arguments, and
// whether the last of them may be repeated.
func arguments(cmd *cobra.Command) (names []string, repeated bool) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		word = strings.Trim(word, "[]")
		word, repeated = strings.CutSuffix(word, "...")
		names = append(names, word)
	}
	return names, repeated
}

// inPlace completes each argument by what its word stands for.
func inPlace(cmd *cobra.Command, byWord map[string]cobra.CompletionFunc) cobra.CompletionFunc {
	if cmd.HasSubCommands() {
		return nil // cobra offers them
	}
	names, repeated := arguments(cmd)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if repeated {
			at = min(at, len(names)-1)
		}
		if at >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return byWord[names[at]](cmd, args, typed)
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
	names := make([]cobra.Completion, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// completions is how many runs are offered; the newest are those that are meant.
const completions = 100

// completeRun offers runs, the newest first, each with its workflow and status.
func (a *app) completeRun(cmd *cobra.Command, args []string, typed string) (found []string, d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	a.withStored(cmd, func(runs engine.Runs) {
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

// withStored gives the runs of a data folder that is there; looking for what to
// offer makes none.
func (a *app) withStored(cmd *cobra.Command, do func(engine.Runs)) {
	dir, err := a.folder()
	if err != nil {
		return
	}
	if _, err := os.Stat(dir); err != nil {
		return
	}
	runs, leave, err := a.runs(cmd, &displayFlags{display: "auto"})
	if err != nil {
		return
	}
	defer leave()
	do(runs)
}

// completeWorkflow offers saved workflows and examples, beside the files that
// the shell offers.
func (a *app) completeWorkflow(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	saved, _ := a.savedNames()
	for _, name := range slices.Concat(saved, exampleNames()) {
		if strings.HasPrefix(name, typed) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveDefault
}

func exampleNames() (names []string) {
	for _, name := range examples.Names() {
		names = append(names, "example/"+name)
	}
	return names
}

func (a *app) completeAnswer(cmd *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
	a.withStored(cmd, func(runs engine.Runs) {
		id, err := a.find(cmd.Context(), runs, args[0])
		if err != nil {
			return
		}
		if h, err := runs.Get(cmd.Context(), id); err == nil && h.Question != nil && h.Question.Sort != engine.AskSecret {
			found = h.Question.Choices
		}
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeStep(cmd *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
	p := a.named(cmd, args)
	if p == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	p.Walk(func(n *workflows.Node) {
		kind := ""
		if n.Kind != nil {
			kind = n.Kind.Name
		}
		if n.ID != "" {
			found = append(found, cobra.CompletionWithDesc(n.ID, kind))
		}
	})
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeInput offers the names of the inputs, each with the sign that a value
// follows.
func (a *app) completeInput(cmd *cobra.Command, args []string, _ string) (found []string, d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	p := a.named(cmd, args)
	if p == nil {
		return nil, d
	}
	for _, v := range p.Variables {
		found = append(found, cobra.CompletionWithDesc(v.Name+"=", v.Label))
	}
	return found, d
}

// named is the document of the workflow or the run that the arguments name.
func (a *app) named(cmd *cobra.Command, args []string) (p *workflows.Program) {
	if len(args) == 0 {
		return nil
	}
	if cmd.Name() == "run" {
		if src, err := a.workflow(args[0]); err == nil {
			_, p, _ = engine.Pack(src, a.kinds, a.load)
		}
		return p
	}
	a.withStored(cmd, func(runs engine.Runs) {
		id, err := a.find(cmd.Context(), runs, args[0])
		if err == nil {
			p, _ = a.programFor(cmd.Context(), runs, id, "", &engine.ResumeRequest{})
		}
	})
	return p
}

func (a *app) completeClient(cmd *cobra.Command, _ []string, _ string) (found []string, _ cobra.ShellCompDirective) {
	file, _ := cmd.Flags().GetString("token-file")
	tokens, err := a.tokens(file)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := tokens.List()
	for _, x := range list {
		found = append(found, cobra.CompletionWithDesc(x.Name, x.Mode))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
