package realclients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForeignServersThroughTheProxy writes down the bytes on both sides of the proxy, and
// those of the same conversation without it.
func TestForeignServersThroughTheProxy(t *testing.T) {
	for _, c := range []struct{ name, tool, args, says string }{
		{"filesystem", "list_directory", `{"path": "HOME/files"}`, "[FILE] one.txt"},
		{"everything", "echo", `{"message": "zwei\r\n\u2028drei"}`, "drei"},
		{"memory", "create_entities", `{"entities": [{"name": "Ada", "entityType": "person", "observations": ["wrote", "ünïcode"]}]}`, "Ada"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.copies("foreign.mjs")
			said := map[string]string{}
			for _, way := range []string{"direct", "proxied"} {
				s.foreign(c.name)
				command := filepath.Join(s.home, "server")
				if way == "proxied" {
					command = s.tapped("client", s.program+" proxy --log "+filepath.Join(s.home, "lines")+" -- "+command)
				}
				out := s.must(s.script("../foreign.mjs", c.tool, strings.ReplaceAll(c.args, "HOME", s.home), command))
				if !strings.Contains(out, c.says) {
					t.Errorf("%s, the tool says %q", way, out)
				}
				for _, side := range []string{"sent", "got"} {
					text := s.read("server." + side)
					if text == "" || said[side] != "" && said[side] != text {
						t.Errorf("through the proxy, %d bytes are %s; without it, %d others", len(text), side, len(said[side]))
					}
					if said[side] = text; way == "proxied" && s.read("client."+side) != text {
						t.Errorf("%s: the bytes before the proxy are not those behind it", side)
					}
				}
			}
			if lines := s.read("lines"); !strings.Contains(lines, "< answer to tools/call") {
				t.Errorf("the lines of the proxy:\n%s", lines)
			}
		})
	}
}

func (s *stage) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.home, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// foreign makes a command that starts a server of others anew, and keeps what it is sent
// and what it answers.
func (s *stage) foreign(name string) {
	s.t.Helper()
	files := filepath.Join(s.home, "files")
	if err := os.RemoveAll(files); err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(files, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(files, "one.txt"), nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
	entry := filepath.Join(s.modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	start := s.node() + " " + entry
	if name == "filesystem" {
		start += " " + files
	}
	s.tapped("server", "env MEMORY_FILE_PATH="+filepath.Join(files, "memory.jsonl")+" "+start)
}

// tapped makes a command of a program whose streams are kept.
func (s *stage) tapped(name, program string) (command string) {
	s.t.Helper()
	command = filepath.Join(s.home, name)
	text := "#!/bin/sh\ntee " + command + ".sent | " + program + " | tee " + command + ".got\n"
	if err := os.WriteFile(command, []byte(text), 0o700); err != nil {
		s.t.Fatal(err)
	}
	return command
}
