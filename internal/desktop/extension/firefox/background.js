// Answers the calls of Understudy's host, which are those of Chromium's developer tools, as far as
// Firefox can: it has no such tools for extensions. A script runs beside those of the page, and
// reaches their variables as window.wrappedJSObject.NAME; what it prints is not told. No page and
// no other extension can send a message here: only the host's are listened to.
const hostName = "org.understudy.browser"

let port = null
let last = 0 // the number of the last session
const sessions = new Map() // ID -> the number of the tab

function connect() {
	if (port) return
	port = browser.runtime.connectNative(hostName)
	let parts = ""
	port.onMessage.addListener(async ({part, more}) => {
		parts += part
		if (more) return
		const call = JSON.parse(parts)
		parts = ""
		const answer = {id: call.id, sessionId: call.sessionId}
		try {
			answer.result = await perform(call) ?? {}
		} catch (e) {
			answer.error = {code: -32000, message: e?.message ?? String(e)}
		}
		send(answer)
	})
	port.onDisconnect.addListener(() => {
		port = null
		sessions.clear()
		setTimeout(connect, 1000)
	})
	send({hello: "firefox"})
}

function send(message) {
	try { port?.postMessage(message) } catch (e) { port?.postMessage({id: message.id, error: {message: "the answer cannot be sent: " + e.message}}) }
}

browser.alarms.create("connect", {periodInMinutes: 0.5})
browser.alarms.onAlarm.addListener(connect)
connect()

async function perform({method, sessionId, params = {}}) {
	const own = (sessionId ? ofPage : ofBrowser)[method]
	if (!own) throw new Error(`Firefox cannot do this: ${method}`)
	if (!sessionId) return own(params)
	if (!sessions.has(sessionId)) throw new Error("Session with given id not found.")
	return own(sessions.get(sessionId), params)
}

const name = tab => "tab-" + tab
const tabOf = targetId => Number(/^tab-(\d+)$/.exec(targetId)?.[1])

// ofBrowser are the methods of the browser.
const ofBrowser = {
	"Browser.getVersion": () => ({product: navigator.userAgent}),
	"Browser.setDownloadBehavior": () => ({}), // downloads are reported in any case
	async "Browser.getWindowForTarget"({targetId}) {
		const w = await browser.windows.get((await browser.tabs.get(tabOf(targetId))).windowId)
		return {windowId: w.id, bounds: {left: w.left, top: w.top, width: w.width, height: w.height}}
	},
	async "Target.getTargets"() {
		const [tabs, windows] = await Promise.all([browser.tabs.query({}), browser.windows.getAll()])
		const inFront = new Set(windows.filter(w => w.focused).map(w => w.id))
		return {targetInfos: tabs.map(t => ({targetId: name(t.id), type: "page", title: t.title, url: t.url, rank: !t.active ? 3 : inFront.has(t.windowId) ? 0 : 1}))}
	},
	async "Target.attachToTarget"({targetId}) {
		const tab = await browser.tabs.get(tabOf(targetId))
		const id = "session-" + ++last
		sessions.set(id, tab.id)
		return {sessionId: id}
	},
	"Target.detachFromTarget"({sessionId}) { sessions.delete(sessionId) },
	async "Target.activateTarget"({targetId}) {
		const tab = await browser.tabs.update(tabOf(targetId), {active: true})
		await browser.windows.update(tab.windowId, {focused: true})
	},
	async "Target.createTarget"({url}) {
		return {targetId: name((await browser.tabs.create({url, active: true})).id)}
	},
}

// ofPage are the methods of a page.
const ofPage = {
	"Page.enable": () => ({}),
	"Network.enable": () => ({}),
	async "Runtime.enable"(tab) {
		for (const f of await frames(tab)) contextOf(tab, f)
		return {}
	},
	"Page.close": tab => browser.tabs.remove(tab).then(() => ({})),
	"Page.navigate": (tab, {url}) => navigate(tab, url),
	async "Page.getFrameTree"(tab) {
		const all = await frames(tab)
		const under = parent => all.filter(f => f.parentFrameId == parent).map(f => ({frame: {id: frameName(tab, f.frameId), name: f.name, url: f.url}, childFrames: under(f.frameId)}))
		return {frameTree: under(-1)[0]}
	},
	// A script runs beside those of the page in any case.
	"Page.createIsolatedWorld": () => ({executionContextId: 1}),
	"Runtime.evaluate": (tab, {expression, contextId}) => evaluate(tab, contextId > 1 ? contextId - 2 : 0, expression),
	"Runtime.terminateExecution": () => { throw new Error("Firefox cannot end a script") },
}

