package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/steps"
)

type diagnosis struct {
	Ready    bool              `json:"ready"`
	Findings []desktop.Finding `json:"findings"`
	Clients  []*serverFinding  `json:"clients"` // their servers
}

func doctorCommand(a *app) *cobra.Command {
	f := struct {
		jsonFlag
		screenFlags
		clientCheck
	}{screenFlags: screenFlags{Display: "auto"}, clientCheck: clientCheck{Timeout: 30 * time.Second}}
	return withFlags(&cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine is ready, and say how to fix what is not",
		Long: "Check whether this machine is ready, and say how to fix what is not.\n\n" +
			"If an MCP client of this user is set up to use this program, the program is started\n" +
			"or called as the client would do it, and asked for its tools. The client's other\n" +
			"servers are started only with --all-servers.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			home, err := a.folder()
			if err != nil {
				return err
			}
			o.Dir = desktopsFolder(home)
			found := append(a.machine.Diagnose(cmd.Context(), o), a.folderFindings(cmd, home)...)
			d := diagnose(found, f.run(cmd.Context()))
			if err := d.show(&a.console, f.JSON); err != nil {
				return err
			}
			if !d.Ready {
				return &shownError{steps.Unavailable}
			}
			return nil
		},
	}, &f)
}

// folderFindings reports which process has a data folder, and whether its runs can be read. A
// folder without any is left as it is.
func (a *app) folderFindings(cmd *cobra.Command, home string) []desktop.Finding {
	if _, err := os.Stat(filepath.Join(home, "store.json")); err != nil || a.Fleet != "" {
		return nil
	}
	s := serviceFinding(cmd.Context(), home)
	f := desktop.Finding{Name: "runs", Needed: true, OK: true, Detail: "readable in " + home}
	err := a.withRuns(cmd, &anyDisplay, func(runs engine.Runs) error {
		_, err := runs.List(cmd.Context(), engine.Query{Limit: 1})
		return err
	})
	if err != nil {
		f.OK, f.Detail = false, err.Error()
	}
	return []desktop.Finding{s, f}
}

// diagnose finds a machine ready if everything needed works.
func diagnose(findings []desktop.Finding, servers []*serverFinding) diagnosis {
	d := diagnosis{Ready: true, Findings: findings, Clients: servers}
	for _, f := range d.all() {
		if f.Needed && !f.OK {
			d.Ready = false
		}
	}
	return d
}

// all returns the findings of the machine, then those of the clients.
func (d diagnosis) all() []desktop.Finding {
	all := slices.Clone(d.Findings)
	for _, s := range d.Clients {
		all = append(all, s.Finding)
	}
	return all
}

func (d diagnosis) show(c *console, asJSON bool) error {
	if asJSON {
		return c.document(d)
	}
	p, width := paintFor(c.out), 0
	for _, f := range d.all() {
		width = max(width, len(f.Name))
	}
	for _, f := range d.all() {
		if f.OK && c.Quiet {
			continue
		}
		fmt.Fprintf(c.out, "%s %-*s  %s\n", verdict(p, f), width, clean(f.Name), clean(f.Detail))
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(c.out, "   %*s  fix: %s\n", width, "", clean(f.Mend))
		}
	}
	if len(d.Clients) > 0 && !c.Quiet {
		fmt.Fprintln(c.out, d.summary())
	}
	return nil
}

// summary counts what the servers of the clients offer.
func (d diagnosis) summary() string {
	var servers, answered, tools, prompts, resources int
	for _, s := range d.Clients {
		if s.Server != "" {
			servers++
		}
		if s.Protocol != "" {
			answered++
		}
		tools, prompts, resources = tools+s.Tools, prompts+s.Prompts, resources+s.Resources
	}
	return fmt.Sprintf("%d of %s of clients answered: %s, %s, %s", answered, count(servers, "server"),
		count(tools, "tool"), count(prompts, "prompt"), count(resources, "resource"))
}

// verdict returns a word of two characters for a finding.
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
