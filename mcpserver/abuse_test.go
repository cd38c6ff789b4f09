package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/testing/attack"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/httpd"
)

// live is a server with its own listener and timeouts.
type live struct {
	*stage
	url, address string
}

// hurried returns the default timeouts with the one that a test waits for shortened,
// but not so far that a well-behaved client would reach it on a slow machine.
func hurried(limit func(*httpd.Timeouts) *time.Duration) httpd.Timeouts {
	w := httpd.DefaultTimeouts
	*limit(&w) = 3 * time.Second
	return w
}

func ofHeader(w *httpd.Timeouts) *time.Duration  { return &w.Header }
func ofRead(w *httpd.Timeouts) *time.Duration    { return &w.Read }
func ofSession(w *httpd.Timeouts) *time.Duration { return &w.Session }

func newLive(t *testing.T, p httpd.Timeouts) *live {
	t.Helper()
	st := newStage(t)
	st.http.Timeouts = p
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- st.Server.ServeHTTP(ctx, l) }()
	t.Cleanup(func() { stop(); <-ended })
	return &live{st, "http://" + l.Addr().String(), l.Addr().String()}
}

// serves checks that another client is served.
func (l *live) serves() {
	l.t.Helper()
	p := byhand.Visitor{Version: byhand.Modern, Address: l.url + "/mcp"}
	if status, res := p.Call(l.t, "get_window_tree", byhand.Object{}); status != 200 || byhand.IsError(res) || res == nil {
		l.t.Fatalf("another client is not served: %d %v", status, res)
	}
}

// keepsLarge stores the result of the kind large once for all calls.
func (l *live) keepsLarge() {
	l.t.Helper()
	p := byhand.Visitor{Version: byhand.Modern, Address: l.url + "/mcp"}
	if status, res := p.Call(l.t, "large", byhand.Object{}); status != 200 || byhand.IsError(res) {
		l.t.Fatalf("the large result: %d %.300s", status, byhand.Said(res))
	}
	l.serves()
}

// footprint holds the resources of a process.
type footprint struct {
	goroutines, files int
	heap              uint64
}

func measure() footprint {
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(entries)
	}
	return f
}

// settles waits until the resources of a process are about what they were.
func settles(t *testing.T, before footprint) {
	t.Helper()
	var now footprint
	for end := scratch.Deadline(t); ; time.Sleep(20 * time.Millisecond) {
		now = measure()
		if now.goroutines <= before.goroutines+10 && now.files <= before.files+10 && now.heap <= before.heap+16<<20 {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("before %+v, now %+v\n%s", before, now, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestAbuseMalformedMessages(t *testing.T) {
	l := newLive(t, httpd.DefaultTimeouts)
	for _, body := range attack.Messages {
		for _, version := range []string{"2025-11-25", modern, "", "9999-99-99", "\t"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("MCP-Protocol-Version", version)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatalf("%.40q: %v", body, err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			if res.Body.Close(); res.StatusCode >= 500 {
				t.Errorf("%.40q for %q: %s", body, version, res.Status)
			}
		}
	}
	l.serves()
}

func TestAbuseLargeBodies(t *testing.T) {
	l := newLive(t, httpd.DefaultTimeouts)
	l.serves()
	before := measure()
	for _, path := range []string{"/mcp", "/mcp/ask", "/mode", "/runs", "/nothing"} {
		for _, declared := range []bool{true, false} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+path, io.LimitReader(endless{}, 100<<20))
			if err != nil {
				t.Fatal(err)
			}
			if declared {
				req.ContentLength = 100 << 20
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				continue // the connection was closed before the body was sent
			}
			if res.Body.Close(); res.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %s", path, res.Status)
			}
		}
	}
	l.serves()
	settles(t, before)
}

// TestAbuseSlowClients opens connections that send almost nothing, as slowloris does:
// they stall in the headers, in the body, or before sending anything.
func TestAbuseSlowClients(t *testing.T) {
	w := hurried(ofHeader)
	w.Body = *ofHeader(&w)
	l := newLive(t, w)
	l.serves()
	before := measure()
	for _, begin := range []string{
		"", "G", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
		"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{",
		"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
		"POST /mode HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
		"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n{",
	} {
		t.Run(fmt.Sprintf("%.60q", begin), func(t *testing.T) {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { dribble(t, l.address, begin) })
			}
			l.serves()
			all.Wait()
		})
	}
	l.serves()
	settles(t, before)
}

// dribble sends a byte at a time until the server closes the connection.
func dribble(t *testing.T, address, begin string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	if _, err := io.WriteString(c, begin); err != nil {
		t.Error(err)
		return
	}
	closed := make(chan bool)
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, c)
	}()
	for end := time.After(time.Until(scratch.Deadline(t))); ; {
		select {
		case <-closed:
			return
		case <-time.After(50 * time.Millisecond):
			_, _ = io.WriteString(c, "a")
		case <-end:
			t.Errorf("after %.60q the server waits for ever", begin)
			return
		}
	}
}

