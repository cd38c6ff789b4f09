//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"

	"understudy/internal/testing/byhand"
)

// offered is what a server says of a kind of step.
type offered struct {
	Name, Toolset string
	Reads         bool
	Arguments     struct {
		Required   []string
		Properties map[string]struct {
			Type any
			Enum []any
		}
	}
}

// kindsOf asks a server for its kinds.
func (a *arena) kindsOf(v byhand.Visitor) (kinds []offered) {
	_, res := a.ask(v, "resources/read", byhand.Object{"uri": "understudy://kinds"})
	contents, _ := byhand.Dig(res, "result", "contents").([]any)
	var page struct{ Kinds []offered }
	a.must(json.Unmarshal(fmt.Append(nil, byhand.Dig(contents[0], "text")), &page))
	if len(page.Kinds) < 40 {
		a.t.Fatalf("there are %d kinds", len(page.Kinds))
	}
	return page.Kinds
}

// examples are those that the schema alone does not give.
var examples = map[string]byhand.Object{
	"run_command":   {"run": "touch taken"},
	"write_file":    {"path": "taken", "content": "x"},
	"edit_file":     {"path": "notes.txt", "old_string": "notes", "new_string": "taken"},
	"copy_content":  {"source_path": "notes.txt", "target_path": "taken"},
	"close_window":  {"title": "x"},
	"change_window": {"do": "activate", "title": "x"},
	"move_window":   {"title": "x", "x": 1, "y": 1},
	"mouse_drag":    {"selector": "role:button", "by_x": 1, "by_y": 1},
	"open_url":      {"url": "https://example.org"},
	"delay":         {"duration": "1ms"},

	"execute_browser_script": {"script": "1"},
	"navigate_browser":       {"url": "https://example.org"},
	"set_env":                {"values": byhand.Object{"x": 1}},
}

// example are arguments with which a kind would do something that is seen, or at
// least pass the check of its arguments.
func (k offered) example() byhand.Object {
	if args, ok := examples[k.Name]; ok {
		return maps.Clone(args)
	}
	args := byhand.Object{}
	if _, ok := k.Arguments.Properties["target"]; ok {
		args["target"] = "role:button"
	}
	for _, name := range k.Arguments.Required {
		p := k.Arguments.Properties[name]
		switch {
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case strings.Contains(fmt.Sprint(p.Type), "string"):
			args[name] = "x"
		case strings.Contains(fmt.Sprint(p.Type), "integer"), strings.Contains(fmt.Sprint(p.Type), "number"):
			args[name] = 1
		default:
			args[name] = true
		}
	}
	return args
}

// holders are the credentials that try, and what each may not do.
var holders = map[string]struct {
	flags []string
	not   func(offered) bool
}{
	"ask":        {[]string{"--mode", "ask"}, func(k offered) bool { return !k.Reads }},
	"ask-all":    {[]string{"--mode", "ask", "--runs", "all"}, func(k offered) bool { return !k.Reads }},
	"ask-core":   {[]string{"--mode", "ask", "--toolsets", "core"}, func(k offered) bool { return !k.Reads || beyond(k) }},
	"act-core":   {[]string{"--mode", "act", "--toolsets", "core"}, beyond},
	"act-flow":   {[]string{"--mode", "act", "--toolsets", "core,flow,vision", "--runs", "all"}, beyond},
	"act-files":  {[]string{"--mode", "act", "--toolsets", "core,files"}, func(k offered) bool { return k.Toolset == "shell" || k.Name == "get_clipboard" }},
	"boss-asks":  {[]string{"--mode", "ask", "--operator"}, func(k offered) bool { return !k.Reads }},
	"act-chosen": {[]string{"--mode", "act", "--toolsets", "desktop"}, func(k offered) bool { return k.Toolset == "shell" || k.Toolset == "files" }},
	"act-pages":  {[]string{"--mode", "act", "--toolsets", "core,browser"}, func(k offered) bool { return beyond(k) && k.Toolset != "browser" }},
}

// beyond says that a kind reaches beyond the desktop.
func beyond(k offered) bool {
	return k.Toolset == "shell" || k.Toolset == "files" || k.Name == "get_clipboard" || k.Name == "execute_browser_script"
}

