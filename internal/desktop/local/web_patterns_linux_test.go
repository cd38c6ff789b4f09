package local_test

import (
	"testing"

	"understudy/steps/kinds"
)

// patternsPage has the patterns of the WAI-ARIA Authoring Practices as pages make them: of
// elements without a meaning of their own, with roles, states and keys.
const patternsPage = `<!doctype html><title>Patterns</title><meta charset="utf-8">
<style>
	[hidden] { display: none !important } ul { margin: 0; padding: 0; list-style: none } section { border-bottom: 1px solid silver; padding: 6px }
	[role=menuitem], [role=option], [role=tab], [role=gridcell], [role=treeitem] > span { padding: 2px 8px } [role=tab] { display: inline-block }
	.menubar > li { display: inline-block; position: relative } .menubar ul { position: absolute; left: 0; top: 100%; background: white; border: 1px solid; z-index: 2; width: 120px }
	.rail { position: relative; width: 220px; height: 20px; background: silver } .thumb { position: absolute; top: 0; width: 12px; height: 20px; background: navy }
	.upright { position: relative; width: 20px; height: 110px; background: silver } .upright > * { position: absolute; left: 0; width: 20px; height: 10px; background: navy }
	#many { height: 66px; width: 160px; overflow: auto; border: 1px solid } .aria { border: 1px solid; display: inline-block; width: 14px; height: 14px }
	#shade { position: fixed; inset: 0; background: rgba(0, 0, 0, .4); z-index: 5 } #shade > div { background: white; width: 300px; margin: 100px auto; padding: 20px }
	.tip { position: absolute; background: black; color: white; padding: 4px }
</style>
<section><h3><button id="acc" aria-expanded="false" aria-controls="accp">Billing</button></h3><div id="accp" role="region" hidden><label>Street <input id="street"></label></div></section>
<section><button id="askdel">Discard</button><div id="shade" hidden><div role="alertdialog" aria-modal="true" aria-labelledby="dl"><h2 id="dl">Discard all?</h2><button id="no">Keep</button> <button id="yes">Discard</button></div></div></section>
<section><nav aria-label="Breadcrumb"><ol><li style="display: inline"><a href="#shop">Shop</a> / </li><li style="display: inline"><a href="#here" aria-current="page">Here</a></li></ol></nav></section>
<section aria-roledescription="carousel" aria-label="Pictures"><button aria-label="Next Slide" id="next">&gt;</button> <div role="group" aria-roledescription="slide" id="slide" aria-label="1 of 3">One</div></section>
<section><div role="checkbox" aria-checked="mixed" tabindex="0" id="all"><span class="aria"></span> All condiments</div> <div role="checkbox" aria-checked="false" tabindex="0" id="salt"><span class="aria"></span> Salt</div></section>
<section><label for="state">State</label> <input role="combobox" id="state" aria-autocomplete="list" aria-expanded="false" aria-controls="states" autocomplete="off"><button tabindex="-1" aria-label="States" aria-controls="states" aria-expanded="false" id="drop">v</button>
	<ul role="listbox" id="states" aria-label="States" hidden></ul></section>
<section><button id="pick" aria-haspopup="dialog">Choose Date</button> <input id="date" aria-label="Date"><div role="dialog" aria-label="Choose Date" id="cal" hidden><table role="grid" aria-label="June"><tr><td role="gridcell" tabindex="-1">1<td role="gridcell" tabindex="-1">2<td role="gridcell" tabindex="-1" aria-disabled="true">3<td role="gridcell" tabindex="0">14</table></div></section>
<section><div role="grid" aria-label="Ledger"><div role="row"><span role="columnheader">Day</span> <span role="columnheader">Sum</span></div><div role="row"><span role="gridcell" tabindex="0">Monday</span> <span role="gridcell" tabindex="-1">10</span></div><div role="row"><span role="gridcell" tabindex="-1">Tuesday</span> <span role="gridcell" tabindex="-1">20</span></div></div></section>
<section><ul role="listbox" aria-label="Elements" tabindex="0" id="many"></ul><div role="listbox" aria-label="Features" aria-multiselectable="true" tabindex="0" id="multi"><div role="option" aria-selected="false">Seats</div><div role="option" aria-selected="false">Roof</div></div></section>
<section><ul role="menubar" class="menubar" aria-label="Editor"><li role="none"><span role="menuitem" tabindex="0" aria-haspopup="true" aria-expanded="false">Font</span><ul role="menu" aria-label="Font" hidden><li role="menuitemradio" aria-checked="true" tabindex="-1">Sans</li><li role="menuitemradio" aria-checked="false" tabindex="-1">Serif</li></ul></li>
	<li role="none"><span role="menuitem" tabindex="-1" aria-haspopup="true" aria-expanded="false">Style</span><ul role="menu" aria-label="Style" hidden><li role="menuitemcheckbox" aria-checked="false" tabindex="-1">Bold</li><li role="none"><span role="menuitem" tabindex="-1" id="plain">Plain</span></li></ul></li></ul></section>
<section><button id="actions" aria-haspopup="true" aria-expanded="false" aria-controls="acts">Actions</button><ul role="menu" id="acts" tabindex="-1" aria-labelledby="actions" hidden><li role="menuitem" tabindex="-1">Action 1</li><li role="menuitem" tabindex="-1">Action 2</li></ul></section>
<section><div role="meter" aria-label="Battery" aria-valuemin="0" aria-valuemax="100" aria-valuenow="42"><span>42</span></div> <div role="radiogroup" aria-label="Crust"><div role="radio" aria-checked="false" tabindex="0"><span class="aria"></span> Regular</div><div role="radio" aria-checked="false" tabindex="-1"><span class="aria"></span> Deep dish</div></div></section>
<section><div class="rail"><div class="thumb" role="slider" tabindex="0" aria-label="Red" aria-valuemin="0" aria-valuemax="255" aria-valuenow="128" id="red"></div></div>
	<div class="rail" style="margin-top: 4px"><div class="thumb" role="slider" tabindex="0" aria-label="Least" aria-valuemin="0" aria-valuemax="300" aria-valuenow="100" data-step="10" id="least"></div><div class="thumb" role="slider" tabindex="0" aria-label="Most" aria-valuemin="100" aria-valuemax="400" aria-valuenow="250" data-step="10" id="most"></div></div>
	<div class="upright"><div role="slider" tabindex="0" aria-orientation="vertical" aria-label="Heat" aria-valuemin="50" aria-valuemax="100" aria-valuenow="68" aria-valuetext="68 degrees" id="heat"></div></div></section>
<section><div role="spinbutton" tabindex="0" aria-label="Day" aria-valuenow="1" aria-valuemin="1" aria-valuemax="31" aria-valuetext="first" id="day" style="width: 60px; border: 1px solid">first</div> <button role="switch" aria-checked="false" id="notify">Notifications</button> <label><input type="checkbox" role="switch" id="sound"> Sound</label></section>
<section><div role="tablist" aria-label="Danes"><button role="tab" aria-selected="true" aria-controls="tp1" id="t1">Maria</button><button role="tab" aria-selected="false" tabindex="-1" aria-controls="tp2" id="t2">Carl</button></div><div role="tabpanel" id="tp1" aria-labelledby="t1">About Maria</div><div role="tabpanel" id="tp2" aria-labelledby="t2" hidden>About Carl</div></section>
<section><div role="toolbar" aria-label="Format"><button aria-pressed="false" id="bold">Bold text</button><button role="radio" aria-checked="false" id="left">Text Align Left</button></div> <button id="tipped" aria-describedby="tip">Help me</button><div role="tooltip" id="tip" class="tip" hidden>Shows help</div></section>
<section><ul role="tree" aria-label="Files"><li role="treeitem" aria-expanded="false" tabindex="0"><span>Projects</span><ul role="group" hidden><li role="treeitem" tabindex="-1"><span>plan.docx</span></li><li role="treeitem" aria-expanded="false" tabindex="-1"><span>Deep</span><ul role="group" hidden><li role="treeitem" tabindex="-1"><span>leaf.txt</span></li></ul></li></ul></li><li role="treeitem" tabindex="-1"><span>readme</span></li></ul></section>
<section><table role="treegrid" aria-label="Inbox"><tr role="row" aria-level="1" aria-expanded="false" tabindex="0" id="mail"><td role="gridcell">Treegrids are fine</td><td role="gridcell"><a href="#m">aa@example.org</a></td></tr><tr role="row" aria-level="2" tabindex="-1" hidden id="reply"><td role="gridcell">Re: fine</td><td role="gridcell">bb</td></tr></table></section>
<section style="display: flex; height: 60px"><div id="pane" style="width: 100px; background: silver"></div><div role="separator" tabindex="0" aria-label="Panes" aria-valuenow="50" aria-valuemin="0" aria-valuemax="100" id="split" style="width: 8px; background: navy"></div><div>Right</div></section>
<section><label style="display: inline-block; width: 70px" for="wraps">A <b id="wl">label that wraps</b> here</label><input type="checkbox" id="wraps"> <ul role="listbox" aria-label="Wrapped" style="width: 60px"><li role="option" aria-selected="false">A <span>very long</span></li></ul> <p style="width: 110px">Some text with <a href="#wrapped">a link that wraps over lines</a> in it</section>
<script>
	const tell = what => navigator.sendBeacon("/", what), id = x => document.getElementById(x), all = (s, e) => [...(e || document).querySelectorAll(s)]
	const flip = (e, a) => e.setAttribute(a, e.getAttribute(a) == "true" ? "false" : "true")
	acc.onclick = () => { flip(acc, "aria-expanded"); accp.hidden = !accp.hidden; tell("accordion " + !accp.hidden) }
	street.onchange = () => tell("street " + street.value)
	askdel.onclick = () => { shade.hidden = false; no.focus() }; no.onclick = () => { shade.hidden = true; tell("kept") }; yes.onclick = () => { shade.hidden = true; tell("discarded") }
	addEventListener("hashchange", () => tell(location.hash))
	let at = 1; next.onclick = () => { at = at % 3 + 1; slide.setAttribute("aria-label", at + " of 3"); slide.textContent = ["One", "Two", "Three"][at - 1]; tell("slide " + at) }
	for (const c of all("div[role=checkbox]")) { const go = () => { flip(c, "aria-checked"); tell(c.id + " " + c.getAttribute("aria-checked")) }; c.onclick = go; c.onkeydown = e => { if (e.key == " ") { e.preventDefault(); go() } } }
	const names = ["Alabama", "Alaska", "Arizona", "Colorado"]
	const open = yes => { states.hidden = !yes; state.setAttribute("aria-expanded", yes) }
	const fill = () => { states.textContent = ""; for (const n of names.filter(n => n.toLowerCase().startsWith(state.value.toLowerCase()))) { const o = document.createElement("li"); o.setAttribute("role", "option"); o.id = "o" + n; o.textContent = n; o.onclick = () => { state.value = n; open(false); tell("state " + n) }; states.append(o) } }
	state.oninput = () => { fill(); open(states.children.length > 0) }; state.onclick = drop.onclick = () => { fill(); open(states.hidden) }
	state.onkeydown = e => { if (e.key == "ArrowDown") { fill(); open(true) } else if (e.key == "Escape") { open(false) } else if (e.key == "Enter" && states.firstChild) states.firstChild.click() }
	pick.onclick = () => cal.hidden = false; for (const d of all("td", cal)) d.onclick = () => { if (d.getAttribute("aria-disabled")) return; date.value = d.textContent + " June"; cal.hidden = true; tell("date " + d.textContent) }
	for (const c of all("[aria-label=Ledger] [role=gridcell]")) c.onfocus = () => tell("cell " + c.textContent)
	for (let i = 1; i <= 26; i++) { const o = document.createElement("li"); o.setAttribute("role", "option"); o.id = "e" + i; o.textContent = "Element " + i; many.append(o) }
	const choose = o => { all("[role=option]", o.parentNode).forEach(x => x.setAttribute("aria-selected", x == o)); o.parentNode.setAttribute("aria-activedescendant", o.id); tell("option " + o.textContent) }
	many.onclick = e => choose(e.target)
	multi.onclick = e => { flip(e.target, "aria-selected"); tell(e.target.textContent + " " + e.target.getAttribute("aria-selected")) }
	for (const m of all(".menubar > li")) { const b = m.firstElementChild, l = m.lastElementChild; b.onclick = () => { all(".menubar ul").forEach(x => x.hidden = x != l || !l.hidden); b.setAttribute("aria-expanded", !l.hidden) }
		l.onclick = e => { const i = e.target; if (i.getAttribute("role") == "menuitemradio") all("[role=menuitemradio]", l).forEach(x => x.setAttribute("aria-checked", x == i)); else if (i.hasAttribute("aria-checked")) flip(i, "aria-checked"); l.hidden = true; tell("menu " + i.textContent) } }
	actions.onclick = () => { acts.hidden = !acts.hidden; actions.setAttribute("aria-expanded", !acts.hidden); if (!acts.hidden) acts.firstElementChild.focus() }
	for (const i of acts.children) { i.onmouseover = () => i.focus(); i.onclick = () => { acts.hidden = true; actions.setAttribute("aria-expanded", false); tell(i.textContent) } }
	for (const r of all("[role=radiogroup] > div")) r.onclick = () => { all("[role=radiogroup] > div").forEach(x => x.setAttribute("aria-checked", x == r)); tell("crust " + r.textContent.trim()) }
	for (const s of all("[role=slider], [role=spinbutton], [role=separator]")) {
		const get = a => +s.getAttribute("aria-value" + a), place = () => { const part = (get("now") - get("min")) / (get("max") - get("min")); if (s.className == "thumb") s.style.left = part * 200 + "px"; if (s.id == "heat") s.style.bottom = part * 100 + "px"; if (s.id == "split") pane.style.width = part * 200 + "px" }
		const set = v => { v = Math.max(get("min"), Math.min(get("max"), v)); s.setAttribute("aria-valuenow", v); if (s.hasAttribute("aria-valuetext")) s.setAttribute("aria-valuetext", s.id == "day" ? "day " + v : v + " degrees"); if (s.id == "day") s.textContent = "day " + v; place(); tell(s.id + " " + v) }
		const step = +(s.dataset.step || 1); place()
		s.onkeydown = e => { const d = {ArrowRight: step, ArrowUp: s.id == "split" ? 0 : step, ArrowLeft: -step, ArrowDown: s.id == "split" ? 0 : -step}[e.key]; if (d) { e.preventDefault(); set(get("now") + d) } else if (e.key == "Home") set(get("min")); else if (e.key == "End") set(get("max")) }
	}
	notify.onclick = () => { flip(notify, "aria-checked"); tell("notify " + notify.getAttribute("aria-checked")) }; sound.onchange = () => tell("sound " + sound.checked)
	for (const t of all("[role=tab]")) { const show = () => { all("[role=tab]").forEach(x => { const on = x == t; x.setAttribute("aria-selected", on); x.tabIndex = on ? 0 : -1; id(x.getAttribute("aria-controls")).hidden = !on }); tell("tab " + t.textContent) }; t.onclick = show; t.onkeydown = e => { if (e.key == "ArrowLeft" || e.key == "ArrowRight") { const o = t.nextElementSibling || t.previousElementSibling; o.focus(); o.click() } } }
	bold.onclick = () => { flip(bold, "aria-pressed"); tell("bold " + bold.getAttribute("aria-pressed")) }; left.onclick = () => { left.setAttribute("aria-checked", "true"); tell("left") }
	tipped.onmouseenter = tipped.onfocus = () => tip.hidden = false; tipped.onmouseleave = tipped.onblur = () => tip.hidden = true; tipped.onclick = () => tell("helped")
	for (const i of all("[role=tree] [role=treeitem]")) i.onclick = e => { e.stopPropagation(); const g = i.querySelector("ul"); if (g) { g.hidden = !g.hidden; i.setAttribute("aria-expanded", !g.hidden) } all("[role=treeitem]").forEach(x => x.setAttribute("aria-selected", x == i)); tell("tree " + i.firstElementChild.textContent) }
	mail.onclick = () => { reply.hidden = !reply.hidden; mail.setAttribute("aria-expanded", !reply.hidden); tell("mail " + !reply.hidden) }
	wraps.onchange = () => tell("wraps " + wraps.checked); all("[aria-label=Wrapped] > li")[0].onclick = e => tell("wrapped")
</script>`

