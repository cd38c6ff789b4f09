package clients

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// roleVariable makes this test program a server.
const roleVariable = "UNDERSTUDY_CLIENTS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "server":
		_ = server().Run(context.Background(), &mcp.StdioTransport{})
		os.Exit(0)
	case "talker":
		_, _ = io.WriteString(os.Stdout, talk)
		_ = server().Run(context.Background(), &mcp.StdioTransport{})
		os.Exit(0)
	case "babbler":
		_, _ = io.WriteString(os.Stdout, talk)
		_, _ = io.ReadAll(os.Stdin)
		os.Exit(0)
	case "broken":
		os.Stderr.WriteString("first\nthe display is on fire\n")
		os.Exit(3)
	case "silent":
		time.Sleep(time.Hour) // longer than the probe waits
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		os.Exit(7)
	case "answers":
		_, _ = io.ReadAll(os.Stdin)
		_, _ = io.WriteString(os.Stdout, answers)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "small", Version: "7"}, &mcp.ServerOptions{PageSize: 1})
	for _, name := range []string{"a", "b", "c"} {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
	}
	s.AddPrompt(&mcp.Prompt{Name: "p", Arguments: []*mcp.PromptArgument{{Name: "must", Required: true}, {Name: "may"}}}, nil)
	s.AddResource(&mcp.Resource{URI: "x://r", Name: "r"}, nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "x://{t}", Name: "t"}, nil)
	return s
}

func testServer(t *testing.T, role string) Server {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Command: program, Env: map[string]string{roleVariable: role}}
}

func check(t *testing.T, r ProbeResult, err error) {
	t.Helper()
	if err != nil || r.Name != "small" || r.Version != "7" || len(r.Tools) != 3 || len(r.Prompts) != 1 || len(r.Resources) != 2 || r.Protocol == "" || !slices.Contains(r.Protocols, r.Protocol) || r.Hello <= 0 || r.List <= 0 {
		t.Errorf("%+v, %v; want 3 tools of small 7", r, err)
	}
}

func TestProbeOneThatIsStarted(t *testing.T) {
	r, err := testServer(t, "server").Probe(t.Context())
	check(t, r, err)
}

// talk is what some servers write where messages belong.
const talk = "\n\xff Starting\x1b[31m small\n[1,2\n{\"level\": \"info\"}\n"

func TestProbeOneThatWritesMoreThanMessages(t *testing.T) {
	r, err := testServer(t, "talker").Probe(t.Context())
	check(t, r, err)
	if !strings.Contains(r.Stray, "Starting") || strings.Contains(r.Stray, "\x1b") {
		t.Errorf("its first line that is no message: %q", r.Stray)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := testServer(t, "babbler").Probe(ctx); err == nil || !strings.Contains(err.Error(), "Starting") {
		t.Errorf("one that writes nothing else: %v", err)
	}
}

func TestProbeOneThatListens(t *testing.T) {
	s := server()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer site.Close()
	r, err := Server{URL: site.URL, Headers: map[string]string{"Authorization": "Bearer t"}}.Probe(t.Context())
	check(t, r, err)
	if _, err := (Server{URL: site.URL}).Probe(t.Context()); !errors.Is(err, ErrCredential) {
		t.Errorf("without a token: %v", err)
	}
}

func TestProbeSaysWhatIsWrong(t *testing.T) {
	for say, c := range map[string]struct {
		target Server
		want   string
	}{
		"a server that ends":       {testServer(t, "broken"), "the display is on fire"},
		"a command that is absent": {Server{Command: "no-such-program-here"}, "no-such-program-here"},
		"nobody listens":           {Server{URL: "http://127.0.0.1:1/mcp"}, "refused"},
	} {
		if _, err := c.target.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", say, err, c.want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := testServer(t, "silent").Probe(ctx); err == nil || !strings.Contains(err.Error(), "no answer in 1s") {
		t.Errorf("a silent server: %v", err)
	}
}

func TestProxiedAndBack(t *testing.T) {
	proxy := []string{"proxy", "--log", "l", "--"}
	for _, s := range []Server{{Command: "npx", Args: []string{"-y", "x", "--", "z"}, Env: map[string]string{"K": "v"}}, {Command: "x", Args: []string{}}} {
		through, err := s.Proxied("/u", proxy, true)
		if err != nil || through.Command != "/u" || !slices.Equal(through.Args, slices.Concat(proxy, []string{s.Command}, s.Args)) {
			t.Errorf("%+v: %v", through, err)
		}
		if _, err := through.Proxied("/u", proxy, true); err == nil {
			t.Error("it went through the proxy twice")
		}
		back, err := through.Proxied("/u", proxy, false)
		if diff := cmp.Diff(s, back); err != nil || diff != "" {
			t.Errorf("%v, -want +got\n%s", err, diff)
		}
		if _, err := s.Proxied("/u", proxy, false); err == nil {
			t.Error("a proxy was removed that was not there")
		}
	}
	if _, err := remote.Proxied("/u", proxy, true); err == nil {
		t.Error("a server at an address was given a command")
	}
}
