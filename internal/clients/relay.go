package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"understudy/internal/words"
)

// A Relay is between a client and a server. What passes is not changed by a byte: the relay
// reads copies, and gives no message to a library that would encode it anew. It starts a
// server that speaks over its standard streams, or calls one over HTTP, and answers nothing
// itself.
type Relay struct {
	In  io.Reader // what the client sends
	Out io.Writer // what the client gets
	// Err gets what the server writes to its standard error.
	Err io.Writer
	// Log gets the lines about the messages.
	Log io.Writer
	// Contents also logs what the messages contain, except secrets.
	Contents bool
}

// waitDelay bounds the wait for the output of a server that has ended.
const waitDelay = time.Second

// Run starts the server, and passes messages until it ends. It closes the server's input at
// the end of the client's. It returns the exit status of the server.
func (r Relay) Run(ctx context.Context, command string, args ...string) (status int, err error) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Stderr, cmd.WaitDelay = r.Err, waitDelay
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	l := &ledger{log: r.Log, contents: r.Contents, open: map[string]request{}}
	cmd.Stdout = &observer{l: l, from: fromServer, to: r.Out}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { // it ends with the input of the client, for which nobody waits when the server has ended
		defer in.Close()
		toServer := &observer{l: l, from: fromClient, to: in}
		_, _ = io.Copy(toServer, bufio.NewReader(r.In))
		toServer.end()
	}()
	err = cmd.Wait()
	cmd.Stdout.(*observer).end()
	if cmd.ProcessState != nil && cmd.ProcessState.Exited() {
		return cmd.ProcessState.ExitCode(), nil
	}
	return 0, err
}

// side is who sends a message.
type side string

const (
	fromClient side = ">"
	fromServer side = "<"
)

func (s side) other() side {
	if s == fromClient {
		return fromServer
	}
	return fromClient
}

// observer writes what it is given to the other side, and notes each line of it before, as
// the reply may come at once.
type observer struct {
	l    *ledger
	from side
	to   io.Writer
	line []byte // the beginning of one
}

func (o *observer) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		o.line = append(o.line, part...)
		if bytes.HasSuffix(part, []byte("\n")) {
			o.end()
		}
	}
	return o.to.Write(p)
}

// end notes the line so far.
func (o *observer) end() {
	o.l.note(o.from, scopes{}, o.line)
	o.line = o.line[:0]
}

// ledger writes the lines about the messages, and keeps the open requests. Both sides count
// their requests on their own, so that one id may be open twice.
type ledger struct {
	contents bool

	mu   sync.Mutex
	log  io.Writer
	open map[string]request // by scope, sender and id
}

// scopes are where the ids of requests of the client and of the server are unique.
type scopes struct{ exchange, session string }

// key returns where a request of a side is kept.
func (s scopes) key(of side, id string) string {
	scope := s.session
	if of == fromClient {
		scope = s.exchange
	}
	return scope + string(of) + id
}

type request struct {
	method string
	sent   time.Time
}

// message is what a line tells of a message.
type message struct {
	ID     json.RawMessage
	Method string
	Error  *struct {
		Code    json.Number
		Message string
	}
}

// write writes a line that tells of no message.
func (l *ledger) write(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.log, words.Line(fmt.Sprintf(format, args...)))
}

func (l *ledger) note(from side, at scopes, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []message{{}}
	err := json.Unmarshal(line, &all[0])
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
		err = json.Unmarshal(line, &all)
	}
	if err != nil {
		fmt.Fprintf(l.log, "%s no JSON  %d B\n", from, len(line))
		return
	}
	for _, m := range all {
		fmt.Fprintf(l.log, "%s %s  %d B\n", from, l.say(from, at, m), len(line))
	}
	if l.contents {
		fmt.Fprintf(l.log, "  %s\n", contentsOf(line))
	}
}

// say tells what a message is, and how long its answer took.
func (l *ledger) say(from side, at scopes, m message) string {
	id := string(m.ID)
	if m.Method != "" {
		if id == "" {
			return words.Line(m.Method)
		}
		l.open[at.key(from, id)] = request{m.Method, time.Now()}
		return words.Line(m.Method + "  id " + id)
	}
	key := at.key(from.other(), id)
	asked := l.open[key]
	delete(l.open, key)
	text := "answer to " + asked.method + "  id " + id
	if asked.method == "" {
		return words.Line("answer to nothing  id " + id)
	}
	if m.Error != nil {
		text = fmt.Sprintf("ERROR of %s  id %s  %s: %s", asked.method, id, m.Error.Code, m.Error.Message)
	}
	return words.Line(fmt.Sprintf("%s  %s", text, time.Since(asked.sent).Round(10*time.Microsecond)))
}

// contentsOf returns a message in one line, with secrets hidden.
func contentsOf(line []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return ""
	}
	text, err := json.Marshal(hidden(v))
	if err != nil {
		return err.Error()
	}
	return words.Line(string(text))
}

// secretNames are parts of the names of values that may be secret.
var secretNames = []string{"password", "passwd", "secret", "token", "authorization", "api_key", "apikey", "cookie", "credential"}

// notSecret is a name of the protocol that contains one of them.
const notSecret = "progresstoken"

// hidden returns a value without the texts whose names say that they are secret.
func hidden(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = hidden(v[i])
		}
	case map[string]any:
		for name, x := range v {
			if _, text := x.(string); text && isSecret(name) {
				v[name] = "***"
				continue
			}
			v[name] = hidden(x)
		}
	}
	return v
}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range secretNames {
		if name != notSecret && strings.Contains(name, part) {
			return true
		}
	}
	return false
}
