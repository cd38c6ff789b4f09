package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/internal/clients"
	"understudy/internal/desktop"
)

// clientCheck asks the servers that the user's MCP clients name. Its tagged fields are
// flags.
type clientCheck struct {
	All     bool          `flag:"all-servers" usage:"also start the other servers that are set up in the clients"`
	Timeout time.Duration `flag:"server-timeout" usage:"how long to wait for the answer of a server"`
}

type serverFinding struct {
	desktop.Finding
	Client    string `json:"client"`
	Server    string `json:"server,omitempty"`
	File      string `json:"file"`
	Tools     int    `json:"tools,omitempty"`
	Prompts   int    `json:"prompts,omitempty"`
	Resources int    `json:"resources,omitempty"`
	Protocol  string `json:"protocol,omitempty"`
	HelloMS   int64  `json:"hello_ms,omitempty"` // start and handshake
	ListMS    int64  `json:"list_ms,omitempty"`
}

// run asks all servers at once. The servers that a working folder configures are not
// read, because that may come from someone else.
func (c *clientCheck) run(ctx context.Context) []*serverFinding {
	found := []*serverFinding{}
	system, err := clients.ThisSystem()
	if err != nil {
		return found
	}
	dir, err := os.Getwd()
	if err != nil {
		return found
	}
	var all sync.WaitGroup
	for _, client := range clients.All {
		path := client.File(system)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var entries []clients.Entry
		if err == nil {
			entries, err = client.Servers(text, dir)
		}
		if err != nil {
			found = append(found, unreadable(client, path, err))
			continue
		}
		if twice := twiceIn(client, system, path, entries); twice != nil {
			found = append(found, twice)
		}
		for _, e := range entries {
			if !e.Ours() && !c.All {
				continue
			}
			s := &serverFinding{Client: client.Name, Server: e.Name, File: path}
			s.Name, s.Needed = client.Name+": "+clean(e.Name), e.Ours() && !e.Disabled
			found = append(found, s)
			all.Go(func() { s.ask(ctx, e, c.Timeout) })
		}
	}
	all.Wait()
	return found
}

// twiceIn returns a warning if a plugin of the client starts the same server as an entry of
// its file.
func twiceIn(client clients.Client, system clients.System, path string, entries []clients.Entry) *serverFinding {
	plugin := client.Plugin(system)
	i := slices.IndexFunc(entries, func(e clients.Entry) bool { return e.Ours() && !e.Disabled })
	if plugin == "" || i < 0 {
		return nil
	}
	s, name := &serverFinding{Client: client.Name, File: path}, clean(entries[i].Name)
	s.Name = client.Name + ": plugin"
	s.Detail = fmt.Sprintf("the plugin %s starts the same server as the entry %s, so models are shown its tools twice", clean(plugin), name)
	s.Mend = "claude mcp remove --scope user " + name
	return s
}

func unreadable(client clients.Client, path string, err error) *serverFinding {
	s := &serverFinding{Client: client.Name, File: path}
	s.Name, s.Detail, s.Mend = client.Name, fmt.Sprintf("%s: %v", path, err), "open it in an editor, and correct it"
	return s
}

// ask starts or calls a server as the client would.
func (s *serverFinding) ask(ctx context.Context, e clients.Entry, timeout time.Duration) {
	if e.Disabled {
		s.OK, s.Detail = true, "switched off in the client"
		return
	}
	e, err := e.Expanded(os.Getenv)
	if err != nil {
		s.Detail, s.Needed = err.Error(), false
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := e.Probe(ctx)
	if err != nil {
		s.Detail, s.Mend = clean(err.Error()), s.mend(e, err)
		return
	}
	s.OK, s.Tools, s.Prompts, s.Resources = true, len(r.Tools), len(r.Prompts), len(r.Resources)
	s.Protocol, s.HelloMS, s.ListMS = r.Protocol, r.Hello.Milliseconds(), r.List.Milliseconds()
	s.Detail = introduce(r)
}

// introduce says who a server is and what it has, in one line.
func introduce(r clients.ProbeResult) string {
	text := fmt.Sprintf("%s %s: %s, %s, %s; hello %d ms, lists %d ms", clean(r.Name), clean(r.Version),
		count(len(r.Tools), "tool"), count(len(r.Prompts), "prompt"), count(len(r.Resources), "resource"), r.Hello.Milliseconds(), r.List.Milliseconds())
	if r.Stray != "" {
		text += fmt.Sprintf("; it writes more than messages to its standard output: %q", clean(r.Stray))
	}
	return text
}

// mend returns the command that probably mends a failure.
func (s *serverFinding) mend(e clients.Entry, err error) string {
	switch {
	case !e.Ours():
		return ""
	case errors.Is(err, clients.ErrCredential):
		return "understudy token add NAME | understudy init --client " + s.Client + " --http=" + clean(e.URL) + " --token - --write"
	case e.URL != "":
		return "understudy serve"
	default:
		return "understudy init --client " + s.Client + " --write"
	}
}
