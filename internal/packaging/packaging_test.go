package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/scratch"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// packagesVariable names the folder that `make package` filled.
const packagesVariable = "UNDERSTUDY_PACKAGES"

// stage is a folder of packages, and what they were made for.
type stage struct {
	dir     string
	release release
}

// packages are those that were made before.
func packages(t *testing.T) stage {
	t.Helper()
	dir := os.Getenv(packagesVariable)
	if dir == "" {
		t.Skip("it takes minutes to make the packages: make package makes and tests them")
	}
	r := release{Root: filepath.Join("..", ".."), Targets: allTargets, Namespace: "localhost"}
	var err error
	if r.Version, err = gitVersion(t.Context(), r.Root); err != nil {
		t.Fatal(err)
	}
	return stage{dir, r}
}

// here is the name of this machine's product with an ending.
func (s stage) here(ending string) string {
	return filepath.Join(s.dir, s.release.name(target{runtime.GOOS, runtime.GOARCH})+ending)
}

// command runs a program that must succeed, and gives what it wrote.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := commandIn(t, dir, nil, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func commandIn(t *testing.T, dir string, environ []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// needs skips a test where a program is not there.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("this machine has no %s", program)
	}
}

// isOurs looks that a program is that of the release.
func (s stage) isOurs(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	out := command(t, dir, program, append(args, "version")...)
	if want := "understudy " + s.release.Version.Text + " "; !strings.HasPrefix(out, want) {
		t.Errorf("%s says %q, want %q", program, out, want)
	}
}

func TestArchiveRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the archive for Windows is a zip; TestZipHolds looks into one")
	}
	s, dir := packages(t), t.TempDir()
	for _, f := range unpacked(t, s.here(".tar.gz")) {
		if err := f.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	s.isOurs(t, dir, filepath.Join(dir, s.release.name(target{runtime.GOOS, runtime.GOARCH}), "understudy"))
	for _, name := range []string{"LICENSE", "README.md", "completions/understudy", "completions/_understudy", "completions/understudy.fish", "completions/understudy.ps1"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.Base(s.here("")), name)); err != nil {
			t.Error(err)
		}
	}
}

// unpacked are the files of a tar.gz.
func unpacked(t *testing.T, path string) (files []file) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			files = append(files, file{h.Name, h.FileInfo().Mode().Perm(), body})
		}
	}
}

