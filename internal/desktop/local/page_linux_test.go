package local_test

import (
	"maps"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// placesPage has buttons in the places that pages put them, each of which tells
// that it was clicked, and some that something lies over.
const placesPage = `<!doctype html><title>Places</title><meta charset="utf-8">
<style>
	.over { position: relative; width: 200px; height: 40px } .over > * { position: absolute; left: 0; top: 0; width: 200px; height: 40px }
	#absolute { position: absolute; right: 20px; top: 300px } #fixed { position: fixed; right: 20px; bottom: 20px }
	#scrolls { height: 80px; width: 300px; overflow: auto } #scrolls > div { height: 400px }
	#turned { transform: rotate(30deg) scale(1.2); margin: 30px } #round { width: 70px; height: 70px; border-radius: 50% } #pill { border-radius: 99px }
	#clips { width: 60px; overflow: hidden; white-space: nowrap } #clips > button { width: 200px }
	#half { position: relative; width: 200px } #half > div { position: absolute; right: 0; top: 0; width: 80px; height: 100%; background: silver }
</style><body>
<button>Plain</button> <button><span><b>With</b> parts</span></button> <button id="round">Round</button> <button id="pill">Pill</button> <div id="host"></div>
<iframe srcdoc="<button onclick='parent.tell(this.textContent)'>Framed</button>" width="150" height="50"></iframe>
<div><button id="absolute">Absolute</button></div> <button id="fixed">Fixed</button>
<div id="scrolls"><div></div><button>Scrolled</button></div> <button id="turned">Turned</button>
<div id="clips"><button>Clipped</button></div> <div id="half"><button style="width: 200px">Half</button><div></div></div>
<p><a href="#there">Linked</a> <label><input type="checkbox"> Ticked</label> <label>Read <input readonly></label></p>
<div role="menu" style="position: absolute; right: 20px; top: 200px"><div role="menuitem">Chosen</div></div>
<div class="over"><button>Seen through</button><div style="pointer-events: none; background: rgba(0, 0, 0, .1)"></div></div>
<div class="over"><button>Covered by a box</button><div></div></div>
<div class="over"><button>Covered by a button</button><button>Veil</button></div>
<div class="over"><button style="pointer-events: none">Not to be clicked</button></div>
<script>
	tell = what => navigator.sendBeacon("/", what)
	document.getElementById("host").attachShadow({mode: "open"}).innerHTML = "<button>Shadowed</button>"
	addEventListener("click", e => tell(e.composedPath()[0].closest("[role=menuitem], button, a, label, input, body").textContent || "input"))
</script>`

// Wherever a page puts a button, it is clicked once, or it is said what is
// there instead.
func TestAtLengthWhatAPageShowsIsClickedAndNothingElse(t *testing.T) {
	p := showPage(t, placesPage)
	click := func(selector string, timeout float64, more ...any) steps.Outcome {
		args := map[string]any{"selector": selector, "process": "chromium", "timeout_ms": timeout}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return p.tries(kinds.ClickElement, args)
	}
	want := map[string]int{}
	for _, row := range []struct {
		selector, tells string
		more            []any
	}{
		{"role:button && name:Plain", "Plain", nil},
		{"role:button && name:With parts", "With parts", nil},
		{"role:button && name:Round", "Round", nil},
		{"role:button && name:Pill", "Pill", nil},
		{"role:button && name:Shadowed", "Shadowed", nil},
		{"role:button && name:Framed", "Framed", nil},
		{"role:button && name:Absolute", "Absolute", nil},
		{"role:button && name:Fixed", "Fixed", nil},
		{"role:button && name:Scrolled", "Scrolled", nil},
		{"role:button && name:Turned", "Turned", nil},
		{"role:button && name:Clipped", "Clipped", []any{"click_position", map[string]any{"x_percentage": 10.0, "y_percentage": 50.0}}},
		{"role:button && name:Half", "Half", nil},
		{"role:link && name:Linked", "Linked", nil},
		{"role:checkbox && name:Ticked", "input", nil},
		{"role:menuitem && name:Chosen", "Chosen", nil},
		{"role:entry && name:Read", "input", nil},
		{"role:button && name:Seen through", "Seen through", nil},
		{"role:button && name:Veil", "Veil", nil},
	} {
		if o := click(row.selector, 60_000, row.more...); o.Err != nil {
			t.Errorf("%s was not clicked: %v", row.selector, o.Err)
			continue
		}
		want[row.tells]++
		p.expect(row.tells, want[row.tells])
	}
	for _, row := range []struct{ name, by string }{
		{"Covered by a box", "is not at"},
		{"Covered by a button", `is covered by button "Veil"`},
		{"Not to be clicked", "is not at"},
		{"Clipped", "is not at"}, // its middle is not
	} {
		p.eventually(row.name+" "+row.by, func() bool { // a busy page may not answer at first
			o := click("name:"+row.name, 1_000)
			if o.Err == nil || o.Acted != steps.ActedNo {
				t.Fatalf("%s: acted %s, %v; want that it %s", row.name, o.Acted, o.Err, row.by)
			}
			return steps.CodeOf(o.Err) == steps.NotActionable && strings.Contains(o.Err.Error(), row.by)
		})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !maps.Equal(p.told, want) {
		t.Errorf("the page told of %v, want %v", p.told, want)
	}
}

// userPage is where a user has selected a part of a text. Pressing F9, it tells
// what has the focus, and what is selected there.
const userPage = `<!doctype html><title>User</title>
<textarea id="notes" aria-label="Notes">0123456789</textarea> <input type="range" aria-label="Size" min="0" max="100" value="5"> <input aria-label="Name">
<script>
	notes.focus()
	addEventListener("keydown", e => {
		let a = document.activeElement
		if (e.key == "F9") navigator.sendBeacon("/", a.id + " " + a.selectionStart + "-" + a.selectionEnd)
	})
</script>`

// What a user has selected in a page stays selected while a call of its own
// acts beside it.
func TestASelectionInAPageStays(t *testing.T) {
	p := showPage(t, userPage)
	run := func(k steps.Kind, args map[string]any) {
		t.Helper()
		o := k.Run(t.Context(), &steps.Env{Desktop: p.Desktop, Try: steps.Try{KeepFocus: true}}, args)
		if o.Err != nil {
			t.Fatal(o.Err)
		}
	}
	f9 := map[string]any{"key": "f9", "process": "chromium"}
	run(kinds.WaitForElement, map[string]any{"selector": "role:slider && name:Size", "timeout_ms": 60_000.0})
	run(kinds.WaitForElement, map[string]any{"selector": "role:entry && name:Notes", "condition": "focused", "timeout_ms": 60_000.0})
	run(kinds.PressKeyGlobal, map[string]any{"key": "{Ctrl}{Home}"})
	for _, key := range []string{"right", "right", "shift+right", "shift+right", "shift+right"} {
		run(kinds.PressKeyGlobal, map[string]any{"key": key})
	}
	run(kinds.PressKeyGlobal, f9)
	p.expect("notes 2-5", 1)
	p.eventually("the browser tells of the selection, which it does late", func() bool {
		f, err := p.SaveFocus(t.Context())
		return err == nil && f.Selection == [2]int{2, 5}
	})
	run(kinds.SetValue, map[string]any{"selector": "role:slider && name:Size", "value": 40.0, "timeout_ms": 60_000.0})
	run(kinds.PressKeyGlobal, f9)
	p.expect("notes 2-5", 2)
}
