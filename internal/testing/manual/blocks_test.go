package manual

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// TestMain makes this test program the command understudy, when it is called so.
func TestMain(m *testing.M) { itself.Main(m) }

// elsewhere are commands that are run by what stands beside them, for they
// install things or start the very tests that these are part of.
var elsewhere = map[string]string{
	"make run":     ".ci/run",
	"make test":    ".ci/run",
	"make build":   "Makefile",
	"make package": ".ci/run",
	"make clients": ".ci/run",
	"make long":    "Makefile",                 // an hour or more
	"docker run":   ".github/workflows/ci.yml", // the same image, the same command

	"sudo apt install ./understudy_":          "internal/packaging/packaging_test.go",
	"npm install":                             "internal/packaging/packaging_test.go",
	"sha256sum":                               "internal/packaging/packaging_test.go",
	"systemctl --user":                        "internal/packaging/packaging_test.go",
	"OTEL_EXPORTER_OTLP_ENDPOINT":             "internal/telemetry/telemetry_test.go",
	"go test -run '^$' -bench":                "Makefile",
	"claude mcp":                              "internal/testing/realclients/clients_test.go",
	"understudy migrate":                      "internal/cli/testdata/migrating.txtar",
	"understudy setup browser":                "internal/cli/testdata/setup.txtar",
	"understudy proxy --url":                  "internal/cli/testdata/proxy.txtar",
	"understudy runs resume --where":          "internal/cli/testdata/bulk.txtar",
	"understudy desktop start theirs":         "internal/testing/lasting/places_test.go",
	"understudy run --display virtual:theirs": "internal/testing/lasting/places_test.go",

	"go test ./internal/desktop/local -run TestContract":                 "internal/desktop/local/contract_linux_test.go",
	"UNDERSTUDY_E2E=1 go test ./internal/testing/e2e -run TestScenarios": "internal/testing/e2e/scenario_test.go",
	"UNDERSTUDY_E2E=1 go test ./internal/testing/e2e -run TestTheLong":   "internal/testing/e2e/long_test.go",
}

// TestEveryCommandIsRun types what the pages say to type.
func TestEveryCommandIsRun(t *testing.T) {
	virtualtest.TakesTime(t)
	run := 0
	for name, all := range pages(t) {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			var p *reader
			for _, b := range all {
				switch {
				case b.is("sh"):
					ranElsewhere(t, b)
					continue
				case !b.is("console") && !b.is("aside") && !b.is("yaml"):
					if strings.Contains("\n"+b.text, "\n$ ") {
						t.Errorf("%s:%d: commands in a block that is not marked console", b.page, b.line)
					}
					continue
				}
				if p == nil {
					p = newReader(t)
				}
				if b.is("desktop") {
					virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon", "mousepad")
				}
				run += p.follow(b)
			}
		})
	}
	if run == 0 {
		t.Error("the pages hold no command at all")
	}
}

// ranElsewhere looks that the commands of a block are known to be run, by a file
// that has them.
func ranElsewhere(t *testing.T, b block) {
	t.Helper()
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		known := slices.IndexFunc(slices.Collect(maps.Keys(elsewhere)), func(prefix string) bool { return strings.HasPrefix(line, prefix) })
		if known < 0 && line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "'") {
			t.Errorf("%s:%d: nothing runs %q: mark the block console, or say in elsewhere who does", b.page, b.line, line)
		}
	}
}

func TestElsewhereIsThere(t *testing.T) {
	for prefix, file := range elsewhere {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Error(err)
			continue
		}
		word := strings.Fields(prefix)
		if !strings.Contains(string(text), strings.TrimPrefix(word[len(word)-1], "./")) {
			t.Errorf("%s does not run %s", file, prefix)
		}
	}
}

// A reader is someone who follows a page from its beginning.
type reader struct {
	t       *testing.T
	dir     string
	environ []string
	usual   *strings.Replacer // of addresses that nobody listens on for the usual ones
}

// usual are the addresses in the pages, which may be taken on this machine.
var usual = []string{"127.0.0.1:8765", "127.0.0.1:4222"}

func newReader(t *testing.T) *reader {
	t.Helper()
	home := scratch.Dir(t)
	var free []string
	for _, address := range usual {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		free = append(free, address, l.Addr().String())
	}
	r := &reader{t: t, dir: filepath.Join(home, "dir"), usual: strings.NewReplacer(free...)}
	t.Cleanup(r.end)
	bin := filepath.Join(home, "bin")
	for _, dir := range []string{bin, r.dir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "understudy")); err != nil {
		t.Skip("this system has no links: ", err)
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "XDG_") && !slices.Contains([]string{"HOME", "PATH", "DISPLAY", "WAYLAND_DISPLAY", "UNDERSTUDY_HOME"}, name) {
			r.environ = append(r.environ, pair)
		}
	}
	r.environ = append(r.environ, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GSETTINGS_BACKEND=memory", "LC_ALL=C.UTF-8", "TZ=UTC")
	return r
}

// end ends what a page that was not followed to its end left running: each has
// the number of its process in a file.
func (r *reader) end() {
	if !r.t.Failed() {
		return // the page ended it, and another process may have its number by now
	}
	pids, _ := filepath.Glob(filepath.Join(r.dir, "*.pid"))
	for _, path := range pids {
		text, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && pid > 0 {
			_ = exec.Command("kill", strconv.Itoa(pid)).Run()
		}
	}
}

// follow does what a block says, and tells how many commands that were.
func (r *reader) follow(b block) int {
	r.t.Helper()
	switch {
	case b.is("yaml"):
		if len(b.words) == 2 {
			r.write(b)
		}
		return 0
	case b.is("aside"):
		out, err := r.run(b.text)
		if err != nil && !b.is("fails") {
			r.t.Fatalf("%s:%d: %v\n%s", b.page, b.line, err, out)
		}
		return 0
	}
	all := b.commands()
	for i, c := range all {
		out, err := r.run(c.typed)
		if fails := b.is("fails") && i == len(all)-1; (err != nil) != fails {
			r.t.Fatalf("%s:%d: %s: %v, and it should fail: %t\n%s", b.page, b.line, strings.TrimSpace(c.typed), err, fails, out)
		}
		if c.answer != "" && !same(c.answer, out) {
			r.t.Errorf("%s:%d: %s answers\n%s\nand the page says\n%s", b.page, b.line, strings.TrimSpace(c.typed), out, c.answer)
		}
	}
	return len(all)
}

func (r *reader) write(b block) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, b.words[1]), []byte(b.text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run gives a command to a shell.
func (r *reader) run(typed string) (string, error) {
	r.t.Helper()
	ctx, cancel := context.WithDeadline(r.t.Context(), scratch.Deadline(r.t))
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", r.usual.Replace(typed))
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.dir, r.environ, 5*time.Second
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it left something running in the background, as it was told
	}
	return string(out), err
}