// TestAbuseClientsThatNeverRead requests more than the buffers of a connection hold, in
// each era, and reads nothing.
func TestAbuseClientsThatNeverRead(t *testing.T) {
	l := newLive(t, hurried(ofRead))
	l.keepsLarge()
	before := measure()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { deaf(t, l.address, largeCall(i%2 == 0)) })
	}
	for range 3 {
		l.serves()
	}
	all.Wait()
	settles(t, before)
	l.serves()
}

// TestAbuseDeafReadersOfEvents opens the stream of runs, which exceeds the buffers of a
// connection, and reads nothing.
func TestAbuseDeafReadersOfEvents(t *testing.T) {
	l := newLive(t, hurried(ofRead))
	loud := document("delay", byhand.Object{"duration": "1ms"})
	loud["name"] = strings.Repeat("n", 400_000) // part of each event of the list of runs
	p := byhand.Visit(t, modern, l.url+"/mcp")
	for range 16 {
		if status, res := p.Call(t, "execute_sequence", loud); status != http.StatusOK || byhand.IsError(res) {
			t.Fatal(status)
		}
	}
	l.serves()
	before := measure()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { deaf(t, l.address, "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") })
	}
	for range 3 {
		l.serves()
	}
	all.Wait()
	settles(t, before)
	l.serves()
}

// largeCall is a call with a large reply, in one of the eras.
func largeCall(new bool) string {
	body, extra := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","arguments":{}}}`, ""
	if new {
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","arguments":{},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"deaf","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		extra = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: large\r\n"
	}
	return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		extra + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body
}

// deaf sends a request and reads nothing until the server closes the connection, so
// that sending fails.
func deaf(t *testing.T, address, request string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Error(err)
	}
	_ = c.SetWriteDeadline(scratch.Deadline(t))
	if _, err := io.WriteString(c, request); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("the server waits for ever")
		return
	}
	for end := scratch.Deadline(t); ; time.Sleep(50 * time.Millisecond) {
		if _, err := io.WriteString(c, "G"); err != nil {
			return
		}
		if time.Now().After(end) {
			t.Error("the server waits for ever for a client that does not read")
			return
		}
	}
}

// TestAbuseHalfOpenConnections resets connections in the middle of calls and streams.
func TestAbuseHalfOpenConnections(t *testing.T) {
	l := newLive(t, hurried(ofRead))
	l.keepsLarge()
	before := measure()
	for i := range 32 {
		c, err := net.Dial("tcp", l.address)
		if err != nil {
			t.Fatal(err)
		}
		request := largeCall(i%2 == 0)
		if i%4 == 3 {
			request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
		}
		if i%8 == 1 {
			request = request[:len(request)/2]
		}
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			_ = c.(*net.TCPConn).SetLinger(0) // close with a reset
		}
		c.Close()
	}
	l.serves()
	settles(t, before)
}

// TestAbuseThousandSessions opens sessions and does not close them.
func TestAbuseThousandSessions(t *testing.T) {
	l := newLive(t, hurried(ofSession))
	byhand.Visit(t, "2025-11-25", l.url+"/mcp")
	before := measure()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 100 {
				byhand.Visit(t, "2025-11-25", l.url+"/mcp")
			}
		})
	}
	all.Wait()
	l.serves()
	scratch.Until(t, "every session is gone", func() bool { return len(slices.Collect(l.mcp.Sessions())) == 0 })
	settles(t, before)
}

