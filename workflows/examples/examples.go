// Package examples holds workflows that show one idea each. They are embedded in the
// program, so that a newcomer can print and run them. Each is a test as well.
package examples

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"understudy/workflows"
)

// Files are the documents.
//
//go:embed *.yaml
var Files embed.FS

// Names returns the names of the examples, sorted and without extension.
func Names() []string {
	entries, err := Files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names // ReadDir has sorted them
}

// Load returns an example by its name or its file name.
func Load(ref string, _ workflows.Source) (workflows.Source, error) {
	name := strings.TrimSuffix(path.Base(ref), ".yaml")
	text, err := Files.ReadFile(name + ".yaml")
	if err != nil {
		return workflows.Source{}, fmt.Errorf("there is no example %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return workflows.Source{Name: name + ".yaml", Text: text}, nil
}