// Each pattern is operated by the kinds that its user would take, and the page says what came of it.
func TestAtLengthPatternsOfTheAuthoringPracticesAreOperated(t *testing.T) {
	p := showPage(t, patternsPage)
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:acc", "timeout_ms": 60_000.0})
	p.acts(patternActs())
}

// patternActs are what is done to each pattern, which is named before the colon.
func patternActs() []pageAct {
	click, is := kinds.ClickElement, kinds.ValidateElement
	key := func(name string) map[string]any { return map[string]any{"key": name} }
	return []pageAct{
		{"accordion: its button", click, "role:button && name:Billing", nil, "accordion true"},
		{"accordion: a field in it", kinds.TypeIntoElement, "role:entry && name:Street", map[string]any{"text_to_type": "Main{Tab}"}, "street Main"},
		{"accordion: by the key", kinds.PressKey, "role:button && name:Billing", map[string]any{"key": "enter"}, "accordion false"},
		{"alert dialog: opened", click, "id:askdel", nil, ""},
		{"alert dialog: answered", click, "role:alertdialog >> role:button && name:Keep", nil, "kept"},
		{"alert dialog: opened by the key", kinds.PressKey, "id:askdel", key("enter"), ""},
		{"alert dialog: answered by the key", kinds.PressKey, "role:alertdialog >> role:button && name:Discard", key("space"), "discarded"},
		{"breadcrumb: a link", click, "role:link && name:Shop", nil, "#shop"},
		{"breadcrumb: by the key", kinds.PressKey, "role:link && name:Here", key("enter"), "#here"},
		{"carousel: the next", click, "name:Next Slide", nil, "slide 2"},
		{"carousel: by the key", kinds.PressKey, "name:Next Slide", key("enter"), "slide 3"},
		{"checkbox: a mixed one", kinds.SetSelected, "role:checkbox && name:All condiments", map[string]any{"state": true}, "all true"},
		{"checkbox: set", kinds.SetSelected, "role:checkbox && name:Salt", map[string]any{"state": true}, "salt true"},
		{"checkbox: by the key", kinds.PressKey, "role:checkbox && name:Salt", map[string]any{"key": "space"}, "salt false"},
		{"combobox: an option", kinds.SelectOption, "role:combobox && name:State", map[string]any{"option_name": "Arizona"}, "state Arizona"},
		{"combobox: typed", kinds.TypeIntoElement, "role:combobox && name:State", map[string]any{"text_to_type": "Col{Enter}"}, "state Colorado"},
		{"combobox: another option after the list was filtered", kinds.SelectOption, "role:combobox && name:State", map[string]any{"option_name": "Alaska"}, "state Alaska"},
		{"date picker: opened", click, "name:Choose Date && role:button", nil, ""},
		{"date picker: a day", click, "name:Choose Date >> role:cell && name:14", nil, "date 14"},
		{"date picker: opened by the key", kinds.PressKey, "name:Choose Date && role:button", key("enter"), ""},
		{"date picker: another day", click, "name:Choose Date >> role:cell && name:2", nil, "date 2"},
		{"grid: a cell", click, "role:cell && name:Tuesday", nil, "cell Tuesday"},
		{"listbox: an option in view", click, "role:option && name:Element 2", nil, "option Element 2"},
		{"listbox: an option by its list", kinds.SelectOption, "role:listbox && name:Elements", map[string]any{"option_name": "Element 20"}, "option Element 20"},
		{"listbox: several", kinds.SetSelected, "name:Roof", map[string]any{"state": true}, "Roof true"},
		{"menubar: opened", click, "role:menuitem && name:Font", nil, ""},
		{"menubar: a radio item", click, "name:Serif", nil, "menu Serif"},
		{"menubar: the other menu", click, "role:menuitem && name:Style", nil, ""},
		{"menubar: a checked item", click, "name:Bold && !role:button", nil, "menu Bold"},
		{"menubar: by invoking", kinds.InvokeElement, "role:menuitem && name:Style", nil, ""},
		{"menubar: a plain item", click, "role:menuitem && name:Plain", nil, "menu Plain"},
		{"menu button: opened", click, "id:actions", nil, ""},
		{"menu button: an item", click, "role:menuitem && name:Action 2", nil, "Action 2"},
		{"menu button: opened by the key", kinds.PressKey, "id:actions", key("enter"), ""},
		{"menu button: another item", click, "role:menuitem && name:Action 1", nil, "Action 1"},
		{"meter: read", is, "role:progressbar && name:Battery", nil, ""},
		{"radio group: set", kinds.SetSelected, "role:radio && name:Deep dish", map[string]any{"state": true}, "crust Deep dish"},
		{"radio group: clicked", click, "role:radio && name:Regular", nil, "crust Regular"},
		{"slider: set", kinds.SetValue, "role:slider && name:Red", map[string]any{"value": 140.0}, "red 140"},
		{"slider (multi-thumb): the least", kinds.SetValue, "role:slider && name:Least", map[string]any{"value": 150.0}, "least 150"},
		{"slider (multi-thumb): the most", kinds.SetValue, "role:slider && name:Most", map[string]any{"value": "300"}, "most 300"},
		{"slider: upright, with a text", kinds.SetValue, "name:Heat", map[string]any{"value": 72.0}, "heat 72"},
		{"slider: by the key", kinds.PressKey, "name:Heat", map[string]any{"key": "home"}, "heat 50"},
		{"slider (multi-thumb): by the key", kinds.PressKey, "role:slider && name:Least", key("home"), "least 0"},
		{"spinbutton: with a text", kinds.SetValue, "name:Day && role:spinbutton", map[string]any{"value": 15.0}, "day 15"},
		{"spinbutton: by the key", kinds.PressKey, "name:Day && role:spinbutton", key("end"), "day 31"},
		{"switch: a button", kinds.SetSelected, "role:switch && name:Notifications", map[string]any{"state": true}, "notify true"},
		{"switch: a checkbox", kinds.SetSelected, "role:switch && name:Sound", map[string]any{"state": true}, "sound true"},
		{"switch: by the key", kinds.PressKey, "role:switch && name:Notifications", key("space"), "notify false"},
		{"switch: clicked", click, "role:switch && name:Sound", nil, "sound false"},
		{"tabs: clicked", click, "role:tab && name:Carl", nil, "tab Carl"},
		{"tabs: by the key", kinds.PressKey, "role:tab && name:Carl", map[string]any{"key": "left"}, "tab Maria"},
		{"toolbar: a toggle", kinds.SetSelected, "name:Bold text", map[string]any{"state": true}, "bold true"},
		{"toolbar: a radio", click, "role:radio && name:Text Align Left", nil, "left"},
		{"toolbar: by the key", kinds.PressKey, "name:Bold text", key("space"), "bold false"},
		{"tooltip: hovered", kinds.HoverElement, "name:Help me", nil, ""},
		{"tooltip: read", kinds.WaitForElement, "role:tooltip && text:Shows help", nil, ""},
		{"tooltip: what has it is clicked", click, "name:Help me", nil, "helped"},
		{"tooltip: what has it, by the key", kinds.PressKey, "name:Help me", key("enter"), "helped"},
		{"tree: opened", click, "role:treeitem && name:Projects", nil, "tree Projects"},
		{"tree: an item within", click, "role:treeitem && name:plan.docx", nil, "tree plan.docx"},
		{"tree: deeper", click, "role:treeitem && name:Deep", nil, "tree Deep"},
		{"tree: deepest", click, "role:treeitem && name:leaf.txt", nil, "tree leaf.txt"},
		{"treegrid: a row", click, "role:cell && name:Treegrids are fine", nil, "mail true"},
		{"treegrid: a row that it opened", is, "role:cell && name:Re: fine", nil, ""},
		{"window splitter: set", kinds.SetValue, "name:Panes", map[string]any{"value": 60.0}, "split 60"},
		{"window splitter: by the key", kinds.PressKey, "name:Panes", key("home"), "split 0"},
		{"wrapped text: a label", click, "role:label && text:label that wraps", nil, "wraps true"},
		{"wrapped text: an option", click, "role:option && name:A very long", nil, "wrapped"},
		{"wrapped text: a link", click, "role:link && name~:wraps over", nil, "#wrapped"},
	}
}
