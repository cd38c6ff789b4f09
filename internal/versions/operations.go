package versions

import (
	"context"
	"os"
	"strings"
	"time"

	"understudy/internal/operations"
	"understudy/steps"
)

// Shelf keeps saved workflows, as far as a caller may see and change them.
type Shelf interface {
	// Path returns the file of a saved workflow.
	Path(name string) (string, error)
	// Save replaces a workflow by a version, if that is valid and the caller may.
	Save(ctx context.Context, name string, text []byte) error
}

// Operation is something that can be done with the versions of saved workflows.
type Operation = operations.Operation[Shelf, struct{}]

// Operations returns all of them.
func Operations() []Operation {
	return []Operation{
		operations.New(operations.Declaration{
			Command: "versions", Tool: "workflow_versions", Reads: true,
			Summary: "List the versions of a saved workflow, or show how it differs from one.",
			Details: "A version is kept each time the workflow is saved over MCP, mended or restored.",
		}, list),
		operations.New(operations.Declaration{
			Command: "restore", Tool: "restore_workflow", Idempotent: true,
			Summary: "Make a version of a saved workflow the saved one again.",
			Details: "What it was before stays as a version.",
		}, restore),
	}
}

type listArgs struct {
	Name    string `json:"name" arg:"WORKFLOW" jsonschema:"the saved workflow"`
	Version string `json:"version,omitempty" arg:"[VERSION]" jsonschema:"show the difference to this version: the beginning of its hash"`
}

type restoreArgs struct {
	Name    string `json:"name" arg:"WORKFLOW" jsonschema:"the saved workflow"`
	Version string `json:"version" arg:"VERSION" jsonschema:"the beginning of the hash of the version"`
}

// Listing lists the versions of a saved workflow.
type Listing struct {
	Name       string    `json:"name"`
	Versions   []Version `json:"versions"`
	Difference string    `json:"difference,omitempty"` // between now and the requested version
}

func list(_ context.Context, shelf Shelf, _ struct{}, a *listArgs) (operations.Result, error) {
	out := Listing{Name: a.Name, Versions: []Version{}}
	if a.Version != "" {
		path, old, hash, err := find(shelf, a.Name, a.Version)
		if err != nil {
			return operations.Result{}, err
		}
		now, err := os.ReadFile(path)
		if err != nil {
			return operations.Result{}, err
		}
		out.Difference = Difference(a.Name, now, a.Name+" "+short(hash), old)
		return operations.Result{Value: out, Text: out.Difference}, nil
	}
	path, err := shelf.Path(a.Name)
	if err != nil {
		return operations.Result{}, err
	}
	all, err := List(path)
	out.Versions = append(out.Versions, all...)
	return operations.Result{Value: out, Text: out.words()}, err
}

// find returns the file of a saved workflow, and the text and hash of a version.
func find(shelf Shelf, name, version string) (path string, text []byte, hash string, err error) {
	if path, err = shelf.Path(name); err != nil {
		return "", nil, "", err
	}
	if text, hash, err = Read(path, version); err != nil {
		err = &steps.Error{Code: steps.Invalid, Err: err, Next: "name one that is listed"}
	}
	return path, text, hash, err
}

func restore(ctx context.Context, shelf Shelf, _ struct{}, a *restoreArgs) (operations.Result, error) {
	_, old, hash, err := find(shelf, a.Name, a.Version)
	if err != nil {
		return operations.Result{}, err
	}
	if err := shelf.Save(ctx, a.Name, old); err != nil {
		return operations.Result{}, err
	}
	return operations.Result{Value: Version{Hash: hash, Saved: time.Now(), Current: true}, Text: a.Name + " is " + short(hash) + " again"}, nil
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

func (l Listing) words() string {
	var lines []string
	for _, v := range l.Versions {
		line := v.Short() + "  " + v.Saved.Local().Format(time.DateTime)
		if v.Current {
			line += "  current"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "no version is kept: one is each time the workflow is saved over MCP, mended or restored"
	}
	return strings.Join(lines, "\n")
}
