package main

import (
	_ "embed"
	"path"
	"strings"
)

//go:embed files/npm.js
var npmScript []byte

// npmPackage is a package.json.
type npmPackage struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Author       string            `json:"author"`
	MCPName      string            `json:"mcpName,omitempty"` // proves the ownership to the registry
	Bin          map[string]string `json:"bin,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // a program cannot run from an archive
}

// Node's names of systems and processors.
var (
	nodeOS  = map[string]string{"linux": "linux", "windows": "win32", "darwin": "darwin"}
	nodeCPU = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npmName returns the name of one of our packages.
func (r release) npmName(words ...string) string {
	name := strings.Join(append([]string{"understudy"}, words...), "-")
	if r.Scope == "" {
		return name
	}
	return r.Scope + "/" + name
}

func (r release) npmTarget(t target) string { return r.npmName(nodeOS[t.OS], nodeCPU[t.Arch]) }

func (r release) npmAbout(name string) npmPackage {
	return npmPackage{Name: name, Version: r.npmVersion(), Description: summary, License: "MIT", Author: authors}
}

// npmVersion returns the version without its build metadata, which npm drops.
func (r release) npmVersion() string {
	text, _, _ := strings.Cut(r.Version.Text, "+")
	return text
}

// npmPlatform returns the package with the program of one target; npm installs it only
// there.
func (r release) npmPlatform(t target, program []byte, s shared) (file, error) {
	about := r.npmAbout(r.npmTarget(t))
	about.OS, about.CPU, about.PreferUnplug = []string{nodeOS[t.OS]}, []string{nodeCPU[t.Arch]}, true
	return r.npmTarball(about, []file{{path.Join("bin", t.program()), 0o755, program}, s.license})
}

// npmWrapper returns the package that people install. It runs the program of the
// package that npm chose, and fetches nothing itself.
func (r release) npmWrapper(s shared) (file, error) {
	about := r.npmAbout(r.npmName())
	about.MCPName, about.Bin, about.Engines = r.registryName(), map[string]string{"understudy": "bin/understudy.js"}, map[string]string{"node": ">=18"}
	about.Optional = map[string]string{}
	for _, t := range r.Targets {
		about.Optional[r.npmTarget(t)] = r.npmVersion()
	}
	script := strings.ReplaceAll(string(npmScript), "@PACKAGE@", r.npmName())
	return r.npmTarball(about, []file{{"bin/understudy.js", 0o755, []byte(script)}, s.license, s.readme})
}

func (r release) npmTarball(about npmPackage, files []file) (file, error) {
	manifest, err := document("package.json", about)
	if err != nil {
		return file{}, err
	}
	files = append(files, manifest)
	for i, f := range files {
		files[i] = f.in("package")
	}
	body, err := tarball("", r.Version.Time, files)
	name := strings.ReplaceAll(strings.TrimPrefix(about.Name, "@"), "/", "-")
	return file{path.Join("npm", name+"-"+about.Version+".tgz"), 0o644, body}, err
}
