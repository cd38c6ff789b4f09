package clients

import (
	"path/filepath"
	"slices"
)

// A Server is how a client starts a server, or where it finds one.
type Server struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"` // instead of a command
	Headers map[string]string `json:"headers,omitempty"`
}

// A Client is a program that calls MCP servers.
type Client struct {
	Name  string // what a command line calls it
	Title string // what people call it
	Next  string // what a person does once the file was written

	key  string                // the member of the file that holds the servers
	path func(s System) string // the file
	// local and remote are the fields of a server that is started, and of one that
	// is called over HTTP; a client without the second cannot do that.
	local, remote func(s Server) []field
}

// field is one member of a server's entry.
type field struct {
	name  string
	value any
}

// transport are the fields that say how a server is reached. When one way takes
// the place of the other, those of the other go.
var transport = []string{"type", "command", "args", "url", "serverUrl"}

// All are the clients that we know, by name.
var All = []Client{
	{
		Name: "claude", Title: "Claude Desktop", Next: "quit Claude Desktop and start it again; the tools are then in its menu of connectors",
		key: "mcpServers", path: func(s System) string { return s.config("Claude", "claude_desktop_config.json") },
		local: started,
	},
	{
		Name: "claude-code", Title: "Claude Code", Next: "`claude mcp list` must say that it is connected",
		key: "mcpServers", path: func(s System) string {
			if dir := s.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, ".claude.json")
			}
			return filepath.Join(s.Home, ".claude.json")
		},
		local: startedAs("stdio"), remote: calledAs("http", "url"),
	},
	{
		Name: "cursor", Title: "Cursor", Next: "switch it on in Cursor's settings, under MCP",
		key: "mcpServers", path: func(s System) string { return filepath.Join(s.Home, ".cursor", "mcp.json") },
		local: started, remote: calledAs("", "url"),
	},
	{
		Name: "vscode", Title: "Visual Studio Code", Next: "run its command `MCP: List Servers`, choose understudy, then Start Server",
		key: "servers", path: func(s System) string { return s.config("Code", "User", "mcp.json") },
		local: startedAs("stdio"), remote: calledAs("http", "url"),
	},
	{
		Name: "windsurf", Title: "Windsurf", Next: "refresh the list of MCP servers in Windsurf's settings, under Cascade",
		key: "mcpServers", path: func(s System) string { return filepath.Join(s.Home, ".codeium", "windsurf", "mcp_config.json") },
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

// Find is the client with a name.
func Find(name string) (Client, bool) {
	i := slices.IndexFunc(All, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return All[i], true
}

// Names are the names of all clients.
func Names() []string {
	names := make([]string, len(All))
	for i, c := range All {
		names[i] = c.Name
	}
	return names
}

// File is the file in which the client keeps the servers of its user.
func (c Client) File(s System) string { return c.path(s) }

// CallsHTTP says whether the file can name a server that listens already.
func (c Client) CallsHTTP() bool { return c.remote != nil }

func (c Client) fields(s Server) []field {
	if s.URL != "" {
		return c.remote(s)
	}
	return c.local(s)
}
