//go:build linux

package attack

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"understudy/internal/testing/byhand"
)

// floods send what is no message, changed messages, large bodies, halves of
// requests and more sessions than there may be: the server answers, another client
// is served, and nothing stays behind.
func floods(a *arena) func() {
	greedy, friend := a.token("greedy", "--mode", "ask"), a.token("friend", "--mode", "act")
	site := a.serve("--root", a.work)
	address := strings.TrimPrefix(site, "http://")
	wires, other := a.wires(address), a.client(site, byhand.Modern, friend)
	headers := []string{"Host", address, "Authorization", "Bearer " + greedy, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	send := func(text string) (int, error) {
		w := wires.Get().(*wire)
		defer wires.Put(w)
		res, _, err := w.send(text)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, nil
	}
	answered := func(status int) bool { return status != 0 && (status < 500 || status == http.StatusServiceUnavailable) }
	versions := append([]string{"", "9999-99-99", "\t"}, byhand.HTTPVersions...)
	var opened atomic.Int64
	return func() {
		a.parallel(2_000, func(r *rand.Rand) {
			body := one(r, Messages)
			if r.IntN(10) > 0 {
				body = mutated(r)
			}
			status, err := send(written("POST", one(r, []string{"/mcp", "/mcp/ask", "/mode"}), body+" ", append(headers, "Mcp-Protocol-Version", one(r, versions))...))
			a.attempt(answered(status), "%.300q: %d %v", body, status, err)
		})
		a.serves(other)
		a.parallel(200, func(r *rand.Rand) { // whoever says that more comes, or less, or sends a head that does not end
			n := r.IntN(8 << 20)
			text := one(r, []string{
				written("POST", "/mcp", strings.Repeat("x", n), headers...),
				fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n{", address, n+2),
				"GET /runs HTTP/1.1\r\nHost: " + address + "\r\nX: " + strings.Repeat("y", n%(1<<18)),
				"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{",
				"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
				"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked, chunked\r\n\r\n{}",
				strings.Repeat("\r\n", n%1000), "\x16\x03\x01\x02\x00\x01\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			})
			c, err := net.Dial("tcp", address)
			if err != nil {
				a.attempt(false, "the server takes no connection: %v", err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
			_, _ = io.WriteString(c, text) // the server may have closed it by now
			if r.IntN(2) == 0 {
				_ = c.(*net.TCPConn).SetLinger(0)
			} else {
				_ = c.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, c)
			}
			opened.Add(1)
		})
		served := a.serves(other)
		for range opened.Swap(0) {
			a.attempt(served, "requests that were broken off keep others out")
		}
		hello := byhand.Message("2025-11-25", byhand.Object{}, 1, "initialize", byhand.Greeting("2025-11-25", byhand.Object{}))
		a.parallel(1_000, func(*rand.Rand) {
			status, err := send(written("POST", "/mcp", packed(hello), headers...))
			a.attempt(status == http.StatusOK || status == http.StatusTooManyRequests, "a session: %d %v", status, err)
		})
		a.serves(a.client(site, "2025-11-25", friend))
		a.unharmed()
	}
}

// mutated is a message with changes.
func mutated(r *rand.Rand) string {
	method, params := byhand.Calling(one(r, []string{"list_runs", "get_run", "execute_sequence", "click_element", "no_such_tool"}), byhand.Object{"run_id": "x", "steps": []any{}})
	if r.IntN(3) == 0 {
		method, params = one(r, []string{"tools/list", "resources/read", "prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe", "ping", "initialize", "tasks/get"}), byhand.Object{"uri": "understudy://runs/x", "name": "x", "level": "x"}
	}
	text := packed(byhand.Message(one(r, byhand.Versions), byhand.Object{}, r.IntN(3), method, params))
	for range 1 + r.IntN(3) {
		i := r.IntN(len(text))
		switch r.IntN(6) {
		case 0:
			text = text[:i]
		case 1:
			text = text[:i] + string(rune(r.IntN(256))) + text[i:]
		case 2:
			text = text[:i] + one(r, []string{"null", "{}", "[]", "-1", "1e999", `"\u0000"`, strings.Repeat("[", 1000), `"x":`, "true"}) + text[i:]
		case 3:
			text = strings.Replace(text, one(r, []string{`"x"`, `"id"`, `"params"`, `"name"`, `"method"`}), one(r, []string{"7", "null", "{}", `"ID"`, `"\ud800"`}), 1)
		case 4:
			text = strings.Replace(text, one(r, []string{"{", "}", `"`, ":", ","}), "", 1)
		default:
			j := r.IntN(len(text))
			text = text[:min(i, j)] + text[max(i, j):]
		}
		if text == "" {
			return "{"
		}
	}
	return text
}
