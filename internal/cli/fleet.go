package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/fleet"
	"understudy/internal/hub"
	"understudy/internal/telemetry"
	"understudy/mcpserver"
	"understudy/mcpserver/access"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
	"understudy/store/jetstream"
)

// fleetFlags say whose runs a command means.
type fleetFlags struct {
	Fleet           string `flag:"fleet" usage:"the servers of a fleet whose runs are meant, such as nats://10.0.0.1:4222 (default $UNDERSTUDY_FLEET)"`
	FleetCredential string `flag:"fleet-credential" usage:"the file that lets you in there (default $UNDERSTUDY_FLEET_CREDENTIAL)"`
	FleetCA         string `flag:"fleet-ca" usage:"who signed the certificates of the servers (default: whom this machine trusts)"`
	UnsafeSync      bool   `flag:"unsafe-sync" usage:"use servers of a fleet that lose what they acknowledged when the power fails"`
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
		return nil, nil, &steps.Error{Code: steps.Unavailable, Err: err, Next: "mend that, or accept it with --unsafe-sync"}
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
func (a *app) fleetRuns(cmd *cobra.Command, o *opening) (*fleet.Client, func(), error) {
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
func (o *opening) ofFleet(s *mcpserver.Options, home string) (err error) {
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

// worker is the command worker. Its tagged fields are its flags.
type worker struct {
	*app
	displayFlags
	Name     string        `flag:"name" usage:"what it is called; its desktops are found again by that (default the name of the machine)"`
	Labels   []string      `flag:"labels" usage:"what it has, such as app=sap,room=2"`
	Desktops int           `flag:"desktops" usage:"how many runs it executes at once"`
	Replicas int           `flag:"replicas" usage:"on how many servers the fleet keeps each run, when it is new: 1 or 3"`
	Drain    time.Duration `flag:"drain" usage:"how long it waits for the steps under way when it is ended"`
	Metrics  string        `flag:"metrics" usage:"an address at which Prometheus reads /metrics, such as 127.0.0.1:9465; whoever reaches it reads them"`
	Toolsets []string      `flag:"toolsets" usage:"whose steps it does (default all)"`
	Exclude  []string      `flag:"exclude-tools" usage:"steps that it refuses"`
}

func workerCommand(a *app) *cobra.Command {
	w := &worker{app: a, displayFlags: defaultDisplay(), Desktops: 1, Replicas: 1, Drain: 5 * time.Minute}
	return withFlags(&cobra.Command{
		Use:   "worker --fleet URL",
		Short: "Execute runs of a fleet on desktops of this machine",
		Long: "Execute runs of a fleet, each on a virtual desktop of its own. A run names the labels\n" +
			"that its worker must have; this one has yours, os=SYSTEM, arch=PROCESSOR,\n" +
			"screen=WIDTHxHEIGHT, toolset=NAME for those whose steps it does, worker=NAME, and\n" +
			"app=NAME for what is installed, as `understudy doctor --json` lists it. When it is ended, each run pauses after the step under way and goes on\n" +
			"at another worker.",
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return w.work(cmd) },
	}, w)
}

func (w *worker) check(cmd *cobra.Command) error {
	switch {
	case w.Fleet == "":
		return usage(cmd, "wanted the servers of a fleet with --fleet")
	case w.Desktops < 1:
		return usage(cmd, "--desktops %d: wanted 1 or more", w.Desktops)
	case w.Replicas != 1 && w.Replicas != 3:
		return usage(cmd, "--replicas %d: wanted 1 or 3", w.Replicas)
	case w.Display == "auto":
		w.Display = "virtual"
	case w.Desktops > 1 && w.Display != "virtual":
		return usage(cmd, "--desktops %d: wanted 1, for --display %s is one", w.Desktops, w.Display)
	}
	if w.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return usage(cmd, "this machine has no name: wanted one with --name")
		}
		w.Name = host
	}
	return nil
}

