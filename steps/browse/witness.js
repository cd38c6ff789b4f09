// chain returns the elements at a point, the innermost first, with their boxes in the page.
const chain = (x, y) => {
	let root = document, left = 0, top = 0
	const all = []
	for (;;) {
		const e = root.elementFromPoint(x - left, y - top)
		if (!e || all.length && all[0].e == e) return all
		const own = []
		for (let n = e; n && n != (all[0] || {}).e; n = n.parentElement || n.getRootNode().host) {
			const r = n.getBoundingClientRect()
			own.push({e: n, x: r.x + left, y: r.y + top, w: r.width, h: r.height})
		}
		all.unshift(...own)
		if (e.shadowRoot) root = e.shadowRoot
		else if (e.contentDocument) {
			const r = e.getBoundingClientRect()
			left += r.left + e.clientLeft
			top += r.top + e.clientTop
			root = e.contentDocument
		} else return all
	}
}
const plain = text => String(text || "").replace(/[\s\p{Co}]+/gu, "")
// calledBy returns the elements that name an element.
const calledBy = e => [...e.labels || [], ...(e.getAttribute("aria-labelledby") || "").split(/\s+/).map(id => id && e.getRootNode().querySelector("#" + CSS.escape(id)))].filter(n => n)
// texts returns what an element may be called, and what it holds.
const texts = e => {
	const by = calledBy(e).map(n => n.textContent)
	return [by.join(""), ...by, e.getAttribute("aria-label"), e.textContent, e.title, e.alt, e.value, e.placeholder].map(plain)
}
// named reports whether an element may have a name.
const named = (e, name) => !plain(name) || texts(e).some(t => t.includes(plain(name)))
// fits reports whether a box in the page is one on the screen.
const fits = (r, box) => {
	const near = (a, b) => Math.abs(a * devicePixelRatio - b) <= 2
	return near(r.x, box.x) && near(r.y, box.y) && near(r.width, box.w) && near(r.height, box.h)
}
// at returns the wanted element at the wanted point.
const at = want => {
	const scale = devicePixelRatio
	const found = chain(want.x / scale, want.y / scale).find(b => b.e.localName == want.tag && b.e.id == want.id &&
		fits({x: b.x, y: b.y, width: b.w, height: b.h}, want.box) && named(b.e, want.name))
	return found && found.e
}
const shows = want => !!at(want)
// showsFrame reports whether a frame of another site shows at the wanted point.
const showsFrame = want => {
	const [top] = chain(want.x / devicePixelRatio, want.y / devicePixelRatio)
	return !!top && top.e.localName == "iframe"
}
// focused reports whether the wanted field has the focus, or null if it is not known.
const focused = want => {
	const e = at(want)
	return e ? e.getRootNode().activeElement == e && e.ownerDocument.hasFocus() : null
}
const typed = /^(text|search|url|tel|email|password|number|textarea)$/
// active returns the innermost element with the focus.
const active = () => {
	let e = document.activeElement
	for (;;) {
		const inner = e && (e.shadowRoot || e.contentDocument || {}).activeElement
		if (!inner) return e
		e = inner
	}
}
const like = (e, want) => e && e.localName == want.tag && e.id == want.id && named(e, want.name) ? e : null
// held returns what the wanted field holds, or null if it is not known, once scripts that the page
// runs on what is typed have had their turn. Of a password it returns only the length.
const held = async want => {
	const e = at(want) || like(active(), want)
	if (!e || !typed.test(e.type)) return null
	await new Promise(done => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 50) })
	return e.type == "password" ? "x".repeat([...e.value].length) : e.value
}
// observed returns of elements whether they are in view.
const observed = all => new Promise(done => {
	const o = new IntersectionObserver(list => { o.disconnect(); done(list) })
	for (const e of all) o.observe(e)
	if (!all.length) done([])
	setTimeout(() => done([]), 500)
})
const parentOf = e => e.parentElement || e.getRootNode().host || e.ownerDocument.defaultView.frameElement
// deepest removes from a set the elements with another of it inside.
const deepest = set => {
	for (const e of [...set]) for (let p = parentOf(e); p; p = parentOf(p)) set.delete(p)
	return set
}
// places returns the innermost elements that hold all words, in each the one with the last word.
const places = words => {
	const all = [], add = root => {
		for (const e of root.querySelectorAll("*")) {
			all.push([e, texts(e)])
			const inside = e.shadowRoot || e.contentDocument
			if (inside) add(inside)
		}
	}
	add(document)
	const holds = new Map()
	words.forEach((w, i) => {
		const text = plain(w.text), some = text.toLowerCase()
		const is = (e, own) => w.id ? e.id == w.text : w.whole ? own.includes(text) : own.some(t => t.toLowerCase().includes(some))
		const hits = deepest(new Set(all.filter(([e, own]) => is(e, own) && e.getClientRects().length).map(([e]) => e)))
		for (const e of [...hits]) for (const l of calledBy(e)) hits.delete(l)
		for (const e of hits) for (let p = e; p; p = parentOf(p)) {
			if (!holds.has(p)) holds.set(p, words.map(() => []))
			holds.get(p)[i].push(e)
		}
	})
	const found = deepest(new Set([...holds.keys()].filter(e => holds.get(e).every(h => h.length))))
	return [...found].flatMap(e => holds.get(e).some(h => h.length > 1) ? [e, e] : holds.get(e).at(-1))
}
const countPlaces = words => places(words).length
// reveal scrolls to the only place with the words, if it is out of view.
const reveal = async words => {
	const [place] = places(words), [seen] = await observed([place])
	if (!place || seen && seen.isIntersecting) return false // a frame that is out of view does not observe
	place.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"})
	return true
}
// calledOrUnder returns the name of a table or a list, or else the heading that it is under.
const calledOrUnder = e => {
	const figure = e.closest("figure"), caption = e.caption || figure && figure.querySelector("figcaption")
	const name = [caption, ...calledBy(e)].map(n => n && n.innerText).find(t => plain(t)) || e.getAttribute("aria-label") || e.title
	const before = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")].filter(h => h.compareDocumentPosition(e) == Node.DOCUMENT_POSITION_FOLLOWING)
	return name ? {name} : {name: "", under: before.length ? before.at(-1).innerText : ""}
}
// away returns the tables and lists that are out of view in part, and the headings, the controls and
// the paragraphs there.
const away = async () => {
	const rows = "tr, [role=row]", tables = "table, [role=table], [role=grid], [role=treegrid]"
	const items = "li, [role=listitem], [role=option]", lists = "ul, ol, [role=list], [role=listbox]"
	const controls = "a[href], button, input:not([type=hidden]), select, textarea, [role=button], [role=checkbox], [role=combobox]"
	const headings = "h1, h2, h3, [role=heading]"
	const all = [...document.querySelectorAll([headings, "p", rows, items, controls])]
	const seen = await observed(all)
	const found = new Map()
	const note = (key, what, name, above, more) => found.set(key, {what, name, above, count: (found.get(key) || {count: 0}).count + 1, ...more})
	const names = new Map()
	const called = e => names.get(e) || names.set(e, calledOrUnder(e)).get(e)
	const part = (e, what, above, parts, own) => found.has(e) ? found.get(e).above = above :
		note(e, what, "", above, {...called(e), rows: [...e.querySelectorAll(parts)].filter(p => own(p) && p.getClientRects().length).length})
	for (const {target: e, isIntersecting, boundingClientRect: r} of seen) {
		if (isIntersecting || !r.width || !r.height) continue
		const above = r.bottom <= 0, table = e.closest(tables)
		let list = null
		for (let p = e.closest(lists); p; p = p.parentElement.closest(lists)) list = p
		const what = e.matches(items) ? "item" : e.tagName == "A" ? "link" : e.tagName == "P" ? "paragraph" : e.tagName == "BUTTON" || e.getAttribute("role") == "button" ? "button" : "field"
		if (table) part(table, "table", above, rows, r => r.closest(tables) == table)
		else if (e.matches(headings)) note(e, "heading", e.innerText, above)
		else if (list && (called(list).name || what == "item" && !e.querySelector(controls))) part(list, "list", above, items, () => true)
		else if (what != "item" && !(list && what == "paragraph")) note(what + above, what, "", above)
	}
	return [...found.values()]
}
const described = e => {
	const text = (e.innerText || "").trim().slice(0, 40)
	return (e.localName || "the page") + (e.id ? " with the id " + JSON.stringify(e.id) : "") + (text ? " " + JSON.stringify(text) : "")
}
// over describes what certainly lies over the wanted element at the wanted point, or returns "".
const over = want => {
	const [top] = chain(want.x / devicePixelRatio, want.y / devicePixelRatio), within = (a, b) => a.contains(b) || b.contains(a)
	const e = [...document.querySelectorAll(want.tag)].find(e => e.id == want.id && named(e, want.name) && fits(e.getBoundingClientRect(), want.box))
	return e && top && !within(e, top.e) && ![...e.labels || []].some(l => within(l, top.e)) ? described(top.e) : ""
}
// watch begins to note what is pressed, and returns whether the wanted element shows, or what lies over it.
const watch = want => {
	globalThis.wanted = at(want)
	globalThis.pressed = null
	if (!globalThis.listens) {
		addEventListener("pointerdown", e => { if (e.isTrusted && !globalThis.pressed) globalThis.pressed = e.composedPath() }, true)
		addEventListener("pointermove", e => { if (e.isTrusted) globalThis.pointer = [e.clientX, e.clientY] }, true)
	}
	globalThis.listens = true
	return {Found: !!globalThis.wanted, Over: globalThis.wanted ? "" : over(want)}
}
const frame = () => new Promise(done => { requestAnimationFrame(() => done()); setTimeout(done, 50) })
// arrived waits until the page was told that the pointer is at the wanted point, and has drawn what that
// changes, and reports whether the watched element still shows there. A frame is not told of.
const arrived = async want => {
	const there = p => p && Math.hypot(p[0] * devicePixelRatio - want.x, p[1] * devicePixelRatio - want.y) < 2
	for (let i = 0; i < 10 && !there(globalThis.pointer); i++) await frame()
	for (let i = 0; i < 2; i++) await frame()
	globalThis.wanted = at(want)
	return !!globalThis.wanted
}
// beside waits for the press, which may be on its way, and describes what it went to instead.
const beside = async () => {
	for (let i = 0; i < 30 && !globalThis.pressed; i++) await new Promise(done => setTimeout(done, 10))
	const path = globalThis.pressed
	if (!path || path.includes(globalThis.wanted)) return ""
	return described(path[0])
}
