// What Understudy has KWin run: it asks for commands, one after the other, and
// answers them. It ends itself when nobody is there to ask any more.
const bus = "BUS", plugin = "PLUGIN"

const box = r => [r.x, r.y, r.width, r.height]
const windows = () => (workspace.stackingOrder || workspace.clientList().sort((a, b) => a.stackingOrder - b.stackingOrder)).filter(w => w.pid > 0 && !w.deleted)
const idOf = w => parseInt(String(w.internalId).replace(/[^0-9a-f]/g, "").slice(0, 12), 16)
const area = w => box(workspace.clientArea(KWin.MaximizeArea, w))

const commands = {
	windows: () => windows().map(w => ({
		id: idOf(w), title: w.caption, class: String(w.resourceClass), file: w.desktopFileName, pid: w.pid,
		frame: box(w.frameGeometry), content: box(w.bufferGeometry), maximized: w.maximizable && String(box(w.frameGeometry)) == String(area(w)),
		active: w.active, minimized: w.minimized, modal: w.modal, dialog: w.dialog, splash: w.splash, popup: w.popupWindow, tooltip: w.tooltip,
		hidden: w.hidden || !(w.onAllDesktops || w.desktop == workspace.currentDesktop),
	})),
	pointer: () => [workspace.cursorPos.x, workspace.cursorPos.y],
	manage: c => {
		const w = windows().find(w => idOf(w) == c.id)
		if (!w) return false
		switch (c.do) {
		case "activate":
			if (!w.onAllDesktops) workspace.currentDesktop = w.desktop
			w.minimized = false
			workspace.activeClient = w
			break
		case "restore":
			if (w.minimized) w.minimized = false
			else w.setMaximize(false, false)
			workspace.activeClient = w
			break
		case "minimize": w.minimized = true; break
		case "maximize": w.setMaximize(true, true); break
		case "close": w.closeWindow(); break
		case "place":
			w.setMaximize(false, false)
			w.frameGeometry = {x: c.to[0], y: c.to[1], width: c.to[2], height: c.to[3]}
		}
		return true
	},
}

function next(answer) {
	callDBus(bus, "/understudy", "dev.understudy.KWin", "Next", answer, text => {
		let said = ""
		if (text) {
			try {
				const c = JSON.parse(text)
				said = JSON.stringify({answer: commands[c.ask](c)})
			} catch (e) {
				said = JSON.stringify({error: String(e)})
			}
		}
		next(said)
	})
}

const timer = new QTimer()
timer.interval = 30000
timer.timeout.connect(() => callDBus("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", bus, there => {
	if (!there) callDBus("org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting", "unloadScript", plugin)
}))
timer.start()
next("")
