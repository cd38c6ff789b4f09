package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A target is a system and a processor, in Go's words.
type target struct{ OS, Arch string }

func (t target) String() string { return t.OS + "/" + t.Arch }

func (t target) program() string {
	if t.OS == "windows" {
		return "understudy.exe"
	}
	return "understudy"
}

var allTargets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
}

func parseTargets(text string) (found []target, err error) {
	for word := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(allTargets, func(t target) bool { return t.String() == word })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q: known are %v", word, allTargets)
		}
		found = append(found, allTargets[i])
	}
	return found, nil
}

// stamp is the variable that holds the version in the program.
const stamp = "understudy/internal/cli.stamped"

// build builds the program for a target, without cgo.
func (r release) build(ctx context.Context, t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, t.program())
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X "+stamp+"="+r.Version.Text, "-o", out, ".")
	cmd.Dir = r.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.OS, "GOARCH="+t.Arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building for %s: %w\n%s", t, err, text)
	}
	return os.ReadFile(out)
}

// shared are the files that are the same for every target.
type shared struct {
	license, readme file
	completions     map[string]file // by shell
}

// sharedFiles reads what is in the repository, and asks the program of this
// machine for the rest.
func (r release) sharedFiles(ctx context.Context) (s shared, err error) {
	for name, into := range map[string]*file{"LICENSE": &s.license, "README.md": &s.readme} {
		body, err := os.ReadFile(filepath.Join(r.Root, name))
		if err != nil {
			return s, err
		}
		*into = file{name, 0o644, body}
	}
	program, err := r.build(ctx, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return s, err
	}
	dir, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return s, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	here := filepath.Join(dir, target{OS: runtime.GOOS}.program())
	if err := os.WriteFile(here, program, 0o700); err != nil {
		return s, err
	}
	s.completions = map[string]file{}
	for shell, name := range map[string]string{"bash": "understudy", "zsh": "_understudy", "fish": "understudy.fish", "powershell": "understudy.ps1"} {
		text, err := exec.CommandContext(ctx, here, "completion", shell).Output()
		if err != nil {
			return s, fmt.Errorf("the completions of %s: %w", shell, err)
		}
		s.completions[shell] = file{name, 0o644, text}
	}
	return s, nil
}
