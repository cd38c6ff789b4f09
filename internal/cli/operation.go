package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/operations"
	"understudy/steps"
)

// operation returns the command of an operation. Its arguments are taken by
// position and by flags, as the fields of the operation's arguments declare. An
// answer with a picture is given to show, which may be nil if there is none.
func (a *app) operation(o operations.Declaration, do func(cmd *cobra.Command, values any) (operations.Result, error), show func(operations.Result, []string) error) *cobra.Command {
	var f jsonFlag
	values := o.New()
	taken := positionalOf(values)
	cmd := withFlags(&cobra.Command{
		Use:   strings.Join(append([]string{o.Command}, wordsOf(taken)...), " "),
		Short: strings.TrimSuffix(o.Summary, "."),
		Long:  o.Summary + "\n" + o.Details,
		RunE: func(cmd *cobra.Command, args []string) error {
			fill(taken, args)
			answer, err := do(cmd, values)
			switch {
			case err != nil:
				return err
			case f.JSON:
				return a.document(answer.Value)
			case answer.Picture != nil:
				return show(answer, args)
			case answer.Text != "":
				_, err = fmt.Fprintln(a.out, cleanLines(answer.Text))
			}
			return err
		},
	}, &f)
	addFlags(cmd.Flags(), values)
	if len(taken) > 0 && taken[len(taken)-1].many() {
		cmd.Flags().SetInterspersed(false)
	}
	return cmd
}

// adviseNotFound makes a missing thing a wrong argument, with the advice for the
// command line.
func adviseNotFound(err error, next string) error {
	if e, ok := errors.AsType[*steps.Error](err); ok && e.Code == steps.NotFound {
		return &steps.Error{Code: steps.Invalid, Err: e.Err, Next: next}
	}
	return err
}

// positional is an argument that a command takes by position.
type positional struct {
	word  string // as usage shows it
	value reflect.Value
}

func (p positional) many() bool { return p.value.Kind() == reflect.Slice }

func wordsOf(taken []positional) (all []string) {
	for _, p := range taken {
		all = append(all, p.word)
	}
	return all
}

// positionalOf returns the fields of a struct that have the tag `arg`.
func positionalOf(values any) (taken []positional) {
	for field, v := range reflect.ValueOf(values).Elem().Fields() {
		if word := field.Tag.Get("arg"); word != "" {
			taken = append(taken, positional{word, v})
		}
	}
	return taken
}

// fill sets fields to the arguments at their positions.
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
