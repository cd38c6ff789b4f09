//go:build linux

package attack

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// markup are names that a page would take for its own.
var markup = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "{{.}}", "</title><svg onload=alert(1)>", "javascript:alert(1)", "</script><script>alert(1)//", "'-alert(1)-'", "<a href=javascript:alert(1)>", "<!--", "]]>",
	"<iframe srcdoc='<script>'>", "&lt;script&gt;", "\u202egnp.exe", "\u2066x", "<style>@import'//evil.example'</style>", "<base href=//evil.example>", "<form action=//evil.example>", "<meta http-equiv=refresh content=0>",
}

// foreign matches markup that is none of our pages.
var foreign = regexp.MustCompile(`(?i)<script>alert|<img src=x|<svg onload|<iframe|<a [^>]*href=["']?javascript:|<base|<meta http-equiv|<style>@import|<form [^>]*action=["']?//evil`)

// isolated matches what the browser orders by itself, as it does the cell of a table: direction marks in it turn
// nothing around it.
var isolated = regexp.MustCompile(`(?s)<(bdi|pre)>.*?</(bdi|pre)>|<td><code>.*?</code></td>`)

// pages have runs whose names, messages, logs, ids, inputs and clients are called
// so that they would be markup in the pages.
func pages(a *arena) func() {
	token := a.token("laptop", "--mode", "act")
	a.environ = append(a.environ, "UNDERSTUDY_MAX_CONCURRENT=64") // a busy server refuses, and shows nothing
	site := a.serve("--toolsets", "all", "--root", a.work)
	c, wires := a.client(site, byhand.Modern, token), a.wires(strings.TrimPrefix(site, "http://"))
	return func() {
		a.parallel(100, func(r *rand.Rand) {
			evil := one(r, markup) + one(r, append(markup, Names...)) + fmt.Sprint(r.Uint32())
			status, res := a.call(c, "execute_sequence", byhand.Object{
				"name": evil, "description": evil, "variables": byhand.Object{"v": byhand.Object{"type": "string", "label": evil}}, "inputs": byhand.Object{"v": evil},
				"steps": []any{
					byhand.Object{"group_name": evil, "steps": []any{byhand.Object{"tool_name": "log", "arguments": byhand.Object{"message": "${{ v }}"}}}},
					byhand.Object{"tool_name": "set_env", "arguments": byhand.Object{"values": byhand.Object{evil: evil}}},
					one(r, []any{
						byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": evil}},
						byhand.Object{"tool_name": "ask_user", "arguments": byhand.Object{"question": evil, "context": evil}},
					}),
				},
			})
			run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
			if run == "" { // its arguments were refused
				first := res
				_, res = a.call(c, "execute_sequence", byhand.Object{"name": evil, "steps": []any{byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": strings.ReplaceAll(evil, "{{.}}", "")}}}})
				if run, _ = byhand.Dig(res, "result", "structuredContent", "run_id").(string); run == "" {
					a.t.Errorf("no run of %q was begun: %v, then %v", evil, first, res)
				}
			}
			for _, path := range []string{"/runs", "/runs/" + run, "/runs/" + run + "/page", "/runs?status=%3Cscript%3Ealert(1)%3C/script%3E", "/runs?workflow=%22%3E%3Cimg%20src=x%3E", "/runs/%3Cscript%3Ealert(1)", "/captures/%3Cimg%20src=x%3E"} {
				w := wires.Get().(*wire)
				res, body, err := w.send(written("GET", path, "", "Host", w.address, "Authorization", "Bearer "+token))
				wires.Put(w)
				if err != nil {
					a.attempt(false, "%s: %v", path, err)
					continue
				}
				html := strings.Contains(res.Header.Get("Content-Type"), "html")
				a.attempt(run != "" && (!html || !foreign.MatchString(body) && !strings.ContainsAny(isolated.ReplaceAllString(body, ""), "\u202e\u2066") && strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'")),
					"%d %q at %s: %s: %s", status, evil, path, res.Status, foreign.FindString(body)+around(isolated.ReplaceAllString(body, "")))
			}
			a.call(c, "stop_execution", byhand.Object{"run_id": run}) // it may wait for its answer
		})
	}
}

// around is what stands around the first direction mark.
func around(body string) string {
	i := strings.IndexAny(body, "\u202e\u2066")
	if i < 0 {
		return ""
	}
	return body[max(0, i-100):min(len(body), i+100)]
}

// stdio sends lines that are no messages to a server over its standard input: it
// answers, or not, and lives.
func stdio(a *arena) func() {
	return func() {
		cmd := a.command(a.t.Context(), ownerUID, "understudy", "mcp", "--root", a.work)
		in, err := cmd.StdinPipe()
		a.must(err)
		out, err := cmd.StdoutPipe()
		a.must(err)
		a.must(cmd.Start())
		lines := make(chan string, 1000)
		go func() {
			defer close(lines)
			for answers := bufio.NewReader(out); ; {
				line, err := answers.ReadString('\n')
				if err != nil {
					return
				}
				lines <- line
			}
		}()
		r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		lives := func(id int) bool {
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id); err != nil {
				return false
			}
			for late := time.After(time.Until(scratch.Deadline(a.t))); ; {
				select {
				case line, ok := <-lines:
					if !ok || strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) {
						return ok
					}
				case <-late:
					return false
				}
			}
		}
		_, err = io.WriteString(in, packed(byhand.Message("2025-11-25", byhand.Object{}, 1, "initialize", byhand.Greeting("2025-11-25", byhand.Object{})))+"\n")
		a.must(err)
		for i := 0; i < smallestRound || i < 500 && !a.over(); i++ {
			line := one(r, Messages)
			if r.IntN(10) > 0 {
				line = mutated(r)
			}
			_, _ = io.WriteString(in, strings.ReplaceAll(line, "\n", " ")+"\n")
			held := lives(1_000_000 + i)
			if a.attempt(held, "after %.300q it answers no more", line); !held {
				break
			}
		}
		in.Close()
		a.must(cmd.Wait())
	}
}
