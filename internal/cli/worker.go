package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/fleet"
	"understudy/internal/telemetry"
	"understudy/steps"
	"understudy/store/jetstream"
)

// worker is the command worker. Its tagged fields are its flags.
type worker struct {
	*app
	displayFlags
	Name     string        `flag:"name" usage:"the name of the worker, by which it finds its desktops again (default the name of the machine)"`
	Labels   []string      `flag:"labels" usage:"labels of this worker, such as app=sap,room=2"`
	Desktops int           `flag:"desktops" usage:"how many runs it executes at once"`
	Replicas int           `flag:"replicas" usage:"with a new fleet: on how many servers each run is kept, 1 or 3"`
	Drain    time.Duration `flag:"drain" usage:"when it is ended: how long to wait for the steps being executed"`
	Metrics  string        `flag:"metrics" usage:"serve /metrics for Prometheus at this address, such as 127.0.0.1:9465; anyone who can reach it can read them"`
	Toolsets []string      `flag:"toolsets" usage:"toolsets whose steps it executes (default all)"`
	Exclude  []string      `flag:"exclude-tools" usage:"tools whose steps it refuses"`

	toolsets []steps.Toolset // parsed
}

func workerCommand(a *app) *cobra.Command {
	w := &worker{app: a, displayFlags: defaultDisplay(), Desktops: 1, Replicas: 1, Drain: 5 * time.Minute}
	return withFlags(&cobra.Command{
		Use:   "worker --fleet URL",
		Short: "Execute runs of a fleet on desktops of this machine",
		Long: "Execute runs of a fleet, each on a virtual desktop of its own. A run names the labels\n" +
			"that its worker must have; this one has those of --labels, os=SYSTEM, arch=PROCESSOR,\n" +
			"screen=WIDTHxHEIGHT, toolset=NAME for those of --toolsets, worker=NAME, and\n" +
			"app=NAME for the installed programs that `understudy doctor --json` lists. When the\nworker is ended, each run pauses after the step being executed, and continues\n" +
			"on another worker.",
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
	var err error
	if w.toolsets, err = access.ParseToolsets(cmp.Or(strings.Join(w.Toolsets, ","), string(access.All))); err != nil {
		return usage(cmd, "--toolsets: %w", err)
	}
	for _, name := range w.Exclude {
		if known := steps.Names(w.kinds); !slices.Contains(known, name) {
			return unknown(cmd, fmt.Sprintf("--exclude-tools: there is no kind %q", name), name, known)
		}
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
	e.Lease.Places, e.Dir, e.Roots, e.Environ, e.Allow = w.Desktops, files, []string{files}, os.Environ(), w.allow
	labels, apps := w.allLabels(o.Screen), w.applications(cmd.Context(), o)
	run := &fleet.Worker{Store: s, Engine: e, Name: w.Name, Labels: slices.Concat(labels, apps), Desktops: w.Desktops, DrainTime: w.Drain, Desktop: w.opens(desktopsFolder(dir)), Log: w.log()}
	read := func(context.Context) []telemetry.Reading {
		return append(w.observer().Readings(), run.Readings(len(virtual.List(desktopsFolder(dir))))...)
	}
	if err := w.observer().SendMetrics(cmd.Context(), read); err != nil {
		w.log().Warn("no metrics are sent", "error", err)
	}
	if w.Metrics != "" {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", telemetry.TextType)
			telemetry.WriteText(w, read(r.Context()))
		})
		address, end, err := servePages(w.Metrics, mux)
		if err != nil {
			return err
		}
		defer end()
		fmt.Fprintf(w.errOut, "understudy: metrics are at http://%s/metrics\n", address)
	}
	fmt.Fprintf(w.errOut, "understudy: worker %s takes runs that need any of %s, and %s that doctor found, %d at once\n", w.Name, strings.Join(labels, " "), count(len(apps), "application"), w.Desktops)
	return run.Run(cmd.Context())
}

// servePages serves what a command shows beside its work, until end is called.
func servePages(address string, pages http.Handler) (at net.Addr, end func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, notReady(err)
	}
	s := &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second}
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
		if w.does(t) {
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

// does reports whether the worker executes the steps of a toolset.
func (w *worker) does(t steps.Toolset) bool {
	return slices.Contains(w.toolsets, t) || slices.Contains(w.toolsets, access.All)
}

// allow refuses the steps that the flags exclude, whoever calls them.
func (w *worker) allow(_, _ string, k steps.Kind) error {
	if slices.Contains(w.Exclude, k.Name) || !w.does(k.Toolset) {
		return steps.Errorf(steps.Denied, "worker %s does not execute %s", w.Name, k.Name).
			WithNext("name another worker with --needs, or start this one with other --toolsets")
	}
	return nil
}
