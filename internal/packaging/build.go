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

// A target is an operating system and a processor, as Go names them.
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

// stamp is the variable of the program that holds the version.
const stamp = "understudy/internal/cli.stamped"

// build builds the program for a target without cgo, into a file of a folder.
func (r release) build(ctx context.Context, dir string, t target) (path string, err error) {
	path = filepath.Join(dir, t.OS, t.Arch, t.program())
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X "+stamp+"="+r.Version.Text, "-o", path, ".")
	cmd.Dir = r.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.OS, "GOARCH="+t.Arch)
	err = r.withResources(t, func() error {
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building for %s: %w\n%s", t, err, text)
		}
		return nil
	})
	return path, err
}

// shared holds the files that are the same for every target.
type shared struct {
	license, readme file
	completions     map[string]file // by shell
}

// sharedFiles reads files of the repository, and runs the program, built for this
// machine, to get its completions.
func (r release) sharedFiles(ctx context.Context, dir string) (s shared, err error) {
	for name, into := range map[string]*file{"LICENSE": &s.license, "README.md": &s.readme} {
		body, err := os.ReadFile(filepath.Join(r.Root, name))
		if err != nil {
			return s, err
		}
		*into = file{name, 0o644, body}
	}
	here, err := r.build(ctx, dir, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
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
