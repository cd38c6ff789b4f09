package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/internal/fleet"
	"understudy/mcpserver"
	"understudy/steps"
	"understudy/store/jetstream"
)

// fleetFlags say whose runs a command means.
type fleetFlags struct {
	Fleet           string `flag:"fleet" usage:"use the runs of a fleet, by the addresses of its servers, such as nats://10.0.0.1:4222 (default $UNDERSTUDY_FLEET)"`
	FleetCredential string `flag:"fleet-credential" usage:"the file of your credential for the fleet (default $UNDERSTUDY_FLEET_CREDENTIAL)"`
	FleetCA         string `flag:"fleet-ca" usage:"the certificate authority of the fleet, a PEM file (default: those that this machine trusts)"`
	UnsafeSync      bool   `flag:"unsafe-sync" usage:"use the fleet even if its servers can lose acknowledged data when the power fails"`
}

func fleetFromEnvironment() fleetFlags {
	return fleetFlags{Fleet: os.Getenv("UNDERSTUDY_FLEET"), FleetCredential: os.Getenv("UNDERSTUDY_FLEET_CREDENTIAL")}
}

// fleetStore returns the store of the fleet, and a function that closes it.
func (a *app) fleetStore(ctx context.Context, name string, o jetstream.Options) (*jetstream.Store, func(), error) {
	nc, err := jetstream.Dial(jetstream.Address{URL: a.Fleet, Credential: a.FleetCredential, CA: a.FleetCA, Name: name})
	if err != nil {
		return nil, nil, &steps.Error{Code: steps.Unavailable, Err: err, Next: "start one with `understudy hub`, and name its credential with --fleet-credential"}
	}
	err = jetstream.CheckSync(ctx, nc)
	if errors.Is(err, jetstream.ErrUnsynced) && !a.UnsafeSync {
		nc.Close()
		return nil, nil, &steps.Error{Code: steps.Unavailable, Err: err, Next: "fix that, or accept it with --unsafe-sync"}
	}
	if err != nil {
		fmt.Fprintf(a.errOut, "understudy: %v\n", err)
	}
	s, err := jetstream.Open(ctx, nc, o)
	if err != nil {
		nc.Close()
		return nil, nil, &steps.Error{Code: steps.Unavailable, Err: err}
	}
	return s, func() { _ = s.Close(); nc.Close() }, nil // everything acknowledged is stored already
}

// fleetRuns returns the runs of a fleet, which its workers execute. If this process is
// a server, workers ask it what its clients may do; o is nil otherwise.
func (a *app) fleetRuns(cmd *cobra.Command, o *lazyRuns) (*fleet.Client, func(), error) {
	s, end, err := a.fleetStore(cmd.Context(), "client", jetstream.Options{})
	if err != nil {
		return nil, nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(cmd.Context()))
	c, err := fleet.NewClient(life, s, a.kinds)
	if err == nil && o != nil {
		err = c.Serve(life, o.name, o.server.AllowFor)
	}
	if err != nil {
		cancel()
		end()
		return nil, nil, err
	}
	return c, func() { cancel(); end() }, nil
}

// ofFleet changes the options to those of a server whose runs workers execute.
func (o *lazyRuns) ofFleet(s *mcpserver.Options, home string) (err error) {
	s.Fleet, s.Desktops, s.Desktop, s.Check = true, nil, nil, nil
	s.Schedules = &fleet.Schedules{Client: func(ctx context.Context) (*fleet.Client, error) {
		runs, err := o.server.Runs(ctx)
		c, _ := runs.(*fleet.Client)
		return c, err
	}}
	if s.Server, err = serverName(home); err != nil {
		return err
	}
	o.name = s.Server
	if o.cmd.Name() != "serve" {
		o.name = rand.Text() // of one client, and for as long as that is connected
	} else if o.pool.Desktops > 0 {
		return usage(o.cmd, "--desktops: the desktops of a fleet are at its workers: worker --desktops")
	}
	return nil
}

// serverName returns the name by which the fleet knows the server over a data folder
// when it comes back.
func serverName(home string) (string, error) {
	file := filepath.Join(home, "fleet-server")
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		raw = []byte(rand.Text())
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, raw, 0o600))
	}
	return string(raw), err
}
