package cli

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktops"
	"understudy/mcpserver"
	"understudy/mcpserver/access"
	"understudy/steps"
	"understudy/steps/desktop"
)

type serverFlags struct {
	display      displayFlags
	mode         string
	toolsets     string
	tools        []string
	exclude      []string
	readOnly     bool
	clientModes  []string
	onDisconnect string
	roots        []string
	structured   bool
	treeDiffs    bool
	free         bool // commands may write anywhere
	pool         poolFlags
}

func (f *serverFlags) add(cmd *cobra.Command) {
	f.display.add(cmd)
	cmd.Flags().StringVar(&f.mode, "mode", "act", "act, or ask for clients that may only look")
	cmd.Flags().StringVar(&f.toolsets, "toolsets", "", "what is offered, such as core,files; or all (default core)")
	cmd.Flags().StringSliceVar(&f.tools, "tools", nil, "tools to offer beside the toolsets")
	cmd.Flags().StringSliceVar(&f.exclude, "exclude-tools", nil, "tools to refuse")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "refuse whatever does not only read")
	cmd.Flags().StringSliceVar(&f.clientModes, "client-mode", nil, "the mode of a client by its name, such as claude-code=ask")
	cmd.Flags().BoolVar(&f.structured, "structured", false, "declare what tools answer, and answer with structured content beside the text: for clients that are programs")
	cmd.Flags().BoolVar(&f.treeDiffs, "tree-diffs", false, "after each call that acts, answer with all elements that came, went and changed in its window, with their refs")
	cmd.Flags().StringSliceVar(&f.roots, "root", nil, "folders in which steps may use files; paths start in the first (default the folder it is started in, unless that is your home or above it)")
	cmd.Flags().BoolVar(&f.free, "no-sandbox", false, "let commands of clients write wherever you may, not only in the roots")
	cmd.Flags().StringVar(&f.onDisconnect, "on-disconnect", "cancel", "what becomes of the run of a client that goes away: cancel or continue")
}

func (f *serverFlags) policy(cmd *cobra.Command, kinds []steps.Kind) (access.Policy, error) {
	p := access.Policy{Mode: access.Mode(f.mode), Tools: f.tools, Exclude: f.exclude, ReadOnly: f.readOnly}
	if !p.Mode.Valid() {
		return p, usage(cmd, "--mode %s: wanted ask or act", f.mode)
	}
	for _, name := range f.tools {
		if _, ok := steps.Find(kinds, name); !ok {
			return p, usage(cmd, "--tools: there is no kind %q", name)
		}
	}
	toolsets, err := access.ParseToolsets(f.toolsets)
	if err != nil {
		return p, usage(cmd, "--toolsets: %w", err)
	}
	if p.Toolsets = toolsets; len(toolsets) == 0 && len(f.tools) > 0 {
		p.Toolsets = []steps.Toolset{steps.Core}
	}
	return p, nil
}

func (f *serverFlags) modes(cmd *cobra.Command) (map[string]access.Mode, error) {
	modes := map[string]access.Mode{}
	for _, pair := range f.clientModes {
		name, mode, ok := strings.Cut(pair, "=")
		if !ok || !access.Mode(mode).Valid() {
			return nil, usage(cmd, "--client-mode %s: wanted CLIENT=ask or CLIENT=act", pair)
		}
		modes[name] = access.Mode(mode)
	}
	return modes, nil
}

// server makes a server over the data folder, and the function that lets go of
// the folder once the server has ended; adjust sets what only one command knows.
func (a *app) server(cmd *cobra.Command, f *serverFlags, adjust func(*mcpserver.Options)) (*mcpserver.Server, func(), error) {
	policy, err := f.policy(cmd, a.kinds)
	if err != nil {
		return nil, nil, err
	}
	modes, err := f.modes(cmd)
	if err != nil {
		return nil, nil, err
	}
	if f.onDisconnect != "cancel" && f.onDisconnect != "continue" {
		return nil, nil, usage(cmd, "--on-disconnect %s: wanted cancel or continue", f.onDisconnect)
	}
	display, err := f.display.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	home, err := a.folder()
	if err != nil {
		return nil, nil, err
	}
	dir, roots, err := f.folders(cmd)
	if err != nil {
		return nil, nil, err
	}
	o := &opening{a: a, cmd: cmd, display: &f.display, pool: f.pool}
	options := mcpserver.Options{
		Open: o.open, Kinds: a.kinds, Policy: policy, Modes: modes, Folder: savedWorkflows(home), Pictures: recordedPictures(home), Dir: dir, Roots: roots, Private: []string{home}, Environ: os.Environ(),
		Version: thisVersion().Version, KeepRunning: f.onDisconnect == "continue", Sandbox: !f.free, Structured: f.structured, TreeDiffs: f.treeDiffs, Log: a.log(),
		Desktops: desktops.OnMachine{Machine: a.machine, Dir: desktopsFolder(home), Seat: !isVirtual(f.display.display)}, Schedules: schedulesFolder(home), Telemetry: a.observer(),
		Check: func(ctx context.Context) []desktop.Finding { return a.machine.Diagnose(ctx, display) },
	}
	options.Desktop = a.opens(desktopsFolder(home))
	if a.fleet.url != "" {
		if err := o.ofFleet(&options, home); err != nil {
			return nil, nil, err
		}
	}
	if adjust != nil {
		adjust(&options)
	}
	if !options.Fleet {
		options.Record = o.record
	}
	o.server, o.places, o.keepRunning = mcpserver.New(options), options.MaxConcurrent, options.KeepRunning
	return o.server, o.close, nil
}

// opening opens the runs when they are first needed, and closes them at the end.
type opening struct {
	a       *app
	cmd     *cobra.Command
	display *displayFlags
	pool    poolFlags

	server *mcpserver.Server
	name   string // under which it answers workers of a fleet
	places int    // for runs that act

	keepRunning bool
	own         atomic.Pointer[engine.Engine] // of this process, if it owns the folder

	recording sync.WaitGroup // what follows a recording to its end

	mu    sync.Mutex
	leave func()
}

func (o *opening) open(context.Context) (engine.Runs, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.a.fleet.url != "" {
		runs, leave, err := o.a.fleetRuns(o.cmd, o)
		o.leave = leave
		return runs, err
	}
	runs, leave, err := o.a.runs(o.cmd, o.display, func(m *membership) {
		rights := o.server.Rights()
		m.rights, m.allow, m.keepRunning, m.shared = &rights, o.server.AllowBound, o.keepRunning, true
		m.desktops, m.ready, m.usersHome = o.pool.desktops, o.pool.ready, o.pool.usersHome
		m.tune = func(e *engine.Engine) {
			o.own.Store(e)
			e.Allow, e.Lease = o.server.Allow, engine.NewLease(o.places)
		}
	})
	o.leave = leave
	return runs, err
}

func (o *opening) close() {
	o.recording.Wait() // the server has ended it
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.leave != nil {
		o.leave()
	}
}

func (a *app) mcp() *cobra.Command {
	var f serverFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an MCP client over the standard input and output",
		Long: "Answer an MCP client over the standard input and output, until it closes its side.\n" +
			"The desktop and the data folder are opened by the first call that needs them.",
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, leave, err := a.server(cmd, &f, nil)
			if err != nil {
				return err
			}
			defer leave()
			return s.ServeStdio(cmd.Context(), a.in, a.out)
		},
	}
	f.add(cmd)
	return cmd
}
