package clients

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"understudy/internal/testing/scratch"
)

// streamed is an answer as a stream, with a question of the server in it.
const streamed = ": a comment\r\n\r\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata:  \"method\":\"ping\"}\n\n" +
	"data: {\"jsonrpc\":\"2.0\",\"id\":1.5,  \"result\":{}}\n\n"

func TestHTTPPassesByteForByte(t *testing.T) {
	var got []string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = append(got, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		w.Header().Set(sessionHeader, "s1")
		switch {
		case strings.Contains(string(body), `"result"`):
			w.WriteHeader(http.StatusAccepted)
		case strings.Contains(string(body), "refused"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1.5,"error":{"code":-32601,"message":"no such method"}}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			_, _ = io.WriteString(w, streamed)
		}
	}))
	defer upstream.Close()
	to, err := url.Parse(upstream.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	var lines scratch.Buffer
	proxy := httptest.NewServer(Relay{Log: &lines}.Handler(to))
	defer proxy.Close()
	send := func(host, body string) (status int, answer string) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		q.Header.Set("Authorization", "Bearer s3cret")
		q.Header.Set(sessionHeader, "s1")
		res, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	sent := []string{`{"jsonrpc":"2.0", "id":1.5,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1.5,"method":"refused"}`}
	for i, want := range []string{"200 " + streamed, "202 ", `404 {"jsonrpc":"2.0","id":1.5,"error":{"code":-32601,"message":"no such method"}}`} {
		if status, answer := send("", sent[i]); fmt.Sprintf("%d %s", status, answer) != want {
			t.Errorf("%d %q, want %q", status, answer, want)
		}
		if want := "/mcp Bearer s3cret " + sent[i]; got[i] != want {
			t.Errorf("the server got %q, want %q", got[i], want)
		}
	}
	if status, _ := send("evil.example", sent[0]); status != http.StatusForbidden || len(got) != len(sent) {
		t.Errorf("a name that is none of this machine: %d", status)
	}
	log := regexp.MustCompile(`[\d.]+[µnm]?s `).ReplaceAllString(lines.String(), "TIME ")
	want := "> tools/call  id 1.5  49 B\n< ping  id 1  42 B\n< answer to tools/call  id 1.5  TIME  40 B\n" +
		"> answer to ping  id 1  TIME  36 B\n> refused  id 1.5  45 B\n< HTTP 404 Not Found\n< ERROR of refused  id 1.5  -32601: no such method  TIME  77 B\n"
	if log != want {
		t.Errorf("the lines are\n%s\nwant\n%s", log, want)
	}
}
