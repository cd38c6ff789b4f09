// Package clients knows the programs that call MCP servers: in which file each keeps
// its servers, and in which format. It reads these files, and adds a server to one
// such that everything else in it, comments and order included, stays as it is. It also
// probes a server as a client does.
//
// It calls no tool of a server.
package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	Next  string                // what a person does after the file was written
	File  func(s System) string // where the client keeps the servers of its user

	key string // the member of the file that holds the servers
	// local and remote return the fields of a server that is started, and of one that
	// is called over HTTP; remote is nil if the client cannot do that.
	local, remote func(s Server) []field
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
		local: started,
	},
	{
		Name: "claude-code", Title: "Claude Code", Next: "`claude mcp list` must say that it is connected",
		key: "mcpServers", File: func(s System) string {
			if dir := s.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, ".claude.json")
			}
			return filepath.Join(s.Home, ".claude.json")
		},
		local: startedAs("stdio"), remote: calledAs("http", "url"),
	},
	{
		Name: "cursor", Title: "Cursor", Next: "switch it on in Cursor's settings, under MCP",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".cursor", "mcp.json") },
		local: started, remote: calledAs("", "url"),
	},
	{
		Name: "vscode", Title: "Visual Studio Code", Next: "run its command `MCP: List Servers`, choose understudy, then Start Server",
		key: "servers", File: func(s System) string { return s.config("Code", "User", "mcp.json") },
		local: startedAs("stdio"), remote: calledAs("http", "url"),
	},
	{
		Name: "windsurf", Title: "Windsurf", Next: "refresh the list of MCP servers in Windsurf's settings, under Cascade",
		key: "mcpServers", File: func(s System) string { return filepath.Join(s.Home, ".codeium", "windsurf", "mcp_config.json") },
		local: started, remote: calledAs("", "serverUrl"),
	},
}

func started(s Server) []field {
	fs := []field{{"command", s.Command}, {"args", s.Args}}
	if len(s.Env) > 0 {
		fs = append(fs, field{"env", s.Env})
	}
	return fs
}

func startedAs(sort string) func(Server) []field {
	return func(s Server) []field { return append([]field{{"type", sort}}, started(s)...) }
}

func calledAs(sort, address string) func(Server) []field {
	return func(s Server) []field {
		fs := []field{{address, s.URL}}
		if sort != "" {
			fs = slices.Insert(fs, 0, field{"type", sort})
		}
		if len(s.Headers) > 0 {
			fs = append(fs, field{"headers", s.Headers})
		}
		return fs
	}
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

// ThisSystem returns the system that the program runs on.
func ThisSystem() (System, error) {
	home, err := os.UserHomeDir()
	return System{OS: runtime.GOOS, Home: home, Getenv: os.Getenv}, err
}

// config returns the path of a file in the folder for the settings of programs.
func (s System) config(elements ...string) string {
	dir := filepath.Join(s.Home, ".config")
	switch s.OS {
	case "windows":
		dir = cmp.Or(s.Getenv("APPDATA"), filepath.Join(s.Home, "AppData", "Roaming"))
	case "darwin":
		dir = filepath.Join(s.Home, "Library", "Application Support")
	default:
		if own := s.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(own) {
			dir = own
		}
	}
	return filepath.Join(append([]string{dir}, elements...)...)
}
