// Answers the calls of Understudy's host, which are those of Chromium's developer tools. Those of
// a page go to the browser's debugger as they are; those of the browser are answered here. No page
// and no other extension can send a message here: only the host's are listened to.
const hostName = "org.understudy.browser"
// A page that was used stays attached for a while: the bar that the browser shows moves the page.
const keepAttached = 60_000

let port = null
let last = 0 // the number of the last session
const sessions = new Map() // ID -> {tab, child}: a page, or a frame of another site in it
const attached = new Map() // tab -> {uses, timer, frames, pending}

function connect() {
	if (port) return
	port = chrome.runtime.connectNative(hostName)
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
			answer.error = refusal(e)
		}
		send(answer)
	})
	port.onDisconnect.addListener(() => {
		port = null
		sessions.clear()
		for (const [tab, a] of attached) expire(tab, a)
		setTimeout(connect, 1000)
	})
	send({hello: browserName()})
}

function send(message) {
	try { port?.postMessage(message) } catch (e) { port?.postMessage({id: message.id, error: {message: "the answer cannot be sent: " + e.message}}) }
}

// refusal makes an error of the protocol from one of the debugger, whose text may be JSON.
function refusal(e) {
	try { return {code: -32000, ...JSON.parse(e.message)} } catch { return {code: -32000, message: e?.message ?? String(e)} }
}

function browserName() {
	const brands = (navigator.userAgentData?.brands ?? []).map(b => b.brand)
	if (navigator.brave) return "brave-browser"
	if (brands.includes("Microsoft Edge")) return "microsoft-edge"
	return brands.includes("Google Chrome") ? "google-chrome" : "chromium"
}

// The worker of an extension may be stopped; each of these starts it again.
chrome.runtime.onStartup.addListener(connect)
chrome.runtime.onInstalled.addListener(connect)
chrome.alarms.create("connect", {periodInMinutes: 0.5})
chrome.alarms.onAlarm.addListener(connect)
connect()

function perform({method, sessionId, params = {}}) {
	if (!sessionId) {
		const own = methods[method]
		if (!own) throw new Error(`an extension cannot call ${method}`)
		return own(params)
	}
	const s = sessions.get(sessionId)
	if (!s) throw new Error("Session with given id not found.")
	return toPage(s, method, params)
}

const target = ({tab, child}) => child ? {tabId: tab, sessionId: child} : {tabId: tab}

async function toPage(s, method, params) {
	// The events that enabling brings go to the first session only, and this may be a later one.
	if (method == "Runtime.enable") await chrome.debugger.sendCommand(target(s), "Runtime.disable")
	try {
		return await chrome.debugger.sendCommand(target(s), method, params)
	} catch (e) {
		if (method == "Page.navigate" && e.message.includes("Detached")) throw new Error("its page is open, and the browser lets no extension into it")
		throw e
	}
}

// methods are those of the browser.
const methods = {
	"Browser.getVersion": () => ({product: navigator.userAgent}),
	"Browser.setDownloadBehavior": () => ({}), // downloads are reported in any case
	async "Browser.getWindowForTarget"({targetId}) {
		const w = await chrome.windows.get((await tabOf(targetId)).windowId)
		return {windowId: w.id, bounds: {left: w.left, top: w.top, width: w.width, height: w.height}}
	},
	async "Target.getTargets"() {
		const [targets, tabs, windows] = await Promise.all([chrome.debugger.getTargets(), chrome.tabs.query({}), chrome.windows.getAll()])
		const inFront = new Set(windows.filter(w => w.focused).map(w => w.id))
		const infos = []
		for (const t of targets) {
			const tab = t.type == "page" && tabs.find(x => x.id == t.tabId)
			if (tab) infos.push({targetId: t.id, type: "page", title: t.title, url: t.url, rank: !tab.active ? 3 : inFront.has(tab.windowId) ? 0 : 1})
		}
		for (const a of attached.values()) {
			await Promise.all(a.pending)
			for (const f of a.frames.values()) infos.push(f.info)
		}
		return {targetInfos: infos}
	},
	async "Target.attachToTarget"({targetId}) {
		for (const [tab, a] of attached) {
			const f = a.frames.get(targetId)
			if (f) return begin(tab, f.session)
		}
		const tab = (await tabOf(targetId)).id
		await use(tab, targetId)
		return begin(tab)
	},
	"Target.detachFromTarget"({sessionId}) {
		const s = sessions.get(sessionId)
		if (!s) throw new Error("No session with given id")
		sessions.delete(sessionId)
		release(s.tab)
	},
	async "Target.activateTarget"({targetId}) {
		const tab = await chrome.tabs.update((await tabOf(targetId)).id, {active: true})
		await chrome.windows.update(tab.windowId, {focused: true})
	},
	async "Target.createTarget"({url}) {
		const windows = await chrome.windows.getAll({windowTypes: ["normal"]})
		const tab = windows.length ? await chrome.tabs.create({url, active: true}) : (await chrome.windows.create({url})).tabs[0]
		const found = (await chrome.debugger.getTargets()).find(t => t.tabId == tab.id)
		if (!found) throw new Error("the new tab is gone")
		return {targetId: found.id}
	},
}

