package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/operations"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// keptInMemory are desktops in memory.
type keptInMemory struct {
	mu      sync.Mutex
	all     []virtual.Kept
	started []virtual.Program
}

func (m *keptInMemory) Start(_ context.Context, o virtual.Options) (virtual.Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.all {
		if k.Name == o.Name {
			return k, fs.ErrExist
		}
	}
	k := virtual.Kept{
		Name: o.Name, Birth: "b", Display: ":9", Screen: desktop.Size{W: 80, H: 60}, Owner: o.Owner, Linger: o.Linger,
		Dir: "/secret", Bus: "unix:path=/secret/bus", Env: []string{"XAUTHORITY=/secret/Xauthority"}, Keeper: 4711,
	}
	m.all = append(m.all, k)
	return k, nil
}

func (m *keptInMemory) List() []virtual.Kept {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

func (*keptInMemory) Picture(context.Context, virtual.Kept) (image.Image, error) {
	return image.NewRGBA(image.Rect(0, 0, 80, 60)), nil
}

func (m *keptInMemory) Run(_ context.Context, _ virtual.Kept, p virtual.Program) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.started = append(m.started, p)
	return 42, nil
}

func (m *keptInMemory) End(k virtual.Kept, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = slices.DeleteFunc(m.all, func(x virtual.Kept) bool { return x.Name == k.Name })
	return nil
}

// newDesktopStage makes a server whose clients may see every tool.
func newDesktopStage(t *testing.T, policy access.Policy) (*secured, *keptInMemory) {
	t.Helper()
	memory := &keptInMemory{}
	return newSecured(t, func(o *Options) { o.Desktops, o.Policy = memory, policy }), memory
}

var everything = access.Policy{Toolsets: []steps.Toolset{access.All}}

// api sends a request to an address of the operations.
func (s *secured) api(method, path, body string, h http.Header) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/desktops/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = h.Clone()
	if method == http.MethodPost && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, text.String()
}

// TestAClientHasADesktop uses each tool for desktops as a client does, and checks the
// replies.
func TestAClientHasADesktop(t *testing.T) {
	s, memory := newDesktopStage(t, everything)
	v := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	for _, step := range []struct {
		tool string
		args byhand.Object
		want string
	}{
		{"start_desktop", byhand.Object{"name": "work"}, "desktop work is ready: :9, 80x60"},
		{"start_desktop", byhand.Object{"name": "work"}, "the name work is taken"},
		{"start_desktop", byhand.Object{"name": "Big Name"}, "cannot name a desktop"},
		{"start_desktop", byhand.Object{"name": "soon", "for": "a while"}, "wanted a time such as 8h"},
		{"list_desktops", byhand.Object{}, "work  :9"},
		{"show_desktop", byhand.Object{"desktop": "work"}, "80x60 pixels, which are those of the screen"},
		{"run_on_desktop", byhand.Object{"desktop": "work", "program": []any{"mousepad", "a b"}}, "42"},
		{"run_on_desktop", byhand.Object{"desktop": "none", "program": []any{"mousepad"}}, "desktop none"},
		{"stop_desktop", byhand.Object{"desktop": "work"}, "stopped work"},
		{"prune_desktops", byhand.Object{"all": true}, ""},
	} {
		_, res := v.Call(t, step.tool, step.args)
		said := fmt.Sprint(res)
		if !strings.Contains(said, step.want) {
			t.Errorf("%s %v: wanted %q in %s", step.tool, step.args, step.want, said)
		}
		if strings.Contains(said, "/secret") || strings.Contains(said, "4711") {
			t.Errorf("%s tells how to reach the display: %s", step.tool, said)
		}
	}
	if len(memory.started) != 1 || !slices.Equal(memory.started[0].Args, []string{"mousepad", "a b"}) || memory.started[0].Dir != s.o.Dir {
		t.Errorf("started: %+v", memory.started)
	}
}

