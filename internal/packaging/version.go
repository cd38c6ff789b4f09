package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A version is the version of the commit that is packed.
type version struct {
	Text string    // by the rules of semantic versioning, without a v
	Time time.Time // of the commit
}

// described matches the output of git describe: the last tag, the parts of its number,
// and the suffix for later commits.
var described = regexp.MustCompile(`^v((\d+\.\d+\.)(\d+)(-[0-9A-Za-z.-]+?)??)(-\d+-g[0-9a-f]+)?$`)

// gitVersion returns the version of the commit that is checked out: its tag, or a
// version that sorts between the last tag and the next one, as Go's pseudo-versions do.
func gitVersion(ctx context.Context, root string) (version, error) {
	head, err := git(ctx, root, "log", "-1", "--format=%ct %H")
	if err != nil {
		return version{}, err
	}
	seconds, hash, _ := strings.Cut(head, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(hash) < 12 {
		return version{}, fmt.Errorf("git log answered %q: wanted a time and a hash", head)
	}
	v := version{Time: time.Unix(at, 0).UTC()}
	tag, err := git(ctx, root, "describe", "--tags", "--match", "v[0-9]*", "--abbrev=12")
	if err != nil {
		tag = "" // no tag yet
	}
	v.Text = versionOf(tag, v.Time, hash)
	changed, err := git(ctx, root, "status", "--porcelain", "--untracked-files=no")
	if changed != "" {
		v.Text += "+dirty"
	}
	return v, err
}

// versionOf returns the version for an output of git describe; "" if there is no tag.
func versionOf(words string, at time.Time, hash string) string {
	commit := at.Format("20060102150405") + "-" + hash[:12]
	m := described.FindStringSubmatch(words)
	if m == nil {
		return "0.0.0-" + commit
	}
	tag, minor, patch, before, later := m[1], m[2], m[3], m[4], m[5]
	switch {
	case later == "":
		return tag
	case before != "":
		return tag + ".0." + commit
	}
	n, _ := strconv.Atoi(patch) // digits
	return minor + strconv.Itoa(n+1) + "-0." + commit
}

// debian returns the version in the form in which dpkg sorts a pre-release before its
// release.
func (v version) debian() string { return strings.ReplaceAll(v.Text, "-", "~") }

func git(ctx context.Context, dir string, args ...string) (string, error) {
	var failed bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stderr = dir, &failed
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(failed.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
