package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/operations"
	"understudy/mcpserver"
	"understudy/steps"
	"understudy/steps/confined"
)

// serverFlags are the flags of mcp and of serve.
type serverFlags struct {
	displayFlags
	Mode         string   `flag:"mode" words:"ask,act" usage:"act, or ask: clients may only look"`
	Toolsets     string   `flag:"toolsets" usage:"toolsets to offer, such as core,files; or all (default core)"`
	Tools        []string `flag:"tools" usage:"tools to offer in addition to the toolsets"`
	Exclude      []string `flag:"exclude-tools" usage:"tools to refuse"`
	ReadOnly     bool     `flag:"read-only" usage:"refuse all tools that do more than read"`
	ClientModes  []string `flag:"client-mode" usage:"modes of clients by name, such as claude-code=ask"`
	Structured   bool     `flag:"structured" usage:"for clients that are programs: declare the schemas of results, and add structured content to the text"`
	SequenceJSON bool     `flag:"sequence-json" usage:"like --structured, and answer execute_sequence with the JSON of Terminator's agent, also in the text"`
	TreeDiffs    bool     `flag:"tree-diffs" usage:"after each action, list all elements that appeared, disappeared or changed in its window, with their refs"`
	Roots        []string `flag:"root" usage:"folders in which steps may use files; relative paths start in the first (default the working folder, unless that is your home or above it)"`
	NoSandbox    bool     `flag:"no-sandbox" usage:"let the commands of clients write wherever you may, not only in --root"`
	Applications []string `flag:"applications" usage:"programs and desktop files that clients without the toolset shell may start, in addition to installed applications that take no commands"`
	NoTerminals  bool     `flag:"no-terminals" usage:"close a terminal's window in which a client without the toolset shell acts"`
	OnDisconnect string   `flag:"on-disconnect" words:"cancel,continue" usage:"what happens to the run of a client that disconnects: cancel or continue"`
}

func defaultServer() serverFlags {
	return serverFlags{displayFlags: defaultDisplay(), Mode: "act", OnDisconnect: "cancel"}
}

func (f *serverFlags) policy(cmd *cobra.Command, kinds []steps.Kind) (access.Policy, error) {
	p := access.Policy{Mode: access.Mode(f.Mode), Tools: f.Tools, Exclude: f.Exclude, ReadOnly: f.ReadOnly}
	for _, name := range f.Tools {
		if known := steps.Names(kinds); !slices.Contains(known, name) {
			return p, unknown(cmd, fmt.Sprintf("--tools: there is no kind %q", name), name, known)
		}
	}
	toolsets, err := access.ParseToolsets(f.Toolsets)
	if err != nil {
		return p, usage(cmd, "--toolsets: %w", err)
	}
	if p.Toolsets = toolsets; len(toolsets) == 0 && len(f.Tools) > 0 {
		p.Toolsets = []steps.Toolset{steps.Core}
	}
	return p, nil
}

func (f *serverFlags) modes(cmd *cobra.Command) (map[string]access.Mode, error) {
	modes := map[string]access.Mode{}
	for _, pair := range f.ClientModes {
		name, mode, ok := strings.Cut(pair, "=")
		if !ok || !access.Mode(mode).Valid() {
			return nil, usage(cmd, "--client-mode %s: wanted CLIENT=ask or CLIENT=act", pair)
		}
		modes[name] = access.Mode(mode)
	}
	return modes, nil
}

// applications returns the names, as the IDs of desktop files have them.
func (f *serverFlags) applications() (names []string) {
	for _, name := range f.Applications {
		names = append(names, strings.TrimSuffix(name, ".desktop"))
	}
	return names
}

// folders returns the folder in which relative paths of clients start, and those in
// which their steps may use files. Clients often start a server in the home folder
// or in /; nobody has chosen to hand those out, so a flag has to name them.
func (f *serverFlags) folders(cmd *cobra.Command) (dir string, roots []string, err error) {
	for _, root := range f.Roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return "", nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return "", nil, usage(cmd, "--root %s: wanted an existing folder", root)
		}
		roots = append(roots, abs)
	}
	if len(roots) > 0 {
		return roots[0], roots, nil
	}
	if dir, err = os.Getwd(); err != nil || holdsHome(dir) {
		return dir, nil, err
	}
	return dir, []string{dir}, nil
}

func holdsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	return err == nil && confined.Private{dir}.Refuse(home) != nil
}

