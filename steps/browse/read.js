const lines = []
let words = ""
const tidy = text => (text || "").replace(/\s+/g, " ").trim()
const put = line => { const text = tidy(words); words = ""; if (text) lines.push(text); if (line) lines.push(line) }
const quoted = text => text ? " " + JSON.stringify(text.length > 80 ? text.slice(0, 79) + "…" : text) : ""
const shows = e => e.checkVisibility ? e.checkVisibility({visibilityProperty: true}) : e.getClientRects().length > 0
const byIDs = (e, ids) => tidy((ids || "").split(/\s+/).map(id => (e.getRootNode().getElementById(id) || {}).textContent || "").join(" "))
const nameOf = e => byIDs(e, e.getAttribute("aria-labelledby")) || tidy(e.getAttribute("aria-label")) ||
	tidy([...(e.labels || [])].map(l => [...l.childNodes].filter(n => n != e && !/^(SELECT|TEXTAREA|INPUT)$/.test(n.nodeName)).map(n => n.textContent).join(" ")).join(" ")) ||
	tidy(e.alt) || (/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName) ? /^(submit|button|reset)$/.test(e.type) ? e.value : "" : tidy(e.innerText)) || tidy(e.title) || tidy(e.placeholder)
const roles = {BUTTON: "button", SUMMARY: "button", TEXTAREA: "entry", SELECT: "combobox", IMG: "image", A: "link", CANVAS: "canvas"}
const inputs = {checkbox: "checkbox", radio: "radiobutton", range: "slider", number: "spinbutton", submit: "button", button: "button", reset: "button", image: "button", file: "button", password: "password", hidden: ""}
const acted = ["button", "link", "checkbox", "radio", "switch", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "option", "treeitem", "combobox", "slider", "spinbutton", "textbox", "searchbox"]
const roleOf = e => {
	const own = (e.getAttribute("role") || "").split(" ")[0]
	if (acted.includes(own)) return own
	if (e.tagName == "INPUT") return e.type in inputs ? inputs[e.type] : "entry"
	if (e.tagName == "A" && !e.hasAttribute("href")) return ""
	return roles[e.tagName] || (e.isContentEditable && !(e.parentElement || {}).isContentEditable ? "entry" : "")
}
const valueOf = (e, role) => {
	const said = []
	const is = (name, yes) => { if (yes) said.push(name) }
	if (e.tagName == "SELECT") said.push([...e.selectedOptions].map(o => tidy(o.text)).join(", ") || "nothing chosen", "of " + [...e.options].slice(0, 12).map(o => tidy(o.text)).join(" | ") + (e.options.length > 12 ? " | … " + (e.options.length - 12) + " more" : ""))
	else if (role == "password") is("filled", e.value)
	else if (["entry", "textbox", "searchbox", "spinbutton", "slider", "combobox"].includes(role)) said.push(JSON.stringify(tidy(e.value !== undefined ? e.value : e.getAttribute("aria-valuenow") || e.innerText).slice(0, 200)))
	is("checked", e.checked || e.getAttribute("aria-checked") == "true")
	is("selected", e.getAttribute("aria-selected") == "true")
	is("expanded", e.getAttribute("aria-expanded") == "true")
	is("disabled", e.disabled || e.getAttribute("aria-disabled") == "true")
	is("required", e.required)
	return said.length ? ": " + said.join(", ") : ""
}
const table = e => {
	const rows = [...e.querySelectorAll("tr, [role=row]")].filter(r => r.closest("table, [role=table], [role=grid], [role=treegrid]") == e && shows(r))
	put("table" + quoted(tidy(e.caption && e.caption.innerText) || byIDs(e, e.getAttribute("aria-labelledby")) || tidy(e.getAttribute("aria-label"))) + " (" + rows.length + " rows)")
	for (const r of rows) {
		const cells = [...r.querySelectorAll("td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]")].filter(c => c.closest("tr, [role=row]") == r)
		lines.push(cells.map(inline).join(" | "))
	}
}
// inline returns what a cell holds in one line, with what can be acted on in it.
const inline = e => {
	const kept = [lines.splice(0), words]
	words = ""
	for (const c of e.childNodes) walk(c)
	put()
	const text = lines.join(" ")
	lines.length = 0
	lines.push(...kept[0])
	words = kept[1]
	return text
}
const walk = n => {
	if (n.nodeType == 3) { words += n.data; return }
	if (n.nodeType != 1 || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|HEAD)$/.test(n.tagName)) return
	const style = getComputedStyle(n)
	if (style.display == "none" || style.display != "contents" && !shows(n) && !n.childElementCount) return
	const role = roleOf(n), own = n.getAttribute("role")
	if (/^H[1-6]$/.test(n.tagName) || own == "heading") return put("#".repeat(+(n.getAttribute("aria-level") || n.tagName[1]) || 2) + " " + tidy(n.innerText))
	if (n.tagName == "TABLE" && own != "presentation" && own != "none" || /^(table|grid|treegrid)$/.test(own)) return table(n)
	if (role == "link") { words += " [" + nameOf(n) + "] "; return }
	if (role == "image") { words += nameOf(n) ? " image" + quoted(nameOf(n)) + " " : ""; return }
	if (role == "canvas") return put("canvas" + quoted(nameOf(n)) + ": only a picture shows what it has drawn")
	if (role) return put(role + quoted(nameOf(n)) + valueOf(n, role))
	if (/^I?FRAME$/.test(n.tagName)) {
		put("frame" + quoted(nameOf(n) || n.src))
		if (n.contentDocument && n.contentDocument.body) walk(n.contentDocument.body)
		else lines.push("(of another site: read it with the argument frame)")
		return put()
	}
	const block = !/^(inline|contents)/.test(style.display)
	if (block) put()
	if (n.tagName == "LI") words += "- "
	if (n.tagName == "LABEL" && n.control) { for (const c of n.children) walk(c); return }
	if (n.tagName == "DIALOG" || own == "dialog" || own == "alertdialog") put("dialog" + quoted(nameOf(n).slice(0, 60)))
	const inside = n.tagName == "SLOT" && n.assignedNodes().length ? n.assignedNodes() : (n.shadowRoot || n).childNodes
	for (const c of inside) walk(c)
	if (block) put()
}
if (document.body) walk(document.body)
put()
return {title: document.title, url: location.href, lines}
