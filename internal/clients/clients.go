// Package clients knows the programs that call MCP servers: in which file each keeps
// its servers, and in which format. It reads these files, and adds a server to one
// such that everything else in it, comments and order included, stays as it is. It also
// probes a server as a client does, and logs what passes between a client and its server.
//
// It calls no tool of a server.
package clients

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Server says how a client starts a server, or where it calls one.
type Server struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"` // instead of a command
	Headers map[string]string `json:"headers,omitempty"`
}

// A Client is a program that calls MCP servers.
type Client struct {
	Name  string                // on the command line
	Title string                // for people
	Next  string                // what a person does after the server was added
	File  func(s System) string // where the client keeps the servers of its user

	key string // the member of the file that holds the servers
	// local and remote return the fields of a server that is started, and of one that
	// is called over HTTP; remote is nil if the client cannot do that.
	local, remote func(s Server) []field
	// add returns the client's own command that adds our server; nil if it has none.
	add func(s Server) []string
	// settings returns the file that says which plugins are on; nil if the client has none.
	settings func(System) string
	// standard turns the file into JSON, and text writes its part for one server; both
	// are nil for JSON. Other formats are read, but not edited.
	standard func([]byte) ([]byte, error)
	text     func(key, name string, fields []field) ([]byte, error)
}

// field is one member of a server's entry.
type field struct {
	name  string
	value any
}

// transport are the fields that say how a server is reached. When one way replaces the
// other, the fields of the other are removed.
var transport = []string{"type", "command", "args", "url", "serverUrl"}

// All are the known clients, by name.
var All = []Client{
	{
		Name: "claude", Title: "Claude Desktop", Next: "quit Claude Desktop and start it again; the tools are then in its menu of connectors",
		key: "mcpServers", File: func(s System) string { return s.config("Claude", "claude_desktop_config.json") },
		local: started(),
	},
	{
		Name: "claude-code", Title: "Claude Code", Next: "`claude mcp list` must say that it is connected",
		key: "mcpServers", File: func(s System) string { return s.under("CLAUDE_CONFIG_DIR", "", ".claude.json") },
		local: started(stdio), remote: called("url", overHTTP),
		add:      byCommand("claude mcp add --scope user", "--transport http", "--"),
		settings: func(s System) string { return s.under("CLAUDE_CONFIG_DIR", ".claude", "settings.json") },
	},
	{
		Name: "codex", Title: "Codex", Next: "`codex mcp list` must name it",
		key: "mcp_servers", File: func(s System) string { return s.under("CODEX_HOME", ".codex", "config.toml") },
		local: started(), remote: called("url"), standard: fromTOML,
		add: func(s Server) []string {
			add := []string{"codex", "mcp", "add", Name}
			switch {
			case s.URL == "":
				return append(append(add, "--", s.Command), s.Args...)
			case len(s.Headers) > 0:
				return append(add, "--url", s.URL, "--bearer-token-env-var", "UNDERSTUDY_TOKEN")
			}
			return append(add, "--url", s.URL)
		},
	},
	{
		Name: "copilot", Title: "Copilot CLI", Next: "`copilot mcp list` must name it",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".copilot", "mcp-config.json") },
		local: started(field{"type", "local"}, allTools), remote: called("url", overHTTP, allTools),
		add: byCommand("copilot mcp add", "--transport http", "--"),
	},
	{
		Name: "cursor", Title: "Cursor", Next: "switch it on in Cursor's settings, under MCP",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".cursor", "mcp.json") },
		local: started(), remote: called("url"),
	},
	{
		Name: "gemini", Title: "Gemini CLI", Next: "`gemini mcp list` must say that it is connected",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".gemini", "settings.json") },
		local: started(), remote: called("url", overHTTP),
		add: byCommand("gemini mcp add --scope user", "--transport http", ""),
	},
	{
		Name: "goose", Title: "Goose", Next: "start a new session of Goose",
		key: "extensions", File: func(s System) string {
			if s.OS == "windows" {
				return s.config("Block", "goose", "config", "config.yaml")
			}
			return s.under("XDG_CONFIG_HOME", ".config", "goose", "config.yaml")
		},
		standard: fromYAML, text: inYAML,
		local: func(s Server) []field {
			return []field{{"name", Name}, {"enabled", true}, {"type", "stdio"}, {"cmd", s.Command}, {"args", s.Args}, {"timeout", 300}}
		},
		remote: called("uri", field{"name", Name}, field{"enabled", true}, field{"type", "streamable_http"}, field{"timeout", 300}),
	},
	{
		Name: "lmstudio", Title: "LM Studio", Next: "switch it on in LM Studio, under Program",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".lmstudio", "mcp.json") },
		local: started(), remote: called("url"),
	},
	{
		Name: "opencode", Title: "opencode", Next: "`opencode mcp list` must say that it is connected",
		key: "mcp", File: func(s System) string {
			plain := s.under("XDG_CONFIG_HOME", ".config", "opencode", "opencode.json")
			if _, err := os.Stat(plain); err == nil {
				return plain
			}
			return plain + "c"
		},
		local: func(s Server) []field {
			return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}}
		},
		remote: called("url", field{"type", "remote"}),
		add: func(s Server) []string {
			if s.URL != "" {
				return []string{"opencode", "mcp", "add", Name, "--url", s.URL}
			}
			return append([]string{"opencode", "mcp", "add", Name, "--", s.Command}, s.Args...)
		},
	},
	{
		Name: "vscode", Title: "Visual Studio Code", Next: "run its command `MCP: List Servers`, choose understudy, then Start Server",
		key: "servers", File: func(s System) string { return s.config("Code", "User", "mcp.json") },
		local: started(stdio), remote: called("url", overHTTP),
		add: func(s Server) []string { return []string{"code", "--add-mcp", named(s)} },
	},
	{
		Name: "windsurf", Title: "Windsurf", Next: "refresh the list of MCP servers in Windsurf's settings, under Cascade",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".codeium", "windsurf", "mcp_config.json") },
		local: started(), remote: called("serverUrl"),
	},
	{
		Name: "zed", Title: "Zed", Next: "its agent panel must show it with a green dot",
		key: "context_servers", File: func(s System) string {
			if s.OS == "windows" {
				return s.config("Zed", "settings.json")
			}
			return s.under("XDG_CONFIG_HOME", ".config", "zed", "settings.json")
		},
		local: started(), remote: called("url"),
	},
}

