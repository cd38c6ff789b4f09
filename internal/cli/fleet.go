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

// fleetFlags say which fleet is meant, for every command that has to do with runs.
type fleetFlags struct {
	url, credential, ca string
	unsafe              bool
}

const (
	fleetVariable           = "UNDERSTUDY_FLEET"
	fleetCredentialVariable = "UNDERSTUDY_FLEET_CREDENTIAL"
)

func (f *fleetFlags) add(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.url, "fleet", os.Getenv(fleetVariable), "the servers of a fleet whose runs are meant, such as nats://10.0.0.1:4222 (default $"+fleetVariable+")")
	flags.StringVar(&f.credential, "fleet-credential", os.Getenv(fleetCredentialVariable), "the file that lets you in there (default $"+fleetCredentialVariable+")")
	flags.StringVar(&f.ca, "fleet-ca", "", "who signed the certificates of the servers (default: whom this machine trusts)")
	flags.BoolVar(&f.unsafe, "unsafe-sync", false, "use servers of a fleet that lose what they acknowledged when the power fails")
}

// fleetStore is the store of the fleet, with what lets go of it.
func (a *app) fleetStore(ctx context.Context, name string, o jetstream.Options) (*jetstream.Store, func(), error) {
	nc, err := jetstream.Dial(jetstream.Address{URL: a.fleet.url, Credential: a.fleet.credential, CA: a.fleet.ca, Name: name})
	if err != nil {
		return nil, nil, &steps.Error{Code: steps.Unavailable, Err: err, Next: "start one with `understudy hub`, and name its credential with --fleet-credential"}
	}
	err = jetstream.CheckSync(ctx, nc)
	if errors.Is(err, jetstream.ErrUnsynced) && !a.fleet.unsafe {
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
	return s, func() { _ = s.Close(); nc.Close() }, nil // what is stored is stored
}

// fleetRuns are the runs of a fleet, which its workers execute. A server answers
// them what its clients may do; nil: it is none.
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

// ofFleet makes the options those of a server whose runs are executed by workers.
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
		o.name = rand.Text() // it serves one client, which goes with it
	} else if o.pool.desktops > 0 {
		return usage(o.cmd, "--desktops: the desktops of a fleet are at its workers: worker --desktops")
	}
	return nil
}

// serverName is a name for the server over a data folder, by which it is known again.
func serverName(home string) (string, error) {
	file := filepath.Join(home, "fleet-server")
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		raw = []byte(rand.Text())
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, raw, 0o600))
	}
	return string(raw), err
}

func (a *app) hub() *cobra.Command {
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

type workerFlags struct {
	display  displayFlags
	name     string
	labels   []string
	desktops int
	replicas int
	drain    time.Duration
	metrics  string
	toolsets []string
	exclude  []string
}

func (a *app) worker() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker --fleet URL",
		Short: "Execute runs of a fleet on desktops of this machine",
		Long: "Execute runs of a fleet, each on a virtual desktop of its own. A run names the labels\n" +
			"that its worker must have; this one has yours, os=SYSTEM, arch=PROCESSOR,\n" +
			"screen=WIDTHxHEIGHT, toolset=NAME for those whose steps it does, worker=NAME, and\n" +
			"app=NAME for what is installed, as `understudy doctor --json` lists it. When it is ended, each run pauses after the step under way and goes on\n" +
			"at another worker.",
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd, &f) },
	}
	f.display.add(cmd)
	cmd.Flags().StringVar(&f.name, "name", "", "what it is called; its desktops are found again by that (default the name of the machine)")
	cmd.Flags().StringSliceVar(&f.labels, "labels", nil, "what it has, such as app=sap,room=2")
	cmd.Flags().IntVar(&f.desktops, "desktops", 1, "how many runs it executes at once")
	cmd.Flags().IntVar(&f.replicas, "replicas", 1, "on how many servers the fleet keeps each run, when it is new: 1 or 3")
	cmd.Flags().DurationVar(&f.drain, "drain", 5*time.Minute, "how long it waits for the steps under way when it is ended")
	cmd.Flags().StringVar(&f.metrics, "metrics", "", "an address at which Prometheus reads /metrics, such as 127.0.0.1:9465; whoever reaches it reads them")
	cmd.Flags().StringSliceVar(&f.toolsets, "toolsets", nil, "whose steps it does (default all)")
	cmd.Flags().StringSliceVar(&f.exclude, "exclude-tools", nil, "steps that it refuses")
	return cmd
}