// server returns a server over the data folder, and a function that releases the
// folder once the server has ended. A command may adjust the options.
func (a *app) server(cmd *cobra.Command, f *serverFlags, pool poolFlags, adjust func(*mcpserver.Options)) (*mcpserver.Server, func(), error) {
	policy, err := f.policy(cmd, a.kinds)
	if err != nil {
		return nil, nil, err
	}
	modes, err := f.modes(cmd)
	if err != nil {
		return nil, nil, err
	}
	display, err := f.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	home, err := a.folder()
	if err != nil {
		return nil, nil, err
	}
	display.Dir = desktopsFolder(home)
	dir, roots, err := f.folders(cmd)
	if err != nil {
		return nil, nil, err
	}
	o := &lazyRuns{a: a, cmd: cmd, display: &f.displayFlags, pool: pool, roots: roots}
	options := mcpserver.Options{
		Open: o.open, Kinds: a.kinds, Policy: policy, Modes: modes, Folder: savedWorkflows(home), Pictures: recordedPictures(home), Dir: dir, Roots: roots, Private: []string{home}, Environ: os.Environ(),
		Version: thisVersion().Version, KeepRunning: f.OnDisconnect == "continue", Sandbox: !f.NoSandbox, Applications: f.applications(), NoTerminals: f.NoTerminals, Structured: f.Structured || f.SequenceJSON, SequenceJSON: f.SequenceJSON, TreeDiffs: f.TreeDiffs, Log: a.log(),
		Desktops: operations.MachineDesktops{Machine: a.machine, Dir: desktopsFolder(home), Seat: !isVirtual(f.Display)}, Schedules: schedulesFolder(home), Telemetry: a.observer(),
		Check: func(ctx context.Context) []desktop.Finding { return a.machine.Diagnose(ctx, display) },
	}
	options.Desktop = a.opens(desktopsFolder(home))
	if a.Fleet != "" {
		if err := o.ofFleet(&options, home); err != nil {
			return nil, nil, err
		}
	}
	adjust(&options)
	if !options.Fleet {
		options.Record = o.record
	}
	o.server, o.places, o.keepRunning = mcpserver.New(options), options.MaxConcurrent, options.KeepRunning
	for _, name := range f.Exclude { // with a misspelled one, it would be allowed
		if err := o.server.CheckTool(name); err != nil && !options.Fleet {
			return nil, nil, usage(cmd, "--exclude-tools: %w", err)
		}
	}
	return o.server, o.close, nil
}

// lazyRuns opens the runs of a server when they are first needed, and closes them at
// the end.
type lazyRuns struct {
	a       *app
	cmd     *cobra.Command
	display *displayFlags
	pool    poolFlags
	roots   []string

	server *mcpserver.Server
	name   string // by which workers of a fleet ask it
	places int    // how many runs may act at once

	keepRunning bool
	own         atomic.Pointer[engine.Engine] // nil unless this process owns the folder

	recording sync.WaitGroup // goroutines that follow recordings to their end

	mu    sync.Mutex
	leave func()
}

func (o *lazyRuns) open(context.Context) (mcpserver.Backend, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.a.Fleet != "" {
		c, leave, err := o.a.fleetRuns(o.cmd, o)
		if err != nil {
			return mcpserver.Backend{}, err
		}
		o.leave = leave
		return mcpserver.Backend{Runs: c, WhileHeld: c.WhileHeld, Live: c.Live, Forget: c.Forget}, nil
	}
	m, leave, err := o.a.join(o.cmd, o.display, func(m *joinOptions) {
		rights := o.server.Rights()
		m.rights, m.allow, m.keepRunning = &rights, o.server.AllowBound, o.keepRunning
		m.desktops.Shared, m.desktops.Desktops, m.desktops.Ready, m.desktops.UsersHome = true, o.pool.Desktops, o.pool.Warm, o.pool.SharedHome
		m.desktops.Roots = o.roots
		m.tune = func(e *engine.Engine) {
			o.own.Store(e)
			e.Allow, e.Lease.Places = o.server.Allow, o.places
		}
	})
	if err != nil {
		return mcpserver.Backend{}, err
	}
	o.leave = leave
	return mcpserver.Backend{Runs: m, WhileHeld: m.WhileHeld, SetRights: m.SetRights, Forget: o.forget}, nil
}

// forget tells the engine, if it is in this process, that a client has gone. Another owner
// of the folder forgets the clients of this process when that leaves.
func (o *lazyRuns) forget(client string) {
	if e := o.own.Load(); e != nil {
		e.Forget(client)
	}
}

func (o *lazyRuns) close() {
	o.recording.Wait() // the server has ended it
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.leave != nil {
		o.leave()
	}
}

func mcpCommand(a *app) *cobra.Command {
	f := defaultServer()
	return withFlags(&cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP over the standard input and output",
		Long: "Serve MCP over the standard input and output, until the client closes them.\n" +
			"The desktop and the data folder are opened by the first call that needs them.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, leave, err := a.server(cmd, &f, poolFlags{}, func(*mcpserver.Options) {})
			if err != nil {
				return err
			}
			defer leave()
			return s.ServeStdio(cmd.Context(), a.in, a.out)
		},
	}, &f)
}
