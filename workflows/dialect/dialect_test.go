package dialect

import "testing"

func TestLooseNames(t *testing.T) {
	for _, c := range []struct{ say, was, now string }{
		{"alone", "name:Save", "name?:Save"},
		{"after other atoms", "role:Button|name:Save >> name:x && !name:y", "role:Button|name?:Save >> name?:x && !name?:y"},
		{"beside another element", "rightof:name:Age", "rightof:name?:Age"},
		{"in alternatives", "(name:a) || name:b, name:c", "(name?:a) || name?:b, name?:c"},
		{"not inside a value", "text:Your name: Ada", "text:Your name: Ada"},
		{"not where it says more", "name~:sav", "name~:sav"},
		{"nor twice", "name?:Save", "name?:Save"},
		{"with a value of the run", "role:Window|name:{{ title }}", "role:Window|name?:{{ title }}"},
	} {
		if got := LooseNames(c.was); got != c.now {
			t.Errorf("%s: %s becomes %s, want %s", c.say, c.was, got, c.now)
		}
	}
	const was, now = `!exists('role:Button|name:Save') && text("name:x") == 'name:y'`, `!exists('role:Button|name?:Save') && text("name?:x") == 'name:y'`
	if got := In(was, Loose); got != now {
		t.Errorf("an expression becomes %s, want %s", got, now)
	}
	const script, loosened = "await desktop.locator(`role:Button|name:${x}`).locator('name:y').type('name:z')", "await desktop.locator(`role:Button|name?:${x}`).locator('name?:y').type('name:z')"
	if got := In(script, Loose); got != loosened {
		t.Errorf("a script becomes %s, want %s", got, loosened)
	}
	const role, wide = `exists('role:Window') && count("role:Window") > 0`, `exists('(role:frame || role:dialog)') && count("role:Window") > 0`
	if got := In(role, Loose); got != wide {
		t.Errorf("a role in an expression becomes %s, want %s", got, wide)
	}
}

func TestWideRoles(t *testing.T) {
	for _, c := range []struct{ say, was, now string }{
		{"alone", "role:Window", "(role:frame || role:dialog)"},
		{"with a name", "role:Window|name:Quest", "(role:frame || role:dialog)|name:Quest"},
		{"one after the other", "role:Window >> role:Pane >> role:Text && name:x", "(role:frame || role:dialog) >> (role:panel || role:filler) >> (role:label || role:text) && name:x"},
		{"negated", "name:a && !role:Text", "name:a && !(role:label || role:text)"},
		{"in parentheses", "(role:Text && name:a) || (role:Text)", "((role:label || role:text) && name:a) || ((role:label || role:text))"},
		{"not as the beginning of a longer name", "role:Text Field", "role:Text Field"},
		{"not ours", "role:text >> role:frame", "role:text >> role:frame"},
		{"nor inside a value", "name:a role:Window", "name:a role:Window"},
	} {
		if got := WideRoles(c.was); got != c.now {
			t.Errorf("%s: %s becomes %s, want %s", c.say, c.was, got, c.now)
		}
	}
}

func TestWithoutFirst(t *testing.T) {
	known := func(id string) bool { return id != "called" }
	for was, now := range map[string]string{
		"a_result[0].x == 1 && b_result?.[0]?.y": "a_result.x == 1 && b_result?.y", "a_result[1].x": "a_result[1].x",
		"called_result[0].x": "called_result[0].x", "list[0].x": "list[0].x", "a-b_result[0]": "a-b_result",
	} {
		if got := WithoutFirst(was, known); got != now {
			t.Errorf("%s becomes %s, want %s", was, got, now)
		}
		if got := WithoutFirstIn("say a_result[0]: {{ "+was+" }}", known); got != "say a_result[0]: {{ "+now+" }}" {
			t.Errorf("in a template %s becomes %s, want %s", was, got, now)
		}
	}
}

func TestDuration(t *testing.T) {
	for was, now := range map[string]string{
		"10seconds": "10s", "2min": "2m", "0.5minutes": "0.5m", "250milliseconds": "250ms", "1 hour 5 secs": "1h 5s",
		"1s": "1s", "1m30s": "1m30s", "500": "500", "2 fortnights": "2 fortnights",
	} {
		if got := Duration(was); got != now {
			t.Errorf("%s becomes %s, want %s", was, got, now)
		}
	}
}

func TestPlain(t *testing.T) {
	for was, now := range map[string]string{
		"mcp_terminator-mcp-agent_click_element": "click_element", "mcp__terminator__click_element": "click_element",
		"mcp__terminator-mcp-agent__delay": "delay", "click_element": "click_element", "mcp_other_x": "mcp_other_x",
	} {
		if got := Plain(was); got != now {
			t.Errorf("%s becomes %s, want %s", was, got, now)
		}
	}
}