// TestDesktopsAreOfWhoMadeThem tries every access to a desktop as each client.
func TestDesktopsAreOfWhoMadeThem(t *testing.T) {
	s, memory := newDesktopStage(t, everything)
	clients := map[string]http.Header{
		"owner":   s.holder(auth.Token{Name: "owner", Mode: auth.Act, Runs: auth.OwnRuns}),
		"other":   s.holder(auth.Token{Name: "other", Mode: auth.Act, Runs: auth.OwnRuns}),
		"watcher": s.holder(auth.Token{Name: "watcher", Mode: auth.Ask, Runs: auth.AllRuns}),
		"all":     s.holder(auth.Token{Name: "all", Mode: auth.Act, Runs: auth.AllRuns}),
	}
	looks := []string{"owner", "watcher", "all"}
	acts := []string{"owner", "all"}
	for _, row := range []struct {
		tool string
		args byhand.Object
		may  []string
	}{
		{"show_desktop", byhand.Object{"desktop": "work"}, looks},
		{"run_on_desktop", byhand.Object{"desktop": "work", "program": []string{"true"}}, acts},
		{"stop_desktop", byhand.Object{"desktop": "work"}, acts},
		{"execute_sequence", byhand.Object{"desktop": "work", "steps": []any{byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": "1ms"}}}}, acts},
	} {
		for name, h := range clients {
			for _, way := range []string{"tool", "address"} {
				memory.all = []virtual.Kept{{Name: "work", Owner: "owner"}}
				may := slices.Contains(row.may, name)
				var failed bool
				var said string
				if way == "tool" {
					_, res := s.greet(modern, h).Call(t, row.tool, row.args)
					failed, said = byhand.IsError(res) || res["error"] != nil, fmt.Sprint(res)
				} else {
					operation, _, _ := strings.Cut(row.tool, "_")
					if operation == "execute" {
						continue
					}
					body, err := json.Marshal(row.args)
					if err != nil {
						t.Fatal(err)
					}
					var status int
					status, said = s.api(http.MethodPost, operation, string(body), h)
					failed = status != http.StatusOK
				}
				if failed == may {
					t.Errorf("%s by its %s, for %s: %s", row.tool, way, name, said)
				}
				if !may && name == "other" && !strings.Contains(said, "desktop work: ") {
					t.Errorf("%s by its %s, for %s, is not told as one that there is not: %s", row.tool, way, name, said)
				}
			}
		}
	}
	for name, h := range clients {
		memory.all = []virtual.Kept{{Name: "work", Owner: "owner"}, {Name: "person"}}
		_, text := s.api(http.MethodGet, "ls", "", h)
		if sees := strings.Contains(text, `"work"`); sees != slices.Contains(looks, name) {
			t.Errorf("%s sees the desktop of owner: %t", name, sees)
		}
		if sees := strings.Contains(text, `"person"`); sees != (name == "all" || name == "watcher") {
			t.Errorf("%s sees the desktop of the person at the machine: %t", name, sees)
		}
		s.api(http.MethodPost, "prune", `{"all": true}`, h)
		left := map[string]int{"owner": 1, "other": 2, "watcher": 2, "all": 0}[name]
		if len(memory.all) != left {
			t.Errorf("%s pruned, and left %+v", name, memory.all)
		}
	}
}

// TestProgramsOnADesktopWithoutTheShell starts programs on a desktop with tokens that
// may run no commands, by the tool and at its address.
func TestProgramsOnADesktopWithoutTheShell(t *testing.T) {
	s, memory := newDesktopStage(t, everything)
	for _, toolset := range [][]steps.Toolset{{steps.Core, steps.Desktops}, {steps.Core, steps.Files, steps.Desktops}} {
		name := string(toolset[len(toolset)-2])
		h := s.holder(auth.Token{Name: name, Mode: auth.Act, Toolsets: toolset})
		memory.all = []virtual.Kept{{Name: "work", Owner: name}}
		for _, program := range [][]string{{"sh", "-c", "id"}, {"mousepad"}, {"xterm", "-e", "id"}} {
			if _, res := s.greet(modern, h).Call(t, "run_on_desktop", byhand.Object{"desktop": "work", "program": program}); code(res) != "denied" && res["error"] == nil {
				t.Errorf("%v for %s: %v", program, name, res)
			}
			raw, err := json.Marshal(byhand.Object{"desktop": "work", "program": program})
			if err != nil {
				t.Fatal(err)
			}
			if status, said := s.api(http.MethodPost, "run", string(raw), h); status != http.StatusForbidden {
				t.Errorf("%v for %s at its address: %d %s", program, name, status, said)
			}
		}
	}
	if len(memory.started) > 0 {
		t.Errorf("started: %+v", memory.started)
	}
}

func TestAddressesOfDesktops(t *testing.T) {
	s, memory := newDesktopStage(t, access.Policy{})
	h := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	of := func(key, value string) http.Header {
		with := h.Clone()
		with.Set(key, value)
		return with
	}
	for _, row := range []struct {
		sentence, method, path, body string
		header                       http.Header
		status                       int
		says                         string
	}{
		{"a desktop is started", http.MethodPost, "start", `{"name": "work", "for": "1h"}`, h, 200, `"linger":3600000000000`},
		{"one that says nothing of its time ends after some", http.MethodPost, "start", `{"name": "play"}`, h, 200, `"linger":28800000000000`},
		{"what is not known is refused", http.MethodPost, "start", `{"nme": "work"}`, h, 400, "nme"},
		{"they are listed", http.MethodGet, "ls", "", h, 200, `"name":"work"`},
		{"one is seen", http.MethodGet, "show?desktop=work", "", h, 200, "\x89PNG"},
		{"one that there is not is not found", http.MethodGet, "show?desktop=none", "", h, 404, "desktop none"},
		{"nothing is ended by an address alone", http.MethodGet, "stop?desktop=work", "", h, 400, "send it with POST"},
		{"nor by a form", http.MethodPost, "stop", "desktop=work", of("Content-Type", "text/plain"), 400, "application/json"},
		{"nor by a page of another port", http.MethodPost, "stop", `{"desktop": "work"}`, of("Origin", "http://127.0.0.1:1"), 403, "another origin"},
		{"commands need the shell", http.MethodPost, "run", `{"desktop": "work", "program": ["sh"]}`, h, 403, "the toolset shell is off"},
		{"there is no such operation", http.MethodPost, "burn", `{}`, h, 404, "burn"},
		{"who has no token is asked for one", http.MethodGet, "ls", "", http.Header{}, 401, ""},
	} {
		if status, text := s.api(row.method, row.path, row.body, row.header); status != row.status || !strings.Contains(text, row.says) {
			t.Errorf("%s: %d %.200s", row.sentence, status, text)
		}
	}
	for i := range maxDesktops {
		s.api(http.MethodPost, "start", fmt.Sprintf(`{"name": "d%d"}`, i), h)
	}
	if n := len(memory.all); n != maxDesktops {
		t.Errorf("a client started %d desktops, want at most %d", n, maxDesktops)
	}
	_, text := s.api(http.MethodGet, "show?desktop=work", "", h)
	if p, err := png.Decode(strings.NewReader(text)); err != nil || p.Bounds().Dx() != 80 {
		t.Errorf("the picture: %v, %v", p, err)
	}
}

// TestEachOperationIsATool checks that each operation on desktops is a tool of the
// toolset.
func TestEachOperationIsATool(t *testing.T) {
	s, _ := newDesktopStage(t, access.Policy{Toolsets: []steps.Toolset{steps.Desktops}})
	listed := toolNames(s.connect("2025-11-25", byhand.Object{}).Ask("tools/list", byhand.Object{}))
	core, _ := newDesktopStage(t, access.Policy{})
	without := toolNames(core.connect("2025-11-25", byhand.Object{}).Ask("tools/list", byhand.Object{}))
	for _, o := range operations.OnDesktops() {
		if !slices.Contains(listed, o.Tool) || slices.Contains(without, o.Tool) {
			t.Errorf("%s: listed in its toolset %t, without it %t", o.Tool, slices.Contains(listed, o.Tool), slices.Contains(without, o.Tool))
		}
	}
}
