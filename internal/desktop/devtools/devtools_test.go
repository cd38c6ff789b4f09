package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
)

// browser answers calls as a browser does: a call of attach makes a session, whose name is that
// of the target; one that is named hang is not answered; one that is named fail is refused.
type browser struct {
	out   io.WriteCloser
	mu    sync.Mutex
	calls []string
}

func (b *browser) say(m message) {
	raw, _ := m.bytes()
	_, _ = b.out.Write(raw)
}

func (b *browser) answer(m message) {
	b.mu.Lock()
	b.calls = append(b.calls, m.Method+string(m.Params))
	b.mu.Unlock()
	a := message{ID: m.ID, Session: m.Session, Result: json.RawMessage(`{"method":"` + m.Method + `"}`)}
	switch m.Method {
	case "hang":
		return
	case "fail":
		a.Result, a.Error = nil, &Error{Code: -32000, Message: "no"}
	case "Target.attachToTarget":
		var p struct{ TargetID string }
		_ = json.Unmarshal(m.Params, &p)
		a.Result, _ = json.Marshal(map[string]string{"sessionId": p.TargetID})
	}
	b.say(a)
}

func (b *browser) called(call string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.calls, call)
}

// newBrowser returns a browser and its broker. end ends the browser.
func newBrowser() (b *browser, broker *Broker, end func()) {
	toBrowser, calls := io.Pipe()
	answers, fromBrowser := io.Pipe()
	b, broker = &browser{out: fromBrowser}, NewBroker(calls)
	go func() { _ = readMessages(toBrowser, b.answer) }()
	go func() { _ = broker.Run(answers) }()
	return b, broker, func() {
		_ = fromBrowser.Close()
		_ = calls.Close()
	}
}

func connect(b *Broker) *Client {
	ours, its := net.Pipe()
	go b.Serve(its)
	return NewClient(ours)
}

func TestEachClientGetsItsOwnAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, broker, end := newBrowser()
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "c"} {
			all.Go(func() {
				c := connect(broker)
				defer c.Close()
				for range 50 {
					var got struct{ Method string }
					if err := c.Call(t.Context(), "", name, nil, &got); err != nil || got.Method != name {
						t.Errorf("%s got %q, %v", name, got.Method, err)
					}
				}
			})
		}
		all.Wait()
		end()
		synctest.Wait()
	})
}

func TestEventsGoToTheClientThatAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, broker, end := newBrowser()
		heard := map[string][]string{}
		var mu sync.Mutex
		listen := func(name string) *Client {
			c := connect(broker)
			c.Listen(func(e desktop.BrowserEvent) {
				mu.Lock()
				defer mu.Unlock()
				heard[name] = append(heard[name], e.Method)
			})
			return c
		}
		one, two := listen("one"), listen("two")
		synctest.Wait() // until both are clients
		if err := one.Call(t.Context(), "", "Target.attachToTarget", map[string]string{"targetId": "page"}, nil); err != nil {
			t.Fatal(err)
		}
		b.say(message{Session: "page", Method: "of the page"})
		b.say(message{Session: "page", Method: "Target.attachedToTarget", Params: json.RawMessage(`{"sessionId":"frame"}`)})
		b.say(message{Session: "frame", Method: "of its frame"})
		b.say(message{Session: "another", Method: "of nobody"})
		b.say(message{Method: "of the browser"})
		synctest.Wait()
		mu.Lock()
		if want := []string{"of the page", "Target.attachedToTarget", "of its frame", "of the browser"}; !slices.Equal(heard["one"], want) {
			t.Errorf("the one that attached heard %q, want %q", heard["one"], want)
		}
		if want := []string{"of the browser"}; !slices.Equal(heard["two"], want) {
			t.Errorf("the other heard %q, want %q", heard["two"], want)
		}
		mu.Unlock()
		one.Close()
		synctest.Wait()
		if !b.called(`Target.detachFromTarget{"sessionId":"page"}`) {
			t.Errorf("the page is still attached to a client that is gone: %q", b.calls)
		}
		var got struct{ Method string }
		if err := two.Call(t.Context(), "", "still", nil, &got); err != nil || got.Method != "still" {
			t.Errorf("the other client got %q, %v", got.Method, err)
		}
		two.Close()
		end()
		synctest.Wait()
	})
}

func TestCallsThatAreNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, broker, end := newBrowser()
		c := connect(broker)
		if err := c.Call(t.Context(), "", "fail", nil, nil); !strings.Contains(errText(err), "fail: the browser refused the call: no") {
			t.Errorf("a refused call: %v", err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
		defer cancel()
		if err := c.Call(ctx, "", "hang", nil, nil); errText(err) != "too long" {
			t.Errorf("a call that hangs: %v", err)
		}
		hangs := make(chan error)
		go func() { hangs <- c.Call(t.Context(), "", "hang", nil, nil) }()
		synctest.Wait()
		end()
		if err := <-hangs; !errors.Is(err, ErrEnded) {
			t.Errorf("a call to a browser that ends: %v", err)
		}
		if err := c.Call(t.Context(), "", "late", nil, nil); !errors.Is(err, ErrEnded) {
			t.Errorf("a call to a browser that has ended: %v", err)
		}
		c.Close()
		ours, its := net.Pipe()
		broker.Serve(its) // returns at once
		ours.Close()
	})
}

// lastWords is a connection to a browser that ends as soon as it has answered.
type lastWords struct {
	*io.PipeReader
	answer *io.PipeWriter
	ended  chan struct{} // closed when the client has read the end
}

func (c *lastWords) Write(call []byte) (int, error) {
	raw, _ := message{ID: 1}.bytes()
	_, _ = c.answer.Write(raw)
	_ = c.answer.Close()
	<-c.ended
	return len(call), nil
}

func TestAnAnswerCountsIfTheBrowserEndsWithIt(t *testing.T) {
	for range 100 {
		from, answer := io.Pipe()
		conn := &lastWords{PipeReader: from, answer: answer}
		c := NewClient(conn)
		conn.ended = c.done
		if err := c.Call(t.Context(), "", "Browser.close", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAClientThatDoesNotReadIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, broker, end := newBrowser()
		ours, its := net.Pipe()
		go broker.Serve(its)
		good := connect(broker)
		synctest.Wait()
		for range maxQueue + 10 {
			b.say(message{Method: "flood"})
		}
		if err := good.Call(t.Context(), "", "still", nil, nil); err != nil {
			t.Errorf("another client: %v", err)
		}
		if n, err := io.Copy(io.Discard, ours); err != nil || n > 2*maxQueue*int64(len(`{"method":"flood"}`)) {
			t.Errorf("it was sent %d bytes, %v", n, err)
		}
		good.Close()
		end()
		synctest.Wait()
	})
}

func TestWhichCommandsGetAPipe(t *testing.T) {
	for _, row := range []struct {
		say, command string
		want         bool
	}{
		{"a browser", "chromium https://example.org", true},
		{"by its path", "/usr/bin/google-chrome-stable", true},
		{"one that has a connection already", "chromium --remote-debugging-port=0", false},
		{"one that has a pipe already", "chromium --remote-debugging-pipe", false},
		{"another program", "mousepad chromium", false},
		{"Firefox, which has no pipe", "firefox", false},
	} {
		args := strings.Fields(row.command)
		if got := wantsPipe(&exec.Cmd{Path: args[0], Args: args}); got != row.want {
			t.Errorf("%s: %v", row.say, got)
		}
	}
	cmd := exec.Command("mousepad")
	if err := new(Brokers).Start(cmd, func() error { return nil }); err != nil || len(cmd.ExtraFiles) > 0 || len(cmd.Args) != 1 {
		t.Errorf("a program that is no browser is started with %v and %d files, %v", cmd.Args, len(cmd.ExtraFiles), err)
	}
}

// An application of Electron is known by what lies beside its program, through links too.
func TestApplicationsOfElectronGetAPipe(t *testing.T) {
	dir := t.TempDir()
	write := func(names ...string) string {
		t.Helper()
		for _, name := range names {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, names[0])
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "mail/mail"), link); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		say, file string
		want      bool
	}{
		{"an application", write("mail/mail", "mail/chrome_100_percent.pak", "mail/resources/app.asar"), true},
		{"by a link", link, true},
		{"one that is not packed", write("notes/notes", "notes/chrome_100_percent.pak", "notes/resources/app/main.js"), true},
		{"Electron itself", write("electron/electron", "electron/chrome_100_percent.pak", "electron/resources/default_app.asar"), true},
		{"a program with resources of its own", write("game/game", "game/resources/app/a.png"), false},
		{"a program that shows pages without Electron", write("shop/shop", "shop/chrome_100_percent.pak"), false},
		{"a file that is not there", filepath.Join(dir, "absent"), false},
	} {
		if got := wantsPipe(&exec.Cmd{Path: row.file, Args: []string{filepath.Base(row.file)}}); got != row.want {
			t.Errorf("%s: %v", row.say, got)
		}
	}
	cmd := exec.Command(filepath.Join(dir, "mail/mail"))
	cmd.Process = &os.Process{Pid: 7}
	if got := processOf(cmd); got != (desktop.BrowserProcess{PID: 7, Name: "mail", App: true}) {
		t.Errorf("it is %+v", got)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
