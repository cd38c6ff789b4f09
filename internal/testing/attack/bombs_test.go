//go:build linux

package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"understudy/internal/testing/byhand"
)

// bombs are small and mean much, or go deep: they are refused, or done within
// their time, and nothing of them goes on.
func bombs(a *arena) func() {
	act := a.token("bomber", "--mode", "act")
	a.environ = append(a.environ, fmt.Sprintf("UNDERSTUDY_MAX_CONCURRENT=%d", 2*attackers))
	site := a.serve("--toolsets", "all", "--root", a.work)
	c, other := a.client(site, byhand.Modern, act), a.client(site, byhand.Modern, act)
	for i := range 30 {
		a.put(fmt.Sprintf("%s/%s%d.txt", a.work, strings.Repeat("a", i), i), strings.Repeat("a", 1000)+"!")
	}
	for i := range 12 { // each calls the one before it eight times
		steps := []any{byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": "1ms"}}}
		if i > 0 {
			steps = nil
			for range 8 {
				steps = append(steps, byhand.Object{"workflow": fmt.Sprintf("deep%d.json", i-1)})
			}
		}
		a.put(fmt.Sprintf("%s/deep%d.json", a.work, i), packed(byhand.Object{"steps": steps}))
	}
	return func() {
		a.parallel(400, func(r *rand.Rand) {
			tool, args := a.bomb(r)
			status, res := a.call(c, tool, args)
			a.attempt(res != nil && status != 0 && status < 500, "%s %.300s: %d %.300s", tool, packed(args), status, fmt.Sprint(res))
		})
		a.serves(other)
		a.unharmed()
	}
}

// bomb is a call of a tool.
func (a *arena) bomb(r *rand.Rand) (tool string, args byhand.Object) {
	n := 1 << (4 + r.IntN(13))
	text := func(s string) (string, byhand.Object) {
		return "validate_workflow", byhand.Object{"text": s[:min(len(s), 3<<20)]}
	}
	expression := func(s string) (string, byhand.Object) {
		return "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": "set_env", "arguments": byhand.Object{"values": byhand.Object{"x": "${{ " + s + " }}"}}, "timeout": "2s"}}}
	}
	switch r.IntN(16) {
	case 0:
		return text(laughs(2+r.IntN(28), 2+r.IntN(9)))
	case 1:
		return text("steps: " + strings.Repeat(one(r, []string{"[", "{a: ", "- ", "? ", "[[{"}), n))
	case 2:
		return text(`{"steps": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}")
	case 3:
		return text("steps: [{tool_name: log, if: '" + strings.Repeat(one(r, []string{"(", "!", "-", "[1", "{a: "}), n) + "1'}]")
	case 4:
		return text("steps: &a [*a]\n<<: *a\n")
	case 5:
		return text(`{"steps": [` + strings.Repeat("{}, ", n) + "{}]}")
	case 6:
		return expression(fmt.Sprintf("len(1..%d)", 1<<r.IntN(40)))
	case 7:
		return expression(fmt.Sprintf(`repeat("x", %d)`, 1<<r.IntN(36)))
	case 8:
		return expression(strings.Repeat("map(1..1000, ", 1+r.IntN(6)) + "1" + strings.Repeat(")", 6))
	case 9:
		return expression(`"` + strings.Repeat("a", n%4096) + `" matches "` + strings.Repeat("(a*)*", 1+r.IntN(20)) + `b"`)
	case 10:
		return "glob_files", byhand.Object{"pattern": strings.Repeat(one(r, []string{"{a,b}", "**/", "{a,{b,c}}", "*a*", "[a-z]"}), 1+r.IntN(60)), "timeout": "2s"}
	case 11:
		return "grep_files", byhand.Object{"pattern": strings.Repeat(one(r, []string{"(a*)*", "(a|aa)+", "a?", "(a{1,50}){1,50}", "((a)"}), 1+r.IntN(30)) + "$", "timeout": "2s"}
	case 12:
		return "execute_sequence", byhand.Object{"url": fmt.Sprintf("file://%s/deep%d.json", a.work, r.IntN(12)), "dry_run": true}
	case 13:
		return "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"workflow": fmt.Sprintf("deep%d.json", 5+r.IntN(7))}}, "dry_run": true}
	case 14:
		return "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"while": "true", "max": 1 << r.IntN(60), "steps": []any{byhand.Object{"tool_name": "log", "arguments": byhand.Object{"message": "x"}}}}}, "max_steps": 20}
	}
	return "validate_element", byhand.Object{"selector": strings.Repeat(one(r, []string{"role:button >> ", "role:button && ", "(", "near:", "name~:a"}), n/8) + "name:x"}
}

// laughs is a document of aliases of aliases.
func laughs(depth, width int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [lol]\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), width), ", "))
	}
	fmt.Fprintf(&b, "steps: *a%d\n", depth-1)
	return b.String()
}
