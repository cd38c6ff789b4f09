package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"understudy/steps"
)

type toolInfo struct {
	Name       string             `json:"name"`
	Summary    string             `json:"summary"`
	Toolset    steps.Toolset      `json:"toolset"`
	Reads      bool               `json:"reads"`
	Idempotent bool               `json:"idempotent"`
	Touches    steps.Touch        `json:"touches"`
	Focus      steps.Focus        `json:"focus"`
	Risk       steps.Risk         `json:"risk"`
	TimeoutMS  int64              `json:"timeout_ms"`
	Arguments  *jsonschema.Schema `json:"arguments"`
	Result     *jsonschema.Schema `json:"result"`
}

func toolsCommand(a *app) *cobra.Command {
	var f jsonFlag
	return withFlags(&cobra.Command{
		Use:   "tools [KIND]",
		Short: "List the kinds of steps, or describe one",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				all := make([]toolInfo, len(a.kinds))
				for i, k := range a.kinds {
					all[i] = infoOf(k)
				}
				return a.show(f.JSON, all, func(line func(...any)) {
					for _, k := range all {
						line(k.Name, k.Toolset, k.Summary)
					}
				})
			}
			k, err := a.kind(cmd, args[0])
			if err != nil {
				return err
			}
			return a.show(f.JSON, infoOf(k), func(line func(...any)) { describeKind(line, k) })
		},
	}, &f)
}

func describeKind(line func(...any), k steps.Kind) {
	line(k.Name + ": " + k.Summary)
	line()
	line(fmt.Sprintf("toolset %s, touches %s, timeout %s", k.Toolset, touches(k), k.Timeout))
	for _, part := range []struct {
		title  string
		schema *jsonschema.Schema
	}{{"arguments", k.Args()}, {"result", k.Result()}} {
		line()
		line(part.title + ":")
		for _, name := range slices.Sorted(maps.Keys(part.schema.Properties)) {
			p := part.schema.Properties[name]
			line("  "+name, typeName(p), describe(p, slices.Contains(part.schema.Required, name)))
		}
	}
}

func touches(k steps.Kind) string {
	text := map[steps.Touch]string{steps.None: "no desktop", steps.Look: "the desktop, only looking", steps.Act: "the desktop"}[k.Touches]
	if k.Focus == steps.Take {
		text += " (takes the focus)"
	}
	return text
}

func typeName(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		known := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			known[i] = fmt.Sprint(e)
		}
		return strings.Join(known, "|")
	}
	return cmp.Or(s.Format, s.Type, strings.Join(s.Types, " or "))
}

func describe(s *jsonschema.Schema, required bool) string {
	text := s.Description
	switch {
	case required:
		text += " (required)"
	case len(s.Default) > 0 && json.Valid(s.Default):
		text += fmt.Sprintf(" (default %s)", s.Default)
	}
	return strings.TrimSpace(text)
}

func infoOf(k steps.Kind) toolInfo {
	return toolInfo{
		Name: k.Name, Summary: k.Summary, Toolset: k.Toolset, Reads: k.Reads, Idempotent: k.Idempotent, Touches: k.Touches,
		Focus: k.Focus, Risk: k.Risk, TimeoutMS: k.Timeout.Milliseconds(), Arguments: k.Args(), Result: k.Result(),
	}
}
