package cli

import (
	"context"
	"fmt"
	"os"
	"path"
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
	"understudy/internal/rundesktops"
	"understudy/internal/service"
	"understudy/mcpserver"
	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
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
	Workflows    []string `flag:"workflow-tools" usage:"list the saved workflows whose names match, such as report-*, also as tools of their own"`
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
		if known := steps.Names(kinds); !slices.Contains(known, workflows.ToolName(name)) {
			return p, unknown(cmd, fmt.Sprintf("--tools: there is no kind %q", name), name, known)
		}
	}
	for _, pattern := range f.Workflows {
		if _, err := path.Match(pattern, ""); err != nil {
			return p, usage(cmd, "--workflow-tools %s: wanted a pattern such as report-*", pattern)
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
func (f *serverFlags) folders(a *app, cmd *cobra.Command) (dir string, roots []string, err error) {
	here, err := a.workingFolder()
	if err != nil {
		return "", nil, err
	}
	for _, root := range f.Roots {
		abs := root
		if !filepath.IsAbs(root) {
			abs = filepath.Join(here, root)
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return "", nil, usage(cmd, "--root %s: wanted an existing folder", root)
		}
		roots = append(roots, abs)
	}
	if len(roots) > 0 {
		return roots[0], roots, nil
	}
	if holdsHome(here) {
		return here, nil, nil
	}
	return here, []string{here}, nil
}

func holdsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	return err == nil && confined.Private{dir}.Refuse(home) != nil
}

// server returns a server over the data folder, which is to be closed once the server has
// ended. A command may adjust the options.
func (a *app) server(cmd *cobra.Command, f *serverFlags, pool poolFlags, adjust func(*mcpserver.Options)) (*lazyRuns, error) {
	policy, err := f.policy(cmd, a.kinds)
	if err != nil {
		return nil, err
	}
	modes, err := f.modes(cmd)
	if err != nil {
		return nil, err
	}
	display, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	home, err := a.folder()
	if err != nil {
		return nil, err
	}
	display.Dir = desktopsFolder(home)
	dir, roots, err := f.folders(a, cmd)
	if err != nil {
		return nil, err
	}
	o := &lazyRuns{a: a, cmd: cmd, display: &f.displayFlags, pool: pool, roots: roots}
	options := mcpserver.Options{
		Open: o.open, Kinds: a.kinds, Policy: policy, Modes: modes, Folder: savedWorkflows(home), WorkflowTools: f.Workflows, Pictures: recordedPictures(home), Recordings: writtenRecordings(home), Dir: dir, Roots: roots, Private: []string{home}, Environ: a.environ(),
		Version: thisVersion().Version, KeepRunning: f.OnDisconnect == "continue", Sandbox: !f.NoSandbox, Applications: f.applications(), NoTerminals: f.NoTerminals, Structured: f.Structured || f.SequenceJSON, SequenceJSON: f.SequenceJSON, TreeDiffs: f.TreeDiffs, Log: a.log(),
		Desktops: operations.MachineDesktops{Machine: a.machine, Dir: desktopsFolder(home), Seat: !isVirtual(f.Display)}, Schedules: schedulesFolder(home), Telemetry: a.observer(), Audit: auditTrail(home), Plans: plansFolder(home),
		Check: func(ctx context.Context) []desktop.Finding { return a.machine.Diagnose(ctx, display) },
	}
	options.Desktop = a.opens(desktopsFolder(home))
	if a.Fleet != "" {
		if err := o.ofFleet(&options, home); err != nil {
			return nil, err
		}
	}
	adjust(&options)
	if !options.Fleet {
		options.Record = o.record
	}
	o.server, o.places = mcpserver.New(options), options.MaxConcurrent
	for _, name := range f.Exclude { // with a misspelled one, it would be allowed
		if err := o.server.CheckTool(name); err != nil && !options.Fleet {
			return nil, usage(cmd, "--exclude-tools: %w", err)
		}
	}
	return o, nil
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

	own atomic.Pointer[engine.Engine] // nil in a fleet

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
		return mcpserver.Backend{Runs: c, WhileHeld: c.WhileHeld, Live: c.Live, Workers: c.Workers, Forget: c.Forget}, nil
	}
	e, err := o.openHere()
	if err != nil {
		return mcpserver.Backend{}, err
	}
	o.own.Store(e)
	return mcpserver.Backend{Runs: e.For(&engine.Caller{Allow: o.server.Allow}), WhileHeld: e.WhileHeld, Forget: e.Forget}, nil
}

// openHere returns the engine of this process, which is that of the service, or without one of
// this server alone.
func (o *lazyRuns) openHere() (e *engine.Engine, err error) {
	if o.a.engine != nil {
		return o.a.engine, nil
	}
	dir, err := o.a.folder()
	if err != nil {
		return nil, err
	}
	d, err := o.display.options(o.cmd)
	if err != nil {
		return nil, err
	}
	e, o.leave, err = o.a.ownRuns(o.cmd.Context(), dir, d, o.config())
	return e, err
}

// config returns how the desktops of the server are made.
func (o *lazyRuns) config() rundesktops.Config {
	c := o.display.keeps()
	c.Shared, c.Desktops, c.Ready, c.UsersHome, c.Roots = true, o.pool.Desktops, o.pool.Warm, o.pool.SharedHome, o.roots
	return c
}

// host makes this process the service of the data folder.
func (o *lazyRuns) host() error {
	dir, err := o.a.folder()
	if err == nil {
		err = service.MakeRoom(o.cmd.Context(), dir)
	}
	if err != nil {
		return err
	}
	h, err := o.a.host(o.cmd, o.display, o.places, o.config(), service.HostOptions{})
	if err == nil {
		o.leave = func() { o.a.leave(o.cmd.Context(), h.Leave) }
	}
	return err
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
			s, err := a.server(cmd, &f, poolFlags{}, func(*mcpserver.Options) {})
			if err != nil {
				return err
			}
			defer s.close()
			if a.Fleet == "" && !service.Off() {
				return a.attachMCP(cmd, &f)
			}
			return s.server.ServeStdio(cmd.Context(), a.in, a.out)
		},
	}, &f)
}
