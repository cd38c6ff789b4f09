package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An Entry is a server in a client's file.
type Entry struct {
	Name string
	Server
	Disabled bool // by the person
}

// entry has the fields of a server of all clients.
type entry struct {
	Server
	Command     json.RawMessage   `json:"command"` // a program, or a program and its arguments
	Cmd         string            `json:"cmd"`
	Environment map[string]string `json:"environment"`
	Envs        map[string]string `json:"envs"`
	ServerURL   string            `json:"serverUrl"`
	HTTPURL     string            `json:"httpUrl"`
	URI         string            `json:"uri"`
	Disabled    bool              `json:"disabled"`
	Enabled     *bool             `json:"enabled"`
}

// common returns the entry without what is peculiar to a client.
func (e entry) common(name string) Entry {
	s := e.Server
	var words []string
	if json.Unmarshal(e.Command, &words) == nil && len(words) > 0 {
		s.Command, s.Args = words[0], words[1:]
	} else if json.Unmarshal(e.Command, &s.Command) != nil {
		s.Command = e.Cmd
	}
	s.URL = cmp.Or(e.URL, e.ServerURL, e.HTTPURL, e.URI)
	for _, env := range []map[string]string{e.Environment, e.Envs} {
		if len(s.Env) == 0 {
			s.Env = env
		}
	}
	return Entry{Name: name, Server: s, Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled}
}

// Servers returns the servers in the text of the client's file, by name. A client may
// keep servers for the folder dir in which the person works.
func (c Client) Servers(text []byte, dir string) ([]Entry, error) {
	_, text = withoutMark(text)
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, nil
	}
	read := c.standard
	if read == nil {
		read = fromJSON
	}
	plain, err := read(text)
	if err != nil {
		return nil, err
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, errors.New("it holds no JSON object")
	}
	found := map[string]entry{}
	if err := decode(file[c.key], &found); err != nil {
		return nil, fmt.Errorf("%q in it does not hold servers: %w", c.key, err)
	}
	var projects map[string]struct {
		Servers map[string]entry `json:"mcpServers"`
	}
	if err := decode(file["projects"], &projects); err == nil { // Claude Code
		maps.Copy(found, projects[dir].Servers)
	}
	list := make([]Entry, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name].common(name))
	}
	return list, nil
}

// decode reads a member; a missing one changes nothing.
func decode(text json.RawMessage, into any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// Ours reports whether an entry is for this program: by its name, or by the name of
// the program that it starts.
func (e Entry) Ours() bool {
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(strings.ReplaceAll(e.Command, `\`, "/"))), ".exe")
	return e.Name == Name || base == Name
}

// Name is the name of our server in every file.
const Name = "understudy"

// Expanded replaces the variables in an entry by their values. It fails on variables
// that only the client knows.
func (e Entry) Expanded(getenv func(string) string) (Entry, error) {
	var failed error
	expand := func(text string) string {
		out, err := expanded(text, getenv)
		failed = cmp.Or(failed, err)
		return out
	}
	e.Command, e.URL, e.Args = expand(e.Command), expand(e.URL), slices.Clone(e.Args)
	for i, a := range e.Args {
		e.Args[i] = expand(a)
	}
	e.Env, e.Headers = maps.Clone(e.Env), maps.Clone(e.Headers)
	for _, table := range []map[string]string{e.Env, e.Headers} {
		for k, v := range table {
			table[k] = expand(v)
		}
	}
	return e, failed
}

// expanded replaces ${env:NAME}, ${NAME} and ${NAME:-default}.
func expanded(text string, getenv func(string) string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		name = strings.TrimPrefix(name, "env:")
		name, otherwise, _ := strings.Cut(name, ":-")
		if !closed || strings.Contains(name, ":") || strings.HasPrefix(name, "workspaceFolder") {
			return "", fmt.Errorf("it holds ${%s}, which only the client knows", name)
		}
		b.WriteString(cmp.Or(getenv(name), otherwise))
		text = after
	}
}