func (w *worker) work(cmd *cobra.Command) (err error) {
	if err := w.check(cmd); err != nil {
		return err
	}
	o, err := w.options(cmd)
	if err != nil {
		return err
	}
	home, err := w.folder()
	if err != nil {
		return err
	}
	dir := filepath.Join(home, "worker-"+w.Name)
	files := dir + "-files" // not in dir, because no step may touch the desktops' data
	if err := os.MkdirAll(files, 0o700); err != nil {
		return err
	}
	s, end, err := w.fleetStore(cmd.Context(), w.Name, jetstream.Options{Replicas: w.Replicas})
	if err != nil {
		return err
	}
	defer end()
	kept := w.keeps()
	kept.Worker = w.Name
	e, leave := w.engineOver(s, nil, dir, o, kept)
	defer func() { err = errors.Join(err, leave(context.WithoutCancel(cmd.Context()))) }()
	e.Lease, e.Dir, e.Roots, e.Environ, e.Allow = engine.NewLease(w.Desktops), files, []string{files}, os.Environ(), w.allow
	labels, apps := w.allLabels(o.Screen), w.applications(cmd.Context(), o)
	run := &fleet.Worker{Store: s, Engine: e, Name: w.Name, Labels: slices.Concat(labels, apps), Desktops: w.Desktops, DrainTime: w.Drain, Desktop: w.opens(desktopsFolder(dir)), Log: w.log()}
	read := func(context.Context) []telemetry.Reading {
		return append(w.observer().Readings(), run.Readings(len(virtual.List(desktopsFolder(dir))))...)
	}
	if err := w.observer().SendMetrics(cmd.Context(), read); err != nil {
		w.log().Warn("no metrics are sent", "error", err)
	}
	if w.Metrics != "" {
		address, end, err := serveMetrics(w.Metrics, read)
		if err != nil {
			return &steps.Error{Code: steps.Unavailable, Err: err}
		}
		defer end()
		fmt.Fprintf(w.errOut, "understudy: metrics are at http://%s/metrics\n", address)
	}
	fmt.Fprintf(w.errOut, "understudy: worker %s takes runs that need any of %s, and %s that doctor found, %d at once\n", w.Name, strings.Join(labels, " "), count(len(apps), "application"), w.Desktops)
	return run.Run(cmd.Context())
}

// serveMetrics serves readings for Prometheus.
func serveMetrics(address string, read func(context.Context) []telemetry.Reading) (net.Addr, func(), error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", telemetry.TextType)
		telemetry.WriteText(w, read(r.Context()))
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // returns once closed
	}()
	return l.Addr(), func() { _ = s.Close(); <-done }, nil
}

func (w *worker) allLabels(screen desktop.Size) []string {
	all := slices.Concat(w.Labels, []string{"os=" + runtime.GOOS, "arch=" + runtime.GOARCH})
	if strings.HasPrefix(w.Display, "virtual") {
		all = append(all, fmt.Sprint("screen=", cmp.Or(screen, virtual.DefaultScreen)))
	}
	for _, t := range access.Toolsets() {
		if len(w.Toolsets) == 0 || slices.Contains(w.Toolsets, string(t)) {
			all = append(all, "toolset="+string(t))
		}
	}
	return all
}

// applications returns labels of the installed applications that doctor finds, and
// tells what keeps this machine from executing runs.
func (w *worker) applications(ctx context.Context, o desktop.Options) (labels []string) {
	for _, x := range w.machine.Diagnose(ctx, o) {
		if x.Needed && !x.OK {
			fmt.Fprintf(w.errOut, "understudy: this machine is not ready: %s: %s\n", x.Name, clean(x.Detail))
		}
		for _, name := range x.Applications {
			labels = append(labels, "app="+name)
		}
	}
	return labels
}

// allow refuses the steps that the flags exclude, whoever calls them.
func (w *worker) allow(_, _ string, k steps.Kind) error {
	if slices.Contains(w.Exclude, k.Name) || len(w.Toolsets) > 0 && !slices.Contains(w.Toolsets, string(k.Toolset)) {
		return steps.Errorf(steps.Denied, "worker %s does no %s", w.Name, k.Name).
			WithNext("name another worker with --needs, or start this one with other --toolsets")
	}
	return nil
}