async function tabOf(targetId) {
	const found = (await chrome.debugger.getTargets()).find(t => t.id == targetId && t.tabId)
	if (!found) throw new Error("No target with given id found")
	return chrome.tabs.get(found.tabId)
}

// begin begins a session with a page that is attached, or with a frame in it.
function begin(tab, child) {
	const a = attached.get(tab)
	if (!a) throw new Error("Inspected target navigated or closed")
	if (child) retain(a)
	const id = "session-" + ++last
	sessions.set(id, {tab, child})
	return {sessionId: id}
}

// use attaches the debugger to a tab, once for all sessions, and so to its frames of other sites.
async function use(tab, id) {
	let a = attached.get(tab)
	if (!a) {
		a = {id, uses: 0, timer: 0, frames: new Map(), pending: []}
		a.ready = chrome.debugger.attach({tabId: tab}, "1.3").then(() => follow(a, tab))
		attached.set(tab, a)
	}
	retain(a)
	try {
		await a.ready
	} catch (e) {
		attached.delete(tab)
		throw e
	}
}

function retain(a) {
	a.uses++
	clearTimeout(a.timer)
}

function release(tab) {
	const a = attached.get(tab)
	if (a && --a.uses == 0) expire(tab, a)
}

function expire(tab, a) {
	a.uses = 0
	clearTimeout(a.timer)
	a.timer = setTimeout(() => {
		attached.delete(tab)
		chrome.debugger.detach({tabId: tab}).catch(() => {})
	}, keepAttached)
}

function follow(a, tab, child) {
	const done = chrome.debugger.sendCommand(target({tab, child}), "Target.setAutoAttach", {autoAttach: true, waitForDebuggerOnStart: false, flatten: true}).catch(() => {})
	a.pending.push(done)
	return done
}

chrome.debugger.onEvent.addListener((source, method, params) => {
	const a = attached.get(source.tabId)
	if (a && method == "Target.attachedToTarget") {
		const {sessionId, targetInfo} = params
		if (targetInfo.type != "iframe") return
		const parent = [...a.frames.values()].find(f => f.session == source.sessionId)
		a.frames.set(targetInfo.targetId, {session: sessionId, info: {targetId: targetInfo.targetId, type: "iframe", title: targetInfo.title, url: targetInfo.url, parentId: parent?.info.targetId ?? a.id}})
		follow(a, source.tabId, sessionId)
		return
	}
	if (a && method == "Target.detachedFromTarget") {
		for (const [id, f] of a.frames) if (f.session == params.sessionId) a.frames.delete(id)
		return
	}
	for (const [id, s] of sessions) {
		if (s.tab == source.tabId && s.child == source.sessionId) send({sessionId: id, method, params})
	}
})

// The tab was closed, or the person ended the debugging by the bar that the browser shows.
chrome.debugger.onDetach.addListener(source => {
	attached.delete(source.tabId)
	for (const [id, s] of sessions) if (s.tab == source.tabId) sessions.delete(id)
})

const guid = id => "download-" + id
chrome.downloads.onCreated.addListener(d => {
	const name = (d.filename || new URL(d.finalUrl || d.url).pathname).split(/[\\/]/).pop()
	send({method: "Browser.downloadWillBegin", params: {guid: guid(d.id), url: d.finalUrl || d.url, suggestedFilename: name || "download"}})
})
chrome.downloads.onChanged.addListener(async ({id, state}) => {
	if (!state || state.current == "in_progress") return
	const [d] = await chrome.downloads.search({id})
	const done = state.current == "complete"
	send({method: "Browser.downloadProgress", params: {guid: guid(id), state: done ? "completed" : "canceled", filePath: done ? d?.filename : ""}})
})