func TestEveryPackageIsThere(t *testing.T) {
	s := packages(t)
	for _, target := range s.release.Targets {
		endings := []string{".tar.gz", ".mcpb"}
		if target.OS == "windows" {
			endings[0] = ".zip"
		}
		for _, ending := range endings {
			if _, err := os.Stat(filepath.Join(s.dir, s.release.name(target)+ending)); err != nil {
				t.Error(err)
			}
		}
		if target.OS == "linux" {
			if _, err := os.Stat(filepath.Join(s.dir, "understudy_"+s.release.Version.debian()+"_"+target.Arch+".deb")); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSumsAreRight(t *testing.T) {
	needs(t, "sha256sum")
	s := packages(t)
	out := command(t, s.dir, "sha256sum", "--check", "SHA256SUMS")
	if err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.dir, path)
		if err == nil && !d.IsDir() && name != "SHA256SUMS" && !strings.Contains(out, filepath.ToSlash(name)+": OK") {
			t.Errorf("there is no sum of %s", name)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestSameBytesAgain builds and packs a second time.
func TestSameBytesAgain(t *testing.T) {
	s := packages(t)
	r := s.release
	r.Out = t.TempDir()
	r.Targets = []target{{runtime.GOOS, runtime.GOARCH}}
	if _, err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(s.dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(filepath.Join(r.Out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(again)) {
		// The wrapper names the packages of all targets, which may be more.
		if strings.Contains(line, "npm/understudy-"+r.npmVersion()) {
			continue
		}
		if !strings.Contains(string(raw), line) {
			t.Errorf("other bytes than the first time: %s", line)
		}
	}
}

func TestDebianPackageIsInstalled(t *testing.T) {
	needs(t, "dpkg-deb")
	s := packages(t)
	deb := filepath.Join(s.dir, "understudy_"+s.release.Version.debian()+"_"+runtime.GOARCH+".deb")
	if got := strings.TrimSpace(command(t, "", "dpkg-deb", "--field", deb, "Version")); got != s.release.Version.debian() {
		t.Errorf("version %q, want %q", got, s.release.Version.debian())
	}
	root := t.TempDir()
	if os.Geteuid() != 0 {
		command(t, "", "dpkg-deb", "--extract", deb, root)
	} else {
		for _, dir := range []string{"info", "updates", "triggers"} {
			if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		command(t, "", "dpkg", "--root="+root, "--force-depends", "--log="+filepath.Join(root, "log"), "--install", deb)
		if out := command(t, "", "dpkg", "--root="+root, "--verify", "understudy"); out != "" {
			t.Errorf("dpkg finds other files than it installed:\n%s", out)
		}
	}
	s.isOurs(t, "", filepath.Join(root, "usr/bin/understudy"))
}

// TestAptFindsWhatItNeeds has apt say what it would install, with all that the
// package depends on, without doing it.
func TestAptFindsWhatItNeeds(t *testing.T) {
	needs(t, "apt-get")
	if out := command(t, "", "apt-cache", "pkgnames", "xvfb"); !strings.Contains(out, "xvfb") {
		t.Skip("apt has no lists of packages here")
	}
	s := packages(t)
	deb := filepath.Join(s.dir, "understudy_"+s.release.Version.debian()+"_"+runtime.GOARCH+".deb")
	if out := command(t, "", "apt-get", "--simulate", "install", deb); !strings.Contains(out, "\nInst understudy (") {
		t.Errorf("apt would not install it:\n%s", out)
	}
}

// TestDependenciesExist asks apt, which knows this system's packages.
func TestDependenciesExist(t *testing.T) {
	needs(t, "apt-cache")
	if out := command(t, "", "apt-cache", "pkgnames", "xvfb"); !strings.Contains(out, "xvfb") {
		t.Skip("apt has no lists of packages here")
	}
	names := []string{"show", "--no-all-versions"}
	for _, d := range append(depends, recommends...) {
		name, _, _ := strings.Cut(d, " | ")
		names = append(names, name)
	}
	out, err := commandIn(t, "", nil, "apt-cache", names...) // all at once, for it reads long lists
	for _, name := range names[2:] {
		if !strings.Contains("\n"+out, "\nPackage: "+name+"\n") {
			t.Errorf("there is no package %s: %v", name, err)
		}
	}
}

func TestUnitIsRight(t *testing.T) {
	needs(t, "systemd-analyze")
	s, dir := packages(t), t.TempDir()
	root := filepath.Join(dir, "root")
	command(t, "", "dpkg-deb", "--extract", filepath.Join(s.dir, "understudy_"+s.release.Version.debian()+"_"+runtime.GOARCH+".deb"), root)
	raw, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/user/understudy.service"))
	if err != nil {
		t.Fatal(err)
	}
	// The program is looked for where the package would put it.
	unit := strings.ReplaceAll(string(raw), "=/usr/", "="+root+"/usr/")
	if unit == string(raw) {
		t.Fatalf("the unit does not start what the package installs:\n%s", raw)
	}
	path := filepath.Join(dir, "understudy.service")
	if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := commandIn(t, "", []string{"XDG_RUNTIME_DIR=" + dir}, "systemd-analyze", "--user", "verify", path); err != nil || strings.Contains(out, "understudy.service") {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
	if !strings.Contains(unit, "\nWorkingDirectory=%S/") {
		t.Errorf("the unit starts in the home folder, whose files it would not use:\n%s", unit)
	}
	if !strings.Contains(unit, "\nKillMode=process\n") {
		t.Errorf("stopping the unit ends the desktops that runs still need:\n%s", unit)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatalf("the unit starts nothing:\n%s", unit)
	}
	if out := command(t, "", start[1], append(strings.Fields(start[2]), "--help")...); !strings.Contains(out, "serve") {
		t.Errorf("the unit's command line is not understood:\n%s", out)
	}
}

func TestCompletionsAreScripts(t *testing.T) {
	needs(t, "bash")
	s, dir := packages(t), t.TempDir()
	for _, f := range unpacked(t, s.here(".tar.gz")) {
		if err := f.at(strings.TrimPrefix(f.Name, filepath.Base(s.here(""))+"/")).write(dir); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(dir, "completions")
	out := command(t, dir, "bash", "-c", "source ./understudy && complete -p understudy")
	if !strings.Contains(out, "__start_understudy") {
		t.Errorf("bash completes nothing: %q", out)
	}
	for shell, script := range map[string]string{"zsh": "_understudy", "fish": "understudy.fish"} {
		if _, err := exec.LookPath(shell); err == nil {
			command(t, dir, shell, "-n", script)
		}
	}
}

func TestNPMPackageRuns(t *testing.T) {
	needs(t, "npm")
	s, dir := packages(t), t.TempDir()
	r := s.release
	own := strings.NewReplacer("@", "", "/", "-").Replace(r.npmTarget(target{runtime.GOOS, runtime.GOARCH}))
	environ := []string{"npm_config_cache=" + filepath.Join(dir, "cache"), "npm_config_update_notifier=false", "HOME=" + dir}
	// Without a network: nothing may be fetched when it is installed.
	out, err := commandIn(t, dir, environ, "npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", dir,
		filepath.Join(s.dir, "npm", own+"-"+r.npmVersion()+".tgz"), filepath.Join(s.dir, "npm", r.npmName()+"-"+r.npmVersion()+".tgz"))
	if err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	out, err = commandIn(t, dir, environ, "npx", "--offline", "understudy", "version")
	if err != nil || !strings.HasPrefix(out, "understudy "+r.Version.Text+" ") {
		t.Errorf("npx understudy version: %v, %q", err, out)
	}
	out, err = commandIn(t, dir, environ, "npx", "--offline", "understudy", "no-such-command")
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
		t.Errorf("the exit status is not that of the program: %v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", r.npmTarget(target{runtime.GOOS, runtime.GOARCH}))); err != nil {
		t.Fatal(err)
	}
	if out, err := commandIn(t, dir, environ, "npx", "--offline", "understudy", "version"); err == nil || !strings.Contains(out, "--include=optional") {
		t.Errorf("without the program: %v, %q", err, out)
	}
}

func TestBundleRuns(t *testing.T) {
	s, dir := packages(t), t.TempDir()
	z, err := zip.OpenReader(s.here(".mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		body, err := func() ([]byte, error) {
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return io.ReadAll(r)
		}()
		if err != nil {
			t.Fatal(err)
		}
		if err := (file{f.Name, f.Mode().Perm(), body}).write(dir); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Server struct {
			Entry  string `json:"entry_point"`
			Config struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"mcp_config"`
		} `json:"server"`
		UserConfig map[string]struct {
			Default string `json:"default"`
		} `json:"user_config"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if m.Server.Config.Command != "${__dirname}/"+m.Server.Entry {
		t.Errorf("it starts %s, and its entry is %s", m.Server.Config.Command, m.Server.Entry)
	}
	// What a client does: it puts the folder and the person's settings in.
	args := m.Server.Config.Args
	for name, c := range m.UserConfig {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "${user_config."+name+"}", c.Default)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, m.Server.Entry), args...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("%q:%q", "version", s.release.Version.Text); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, %s; want %s", err, out, want)
	}
}

// registrySchema is what the registry of MCP servers wants of server.json. The
// file is internal/validators/schemas/2025-12-11.json of the Go module
// github.com/modelcontextprotocol/registry v1.8.7 (Apache License 2.0).
func registrySchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "server.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// TestRegistryFile holds server.json to the registry's schema.
func TestRegistryFile(t *testing.T) {
	schema := registrySchema(t)
	valid := func(body []byte) error {
		var got any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(got)
	}
	for _, site := range []string{"", "https://example.com/v1.2.3/"} {
		r := release{Version: version{Text: "1.2.3"}, Namespace: "io.github.example", Site: site}
		if site != "" {
			r.Image, r.Scope = "example.com/me/understudy:1.2.3", "@example"
		}
		f, err := r.registry([]file{{"a.mcpb", 0, []byte("x")}, {"a.tar.gz", 0, nil}})
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(f.Body); err != nil {
			t.Errorf("%v in %s", err, f.Body)
		}
		if named := strings.Contains(string(f.Body), `"https://example.com/v1.2.3/a.mcpb"`); named != (site != "") || strings.Contains(string(f.Body), "a.tar.gz") || strings.Contains(string(f.Body), `"oci"`) != (site != "") || strings.Contains(string(f.Body), `"npm"`) != (site != "") {
			t.Errorf("with the site %q: %s", site, f.Body)
		}
		for _, broken := range [][2]string{
			{`"name"`, `"nome"`},
			{`"io.github.example/understudy"`, `"understudy"`},
			{`"stdio"`, `"pipes"`},
			{summary, strings.Repeat("x", 101)},
			{`"identifier"`, `"identity"`},
		} {
			if !bytes.Contains(f.Body, []byte(broken[0])) {
				continue // without packages
			}
			if err := valid(bytes.ReplaceAll(f.Body, []byte(broken[0]), []byte(broken[1]))); err == nil {
				t.Errorf("%s in the place of %s is found valid", broken[1], broken[0])
			}
		}
	}
}

// TestPackagedRegistryFile looks at the one that was made.
func TestPackagedRegistryFile(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(packages(t).dir, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if err := registrySchema(t).Validate(got); err != nil {
		t.Errorf("%v in %s", err, raw)
	}
}

func TestZipHolds(t *testing.T) {
	r := release{Version: version{"1.0.0", time.Unix(1e9, 0).UTC()}}
	f, err := r.archive(target{"windows", "arm64"}, []byte("MZ"), shared{license: file{"LICENSE", 0o644, nil}, readme: file{"README.md", 0o644, nil}})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(f.Body), int64(len(f.Body)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	const top = "understudy-1.0.0-windows-arm64/"
	if diff := cmp.Diff([]string{top + "LICENSE", top + "README.md", top + "understudy-task.xml", top + "understudy.exe"}, names); diff != "" || f.Name != "understudy-1.0.0-windows-arm64.zip" {
		t.Errorf("%s: -want +got\n%s", f.Name, diff)
	}
}

func TestVersionOf(t *testing.T) {
	at, hash := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "0123456789abcdef"
	for described, want := range map[string]string{
		"":                            "0.0.0-20260102030405-0123456789ab",
		"v1.2.3":                      "1.2.3",
		"v1.2.3-14-g0123456789ab":     "1.2.4-0.20260102030405-0123456789ab",
		"v1.2.3-rc.1":                 "1.2.3-rc.1",
		"v1.2.3-rc.1-14-g0123456789a": "1.2.3-rc.1.0.20260102030405-0123456789ab",
		"very":                        "0.0.0-20260102030405-0123456789ab",
	} {
		if got := versionOf(described, at, hash); got != want {
			t.Errorf("%q: %s, want %s", described, got, want)
		}
	}
	if got := (version{Text: "1.2.4-0.2026-01"}).debian(); got != "1.2.4~0.2026~01" {
		t.Errorf("for Debian: %s", got)
	}
}
