package local_test

import (
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// hoverPage has icons that swap their picture when the pointer comes: one has no width for a
// moment, one gives way to another for good.
const hoverPage = `<!doctype html><title>Hover</title><meta charset="utf-8">
<div class="media" style="width: 300px"><span class="more" role="button" aria-label="More" style="display: inline-block; width: 20px; height: 20px; background: navy"></span> text</div>
<div class="media" style="width: 300px; margin-top: 80px"><span class="gone" role="button" aria-label="Gone" style="display: inline-block; width: 20px; height: 20px; background: navy"></span> text</div>
<script>
	const more = document.querySelector(".more"), gone = document.querySelector(".gone")
	more.onmouseenter = () => { more.onmouseenter = null; more.style.width = 0; setTimeout(() => more.style.width = "20px", 150) }
	gone.onmouseenter = () => { gone.style.width = 0 }
	addEventListener("mousedown", e => navigator.sendBeacon("/", "pressed " + e.target.className))
	addEventListener("click", e => navigator.sendBeacon("/", "clicked " + e.target.className))
</script>`

// What changes under the pointer as it arrives is looked at again before the button goes down.
func TestWhatAPageChangesOnArrivalIsLookedAtAgain(t *testing.T) {
	p := showPage(t, hoverPage)
	p.does(kinds.ClickElement, map[string]any{"process": "chromium", "selector": "name:More", "timeout_ms": 60_000.0})
	p.expect("clicked more", 1)
	o := p.tries(kinds.ClickElement, map[string]any{"process": "chromium", "selector": "name:Gone", "timeout_ms": 2_000.0})
	if steps.CodeOf(o.Err) != steps.NotActionable && steps.CodeOf(o.Err) != steps.NotFound || o.Acted != steps.ActedNo {
		t.Errorf("what gives way to the pointer: acted %s, %v; want that nothing is pressed", o.Acted, o.Err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for what := range p.told {
		if strings.HasSuffix(what, "media") {
			t.Errorf("the page was %s", what)
		}
	}
}

// widgetsPage has widgets as the patterns of WAI-ARIA have them, each in its smallest form.
const widgetsPage = `<!doctype html><title>Widgets</title><meta charset="utf-8">
<style>
	[role=option][aria-selected=true] { background: silver } [role=slider], [role=spinbutton] { display: inline-block; width: 60px; height: 18px; background: silver }
	#box { overflow: auto; height: 60px; width: 200px } #box button { display: block }
</style>
<div role="menu" style="position: relative; width: 80px; height: 20px"><div role="menuitem">File</div><div role="menu" style="position: absolute; left: 90px; top: 5px; background: white"><div role="menuitem" id="mi">Open</div></div></div>
<ul><li style="list-style: none">Behind the menu</li></ul>
<p><span id="fl">Fruit</span> <div role="combobox" tabindex="0" id="fruit" aria-labelledby="fl" aria-controls="fruits" aria-expanded="false" aria-haspopup="listbox" style="width: 120px; border: 1px solid">Choose</div>
<label>Land <input role="combobox" id="land" aria-controls="lands" aria-expanded="false" autocomplete="off"></label>
<div role="listbox" id="fruits" aria-labelledby="fl" hidden><div role="option">Apple</div><div role="option">Banana</div></div>
<div role="listbox" id="lands" aria-label="Lands" hidden><div role="option">Alaska</div><div role="option">Alabama</div></div>
<p><span role="slider" id="red" tabindex="0" aria-label="Red" aria-valuemin="0" aria-valuemax="255" aria-valuenow="128"></span> <span role="spinbutton" id="free" tabindex="0" aria-label="Free" aria-valuenow="3"></span>
<div role="switch" tabindex="0" aria-checked="false" id="lights" aria-label="Lights">Lights</div> <div role="feed" aria-label="News"><article tabindex="0">One</article></div>
<ul><li><div><b>Fiji</b> an island</div></li><li><div><b>Malta</b> another</div></li></ul>
<div class="thread old" onclick="tell(this.className)"><div>Amabelle</div></div>
<div id="box"></div>
<script>
	const tell = what => navigator.sendBeacon("/", what)
	mi.onclick = () => tell("menu")
	for (const [combo, list] of [[fruit, fruits], [land, lands]]) {
		const open = yes => { list.hidden = !yes; combo.setAttribute("aria-expanded", yes) }
		combo.onclick = () => open(list.hidden)
		combo.onkeydown = e => { if (e.key == "Escape") open(false) }
		for (const o of list.children) o.onmousedown = () => { combo.value === undefined ? combo.textContent = o.textContent : combo.value = o.textContent; open(false); tell(combo.id + " " + o.textContent) }
	}
	for (const s of [red, free]) s.onkeydown = e => {
		const step = {ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1}[e.key]
		if (step) { s.setAttribute("aria-valuenow", +s.getAttribute("aria-valuenow") + step); tell(s.id + " " + s.getAttribute("aria-valuenow")) }
	}
	lights.onclick = () => { lights.setAttribute("aria-checked", "true"); tell("lights") }
	for (let i = 1; i <= 30; i++) { const b = document.createElement("button"); b.textContent = "B" + i; b.onclick = () => tell(b.textContent); box.append(b) }
</script>`

// Widgets that a page makes by the patterns of WAI-ARIA are found, read and operated.
func TestAtLengthWidgetsThatAPageMakesAreOperated(t *testing.T) {
	p := showPage(t, widgetsPage)
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:lights", "timeout_ms": 60_000.0})
	p.acts([]pageAct{
		{"an item of a menu that lies outside of it is clicked", kinds.ClickElement, "id:mi", nil, "menu"},
		{"a combo box whose list is elsewhere takes an option", kinds.SelectOption, "id:fruit", map[string]any{"option_name": "Banana"}, "fruit Banana"},
		{"and so does one with a field", kinds.SelectOption, "id:land", map[string]any{"option_name": "Alabama"}, "land Alabama"},
		{"a slider that takes only keys is stepped up", kinds.SetValue, "id:red", map[string]any{"value": "140"}, "red 140"},
		{"and down", kinds.SetValue, "id:red", map[string]any{"value": "125"}, "red 125"},
		{"a number without limits is set", kinds.SetValue, "id:free", map[string]any{"value": "7"}, "free 7"},
		{"a switch is found as one", kinds.ClickElement, "role:switch && name:Lights", nil, "lights"},
		{"a feed is found as one", kinds.ValidateElement, "role:feed", nil, ""},
		{"a row is named by the words in it", kinds.ValidateElement, "role:listitem && text:Fiji", nil, ""},
		{"and so is anything with a class", kinds.ValidateElement, "classname:thread && text:Amabelle", nil, ""},
		{"what is scrolled away is there", kinds.WaitForElement, "name:B25", nil, ""},
		{"and is clicked", kinds.ClickElement, "name:B25", nil, "B25"},
		{"what is counted is the same after that", kinds.ClickElement, "role:document >> role:button && name~:B && nth:0", nil, "B1"},
		{"also if it is not in view", kinds.ClickElement, "role:document >> role:button && name~:B && nth:20", nil, "B21"},
	})
	o := p.tries(kinds.SelectOption, map[string]any{"process": "chromium", "selector": "id:fruit", "option_name": "Cherry", "timeout_ms": 5_000.0})
	if steps.CodeOf(o.Err) != steps.NotFound {
		t.Errorf("an option that is not there: %v", o.Err)
	}
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:fruits", "condition": "gone", "timeout_ms": 60_000.0}) // its list is closed
}
