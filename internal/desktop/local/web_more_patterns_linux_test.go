package local_test

import (
	"testing"

	"understudy/steps/kinds"
)

// morePatternsPage has the other patterns of the WAI-ARIA Authoring Practices, and other forms of
// those of patternsPage: above all what is operated by arrow keys.
const morePatternsPage = `<!doctype html><title>More patterns</title><meta charset="utf-8">
<style>
	[hidden] { display: none !important } ul { margin: 0; padding: 0; list-style: none } section { border-bottom: 1px solid silver; padding: 6px }
	[role=option], [role=gridcell], [role=row] > * { padding: 1px 8px } :focus { outline: 2px solid blue }
	.box { border: 1px solid; width: 160px; position: relative; background: white } .pop { position: absolute; left: 0; top: 100%; width: 160px; background: white; border: 1px solid; z-index: 3 }
	.bar > li { display: inline-block; position: relative; padding: 0 8px } .bar ul { position: absolute; left: 0; top: 100%; background: white; border: 1px solid; width: 110px; z-index: 2 }
	#shade { position: fixed; inset: 0; background: rgba(0, 0, 0, .4); z-index: 5 } #shade > div { background: white; width: 320px; margin: 60px auto; padding: 20px }
	#feed { height: 80px; overflow: auto; border: 1px solid } #feed article { height: 60px } .rail { position: relative; width: 220px; height: 30px; background: silver } .rail > * { position: absolute; top: 0; width: 14px; height: 30px; background: navy }
	[role=button], [role=link] { text-decoration: underline; cursor: pointer } .cross::before { content: "\2715" }
</style>
<header>Site</header>
<nav aria-label="Main"><ul><li><button aria-expanded="false" aria-controls="about" id="ab">About</button><ul id="about" hidden><li><a href="#staff">Staff</a></li></ul></li></ul></nav>
<main>
<section><button id="alarm">Trigger Alert</button><div id="alerts"></div></section>
<section><div role="button" tabindex="0" id="print">Print Page</div> <a role="button" tabindex="0" aria-pressed="false" id="mute"><span>Mute</span></a></section>
<section><button id="addaddr">Add Delivery Address</button><div id="shade" hidden><div role="dialog" aria-modal="true" aria-labelledby="dt" id="dlg"><h2 id="dt">Add Delivery Address</h2><label>Town <input id="town"></label> <button id="verify">Verify</button> <button id="add">Add</button> <button id="cancel">Cancel</button></div></div></section>
<section><dl><dt><button aria-expanded="false" aria-controls="faq" id="faqb">What do I do?</button></dt><dd id="faq" hidden>Park on the <a href="#street">street</a>.</dd></dl></section>
<section><div role="feed" id="feed" aria-busy="false" tabindex="0"></div></section>
<section role="search" aria-label="Site"><label>Query <input id="query" type="search"></label></section>
<section><span role="link" tabindex="0" id="w3">W3C site</span> <span role="link" tabindex="0" id="pic" aria-label="Logo page"><svg width="20" height="20"><circle cx="10" cy="10" r="9"/></svg></span></section>
<section><div role="table" aria-label="Students"><div role="rowgroup"><div role="row"><span role="columnheader" aria-sort="none" id="sorth"><button id="sort">Name<span aria-hidden="true">▲</span></button></span><span role="columnheader">Mark</span></div></div><div role="rowgroup" id="body"><div role="row"><span role="cell">Zoe</span><span role="cell">7</span></div><div role="row"><span role="cell">Ann</span><span role="cell">9</span></div></div></div></section>
<section><span id="fl">Favorite Fruit</span><div class="box" role="combobox" tabindex="0" id="fruit" aria-labelledby="fl" aria-controls="fruits" aria-expanded="false" aria-haspopup="listbox">Choose a Fruit</div><div class="box" style="border: 0"><div role="listbox" class="pop" id="fruits" aria-labelledby="fl" hidden></div></div></section>
<section><label for="both">Province</label><div class="box"><input id="both" role="combobox" aria-autocomplete="both" aria-expanded="false" aria-controls="provs" autocomplete="off"><ul role="listbox" class="pop" id="provs" aria-label="Provinces" hidden></ul></div></section>
<section><label for="gridc">Herb</label><div class="box"><input id="gridc" role="combobox" aria-haspopup="grid" aria-expanded="false" aria-controls="herbs" autocomplete="off"><div role="grid" class="pop" id="herbs" aria-label="Herbs" hidden></div></div></section>
<section><div role="grid" aria-label="Mails" id="mails"></div></section>
<section><ul role="listbox" aria-label="Ranked" tabindex="0" id="ranked" class="box"><li role="option" id="r1" aria-selected="false">Proximity</li><li role="option" id="r2" aria-selected="false">Facilities</li><li role="option" id="r3" aria-selected="false">Kindness</li></ul><div role="toolbar" aria-label="Actions"><button id="up">Up</button></div>
	<div role="listbox" aria-label="Crafts" tabindex="0" id="crafts" class="box"><ul role="group" aria-labelledby="g1"><li role="presentation" id="g1">Land</li><li role="option" id="c1" aria-selected="false">Bus</li></ul><ul role="group" aria-labelledby="g2"><li role="presentation" id="g2">Water</li><li role="option" id="c2" aria-selected="false">Boat</li></ul></div></section>
<section><ul role="menubar" class="bar" aria-label="University"><li role="none"><a role="menuitem" href="#uni" tabindex="0" aria-haspopup="true" aria-expanded="false" id="m1">Studies</a><ul role="menu" aria-label="Studies" hidden><li role="none"><a role="menuitem" href="#law" tabindex="-1">Law</a></li><li role="none"><a role="menuitem" href="#art" tabindex="-1">Art</a></li></ul></li><li role="none"><a role="menuitem" href="#fees" tabindex="-1">Fees</a></li></ul></section>
<section><button id="tools" aria-haspopup="true" aria-expanded="false" aria-controls="toolm">Tools</button><ul role="menu" id="toolm" tabindex="-1" aria-labelledby="tools" hidden><li role="menuitem" id="t1">Cut</li><li role="menuitem" id="t2">Paste</li></ul></section>
<section><div role="radiogroup" aria-label="Delivery" tabindex="0" id="deliv"><div role="radio" aria-checked="false" id="d1">Pickup</div><div role="radio" aria-checked="false" id="d2">Dine-in</div></div></section>
<section><div role="slider" tabindex="0" class="rail" id="rating" aria-label="Rating" aria-valuemin="0" aria-valuemax="5" aria-valuenow="0" aria-valuetext="zero of five stars"><span></span></div></section>
<section><div role="group" aria-label="Guests"><button tabindex="-1" aria-label="Remove adult" id="less">−</button><div role="spinbutton" contenteditable id="adults" aria-label="Adults" aria-valuemin="1" aria-valuemax="8" aria-valuenow="1" style="display: inline-block; width: 40px; border: 1px solid">1</div><button tabindex="-1" aria-label="Add adult" id="plus">+</button></div> <label>Rooms <input type="number" id="rooms" min="1" max="9" value="1"></label></section>
<section><div role="tablist" aria-label="Opera"><button role="tab" aria-selected="true" id="o1">Verdi</button><button role="tab" aria-selected="false" tabindex="-1" id="o2">Puccini</button></div></section>
<section><div role="toolbar" aria-label="Text" id="tb"><button tabindex="0" id="b1">Copy</button><button tabindex="-1" id="b2">Weave</button></div></section>
<section><ul role="tree" aria-label="Foods" id="foods"><li role="treeitem" aria-expanded="false" tabindex="0" id="f1"><span>Fruits</span><ul role="group" hidden><li role="treeitem" tabindex="-1" id="f2"><span>Pears</span></li></ul></li><li role="treeitem" tabindex="-1" id="f3"><a href="#grains">Grains</a></li></ul></section>
<section><table role="treegrid" aria-label="Threads" id="threads"><tr role="row" aria-level="1" aria-expanded="false" tabindex="0" id="th1"><td role="gridcell">How to</td></tr><tr role="row" aria-level="2" tabindex="-1" hidden id="th2"><td role="gridcell">Re: How to</td></tr></table></section>
<section><fieldset><legend>Toppings</legend><div role="checkbox" aria-checked="mixed" tabindex="0" id="tops">All toppings</div><label><input type="checkbox" checked id="top1"> Pickles</label><label><input type="checkbox" id="top2"> Onions</label></fieldset></section>
</main><footer>Contact</footer>
<script>
{
	const tell = what => navigator.sendBeacon("/", what), id = x => document.getElementById(x), all = (s, e) => [...(e || document).querySelectorAll(s)]
	const set = (e, a, v) => e.setAttribute("aria-" + a, v), on = e => e.getAttribute("aria-expanded") == "true"
	const keys = (e, handlers) => e.addEventListener("keydown", x => { const h = handlers[x.key]; if (h) { x.preventDefault(); x.stopPropagation(); h(x) } })
	const pushed = (e, act) => { e.onclick = act; keys(e, {Enter: act, " ": act}) }
	addEventListener("hashchange", () => tell(location.hash))
	ab.onclick = () => { set(ab, "expanded", !on(ab)); about.hidden = !on(ab); tell("about " + on(ab)) }; keys(ab, {Escape: () => { set(ab, "expanded", false); about.hidden = true; tell("about closed") }})
	alarm.onclick = () => { alerts.innerHTML = '<div role="alert">Hello, look here</div>'; tell("alarm") }
	pushed(id("print"), () => tell("printed")); pushed(mute, () => { set(mute, "pressed", mute.getAttribute("aria-pressed") != "true"); tell("mute " + mute.getAttribute("aria-pressed")) })
	const openDialog = yes => { shade.hidden = !yes; yes ? town.focus() : addaddr.focus() }
	addaddr.onclick = () => openDialog(true); cancel.onclick = () => { openDialog(false); tell("dialog cancelled") }; add.onclick = () => { openDialog(false); tell("dialog " + town.value) }; keys(dlg, {Escape: () => { openDialog(false); tell("dialog escaped") }})
	faqb.onclick = () => { set(faqb, "expanded", !on(faqb)); faq.hidden = !on(faqb); tell("faq " + on(faqb)) }
	let articles = 0; const more = n => { for (let i = 0; i < n; i++) { const a = document.createElement("article"), at = ++articles; a.tabIndex = 0; a.setAttribute("aria-posinset", at); a.setAttribute("aria-setsize", "-1"); a.setAttribute("aria-label", "Place " + at); a.innerHTML = "<button>Bookmark place " + at + "</button>"; a.firstChild.onclick = () => tell("bookmark " + at); feed.append(a) } }
	more(3); feed.onscroll = () => { if (feed.scrollTop + feed.clientHeight > feed.scrollHeight - 40 && articles < 9) more(3) }
	keys(feed, {PageDown: () => { const a = all("article", feed), i = a.indexOf(document.activeElement.closest("article")); a[i + 1].focus(); tell("place " + (i + 2)) }})
	query.onkeydown = e => { if (e.key == "Enter") tell("query " + query.value) }
	pushed(w3, () => tell("w3")); pushed(pic, () => tell("logo"))
	sort.onclick = () => { const up = sorth.getAttribute("aria-sort") != "ascending"; set(sorth, "sort", up ? "ascending" : "descending"); const r = [...body.children].sort((a, b) => (up ? 1 : -1) * a.textContent.localeCompare(b.textContent)); body.append(...r); tell("sorted " + (up ? "up" : "down")) }
	const list = (box, items, e, chosen) => { items.forEach((n, i) => { const o = document.createElement("div"); o.setAttribute("role", "option"); o.id = e.id + i; o.textContent = n; o.onmousedown = x => x.preventDefault(); o.onclick = x => { x.stopPropagation(); chosen(n) }; box.append(o) }) }
	const fruitNames = ["Apple", "Banana", "Cherry", "Elderberry", "Fig"]; let fi = -1
	const fopen = yes => { fruits.hidden = !yes; set(fruit, "expanded", yes); if (!yes) set(fruit, "activedescendant", "") }, fmark = i => { fi = Math.max(0, Math.min(4, i)); set(fruit, "activedescendant", "fruit" + fi); [...fruits.children].forEach((o, k) => set(o, "selected", k == fi)) }, fpick = n => { fruit.textContent = n; fopen(false); tell("fruit " + n) }
	list(fruits, fruitNames, fruit, fpick); fruit.onclick = () => { fopen(fruits.hidden); fmark(Math.max(fi, 0)) }; fruit.onblur = () => fopen(false)
	const fnext = d => () => { if (fruits.hidden) { fopen(true); fmark(Math.max(fi, 0)) } else fmark(fi + d) }, fsel = () => fruits.hidden ? fopen(true) : fpick(fruitNames[fi]); keys(fruit, {ArrowDown: fnext(1), ArrowUp: fnext(-1), Enter: fsel, " ": fsel, Escape: () => fopen(false), End: () => { fopen(true); fmark(4) }})
	const provNames = ["Drenthe", "Flevoland", "Friesland", "Gelderland"]
	const bopen = yes => { provs.hidden = !yes; set(both, "expanded", yes) }, bpick = n => { both.value = n; bopen(false); tell("province " + n) }
	both.oninput = e => { const typed = both.value, hits = provNames.filter(n => n.toLowerCase().startsWith(typed.toLowerCase())); provs.textContent = ""; list(provs, typed ? hits : provNames, provs, bpick); bopen(hits.length > 0 && typed != ""); if (hits.length && typed && e.inputType != "deleteContentBackward") { both.value = hits[0]; both.setSelectionRange(typed.length, hits[0].length) } }
	keys(both, {Enter: () => bpick(both.value), Escape: () => { both.value = ""; bopen(false) }}); both.onclick = () => { provs.textContent = ""; list(provs, provNames, provs, bpick); bopen(true) }; both.onblur = () => bopen(false)
	for (const [n, k] of [["Basil", "leaf"], ["Dill", "frond"], ["Thyme", "sprig"]]) { const r = document.createElement("div"); r.setAttribute("role", "row"); r.innerHTML = "<span role=gridcell>" + n + "</span><span role=gridcell>" + k + "</span>"; r.onmousedown = e => e.preventDefault(); r.onclick = () => { gridc.value = n; herbs.hidden = true; set(gridc, "expanded", false); tell("herb " + n) }; herbs.append(r) }
	gridc.onclick = gridc.onfocus = gridc.oninput = () => { herbs.hidden = false; set(gridc, "expanded", true) }; gridc.onblur = () => { herbs.hidden = true; set(gridc, "expanded", false) }; keys(gridc, {Enter: () => { const r = all("[role=row]", herbs).find(r => r.textContent.toLowerCase().startsWith(gridc.value.toLowerCase())); if (r) r.click() }})
	for (let y = 0; y < 3; y++) { const r = document.createElement("div"); r.setAttribute("role", "row"); for (let x = 0; x < 3; x++) { const c = document.createElement("span"); c.setAttribute("role", "gridcell"); c.tabIndex = x + y ? -1 : 0; c.textContent = "r" + y + "c" + x; c.onclick = () => c.focus(); c.onfocus = () => tell("at " + c.textContent); const go = (dy, dx) => () => { const o = mails.children[y + dy]?.children[x + dx]; if (o) o.focus() }; keys(c, {ArrowDown: go(1, 0), ArrowUp: go(-1, 0), ArrowRight: go(0, 1), ArrowLeft: go(0, -1)}); r.append(c) } mails.append(r) }
	const roving = (e, tells) => { const os = () => all("[role=option], [role=menuitem], [role=radio]", e), mark = o => { if (!o) return; os().forEach(x => { set(x, e.getAttribute("role") == "radiogroup" ? "checked" : "selected", x == o) }); set(e, "activedescendant", o.id); tell(tells + " " + o.textContent) }, step = d => () => { const l = os(), i = l.findIndex(x => x.id == e.getAttribute("aria-activedescendant")); mark(l[Math.max(0, i + d)]) }; keys(e, {ArrowDown: step(1), ArrowUp: step(-1), ArrowRight: step(1), ArrowLeft: step(-1)}); os().forEach(o => o.onclick = () => { e.focus(); mark(o) }) }
	roving(ranked, "ranked"); roving(crafts, "craft"); roving(deliv, "delivery"); up.onclick = () => { const o = id(ranked.getAttribute("aria-activedescendant")); if (o && o.previousElementSibling) { o.parentNode.insertBefore(o, o.previousElementSibling); tell("up " + o.textContent) } }
	const sub = m1.nextElementSibling, mopen = yes => { sub.hidden = !yes; set(m1, "expanded", yes) }, subs = all("[role=menuitem]", sub), top = [m1, all(".bar > li > a")[1]]
	m1.onclick = e => { e.preventDefault(); mopen(sub.hidden) }; m1.parentNode.onmouseenter = () => mopen(true); m1.parentNode.onmouseleave = () => mopen(false)
	keys(m1, {ArrowDown: () => { mopen(true); subs[0].focus(); tell("item Law") }, Enter: () => { mopen(true); subs[0].focus(); tell("item Law") }, ArrowRight: () => { mopen(false); top[1].focus(); tell("item Fees") }}); keys(top[1], {ArrowLeft: () => { m1.focus(); tell("item Studies") }})
	subs.forEach((s, i) => { keys(s, {ArrowDown: () => { subs[(i + 1) % 2].focus(); tell("item " + subs[(i + 1) % 2].textContent) }, Escape: () => { mopen(false); m1.focus(); tell("menu escaped") }}); s.addEventListener("click", () => mopen(false)) })
	const topen = yes => {  toolm.hidden = !yes; set(tools, "expanded", yes); if (yes) tell("tools open"); if (yes) { toolm.focus(); set(toolm, "activedescendant", "t1") } else tools.focus() }; tools.onclick = () => topen(toolm.hidden); keys(tools, {ArrowDown: () => topen(true)})
	for (const i of [t1, t2]) { i.onclick = () => { topen(false); tell("tool " + i.textContent) } } keys(toolm, {ArrowDown: () => set(toolm, "activedescendant", "t2"), ArrowUp: () => set(toolm, "activedescendant", "t1"), Enter: () => id(toolm.getAttribute("aria-activedescendant")).click(), Escape: () => { topen(false); tell("tools escaped") }})
	const rate = n => { n = Math.max(0, Math.min(5, n)); set(rating, "valuenow", n); set(rating, "valuetext", ["zero", "one", "two", "three", "four", "five"][n] + " of five stars"); rating.firstChild.style.left = n * 40 + "px"; tell("rating " + n) }, rated = () => +rating.getAttribute("aria-valuenow")
	keys(rating, {ArrowRight: () => rate(rated() + 1), ArrowLeft: () => rate(rated() - 1), Home: () => rate(0), End: () => rate(5)}); rating.onpointerdown = e => rate(Math.round((e.clientX - rating.getBoundingClientRect().left) / 44))
	const count = n => { n = Math.max(1, Math.min(8, n)); set(adults, "valuenow", n); adults.textContent = n; tell("adults " + n) }, now = () => +adults.getAttribute("aria-valuenow"); plus.onclick = () => count(now() + 1); less.onclick = () => count(now() - 1); keys(adults, {ArrowUp: () => count(now() + 1), ArrowDown: () => count(now() - 1), End: () => count(8)}); adults.oninput = () => { const n = +adults.textContent; if (n >= 1 && n <= 8) { set(adults, "valuenow", n); tell("adults " + n) } }
	rooms.onchange = () => tell("rooms " + rooms.value)
	const tabs = [o1, o2]; tabs.forEach((t, i) => { const show = () => { tabs.forEach(x => { set(x, "selected", x == t); x.tabIndex = x == t ? 0 : -1 }); tell("opera " + t.textContent) }; t.onclick = show; keys(t, {ArrowRight: () => tabs[1].focus(), ArrowLeft: () => tabs[0].focus(), Enter: show, " ": show}) })
	keys(tb, {ArrowRight: () => { b2.focus(); tell("on Weave") }, ArrowLeft: () => { b1.focus(); tell("on Copy") }}); for (const b of [b1, b2]) b.onclick = () => tell("did " + b.textContent)
	const open = (e, yes) => { set(e, "expanded", yes); e.querySelector("ul").hidden = !yes; tell("foods " + yes) }, go = e => { e.focus(); tell("food " + e.id) }
	keys(f1, {ArrowRight: () => on(f1) ? go(f2) : open(f1, true), ArrowLeft: () => open(f1, false), ArrowDown: () => go(on(f1) ? f2 : f3)}); keys(f2, {ArrowUp: () => go(f1), ArrowLeft: () => go(f1), ArrowDown: () => go(f3)}); keys(f3, {Enter: () => f3.firstChild.click(), ArrowUp: () => go(on(f1) ? f2 : f1)}); f1.firstChild.onclick = () => open(f1, !on(f1)); f2.onclick = () => go(f2)
	const thread = yes => { th2.hidden = !yes; set(th1, "expanded", yes); tell("thread " + yes) }; keys(th1, {ArrowRight: () => thread(true), ArrowLeft: () => thread(false), ArrowDown: () => { th2.focus(); tell("thread reply") }})
	const look = () => { const n = top1.checked + top2.checked; set(tops, "checked", n == 2 ? "true" : n ? "mixed" : "false") }; top1.onchange = top2.onchange = () => { look(); tell("topping " + tops.getAttribute("aria-checked")) }; pushed(tops, () => { const v = tops.getAttribute("aria-checked") != "true"; top1.checked = top2.checked = v; look(); tell("tops " + tops.getAttribute("aria-checked")) })
}
</script>`