// wayTo is a request that would have a kind done.
type wayTo func(r *rand.Rand, k offered, own string) (method string, params byhand.Object)

func sequence(args byhand.Object) (string, byhand.Object) {
	return byhand.Calling("execute_sequence", args)
}

// nested is a document with a step somewhere in it.
func nested(r *rand.Rand, step byhand.Object) byhand.Object {
	harmless := byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": "1ms"}}
	for range r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			step = byhand.Object{"group_name": "g", "steps": []any{step}}
		case 1:
			step = byhand.Object{"foreach": []any{1}, "as": fmt.Sprintf("x%d", r.Uint32()), "steps": []any{harmless, step}}
		case 2:
			step = byhand.Object{"while": "true", "max": 1, "steps": []any{step}}
		default:
			step = byhand.Object{"group_name": "h", "skippable": true, "if": "true", "steps": []any{step}}
		}
	}
	switch r.IntN(5) {
	case 0:
		return byhand.Object{"steps": []any{harmless}, "finally": []any{step}}
	case 1:
		step["id"] = "shoot"
		return byhand.Object{"steps": []any{byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": "x"}, "fallback_id": "shoot"}}, "troubleshooting": []any{step}}
	case 2:
		return byhand.Object{"steps": []any{byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": "x"}, "retry": byhand.Object{"attempts": 2, "before": []any{step}}}}}
	}
	return byhand.Object{"steps": []any{harmless, step}}
}

func stepOf(k offered) byhand.Object {
	return byhand.Object{"tool_name": k.Name, "arguments": k.example()}
}

// waysTo are the ways over MCP; own is a run of the client that stands still.
var waysTo = map[string]wayTo{
	"by its name": func(_ *rand.Rand, k offered, _ string) (string, byhand.Object) {
		return byhand.Calling(k.Name, k.example())
	},
	"in a document": func(r *rand.Rand, k offered, _ string) (string, byhand.Object) {
		return sequence(nested(r, stepOf(k)))
	},
	"in a document that goes on by itself": func(r *rand.Rand, k offered, _ string) (string, byhand.Object) {
		d := nested(r, stepOf(k))
		d["wait"], d["on_disconnect"] = false, "continue"
		return sequence(d)
	},
	"by a saved workflow": func(r *rand.Rand, k offered, _ string) (string, byhand.Object) {
		return sequence(byhand.Object{"url": "of_" + k.Name})
	},
	"by a call of a saved workflow": func(r *rand.Rand, k offered, _ string) (string, byhand.Object) {
		return sequence(nested(r, byhand.Object{"workflow": "of_" + k.Name}))
	},
	"by saving it": func(r *rand.Rand, k offered, _ string) (string, byhand.Object) {
		text, _ := json.Marshal(nested(r, stepOf(k)))
		return byhand.Calling("save_workflow", byhand.Object{"name": "mine", "text": string(text), "replace": true})
	},
	"by resuming a run with another document": func(r *rand.Rand, k offered, own string) (string, byhand.Object) {
		return byhand.Calling("resume_run", byhand.Object{"run_id": own, "workflow": nested(r, stepOf(k))})
	},
}

// rights are tries of clients to have a kind done that they may not do: every kind,
// by every way, with credentials that are narrower than the server, in every
// version, with headers that say otherwise.
func rights(a *arena) func() {
	a.put(a.work+"/notes.txt", "notes")
	boss, tokens := a.token("boss", "--mode", "act", "--runs", "all"), map[string]string{}
	for name, h := range holders {
		tokens[name] = a.token(append([]string{name}, h.flags...)...)
	}
	a.environ = append(a.environ, "UNDERSTUDY_MAX_CONCURRENT=64") // a busy server refuses too, and shows nothing
	site := a.serve("--toolsets", "all", "--root", a.work)
	all := a.client(site, byhand.Modern, boss)
	kinds := a.kindsOf(all)
	for _, k := range kinds {
		text, _ := json.Marshal(byhand.Object{"steps": []any{stepOf(k)}})
		if _, res := a.call(all, "save_workflow", byhand.Object{"name": "of_" + k.Name, "text": string(text)}); res["error"] != nil || byhand.IsError(res) {
			a.t.Errorf("saving %s: %v", text, res)
		}
	}
	clients, own := map[string][]byhand.Visitor{}, map[string]string{}
	for name, token := range tokens {
		for _, version := range byhand.HTTPVersions {
			clients[name] = append(clients[name], a.client(site, version, token))
		}
		_, res := a.call(clients[name][0], "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": "x"}}}})
		own[name] = fmt.Sprint(byhand.Dig(res, "result", "structuredContent", "run_id"))
	}
	type try struct {
		k         offered
		way, name string
	}
	var tries []try
	for _, k := range kinds {
		for name, h := range holders {
			for way := range waysTo {
				if h.not(k) {
					tries = append(tries, try{k, way, name})
				}
			}
		}
	}
	return func() {
		rand.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
		a.parallel(len(tries), func(r *rand.Rand) {
			c := one(r, tries)
			v := one(r, clients[c.name])
			if v.Header = v.Header.Clone(); r.IntN(2) == 0 {
				v.Header.Set(one(r, []string{"X-MCP-Toolsets", "X-Understudy-Mode", "X-MCP-Readonly", "X-Understudy-Exchange"}), one(r, []string{"all", "act", "core,shell,files", "false", "x"}))
			}
			if v.Session == "" && r.IntN(4) == 0 {
				v.Address += "/ask"
			}
			method, params := waysTo[c.way](r, c.k, own[c.name])
			status, res := a.ask(v, method, params)
			text := fmt.Sprint(res)
			a.attempt(status != 0 && (strings.Contains(text, "is not allowed") || strings.Contains(text, "there is no toolset") || status == http.StatusForbidden || unseen(c.way, text)), "%s %s, for %s in %s: %d %v", c.k.Name, c.way, c.name, v.Version, status, text)
		})
		if left := a.left(a.work); len(left) > 1 {
			a.attempt(false, "somebody made %v", left)
		}
		a.serves(all)
	}
}

