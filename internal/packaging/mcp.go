package main

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// bundle returns an MCP bundle, which a client such as Claude Desktop installs when it
// is opened. Each holds one program, because its manifest can tell systems apart, but
// not processors.
func (r release) bundle(t target, program []byte, s shared) (file, error) {
	entry := path.Join("server", t.program())
	manifest, err := document("manifest.json", object{
		"manifest_version": "0.3",
		"name":             "understudy",
		"display_name":     "Understudy",
		"version":          r.Version.Text,
		"description":      summary,
		"author":           object{"name": authors},
		"license":          "MIT",
		"server": object{
			"type":        "binary",
			"entry_point": entry,
			"mcp_config": object{
				"command": "${__dirname}/" + entry,
				"args":    []string{"mcp", "--mode", "${user_config.mode}", "--display", "${user_config.display}"},
				"env":     object{},
			},
		},
		"tools_generated":   true,
		"prompts_generated": true,
		"keywords":          []string{"desktop", "automation", "workflow", "accessibility"},
		"user_config": object{
			"mode":    setting("Mode", "act, or ask for a model that may look and not touch", "act"),
			"display": setting("Display", "auto for your own screen, virtual for one that you do not see", "auto"),
		},
		"compatibility": object{"platforms": []string{nodeOS[t.OS]}},
	})
	if err != nil {
		return file{}, err
	}
	body, err := zipped(r.Version.Time, []file{manifest, s.license, s.readme, {entry, 0o755, program}})
	return file{r.name(t) + ".mcpb", 0o644, body}, err
}

func setting(title, description, otherwise string) object {
	return object{"type": "string", "title": title, "description": description, "default": otherwise, "required": false}
}

// registryName returns the name of the server in the registry of MCP servers.
func (r release) registryName() string { return r.Namespace + "/understudy" }

// registry returns the file that tells the registry of MCP servers where the packages
// are. It names only what the release says to be published: npm packages with a scope,
// bundles with a site, an image with a name.
func (r release) registry(products []file) (file, error) {
	packages := []object{}
	if r.Scope != "" {
		packages = append(packages, object{
			"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": r.npmName(), "version": r.npmVersion(),
			"runtimeHint": "npx", "transport": object{"type": "stdio"}, "packageArguments": []object{{"type": "positional", "value": "mcp"}},
		})
	}
	for _, f := range products {
		if r.Site != "" && strings.HasSuffix(f.Name, ".mcpb") {
			packages = append(packages, object{
				"registryType": "mcpb", "identifier": r.address(f), "version": r.npmVersion(),
				"fileSha256": fmt.Sprintf("%x", sha256.Sum256(f.Body)), "transport": object{"type": "stdio"},
			})
		}
	}
	if r.Image != "" {
		packages = append(packages, object{
			"registryType": "oci", "identifier": r.Image, "runtimeHint": "docker", "transport": object{"type": "stdio"},
			"packageArguments": []object{{"type": "positional", "value": "mcp"}, {"type": "named", "name": "--display", "value": "virtual"}},
		})
	}
	return document("server.json", object{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        r.registryName(),
		"title":       "Understudy",
		"description": summary,
		"version":     r.npmVersion(),
		"packages":    packages,
	})
}