func TestAtLengthMorePatternsOfTheAuthoringPracticesAreOperated(t *testing.T) {
	p := showPage(t, morePatternsPage)
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:alarm", "timeout_ms": 60_000.0})
	p.acts(morePatternActs())
}

// morePatternActs are what is done to the patterns of morePatternsPage.
func morePatternActs() []pageAct {
	click, press, typed := kinds.ClickElement, kinds.PressKey, kinds.TypeIntoElement
	option := func(name string) map[string]any { return map[string]any{"option_name": name} }
	key := func(name string) map[string]any { return map[string]any{"key": name} }
	text := func(text string) map[string]any { return map[string]any{"text_to_type": text} }
	value := func(v any) map[string]any { return map[string]any{"value": v} }
	state := func(on bool) map[string]any { return map[string]any{"state": on} }
	return []pageAct{
		{"alert: raised", click, "name:Trigger Alert", nil, "alarm"},
		{"alert: read", kinds.WaitForElement, "role:alert && text~:Hello, look", nil, ""},
		{"alert: raised by the key", press, "name:Trigger Alert", key("space"), "alarm"},
		{"button: clicked", click, "role:button && name:Print Page", nil, "printed"},
		{"button: by the key", press, "role:button && name:Print Page", key("enter"), "printed"},
		{"button: a toggle", kinds.SetSelected, "name:Mute", state(true), "mute true"},
		{"checkbox: a native one", click, "role:checkbox && name:Onions", nil, "topping true"},
		{"checkbox: all of a group", kinds.SetSelected, "role:checkbox && name:All toppings", state(false), "tops false"},
		{"checkbox: some of a group", kinds.SetSelected, "role:checkbox && name:Pickles", state(true), "topping mixed"},
		{"combobox: select only", kinds.SelectOption, "role:combobox && name:Favorite Fruit", option("Cherry"), "fruit Cherry"},
		{"combobox: select only, opened", click, "role:combobox && name:Favorite Fruit", nil, ""},
		{"combobox: select only, an option", click, "role:option && name:Fig", nil, "fruit Fig"},
		{"combobox: select only, by keys", press, "role:combobox && name:Favorite Fruit", key("down down enter"), "fruit Banana"},
		{"combobox: completed in the field", typed, "role:combobox && name:Province", text("Fr{Enter}"), "province Friesland"},
		{"combobox: completed, an option", kinds.SelectOption, "role:combobox && name:Province", option("Gelderland"), "province Gelderland"},
		{"combobox: a grid", typed, "role:combobox && name:Herb", text("di{Enter}"), "herb Dill"},
		{"combobox: a cell of its grid", click, "role:combobox && name:Herb", nil, ""},
		{"combobox: a cell of its grid, chosen", click, "role:cell && name:Thyme", nil, "herb Thyme"},
		{"dialog: opened", click, "role:button && name:Add Delivery Address", nil, ""},
		{"dialog: a field", typed, "role:dialog >> role:entry && name:Town", text("Delft"), ""},
		{"dialog: closed", click, "role:dialog >> role:button && name:Add", nil, "dialog Delft"},
		{"dialog: opened by the key", press, "role:button && name:Add Delivery Address", key("enter"), ""},
		{"dialog: closed by the key", press, "role:entry && name:Town", key("escape"), "dialog escaped"},
		{"disclosure: opened", click, "name:What do I do?", nil, "faq true"},
		{"disclosure: a link in it", click, "role:link && name:street", nil, "#street"},
		{"disclosure: by the key", press, "name:What do I do?", key("space"), "faq false"},
		{"disclosure: of a navigation", click, "role:navigation && name:Main >> role:button && name:About", nil, "about true"},
		{"disclosure: a link of a navigation", click, "role:link && name:Staff", nil, "#staff"},
		{"disclosure: closed by the key", press, "role:button && name:About", key("escape"), "about closed"},
		{"feed: an article in view", click, "name:Bookmark place 1", nil, "bookmark 1"},
		{"feed: one below", click, "name:Bookmark place 3", nil, "bookmark 3"},
		{"feed: by the key", press, "name:Place 1 && !role:button", key("pagedown"), "place 2"},
		{"grid: by the key", press, "role:cell && name:r0c0", key("right down"), "at r1c1"},
		{"grid: clicked", click, "role:cell && name:r2c2", nil, "at r2c2"},
		{"landmark: a field in a search", typed, "role:search >> role:entry", text("cats{Enter}"), "query cats"},
		{"link: clicked", click, "role:link && name:W3C site", nil, "w3"},
		{"link: a picture", click, "role:link && name:Logo page", nil, "logo"},
		{"link: by the key", press, "role:link && name:W3C site", key("enter"), "w3"},
		{"listbox: by the key", press, "role:listbox && name:Ranked", key("down down"), "ranked Facilities"},
		{"listbox: moved by its toolbar", click, "role:button && name:Up", nil, "up Facilities"},
		{"listbox: an option of a group", kinds.SelectOption, "role:listbox && name:Crafts", option("Boat"), "craft Boat"},
		{"menubar: by the key", press, "role:menuitem && name:Studies", key("down down"), "item Art"},
		{"menubar: left by the key", press, "role:menuitem && name:Art", key("escape"), "menu escaped"},
		{"menubar: along it", press, "role:menuitem && name:Studies", key("right"), "item Fees"},
		{"menubar: one that opens under the pointer", kinds.HoverElement, "role:menuitem && name:Studies", nil, ""},
		{"menubar: a link", click, "role:menuitem && name:Law", nil, "#law"},
		{"menu button: opened", click, "id:tools", nil, "tools open"},
		{"menu button: by the key", press, "role:menu && name:Tools", key("down enter"), "tool Paste"},
		{"menu button: opened by an arrow", press, "id:tools", key("down"), "tools open"},
		{"menu button: an item", click, "role:menuitem && name:Cut", nil, "tool Cut"},
		{"radio group: one with a focus of its own", kinds.SetSelected, "role:radio && name:Dine-in", state(true), "delivery Dine-in"},
		{"radio group: by the key", press, "role:radiogroup && name:Delivery", key("up"), "delivery Pickup"},
		{"slider: stars", kinds.SetValue, "role:slider && name:Rating", value(4.0), "rating 4"},
		{"slider: stars by the key", press, "role:slider && name:Rating", key("right"), "rating 5"},
		{"spinbutton: its button", click, "name:Add adult", nil, "adults 2"},
		{"spinbutton: by an arrow", press, "role:spinbutton && name:Adults", key("up"), "adults 3"},
		{"spinbutton: set", kinds.SetValue, "role:spinbutton && name:Adults", value(6.0), "adults 6"},
		{"spinbutton: a native one", typed, "role:spinbutton && name:Rooms", map[string]any{"text_to_type": "3{Tab}", "clear_before_typing": true}, "rooms 3"},
		{"table: sorted", click, "role:button && name:Name", nil, "sorted up"},
		{"table: sorted by the key", press, "role:button && name:Name", key("enter"), "sorted down"},
		{"table: a cell read", kinds.ValidateElement, "role:cell && name:Ann", nil, ""},
		{"tabs: chosen by the keys", press, "role:tab && name:Verdi", key("right enter"), "opera Puccini"},
		{"tabs: set", kinds.SetSelected, "role:tab && name:Verdi", state(true), "opera Verdi"},
		{"toolbar: along it", press, "role:button && name:Copy", key("right"), "on Weave"},
		{"toolbar: a button", click, "role:button && name:Weave", nil, "did Weave"},
		{"tree: opened by the key", press, "role:treeitem && name:Fruits", key("right"), "foods true"},
		{"tree: an item by the key", press, "role:treeitem && name:Fruits", key("right"), "food f2"},
		{"tree: an item", click, "role:treeitem && name:Pears", nil, "food f2"},
		{"tree: a link", click, "role:link && name:Grains", nil, "#grains"},
		{"treegrid: opened by the key", press, "role:row && name:How to", key("right"), "thread true"},
		{"treegrid: the next row by the key", press, "role:row && name:How to", key("down"), "thread reply"},
	}
}
