package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/internal/hub"
	"understudy/steps"
)

func hubCommand(a *app) *cobra.Command {
	var o hub.Options
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Be the server of a fleet: keep runs, and hand them to workers",
		Long: "Be the server of a fleet: a NATS JetStream server that syncs whatever it acknowledges.\n" +
			"It writes a credential for each tenant and role into the folder credentials; give\n" +
			"workers TENANT-worker.nk, and who begins runs TENANT-client.nk. Three hubs that join\n" +
			"each other go on when one of them dies.",
		Args: atMost(0, "no arguments"),
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
	}
	cmd.Flags().StringVar(&o.Dir, "dir", "", "where it keeps what it has (default hub in the data folder)")
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:4222", "the address for workers and clients")
	cmd.Flags().StringSliceVar(&o.Tenants, "tenant", []string{"default"}, "who has runs apart from those of others")
	cmd.Flags().StringVar(&o.Name, "name", "", "what this one of three is called")
	cmd.Flags().StringVar(&o.ClusterListen, "cluster-listen", "", "the address for the other two")
	cmd.Flags().StringSliceVar(&o.Join, "join", nil, "the addresses of the other two")
	cmd.Flags().StringVar(&o.Certificate, "tls-cert", "", "a certificate, a PEM file; needed for addresses that other machines reach")
	cmd.Flags().StringVar(&o.Key, "tls-key", "", "its key")
	cmd.Flags().StringVar(&o.CA, "tls-ca", "", "who signed the certificates of the other two")
	return cmd
}
