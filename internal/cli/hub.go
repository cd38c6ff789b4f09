package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/internal/hub"
	"understudy/steps"
)

func hubCommand(a *app) *cobra.Command {
	o := hub.Options{Listen: "127.0.0.1:4222", Tenants: []string{"default"}, MaxTenantMB: hub.DefaultTenantMB}
	return withFlags(&cobra.Command{
		Use:   "hub",
		Short: "Run the server of a fleet, which keeps runs and gives them to workers",
		Long: "Run the server of a fleet: a NATS JetStream server that syncs all it acknowledges.\n" +
			"It writes a credential for each tenant and role into the folder credentials: give\n" +
			"workers TENANT-worker.nk, and clients that begin runs TENANT-client.nk. A cluster of\n" +
			"three hubs continues when one of them fails.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Dir == "" {
				home, err := a.folder()
				if err != nil {
					return err
				}
				o.Dir = filepath.Join(home, "hub")
			}
			o.Log = a.log()
			h, err := hub.Start(o)
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err}
			}
			fmt.Fprintf(a.errOut, "understudy: the hub listens on %s; credentials are in %s\n", h.URL(), hub.Credentials(o.Dir))
			<-cmd.Context().Done()
			return h.Close()
		},
	}, &o)
}
