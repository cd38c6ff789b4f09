//go:build linux

package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"understudy/mcpserver/viewer"
)

// forged is a call that would make a file, and a form that would stop a run.
const forged = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"taken.txt","content":"x"}}}`

// routes are the addresses of a server.
func routes() []string {
	paths := []string{"/", "/mcp", "/mcp/ask", "/mode", "/events", "/metrics", "/status", "/health", "/ready", "/nothing", "/runs/x/page", "/runs/x/document", "/runs/x/stop"}
	for _, p := range viewer.Paths() {
		paths = append(paths, p, p+"x")
	}
	return paths
}

// browser is what a page of another place makes the browser of the owner send.
func browser(a *arena) func() {
	site := a.serve("--toolsets", "all", "--root", a.work)
	address := strings.TrimPrefix(site, "http://")
	_, port, _ := strings.Cut(address, ":")
	paths, wires := routes(), a.wires(address)
	hosts := []string{
		"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:junk.evil.example", "127.0.0.1:" + port + ".evil.example", "evil.example:" + port,
		"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0.0.0.0:" + port, "[::]", "localhost.", "user@localhost", "localhost%00", "localhost/", "localhost,evil.example", "[localhost]x", "lоcalhost",
	}
	origins := []string{"https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "file://", "http://127.1:" + port, "http://", "localhost", "https://evil.example:" + port, "chrome-extension://abc", "http://0.0.0.0"}
	kinds := []string{"application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}
	return func() {
		a.parallel(8_000, func(r *rand.Rand) {
			host, method, path := address, one(r, []string{"GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT"}), one(r, paths)
			headers := []string{"Content-Type", one(r, kinds), "Accept", "application/json, text/event-stream"}
			switch r.IntN(4) {
			case 0:
				if host = one(r, hosts); r.IntN(2) == 0 {
					host = fmt.Sprintf("x%d.%s", r.Uint32(), host)
				}
			case 1:
				headers = append(headers, "Origin", one(r, origins))
			case 2:
				headers = append(headers, "Origin", "http://"+address, "Origin", one(r, origins))
			default:
				mode, dest := one(r, []string{"cors", "no-cors", "same-origin", "websocket"}), one(r, []string{"image", "script", "iframe", "empty", "document", "frame", "object"})
				if r.IntN(4) == 0 {
					mode, dest = "navigate", one(r, []string{"iframe", "frame", "object", "embed"})
				}
				headers = append(headers, "Sec-Fetch-Site", one(r, []string{"cross-site", "same-site"}), "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest)
			}
			body := ""
			if method != "GET" && method != "HEAD" {
				body = forged
			}
			text := written(method, path, body, append([]string{"Host", host}, headers...)...)
			w := wires.Get().(*wire)
			defer wires.Put(w)
			res, _, err := w.send(text)
			a.attempt(err == nil && (res.StatusCode == 403 || res.StatusCode == 400) && res.Header.Get("Access-Control-Allow-Origin") == "", "%s%v %v", text, res, err)
		})
		if left := a.left(a.work); len(left) > 0 {
			a.attempt(false, "a page made %v", left)
		}
	}
}
