package workflows

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// examples are workflows that show one idea each. They are embedded in the program, so that
// a newcomer can print and run them. Each is a test as well.
//
//go:embed examples/*.yaml
var examples embed.FS

// ExampleNames returns the names of the examples, sorted and without extension.
func ExampleNames() []string {
	entries, err := examples.ReadDir("examples")
	if err != nil {
		panic(err) // the files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names // ReadDir has sorted them
}

// Example returns an example by its name or its file name. It is a Loader, for examples call
// examples.
func Example(ref string, _ Source) (Source, error) {
	name := strings.TrimSuffix(path.Base(ref), ".yaml")
	text, err := examples.ReadFile("examples/" + name + ".yaml")
	if err != nil {
		return Source{}, fmt.Errorf("there is no example %q; there are %s", name, strings.Join(ExampleNames(), ", "))
	}
	return Source{Name: name + ".yaml", Text: text}, nil
}
