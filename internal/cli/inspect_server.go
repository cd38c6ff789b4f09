package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/steps"
)

// serverPatience is how long the server may take to start and to answer. Package runners
// fetch it first.
const serverPatience = 2 * time.Minute

// server shows what any MCP server offers. It calls no tool.
func (i *inspection) server(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(cmd, "--server: wanted the command that starts a server, after --, or the address of one")
	}
	s := clients.Server{Command: args[0], Args: args[1:]}
	if len(args) == 1 && strings.Contains(args[0], "://") {
		s = clients.Server{URL: args[0]}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), serverPatience)
	defer cancel()
	r, err := s.Probe(ctx)
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: err}
	}
	if i.JSON {
		return i.document(r)
	}
	fmt.Fprintf(i.out, "%s; protocol %s", introduce(r), clean(r.Protocol))
	if len(r.Protocols) > 1 {
		fmt.Fprintf(i.out, " of %s", clean(strings.Join(r.Protocols, ", ")))
	}
	fmt.Fprintln(i.out)
	for _, list := range []struct {
		name string
		all  []clients.Offer
	}{{"tools", r.Tools}, {"prompts", r.Prompts}, {"resources", r.Resources}} {
		if len(list.all) > 0 {
			i.offers(list.name, list.all)
		}
	}
	return nil
}

// offers prints what there is of a sort. A description may have many lines, of which the
// first tells most.
func (i *inspection) offers(title string, all []clients.Offer) {
	fmt.Fprintf(i.out, "\n%s\n", title)
	for _, o := range all {
		fmt.Fprintf(i.out, "  %s", clean(o.Name))
		if len(o.Arguments) > 0 {
			fmt.Fprintf(i.out, "(%s)", clean(strings.Join(o.Arguments, ", ")))
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(o.Description), "\n"); first != "" {
			fmt.Fprintf(i.out, "\n      %s", clean(first))
		}
		fmt.Fprintln(i.out)
	}
}