var (
	stdio    = field{"type", "stdio"}
	overHTTP = field{"type", "http"}
	allTools = field{"tools", []string{"*"}}
)

// started returns the fields of a server that the client starts.
func started(others ...field) func(Server) []field {
	return func(s Server) []field {
		return append(slices.Clone(others), field{"command", s.Command}, field{"args", s.Args})
	}
}

// called returns the fields of a server that the client calls at an address.
func called(address string, others ...field) func(Server) []field {
	return func(s Server) []field {
		fs := append(slices.Clone(others), field{address, s.URL})
		if len(s.Headers) > 0 {
			fs = append(fs, field{"headers", s.Headers})
		}
		return fs
	}
}

// byCommand returns the command that most clients have: remote are its flags for a
// server at an address, and dash separates the name from a command.
func byCommand(add, remote, dash string) func(Server) []string {
	return func(s Server) []string {
		words := strings.Fields(add)
		if s.URL != "" {
			return append(append(words, strings.Fields(remote)...), Name, s.URL)
		}
		words = append(words, Name)
		return slices.Concat(words, strings.Fields(dash), []string{s.Command}, s.Args)
	}
}

// named returns a server as one JSON object with its name.
func named(s Server) string {
	text, err := json.Marshal(struct {
		Name string `json:"name"`
		Type string `json:"type,omitempty"`
		Server
	}{Name, map[bool]string{true: "http"}[s.URL != ""], s})
	if err != nil {
		panic(err) // cannot happen: strings, lists and maps of strings can be encoded
	}
	return string(text)
}

// Command returns the client's own command that adds our server, or nothing. No command
// is given a token, because every user of a machine can read the arguments of programs.
func (c Client) Command(s Server) []string {
	if c.add == nil || len(s.Headers) > 0 && c.Edited() {
		return nil
	}
	return c.add(s)
}

// Edited reports whether With can add a server to the client's file.
func (c Client) Edited() bool { return c.standard == nil }

// Snippet returns the part of the client's file that names a server.
func (c Client) Snippet(name string, s Server) ([]byte, error) {
	if c.text != nil {
		return c.text(c.key, name, c.fields(s))
	}
	return c.With(nil, name, s)
}

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	i := slices.IndexFunc(All, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return All[i], true
}

// Names returns the names of all clients.
func Names() []string {
	names := make([]string, len(All))
	for i, c := range All {
		names[i] = c.Name
	}
	return names
}

// CallsHTTP reports whether the file can name a server that listens already.
func (c Client) CallsHTTP() bool { return c.remote != nil }

func (c Client) fields(s Server) []field {
	if s.URL != "" {
		return c.remote(s)
	}
	return c.local(s)
}

// A System is what determines where the files of a user are.
type System struct {
	OS     string // as runtime.GOOS names it
	Home   string
	Getenv func(string) string
}

// under returns the path of a file in the folder that a variable names, or else in one
// of the home.
func (s System) under(variable, otherwise string, elements ...string) string {
	dir := s.Getenv(variable)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Home, otherwise)
	}
	return filepath.Join(append([]string{dir}, elements...)...)
}

// ThisSystem returns the system that the program runs on.
func ThisSystem() (System, error) {
	home, err := os.UserHomeDir()
	return System{OS: runtime.GOOS, Home: home, Getenv: os.Getenv}, err
}

// config returns the path of a file in the folder for the settings of programs.
func (s System) config(elements ...string) string {
	switch s.OS {
	case "windows":
		return filepath.Join(append([]string{cmp.Or(s.Getenv("APPDATA"), filepath.Join(s.Home, "AppData", "Roaming"))}, elements...)...)
	case "darwin":
		return filepath.Join(append([]string{s.Home, "Library", "Application Support"}, elements...)...)
	}
	return s.under("XDG_CONFIG_HOME", ".config", elements...)
}

// Plugin returns the plugin of this program that is switched on in the client, or "".
func (c Client) Plugin(s System) string {
	if c.settings == nil {
		return ""
	}
	text, err := os.ReadFile(c.settings(s))
	var settings struct {
		Plugins map[string]bool `json:"enabledPlugins"`
	}
	if err != nil || json.Unmarshal(text, &settings) != nil {
		return ""
	}
	for _, plugin := range slices.Sorted(maps.Keys(settings.Plugins)) {
		if name, _, _ := strings.Cut(plugin, "@"); name == Name && settings.Plugins[plugin] {
			return plugin
		}
	}
	return ""
}

// SkillFiles returns where clients look for a skill of the user: all in one folder that
// they share, and Claude Code, if it is there, in its own.
func SkillFiles(s System) []string {
	paths := []string{filepath.Join(s.Home, ".agents", "skills", Name, "SKILL.md")}
	claude := s.under("CLAUDE_CONFIG_DIR", ".claude")
	if _, err := os.Stat(claude); err == nil {
		paths = append(paths, filepath.Join(claude, "skills", Name, "SKILL.md"))
	}
	return paths
}
