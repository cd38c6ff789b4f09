package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/internal/operations"
)

// operation is the command of an operation: its arguments are taken by their
// places and by flags, as the fields of the operation's arguments say. Shown is
// given an answer with a picture; nil: there is none such.
func (a *app) operation(o operations.Declaration, do func(cmd *cobra.Command, values any) (operations.Result, error), shown func(operations.Result, []string) error) *cobra.Command {
	var asJSON bool
	values := o.New()
	taken := positionalOf(values)
	cmd := &cobra.Command{
		Use:   strings.Join(append([]string{o.Command}, wordsOf(taken)...), " "),
		Short: strings.TrimSuffix(o.Summary, "."),
		Long:  o.Summary + "\n" + o.Details,
		Args:  argumentsOf(taken),
		RunE: func(cmd *cobra.Command, args []string) error {
			fill(taken, args)
			answer, err := do(cmd, values)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.document(answer.Value)
			case answer.Picture != nil:
				return shown(answer, args)
			case answer.Text != "":
				_, err = fmt.Fprintln(a.out, answer.Text)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON document")
	addFlags(cmd.Flags(), values)
	if len(taken) > 0 && taken[len(taken)-1].many() {
		cmd.Flags().SetInterspersed(false)
	}
	return cmd
}

// positional is an argument that a command takes by its place.
type positional struct {
	word  string // as usage shows it
	value reflect.Value
}

func (p positional) many() bool     { return p.value.Kind() == reflect.Slice }
func (p positional) optional() bool { return strings.HasPrefix(p.word, "[") }

func wordsOf(taken []positional) (all []string) {
	for _, p := range taken {
		all = append(all, p.word)
	}
	return all
}

// positionalOf are the fields of a struct that are taken by their place.
func positionalOf(values any) (taken []positional) {
	v := reflect.ValueOf(values).Elem()
	for i := range v.NumField() {
		if word := v.Type().Field(i).Tag.Get("arg"); word != "" {
			taken = append(taken, positional{word, v.Field(i)})
		}
	}
	return taken
}

func argumentsOf(taken []positional) cobra.PositionalArgs {
	least, most := 0, len(taken)
	for _, p := range taken {
		if !p.optional() {
			least++
		}
		if p.many() {
			most = 1 << 20
		}
	}
	if len(taken) == 0 {
		return atMost(0, "no arguments")
	}
	return argumentCount(least, most, strings.Join(wordsOf(taken), " "))
}

// fill sets fields to the arguments at their places.
func fill(taken []positional, args []string) {
	for i, p := range taken {
		switch {
		case i >= len(args):
		case p.many():
			rest := args[i:]
			if rest[0] == "--" && len(rest) > 1 {
				rest = rest[1:]
			}
			p.value.Set(reflect.ValueOf(rest))
		default:
			p.value.SetString(args[i])
		}
	}
}

// addFlags adds a flag for each other field.
func addFlags(flags *pflag.FlagSet, values any) {
	v := reflect.ValueOf(values).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("arg") != "" {
			continue
		}
		name, _, _ := strings.Cut(cmp.Or(f.Tag.Get("flag"), f.Tag.Get("json")), ",")
		name = strings.ReplaceAll(name, "_", "-")
		switch p := v.Field(i).Addr().Interface().(type) {
		case *string:
			flags.StringVar(p, name, "", f.Tag.Get("jsonschema"))
		case *[]string:
			flags.StringSliceVar(p, name, nil, f.Tag.Get("jsonschema"))
		case *bool:
			flags.BoolVar(p, name, false, f.Tag.Get("jsonschema"))
		case pflag.Value:
			flags.Var(p, name, f.Tag.Get("jsonschema"))
		}
	}
}
