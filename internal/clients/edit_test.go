package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

var (
	local  = Server{Command: "/opt/understudy", Args: []string{"mcp", "--display", "virtual"}}
	remote = Server{URL: "http://127.0.0.1:8765/mcp"}
)

func TestWith(t *testing.T) {
	for _, c := range []struct {
		say, client string
		server      Server
		text, want  string
	}{
		{"a file that is not there", "cursor", local, "", `{
  "mcpServers": {
    "understudy": {
      "command": "/opt/understudy",
      "args": ["mcp","--display","virtual"]
    }
  }
}
`},
		{"comments, order, tabs and a last comma stay", "vscode", local, `// mine
{
	"inputs": [], // none yet
	"servers": {
		/* the other */
		"zeta": {"type": "stdio", "command": "z"}, // keep
	},
	"after": 1
}
`, `// mine
{
	"inputs": [], // none yet
	"servers": {
		/* the other */
		"zeta": {"type": "stdio", "command": "z"}, // keep
		"understudy": {
			"type": "stdio",
			"command": "/opt/understudy",
			"args": ["mcp","--display","virtual"]
		},
	},
	"after": 1
}
`},
		{"a comment after the last member stays on its line", "claude-code", remote, `{
  "mcpServers": {
    "a": {"command": "a"} // one
    // two
  }
}`, `{
  "mcpServers": {
    "a": {"command": "a"}, // one
    // two
    "understudy": {
      "type": "http",
      "url": "http://127.0.0.1:8765/mcp"
    }
  }
}`},
		{"what else the entry says stays, and the other transport goes", "windsurf", remote, `{
  "mcpServers": {
    "understudy": {
      "disabledTools": ["log"],
      "command": "old",
      "args": ["mcp"],
      "env": {"A": "1"}
    },
    "b": {}
  }
}`, `{
  "mcpServers": {
    "understudy": {
      "disabledTools": ["log"],
      "env": {"A": "1"},
      "serverUrl": "http://127.0.0.1:8765/mcp"
    },
    "b": {}
  }
}`},
		{
			"a file of one line stays one", "cursor", local, `{"theme":"dark","mcpServers":{"a":{}}}`,
			`{"theme":"dark","mcpServers":{"a":{},"understudy":{"command":"/opt/understudy","args":["mcp","--display","virtual"]}}}`,
		},
		{
			"an empty object with a comment", "cursor", remote, "{\n    \"mcpServers\": {\n        // none\n    }\n}\n",
			"{\n    \"mcpServers\": {\n        // none\n        \"understudy\": {\n            \"url\": \"http://127.0.0.1:8765/mcp\"\n        }\n    }\n}\n",
		},
		{
			"the lines and the mark of Windows", "cursor", remote, "\uFEFF{\r\n  \"a\": 1\r\n}\r\n",
			"\uFEFF{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"understudy\": {\r\n      \"url\": \"http://127.0.0.1:8765/mcp\"\r\n    }\r\n  }\r\n}\r\n",
		},
		{"the comments of Zed stay", "zed", local, `// my settings
{
  "theme": "One", // dark
}
`, `// my settings
{
  "theme": "One", // dark
  "context_servers": {
    "understudy": {
      "command": "/opt/understudy",
      "args": ["mcp","--display","virtual"]
    }
  },
}
`},
		{"a command that is a list", "opencode", local, `{}`, `{"mcp":{"understudy":{"type":"local","command":["/opt/understudy","mcp","--display","virtual"]}}}`},
	} {
		t.Run(c.say, func(t *testing.T) {
			client, ok := Find(c.client)
			if !ok {
				t.Fatalf("no client %s", c.client)
			}
			got, err := client.With([]byte(c.text), Name, c.server)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			again, err := client.With(got, Name, c.server)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %v\n%s", err, cmp.Diff(string(got), string(again)))
			}
		})
	}
}

func TestWithRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": [`:                  "it is not JSON",
		`[]`:                                "it holds no JSON object",
		`{"mcpServers": "none"}`:            `"mcpServers" in it is not an object`,
		`{"mcpServers": {"understudy": 1}}`: `"understudy" in it is not an object`,
	} {
		if _, err := All[0].With([]byte(text), Name, local); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestWithIsReadAgain(t *testing.T) {
	for _, c := range All {
		for _, s := range []Server{local, remote} {
			if s.URL != "" && !c.CallsHTTP() || !c.Edited() {
				continue
			}
			text, err := c.With([]byte(`{"keep": {"x": [1, 2]}}`), Name, s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Servers(text, "")
			if want := []Entry{{Name: Name, Server: s}}; err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s: %+v, %v; want %+v", c.Name, got, err, want)
			}
		}
	}
}

// FuzzWith looks that nothing of a file is lost, whatever it holds.
func FuzzWith(f *testing.F) {
	f.Add(`{"a": 1, "mcpServers": {"b": {"command": "c"}}}`)
	f.Add("// x\n{\n\t\"mcpServers\": {}, /* y */\n}")
	f.Add("{\"mcpServers\":{\"understudy\":{\"url\":\"x\",},},}")
	cursor, _ := Find("cursor")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := cursor.With([]byte(text), Name, local)
		if err != nil {
			return
		}
		if again, err := cursor.With(got, Name, local); err != nil || string(again) != string(got) {
			t.Fatalf("a second time: %v\n%q\n%q", err, got, again)
		}
		before, after := values(t, text), values(t, string(got))
		delete(before, "mcpServers")
		delete(after, "mcpServers")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q: %s", text, got, diff)
		}
	})
}

func values(t *testing.T, text string) map[string]any {
	_, raw := withoutMark([]byte(text))
	if strings.TrimSpace(string(raw)) == "" {
		return map[string]any{}
	}
	plain, err := hujson.Standardize(raw)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Skip("not readable by the standard library: ", err)
	}
	return v
}
