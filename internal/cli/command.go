package cli

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/internal/words"
	"understudy/steps"
)

// group returns a command that only holds others.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// withFlags gives a command a flag for each tagged field of a struct, and
// returns the command.
func withFlags(cmd *cobra.Command, values any) *cobra.Command {
	addFlags(cmd.Flags(), values)
	return cmd
}

// jsonFlag is the flag of commands that can write their result for programs.
type jsonFlag struct {
	JSON bool `flag:"json" usage:"print one JSON document"`
}

// repeated is a flag that is given once for each value, so values may hold commas.
type repeated []string

// A choice is a flag whose value is one of some words.
type choice struct {
	value *string
	words []string
}

// String implements pflag.Value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		rest, last := c.words[:len(c.words)-1], c.words[len(c.words)-1]
		return errors.New("wanted " + strings.Join(rest, ", ") + strings.Repeat(" or ", min(1, len(rest))) + last)
	}
	*c.value = text
	return nil
}

// Type implements pflag.Value.
func (*choice) Type() string { return "string" }

// addFlags declares a flag for each field of the struct to which values points,
// embedded structs included. The tag `flag` has its name and perhaps a comma and
// its short form, the tag `usage` its help, the tag `words` the only values of a text,
// and the field its default. For the arguments of operations, the tags `json` and `jsonschema` say so, and a field
// with the tag `arg` is no flag.
func addFlags(flags *pflag.FlagSet, values any) { addFields(flags, reflect.ValueOf(values).Elem()) }

func addFields(flags *pflag.FlagSet, v reflect.Value) {
	for f, value := range v.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			addFields(flags, value)
			continue
		}
		name, short, _ := strings.Cut(f.Tag.Get("flag"), ",")
		if name == "" {
			name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
			name = strings.ReplaceAll(name, "_", "-")
		}
		if name == "" || f.Tag.Get("arg") != "" {
			continue
		}
		to := value.Addr().Interface()
		if words := f.Tag.Get("words"); words != "" {
			to = &choice{to.(*string), strings.Split(words, ",")}
		}
		addFlag(flags, to, name, short, cmp.Or(f.Tag.Get("usage"), f.Tag.Get("jsonschema")))
	}
}

func addFlag(flags *pflag.FlagSet, value any, name, short, help string) {
	switch p := value.(type) {
	case *string:
		flags.StringVarP(p, name, short, *p, help)
	case *[]string:
		flags.StringSliceVarP(p, name, short, *p, help)
	case *repeated:
		flags.StringArrayVarP((*[]string)(p), name, short, *p, help)
	case *bool:
		flags.BoolVarP(p, name, short, *p, help)
	case *int:
		flags.IntVarP(p, name, short, *p, help)
	case *int64:
		flags.Int64VarP(p, name, short, *p, help)
	case *uint32:
		flags.Uint32VarP(p, name, short, *p, help)
	case *float64:
		flags.Float64VarP(p, name, short, *p, help)
	case *time.Duration:
		flags.DurationVarP(p, name, short, *p, help)
	case pflag.Value:
		flags.VarP(p, name, short, help)
	default:
		panic(fmt.Sprintf("--%s: no flag has the type %T", name, value))
	}
}

// checkArguments has a command and those below it refuse arguments that do not fit the
// words of their usages.
func checkArguments(cmd *cobra.Command, known map[string]argument) {
	for _, below := range cmd.Commands() {
		checkArguments(below, known)
	}
	if cmd.Args != nil {
		return
	}
	names, least, repeated := arguments(cmd)
	wanted := func(cmd *cobra.Command, n int, found string) error {
		what := make([]string, n)
		for i := range what {
			what[i] = known[names[i]].what
		}
		return usage(cmd, "wanted %s%s", cmp.Or(strings.Join(what, " and "), "no argument"), found)
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return wanted(cmd, least, "")
		case len(args) > len(names) && !repeated:
			return wanted(cmd, len(names), fmt.Sprintf(", found %q", strings.Join(args[len(names):], " ")))
		}
		return nil
	}
}

// usage returns the error of a command that was called in a wrong way.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return steps.Errorf(steps.Invalid, format, args...).WithNext(fmt.Sprintf("see `%s --help`", cmd.CommandPath()))
}

// unknown returns the error of a word that is not one of the known ones, with those
// that may have been meant.
func unknown(cmd *cobra.Command, text, word string, known []string) error {
	if hint := words.DidYouMean(word, known); hint != "" {
		text += "; " + hint
	}
	return usage(cmd, "%s", text)
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return unknown(cmd, fmt.Sprintf("there is no command %q", args[0]), args[0], known)
}

// flagError adds the nearest known flag to the error of an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	flag, found := strings.CutPrefix(err.Error(), "unknown flag: ")
	if !found {
		return usage(cmd, "%w", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	if words.Nearest(flag, known) == "" {
		known = nil // most of a short list are those of every command
	}
	return unknown(cmd, "there is no flag "+flag, flag, known)
}