const frameName = (tab, frame) => frame ? `${name(tab)}-frame-${frame}` : name(tab)

// frames lists the frames of a tab with their names, which only their pages know.
async function frames(tab) {
	const all = await browser.webNavigation.getAllFrames({tabId: tab})
	return Promise.all(all.map(async f => {
		const names = await browser.tabs.executeScript(tab, {frameId: f.frameId, code: "window.name", matchAboutBlank: true, runAt: "document_start"}).catch(() => [""])
		return {...f, name: names[0] ?? ""}
	}))
}

// contextOf tells where scripts for a frame run. The numbers are those of frames, from 2 on.
function contextOf(tab, f) {
	const params = {context: {id: f.frameId + 2, origin: f.url, auxData: {isDefault: true, frameId: frameName(tab, f.frameId)}}}
	for (const [id, t] of sessions) if (t == tab) send({sessionId: id, method: "Runtime.executionContextCreated", params})
}

async function evaluate(tab, frameId, expression) {
	let result
	try {
		[result] = await browser.tabs.executeScript(tab, {frameId, matchAboutBlank: true, runAt: "document_start", code: expression})
	} catch (e) {
		return failure(e, expression)
	}
	if (result === undefined) return {result: {type: "undefined"}}
	if (typeof result == "number" && !Number.isFinite(result)) return {result: {type: "number", unserializableValue: String(result)}}
	return {result: {type: typeof result, value: result}}
}

// failure makes an exception from an error of a script. A return or await outside a function is
// told as Chromium does, so that the script becomes the body of one.
function failure(e, expression) {
	const text = e?.message ?? String(e)
	if (/Missing host permission|No matching message handler|Invalid tab ID/.test(text)) throw new Error(`the browser lets no extension into this page (${text})`)
	if (/return not in function|await is only valid/.test(text)) {
		if (!/\breturn\b/.test(expression)) return {result: {}, exceptionDetails: {text: "Firefox: a script with await at its top gives its value by return", exception: {}}}
		return {result: {}, exceptionDetails: {text, exception: {type: "object", subtype: "error", description: "SyntaxError: Illegal return statement"}}}
	}
	const line = e?.lineNumber
	return {result: {}, exceptionDetails: {text, lineNumber: line > 0 ? line - 1 : -1, exception: {type: "object", subtype: "error", description: (e?.name && !text.startsWith(e.name) ? e.name + ": " : "") + text}}}
}

const aborted = "Error code 2152398850" // NS_BINDING_ABORTED

// navigate opens an address, and returns when its page begins, a download does, or neither can.
function navigate(tab, url) {
	return new Promise((resolve, reject) => {
		// A new tab may still be opening its empty page.
		const ofTab = d => d.tabId == tab && d.frameId == 0 && (d.url != "about:blank" || url == "about:blank")
		const committed = d => ofTab(d) && end(resolve, {frameId: name(tab)})
		const failed = d => {
			if (!ofTab(d) || downloading) return
			const report = () => end(resolve, {errorText: d.error || "the address does not answer"})
			// A load is also aborted to go on in another process of the browser.
			if (d.error == aborted) setTimeout(report, 3000)
			else report()
		}
		let downloading = false
		const created = d => { if (d.url == url) { downloading = true; end(resolve, {isDownload: true}) } }
		const end = (how, what) => {
			browser.webNavigation.onCommitted.removeListener(committed)
			browser.webNavigation.onErrorOccurred.removeListener(failed)
			browser.downloads.onCreated.removeListener(created)
			how(what)
		}
		browser.webNavigation.onCommitted.addListener(committed)
		browser.webNavigation.onErrorOccurred.addListener(failed)
		browser.downloads.onCreated.addListener(created)
		browser.tabs.update(tab, {url}).catch(e => end(reject, e))
	})
}

const guid = id => "download-" + id
browser.downloads.onCreated.addListener(d => {
	send({method: "Browser.downloadWillBegin", params: {guid: guid(d.id), url: d.url, suggestedFilename: d.filename.split(/[\\/]/).pop() || "download"}})
})
browser.downloads.onChanged.addListener(async ({id, state}) => {
	if (!state || state.current == "in_progress") return
	const [d] = await browser.downloads.search({id})
	const done = state.current == "complete"
	send({method: "Browser.downloadProgress", params: {guid: guid(id), state: done ? "completed" : "canceled", filePath: done ? d?.filename : ""}})
})
