package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the name that our imports begin with.
const module = "understudy"

// systems are those that we build for. A package has other files, and so other
// imports, on each.
var systems = []string{"linux", "windows", "darwin"}

// pkg is a package of this module and what its code, but not its tests,
// imports on any of the systems.
type pkg struct {
	Name            string // its folder, "." for the root
	Doc             string
	Inside, Outside []string // imports of this module, and of libraries
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath, Doc string
	Imports         []string
}

// packages lists every package of the module; the list is made once.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var listOnce = sync.OnceValues(func() ([]pkg, error) {
	all := map[string]*pkg{}
	for _, system := range systems {
		found, err := goList(system)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			add(all, l)
		}
	}
	list := make([]pkg, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[name])
	}
	if len(list) < 5 {
		return nil, errors.New("go list found next to nothing: the rules would hold for no package")
	}
	return list, nil
})

// add joins what was listed on one system with what is known from the others.
func add(all map[string]*pkg, l listed) {
	name := folder(l.ImportPath)
	p := all[name]
	if p == nil {
		p = &pkg{Name: name}
		all[name] = p
	}
	if p.Doc == "" {
		p.Doc = l.Doc
	}
	for _, path := range l.Imports {
		switch {
		case path == module || strings.HasPrefix(path, module+"/"):
			p.Inside = sortedWith(p.Inside, folder(path))
		case strings.Contains(strings.Split(path, "/")[0], "."):
			p.Outside = sortedWith(p.Outside, path)
		}
	}
}

// goList lists the packages of the module as one system sees them.
func goList(system string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Doc,Imports", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var found []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, err
		}
		found = append(found, l)
	}
}

func folder(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func sortedWith(names []string, name string) []string {
	if i, found := slices.BinarySearch(names, name); !found {
		return slices.Insert(names, i, name)
	}
	return names
}
