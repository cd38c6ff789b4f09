package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/steps/desktop"
)

type diagnosis struct {
	Ready    bool              `json:"ready"`
	Findings []desktop.Finding `json:"findings"`
	Clients  []serverFinding   `json:"clients"` // what they say of servers
}

func (a *app) doctor() *cobra.Command {
	var asJSON bool
	var display displayFlags
	var servers checkFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether this machine is ready, and what mends it",
		Long: "Say whether this machine is ready, and what mends it.\n\n" +
			"Where an MCP client of this user is set up to use this program, it is started or\n" +
			"called as that client would, asked for its tools, and let go. The servers of\n" +
			"others are started only with --all-servers.",
		Args: atMost(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := display.options(cmd)
			if err != nil {
				return err
			}
			d := diagnose(a.machine.Diagnose(cmd.Context(), o), a.checkClients(cmd.Context(), &servers))
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
	servers.add(cmd)
	return cmd
}

// diagnose judges: a machine is ready when everything that is needed works.
func diagnose(findings []desktop.Finding, servers []serverFinding) diagnosis {
	d := diagnosis{Ready: true, Findings: findings, Clients: servers}
	for _, f := range d.all() {
		if f.Needed && !f.OK {
			d.Ready = false
		}
	}
	return d
}

// all are the findings of the machine, then those of the clients.
func (d diagnosis) all() []desktop.Finding {
	all := slices.Clone(d.Findings)
	for _, s := range d.Clients {
		all = append(all, s.Finding)
	}
	return all
}

func (a *app) showDiagnosis(d diagnosis, asJSON bool) error {
	if asJSON {
		return a.document(d)
	}
	p, width := paintFor(a.out), 0
	for _, f := range d.all() {
		width = max(width, len(f.Name))
	}
	for _, f := range d.all() {
		if f.OK && a.quiet {
			continue
		}
		fmt.Fprintf(a.out, "%s %-*s  %s\n", verdict(p, f), width, clean(f.Name), clean(f.Detail))
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(a.out, "   %*s  mend it: %s\n", width, "", clean(f.Mend))
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
