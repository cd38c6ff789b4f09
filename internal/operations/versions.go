package operations

import (
	"context"
	"os"
	"strings"
	"time"

	"understudy/internal/fileio"
	"understudy/steps"
)

// Workflows keeps saved workflows, as far as a caller may see and change them.
type Workflows interface {
	// Path returns the file of a saved workflow.
	Path(name string) (string, error)
	// Save replaces a workflow by a version, if that is valid and the caller may.
	Save(ctx context.Context, name string, text []byte) error
}

// A VersionOperation is something that can be done with the versions of saved workflows.
type VersionOperation = Operation[Workflows, struct{}]

// OnVersions returns all operations on versions of saved workflows.
func OnVersions() []VersionOperation {
	return []VersionOperation{
		New(Declaration{
			Command: "versions", Tool: "workflow_versions", Reads: true,
			Summary: "List the versions of a saved workflow, or show how it differs from one.",
			Details: "A version is kept each time the workflow is saved over MCP, repaired or restored.",
		}, listVersions),
		New(Declaration{
			Command: "restore", Tool: "restore_workflow", Idempotent: true,
			Summary: "Make a version of a saved workflow the saved one again.",
			Details: "What it was before stays as a version.",
		}, restoreVersion),
	}
}

type versionsArgs struct {
	Name    string `json:"name" arg:"WORKFLOW" jsonschema:"the saved workflow"`
	Version string `json:"version,omitempty" arg:"[VERSION]" jsonschema:"show the difference to this version: the beginning of its hash"`
}

type restoreArgs struct {
	Name    string `json:"name" arg:"WORKFLOW" jsonschema:"the saved workflow"`
	Version string `json:"version" arg:"VERSION" jsonschema:"the beginning of the hash of the version"`
}

// VersionListing lists the versions of a saved workflow.
type VersionListing struct {
	Name       string           `json:"name"`
	Versions   []fileio.Version `json:"versions"`
	Difference string           `json:"difference,omitempty"` // between now and the requested version
}

func listVersions(_ context.Context, shelf Workflows, _ struct{}, a *versionsArgs) (Result, error) {
	out := VersionListing{Name: a.Name, Versions: []fileio.Version{}}
	if a.Version != "" {
		path, old, hash, err := findVersion(shelf, a.Name, a.Version)
		if err != nil {
			return Result{}, err
		}
		now, err := os.ReadFile(path)
		if err != nil {
			return Result{}, err
		}
		out.Difference = fileio.Difference(a.Name, now, a.Name+" "+fileio.ShortHash(hash), old)
		return Result{Value: out, Text: out.Difference}, nil
	}
	path, err := shelf.Path(a.Name)
	if err != nil {
		return Result{}, err
	}
	all, err := fileio.Versions(path)
	out.Versions = append(out.Versions, all...)
	return Result{Value: out, Text: out.words()}, err
}

// findVersion returns the file of a saved workflow, and the text and hash of a version.
func findVersion(shelf Workflows, name, version string) (path string, text []byte, hash string, err error) {
	if path, err = shelf.Path(name); err != nil {
		return "", nil, "", err
	}
	if text, hash, err = fileio.ReadVersion(path, version); err != nil {
		err = &steps.Error{Code: steps.Invalid, Err: err, Next: "name one that is listed"}
	}
	return path, text, hash, err
}

func restoreVersion(ctx context.Context, shelf Workflows, _ struct{}, a *restoreArgs) (Result, error) {
	_, old, hash, err := findVersion(shelf, a.Name, a.Version)
	if err != nil {
		return Result{}, err
	}
	if err := shelf.Save(ctx, a.Name, old); err != nil {
		return Result{}, err
	}
	return Result{Value: fileio.Version{Hash: hash, Saved: time.Now(), Current: true}, Text: a.Name + " is " + fileio.ShortHash(hash) + " again"}, nil
}

func (l VersionListing) words() string {
	var lines []string
	for _, v := range l.Versions {
		line := v.Short() + "  " + v.Saved.Local().Format(time.DateTime)
		if v.Current {
			line += "  current"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "no version is kept: one is each time the workflow is saved over MCP, repaired or restored"
	}
	return strings.Join(lines, "\n")
}
