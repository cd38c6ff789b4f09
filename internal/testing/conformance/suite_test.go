package conformance

import (
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/mcpserver"
	"understudy/steps/kinds"
)

var tools = flag.String("tools", os.Getenv("UNDERSTUDY_CONFORMANCE_TOOLS"), "a folder in which npm keeps the suite between runs")

// The pinned version of the suite, and the runtime that it needs, which npm installs
// where the machine has an older one.
const (
	suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	node  = "22"
)

// revisions are the sets of requirements that the server must meet.
var revisions = []string{"2025-11-25", "2026-07-28"}

func TestAtLengthOfficialSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("the official suite is fetched by npm, which is not short")
	}
	run := installed(t)
	site := serve(t)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			out, err := run(t, "server", "--url", site+"/mcp", "--requirements", revision, "--expected-failures", baseline(t))
			t.Logf("%s", tail(out, 30))
			if err != nil {
				t.Errorf("the suite is not content: %v\n%s", err, out)
			}
		})
	}
}

// baseline is the file of expected failures.
func baseline(t *testing.T) string {
	path, err := filepath.Abs(filepath.Join("testdata", "baseline.yml"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// runner runs the suite.
type runner func(t *testing.T, args ...string) (string, error)

// installed fetches the suite, or skips where that cannot be done.
func installed(t *testing.T) runner {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("the official suite needs npm, which is not on this machine")
	}
	dir := *tools
	if dir == "" {
		dir = t.TempDir()
	}
	program := filepath.Join(dir, "node_modules", "node-"+runtime.GOOS+"-x64", "bin", "node")
	script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
		defer cancel()
		cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, suite, "node-"+runtime.GOOS+"-x64@"+node)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("npm cannot fetch the official suite: %v\n%s", err, tail(string(out), 5))
		}
	}
	return func(t *testing.T, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, append([]string{script}, args...)...)
		cmd.Dir = t.TempDir() // it writes its results to its working directory
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// serve starts our server, with all its layers and the fixtures.
func serve(t *testing.T) string {
	t.Helper()
	store := storetest.NewMemory()
	e := &engine.Engine{Store: store, Files: store, Kinds: kinds.All(), Desk: desk{fake.New()}}
	var sdk *mcp.Server
	s := mcpserver.New(mcpserver.Options{
		Open: func(context.Context) (mcpserver.Backend, error) {
			return mcpserver.Backend{Runs: e, WhileHeld: e.WhileHeld, Forget: e.Forget}, nil
		}, Kinds: kinds.All(),
		Folder: t.TempDir(), Dir: t.TempDir(), Version: "test", MaxConcurrent: 100,
		Extend: func(s *mcp.Server) { sdk = s; addFixtures(s) },
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, l) }()
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for changes := time.NewTicker(time.Second); ; {
			select {
			case <-changes.C:
				_ = sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: watched})
			case <-stop:
				changes.Stop()
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
		end()
		if err := <-ended; err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

type desk struct{ fake *fake.Desktop }

func (d desk) Open(context.Context) (*desktop.Desktop, error) { return d.fake.Desktop(), nil }
func (desk) Drop(*desktop.Desktop)                            {}