func (f *workerFlags) check(cmd *cobra.Command, url string) error {
	switch {
	case url == "":
		return usage(cmd, "wanted the servers of a fleet with --fleet")
	case f.desktops < 1:
		return usage(cmd, "--desktops %d: wanted 1 or more", f.desktops)
	case f.replicas != 1 && f.replicas != 3:
		return usage(cmd, "--replicas %d: wanted 1 or 3", f.replicas)
	case f.display.display == "auto":
		f.display.display = "virtual"
	case f.desktops > 1 && f.display.display != "virtual":
		return usage(cmd, "--desktops %d: wanted 1, for --display %s is one", f.desktops, f.display.display)
	}
	if f.name == "" {
		host, err := os.Hostname()
		if err != nil {
			return usage(cmd, "this machine has no name: wanted one with --name")
		}
		f.name = host
	}
	return nil
}

func (a *app) work(cmd *cobra.Command, f *workerFlags) (err error) {
	if err := f.check(cmd, a.fleet.url); err != nil {
		return err
	}
	o, err := f.display.options(cmd)
	if err != nil {
		return err
	}
	home, err := a.folder()
	if err != nil {
		return err
	}
	dir := filepath.Join(home, "worker-"+f.name)
	files := dir + "-files" // beside it: no step may touch what keeps its desktops
	if err := os.MkdirAll(files, 0o700); err != nil {
		return err
	}
	s, end, err := a.fleetStore(cmd.Context(), f.name, jetstream.Options{Replicas: f.replicas})
	if err != nil {
		return err
	}
	defer end()
	e, leave := a.engineOver(s, nil, dir, o, lasting{bounds: f.display.bounds, keep: f.display.keep, worker: f.name})
	defer func() { err = errors.Join(err, leave(context.WithoutCancel(cmd.Context()))) }()
	e.Lease, e.Dir, e.Roots, e.Environ, e.Allow = engine.NewLease(f.desktops), files, []string{files}, os.Environ(), f.allow
	labels := f.allLabels(o.Screen)
	apps := a.applications(cmd.Context(), o)
	w := &fleet.Worker{Store: s, Engine: e, Name: f.name, Labels: slices.Concat(labels, apps), Desktops: f.desktops, DrainTime: f.drain, Desktop: a.opens(desktopsFolder(dir)), Log: a.log()}
	read := func(context.Context) []telemetry.Reading {
		return append(a.observer().Readings(), w.Readings(len(virtual.List(desktopsFolder(dir))))...)
	}
	if err := a.observer().SendMetrics(cmd.Context(), read); err != nil {
		a.log().Warn("no metrics are sent", "error", err)
	}
	if f.metrics != "" {
		address, end, err := serveMetrics(f.metrics, read)
		if err != nil {
			return &steps.Error{Code: steps.Unavailable, Err: err}
		}
		defer end()
		fmt.Fprintf(a.errOut, "understudy: metrics are at http://%s/metrics\n", address)
	}
	fmt.Fprintf(a.errOut, "understudy: worker %s takes runs that need any of %s, and %s that doctor found, %d at once\n", f.name, strings.Join(labels, " "), count(len(apps), "application"), f.desktops)
	return w.Run(cmd.Context())
}

// serveMetrics lets Prometheus read what read gives.
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
		_ = s.Serve(l) // it ends when it is closed
	}()
	return l.Addr(), func() { _ = s.Close(); <-done }, nil
}

func (f *workerFlags) allLabels(screen desktop.Size) []string {
	all := slices.Concat(f.labels, []string{"os=" + runtime.GOOS, "arch=" + runtime.GOARCH})
	if strings.HasPrefix(f.display.display, "virtual") {
		all = append(all, fmt.Sprint("screen=", cmp.Or(screen, virtual.DefaultScreen)))
	}
	for _, t := range access.Toolsets() {
		if len(f.toolsets) == 0 || slices.Contains(f.toolsets, string(t)) {
			all = append(all, "toolset="+string(t))
		}
	}
	return all
}

// applications are labels of what is installed, as doctor finds it. It says what keeps
// this machine from executing runs.
func (a *app) applications(ctx context.Context, o desktop.Options) (labels []string) {
	for _, x := range a.machine.Diagnose(ctx, o) {
		if x.Needed && !x.OK {
			fmt.Fprintf(a.errOut, "understudy: this machine is not ready: %s: %s\n", x.Name, clean(x.Detail))
		}
		for _, name := range x.Applications {
			labels = append(labels, "app="+name)
		}
	}
	return labels
}

// allow refuses steps that this worker does not do, whoever wants them.
func (f *workerFlags) allow(_, _ string, k steps.Kind) error {
	if slices.Contains(f.exclude, k.Name) || len(f.toolsets) > 0 && !slices.Contains(f.toolsets, string(k.Toolset)) {
		return steps.Errorf(steps.Denied, "worker %s does no %s", f.name, k.Name).
			WithNext("name another worker with --needs, or start this one with other --toolsets")
	}
	return nil
}
