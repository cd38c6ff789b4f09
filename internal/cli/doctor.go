package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/steps/desktop"
)

// diagnosis is what `doctor --json` shows.
type diagnosis struct {
	Ready    bool              `json:"ready"`
	Findings []desktop.Finding `json:"findings"`
}

func (a *app) doctor() *cobra.Command {
	var asJSON bool
	var display displayFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether this machine is ready, and what mends it",
		Args:  atMost(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := display.options(cmd)
			if err != nil {
				return err
			}
			d := diagnose(a.machine.Diagnose(cmd.Context(), o))
			if err := a.showDiagnosis(d, asJSON); err != nil {
				return err
			}
			if !d.Ready {
				return &shownError{steps.Unavailable}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON document")
	display.add(cmd)
	return cmd
}

// diagnose judges: a machine is ready when everything that is needed works.
func diagnose(findings []desktop.Finding) diagnosis {
	d := diagnosis{Ready: true, Findings: findings}
	for _, f := range findings {
		if f.Needed && !f.OK {
			d.Ready = false
		}
	}
	return d
}

func (a *app) showDiagnosis(d diagnosis, asJSON bool) error {
	if asJSON {
		return a.document(d)
	}
	p, width := paintFor(a.out), 0
	for _, f := range d.Findings {
		width = max(width, len(f.Name))
	}
	for _, f := range d.Findings {
		if f.OK && a.quiet {
			continue
		}
		fmt.Fprintf(a.out, "%s %-*s  %s\n", verdict(p, f), width, f.Name, f.Detail)
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(a.out, "   %*s  mend it: %s\n", width, "", f.Mend)
		}
	}
	return nil
}

// verdict is one word for a finding, two letters wide.
func verdict(p paint, f desktop.Finding) string {
	switch {
	case f.OK:
		return p.green("ok")
	case f.Needed:
		return p.red("NO")
	default:
		return "- "
	}
}
