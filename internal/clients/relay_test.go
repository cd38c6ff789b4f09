package clients

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"understudy/internal/testing/scratch"
)

const answers = `{"jsonrpc":"2.0","id":1,"result":{"apiKey":"k3y"}}
{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"no such\nthing"}}
{"jsonrpc":"2.0","id":1,"method":"ping"}
{"jsonrpc":"2.0","id":9,"result":{}}
`

// relayed sends a text through a relay, and returns what came back, the log and the status.
func relayed(t *testing.T, role, sent string, contents bool) (got, log string, status int) {
	t.Helper()
	t.Setenv(roleVariable, role)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, lines scratch.Buffer
	status, err = Relay{In: strings.NewReader(sent), Out: &out, Err: os.Stderr, Log: &lines, Contents: contents}.Run(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), lines.String(), status
}

// TestEveryBytePasses sends what libraries change or refuse.
func TestEveryBytePasses(t *testing.T) {
	sent := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1.5,"method":"a","unknown":[1,  2]}`, `  {"id":12345678901234567890,"method":"b"}` + "\r",
		`[{"id":null,"method":"c"},{"id":2,"method":"d"}]`, "no JSON \x00\xff", "", `{"method":"` + strings.Repeat("x", 3<<20) + `"}`, "no newline at the end",
	}, "\n")
	got, log, status := relayed(t, "echo", sent, false)
	if got != sent {
		t.Errorf("%d bytes came back, want the %d that were sent", len(got), len(sent))
	}
	if status != 7 {
		t.Errorf("the status is %d, want that of the server", status)
	}
	if n := strings.Count(log, "> no JSON"); n != 2 {
		t.Errorf("%d lines without JSON, want 2:\n%.2000s", n, log)
	}
}

func TestLogLinesDescribeMessages(t *testing.T) {
	const sent = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"password":"s3cret","name":"plain","_meta":{"progressToken":"p1"}}}
{"jsonrpc":"2.0","id":"1","method":"tools/call"}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	_, log, _ := relayed(t, "answers", sent, true)
	log = regexp.MustCompile(`[\d.]+[µnm]?s `).ReplaceAllString(log, "TIME ")
	for _, want := range []string{
		"> initialize  id 1  124 B\n", "> tools/call  id \"1\"  49 B\n", "> notifications/initialized  55 B\n",
		"< answer to initialize  id 1  TIME  51 B\n", "< ERROR of tools/call  id \"1\"  -32602: no such", "< ping  id 1  41 B\n", "< answer to nothing  id 9  37 B\n",
		`"password":"***"`, `"name":"plain"`, `"progressToken":"p1"`, `"apiKey":"***"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in:\n%s", want, log)
		}
	}
	if bytes.Contains([]byte(log), []byte("s3cret")) || strings.Contains(log, "k3y") {
		t.Errorf("a secret is in:\n%s", log)
	}
}