// TestAbuseTooManySessions exceeds the bound of sessions: other clients are served, and
// new sessions are accepted once some have ended.
func TestAbuseTooManySessions(t *testing.T) {
	l := newLive(t, hurried(ofSession))
	stranger := byhand.Visitor{Version: "2025-11-25", Address: l.url + "/mcp"}
	refused := 0
	for range httpd.MaxSessions + 50 {
		res, err := stranger.Send(t.Context(), 1, "initialize", byhand.Greeting(stranger.Version, byhand.Object{}))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		if res.Body.Close(); res.StatusCode == http.StatusServiceUnavailable {
			refused++
		}
		if n := len(slices.Collect(l.mcp.Sessions())); n > httpd.MaxSessions {
			t.Fatalf("there are %d sessions", n)
		}
	}
	t.Logf("%d were refused", refused) // on a slow machine some have ended by then
	l.serves()
	scratch.Until(t, "there is room again", func() bool {
		res, err := stranger.Send(t.Context(), 1, "initialize", byhand.Greeting(stranger.Version, byhand.Object{}))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// TestAbuseFloodOfNotifications sends thousands of notifications, known and unknown,
// over HTTP and stdio.
func TestAbuseFloodOfNotifications(t *testing.T) {
	l := newLive(t, httpd.DefaultTimeouts)
	p := byhand.Visit(t, "2025-11-25", l.url+"/mcp")
	w := l.connect("2025-11-25", byhand.Object{})
	w.Ask("tools/list", byhand.Object{})
	before := measure()
	methods := []string{"notifications/cancelled", "notifications/progress", "notifications/initialized", "notifications/roots/list_changed", "notifications/nonsense"}
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 2_000 {
			w.Notify(methods[i%len(methods)], byhand.Object{"requestId": i + 1_000_000, "progressToken": i, "progress": 1})
		}
	})
	for range 4 {
		all.Go(func() {
			for i := range 250 {
				res, err := p.Send(t.Context(), 0, methods[i%len(methods)], byhand.Object{"requestId": i + 1_000_000, "progressToken": i, "progress": 1})
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range 5 {
		l.serves()
	}
	all.Wait()
	if res := w.Call("get_window_tree", byhand.Object{}); byhand.IsError(res) {
		t.Errorf("the session that was flooded: %v", res)
	}
	settles(t, before)
}

// TestAbuseManyCallsAtOnce has more calls wait than the bound allows: the server replies
// to the others that it is busy, and still accepts calls that look and stop.
func TestAbuseManyCallsAtOnce(t *testing.T) {
	l := newLive(t, httpd.DefaultTimeouts)
	ctx, drop := context.WithCancel(t.Context())
	defer drop()
	answers := make(chan int, httpd.MaxCalls+20)
	for range httpd.MaxCalls {
		go func() {
			p := byhand.Visitor{Version: byhand.Modern, Address: l.url + "/mcp"}
			if res, err := p.Send(ctx, 1, "tools/call", byhand.Object{"name": "pause", "arguments": byhand.Object{}}); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				answers <- res.StatusCode
			}
		}()
	}
	go func() { // the stage has room for a hundred
		for range l.began {
		}
	}()
	scratch.Until(t, "all are under way", func() bool { return l.inflight.counts().Calls >= httpd.MaxCalls })
	late := byhand.Visitor{Version: byhand.Modern, Address: l.url + "/mcp"}
	if status, _ := late.Call(t, "get_window_tree", byhand.Object{}); status != http.StatusServiceUnavailable {
		t.Errorf("beyond the bound: %d", status)
	}
	if status, res := late.Call(t, "list_runs", byhand.Object{}); status != 200 || byhand.IsError(res) {
		t.Errorf("looking at runs: %d %v", status, res)
	}
	close(l.goOn)
	scratch.Until(t, "all are over", func() bool { return l.inflight.counts().Calls == 0 })
	l.serves()
}

// TestAbuseStdio sends input that is no message over stdio: the server ends with its
// client in any case.
func TestAbuseStdio(t *testing.T) {
	for _, line := range []string{"{", "nonsense", strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":1}`, "\x00\xff"} {
		st := newStage(t)
		in, fromClient := io.Pipe()
		out, toClient := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- st.ServeStdio(context.Background(), in, toClient) }()
		go func() { _, _ = io.Copy(io.Discard, bufio.NewReader(out)) }()
		go func() { // the server may not read all of it
			_, _ = io.WriteString(fromClient, line+"\n")
			fromClient.Close()
		}()
		select {
		case <-ended:
		case <-time.After(time.Until(scratch.Deadline(t))):
			t.Fatalf("after %.30q the server does not end", line)
		}
		in.Close()
		out.Close()
	}
}

// TestAbuseLinesThatAreNoMessages sends invalid lines before and between messages: each
// is answered, and the client can continue.
func TestAbuseLinesThatAreNoMessages(t *testing.T) {
	st := newStage(t)
	in, fromClient := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- st.ServeStdio(context.Background(), in, toClient) }()
	answers := bufio.NewScanner(out)
	ask := func(line string) string {
		t.Helper()
		if _, err := io.WriteString(fromClient, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() {
			t.Fatalf("no answer to %.60q", line)
		}
		return answers.Text()
	}
	for _, c := range []struct{ line, want string }{
		{"{", "-32700"},
		{"nonsense", "-32700"},
		{strings.Repeat("[", 100_000), "-32700"},
		{"\x00\xff", "-32700"},
		{`{"jsonrpc":"2.0","id":1}`, "-32600"},
		{`{"a":1}`, "-32600"},
		{"[]", "-32600"},
		{`"x"`, "-32600"},
		{"\n\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"protocolVersion"`},
		{"nonsense", "-32700"},
		{`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `"id":2`},
	} {
		if got := ask(c.line); !strings.Contains(got, c.want) {
			t.Errorf("%.60q is answered %.200s, want %s in it", c.line, got, c.want)
		}
	}
	fromClient.Close()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestAbuseManyConnections opens more connections than the bound and sends nothing on
// them: later clients are served.
func TestAbuseManyConnections(t *testing.T) {
	l := newLive(t, httpd.DefaultTimeouts)
	var idle []net.Conn
	defer func() {
		for _, c := range idle {
			c.Close()
		}
	}()
	for range 700 {
		c, err := net.Dial("tcp", l.address)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, c)
		if len(idle)%100 == 0 {
			l.serves()
		}
	}
	l.serves()
	// the system accepts connections before the server does
	for _, want := range []string{"understudy_connections_dropped_total 3", "understudy_connections 38"} {
		scratch.Until(t, "wanted "+want+"… in the metrics", func() bool { return strings.Contains(metrics(t, l.url, nil), "\n"+want) })
	}
}

func metrics(t *testing.T, url string, h http.Header) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if h != nil {
		req.Header = h
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAbuseOneCredentialTakesAll has one credential take as many sessions, calls and
// runs as it can: it is refused at its bound, and another one is served.
func TestAbuseOneCredentialTakesAll(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.MaxConcurrent = 1 })
	greedy, other := s.holder(auth.Token{Name: "greedy", Mode: auth.Ask}), s.holder(auth.Token{Name: "other", Mode: auth.Act})
	go func() { // the stage has room for a hundred
		for range s.began {
		}
	}()
	visitor := byhand.Visitor{Version: "2025-11-25", Address: s.url + "/mcp", Header: greedy}
	status := 0
	for range httpd.MaxSessions {
		res, err := visitor.Send(t.Context(), 1, "initialize", byhand.Greeting(visitor.Version, byhand.Object{}))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if status = res.StatusCode; status != http.StatusOK {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("it takes every session: %d", status)
	}
	s.greet("2025-11-25", other)

	held := byhand.Object{"steps": []any{byhand.Object{"tool_name": "pause", "arguments": byhand.Object{}}}, "wait": false}
	visitor.Version = modern
	for i := range httpd.MaxRuns {
		if status, _ = visitor.Call(t, "execute_sequence", held); status != http.StatusOK {
			t.Logf("refused after %d runs", i)
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("it holds any number of runs: %d", status)
	}
	friend := byhand.Visitor{Version: modern, Address: s.url + "/mcp", Header: other}
	if status, res := friend.Call(t, "click_element", save); status != 200 || byhand.IsError(res) {
		t.Errorf("runs that only look take the place to act: %d %v", status, res)
	}
	text := metrics(t, s.url, other)
	for _, want := range []string{`understudy_refused_total{what="sessions"} 1`, `understudy_refused_total{what="runs"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("wanted %s in %s", want, text)
		}
	}
	close(s.goOn)
}

// TestAbuseStreamsOfOneCredential has one credential open streams, each of which takes a
// connection, as often as it can: another one is served.
func TestAbuseStreamsOfOneCredential(t *testing.T) {
	s := newSecured(t)
	greedy := s.holder(auth.Token{Name: "greedy", Mode: auth.Ask})
	status := 0
	for range 200 {
		res := visit(t.Context(), t, s.url+"/events", greedy)
		defer res.Body.Close()
		if status = res.StatusCode; status != http.StatusOK {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("it opens any number of streams: %d", status)
	}
	other := s.holder(auth.Token{Name: "other", Mode: auth.Ask})
	if text := metrics(t, s.url, other); !strings.Contains(text, `understudy_refused_total{what="requests"} 1`) {
		t.Error(text)
	}
}

// TestAbuseReadersOfTheTree has one credential read the tree of a desktop that does not
// answer: each reading is a run, and is refused at the bound of calls.
func TestAbuseReadersOfTheTree(t *testing.T) {
	s := newSecured(t)
	s.desk.Delay("Tree", time.Hour)
	v := byhand.Visitor{Version: modern, Address: s.url + "/mcp", Header: s.holder(auth.Token{Name: "greedy", Mode: auth.Ask})}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var refused atomic.Int64
	for range httpd.MaxCalls/4 + 10 {
		all.Go(func() {
			res, err := v.Send(ctx, 1, "resources/read", byhand.Object{"uri": treeURI})
			if err == nil {
				if res.StatusCode == http.StatusTooManyRequests {
					refused.Add(1)
				}
				res.Body.Close()
			}
		})
	}
	scratch.Until(t, "ten readers are refused", func() bool { return refused.Load() == 10 })
	cancel()
	all.Wait()
	scratch.Until(t, "the runs end with their readers", func() bool { return len(s.engine.Active()) == 0 })
}