func noNode() string {
	if _, err := exec.LookPath("node"); err != nil {
		return "needs Node.js"
	}
	return ""
}

// scriptCalls are confined scripts of a client that have a kind done which the client may not
// use, or which would start a program outside the sandbox.
func scriptCalls(a *arena) func() {
	token := a.token("scripts", "--mode", "act", "--toolsets", "core,shell")
	a.environ = append(a.environ, fmt.Sprintf("UNDERSTUDY_MAX_CONCURRENT=%d", 2*attackers))
	site := a.serve("--toolsets", "all", "--root", a.work, "--display", "virtual")
	c := a.client(site, byhand.Modern, token)
	var tries []offered
	for _, k := range a.kindsOf(a.client(site, byhand.Modern, a.token("boss", "--mode", "act"))) {
		if beyond(k) || slices.Contains([]string{"open_application", "open_url", "navigate_browser"}, k.Name) {
			tries = append(tries, k)
		}
	}
	wraps := []string{"return await %s", "return await Promise.any([%s, %[1]s])", "try { return await %s } catch (e) { return %[1]s }", "await Promise.allSettled([%s, %[1]s]); return await %[1]s"}
	return func() {
		a.parallel(40, func(r *rand.Rand) {
			k := one(r, tries)
			args, _ := json.Marshal(k.example())
			call := fmt.Sprintf("desktop.call(%q, %s)", k.Name, args)
			_, res := a.call(c, "run_command", byhand.Object{"engine": "javascript", "run": fmt.Sprintf(one(r, wraps), call)})
			text := fmt.Sprint(res)
			held := byhand.IsError(res) && (strings.Contains(text, "is not allowed") || strings.Contains(text, "starts no programs") || strings.Contains(text, "a script can use the kinds") || strings.Contains(text, "All promises were rejected"))
			a.attempt(held, "%s: %v", call, res)
		})
		if left := a.left(a.work); len(left) > 0 {
			a.attempt(false, "a script made %v", left)
		}
	}
}

// unseen says that the saved workflow of another is not there for a client.
func unseen(way, text string) bool {
	return strings.Contains(way, "saved workflow") && (strings.Contains(text, "there is no such document") || strings.Contains(text, "there is no saved workflow"))
}
