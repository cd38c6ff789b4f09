// The pages work without this: it keeps them fresh, moves by keys, shows one step
// at a time, and draws on its picture where the step acted.
"use strict";
(() => {
	const all = (selector, within = document) => [...within.querySelectorAll(selector)];
	const one = (selector, within = document) => within.querySelector(selector);
	const svg = (name, attributes) => {
		const e = document.createElementNS("http://www.w3.org/2000/svg", name);
		for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
		return e;
	};
	let playing = 0;

	const places = () => all("[data-rows] tr, .steps li:not([hidden]) a");
	const here = () => one("tr.here, .steps a.here");

	function choose(place, move = true) {
		if (!place) return;
		here()?.classList.remove("here");
		place.classList.add("here");
		place.scrollIntoView({ block: "nearest" });
		if (!place.dataset.step) return;
		all(".step.here").forEach((s) => s.classList.remove("here"));
		const step = document.getElementById("s" + place.dataset.step);
		step.classList.add("here");
		place.setAttribute("aria-current", "step");
		all(".steps [aria-current]").forEach((a) => a !== place && a.removeAttribute("aria-current"));
		if (move) history.replaceState(null, "", "#s" + place.dataset.step);
	}

	function step(by) {
		const list = places();
		const at = list.indexOf(here());
		choose(list[Math.min(Math.max(at + by, 0), list.length - 1)]);
		return at + by < list.length;
	}

	function play() {
		clearInterval(playing);
		playing = playing ? 0 : setInterval(() => { if (!step(1)) play(); }, 800);
	}

	// windowsIn returns the part of a screen with windows: what differs from its background,
	// the colour that is commonest at its edges. It is the whole screen if little is bare.
	function windowsIn(images, wide, high) {
		const whole = { x: 0, y: 0, w: wide, h: high }, w = 240, h = Math.max(1, Math.round(w * high / wide));
		const board = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		Object.assign(board.canvas, { width: w, height: h });
		let left = w, top = h, right = 0, bottom = 0;
		for (const image of images) {
			board.drawImage(image, 0, 0, w, h);
			const { data } = board.getImageData(0, 0, w, h), at = (x, y) => 4 * (y * w + x), counts = new Map();
			const colour = (i) => data[i] << 16 | data[i + 1] << 8 | data[i + 2];
			for (let x = 0; x < w; x++) for (const y of [0, h - 1]) counts.set(colour(at(x, y)), (counts.get(colour(at(x, y))) ?? 0) + 1);
			const bare = [...counts].sort((a, b) => b[1] - a[1])[0][0];
			const differs = (i) => Math.abs(data[i] - (bare >> 16)) + Math.abs(data[i + 1] - (bare >> 8 & 255)) + Math.abs(data[i + 2] - (bare & 255)) > 24;
			for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) if (differs(at(x, y))) {
				left = Math.min(left, x); right = Math.max(right, x + 1); top = Math.min(top, y); bottom = Math.max(bottom, y + 1);
			}
		}
		const edge = 4;
		left = Math.max(0, left - edge); top = Math.max(0, top - edge); right = Math.min(w, right + edge); bottom = Math.min(h, bottom + edge);
		if (right <= left || (right - left) * (bottom - top) > 0.75 * w * h) return whole;
		return { x: left * wide / w, y: top * high / h, w: (right - left) * wide / w, h: (bottom - top) * high / h };
	}

	// draw shows the windows of a figure, or the whole screen, and marks where the step acted.
	function draw(figure, whole = false) {
		const images = all("img", figure), board = one("svg", figure), image = images[0];
		if (!images.length || images.some((i) => !i.naturalWidth)) return;
		const wide = Number(image.getAttribute("width")) || image.naturalWidth, high = Number(image.getAttribute("height")) || image.naturalHeight;
		const part = windowsIn(images, wide, high), shown = whole ? { x: 0, y: 0, w: wide, h: high } : part;
		const { style } = one(".pair", figure);
		for (const [name, value] of Object.entries({ ratio: `${shown.w} / ${shown.h}`, zoom: wide / shown.w, left: -shown.x / shown.w, top: -shown.y / shown.h })) style.setProperty("--" + name, value);
		const button = one("[data-whole]", figure);
		button.hidden = part.w === wide && part.h === high;
		button.setAttribute("aria-pressed", whole);
		board.setAttribute("viewBox", `${shown.x} ${shown.y} ${shown.w} ${shown.h}`);
		board.replaceChildren();
		const { x, y, box } = figure.dataset;
		if (box) {
			const [left, top, width, height] = box.split(" ");
			board.append(svg("rect", { x: left, y: top, width, height }));
		}
		if (x) board.append(svg("circle", { cx: x, cy: y, r: 14 }), svg("circle", { cx: x, cy: y, r: 2 }));
	}

	function settle() {
		all(".compare").forEach((figure) => {
			all("img", figure).forEach((image) => image.addEventListener("load", () => draw(figure)));
			draw(figure);
		});
		const wanted = /^#s\d+$/.test(location.hash) && one(`.steps a[href="${location.hash}"]`);
		if (one(".steps")) choose(wanted || one(".steps a.error, .steps a.failed, .steps a.waiting") || one(".steps a"), false);
	}

	const narrow = (text) => all(".steps li").forEach((li) => { li.hidden = !li.textContent.toLowerCase().includes(text); });

	// number gives each line of an editor its number.
	function number(editor) {
		const list = one("ol", editor.parentElement), lines = editor.value.split("\n").length;
		editor.rows = lines;
		while (list.childElementCount < lines) {
			const item = document.createElement("li");
			item.textContent = list.childElementCount + 1;
			list.append(item);
		}
		while (list.childElementCount > lines) list.lastElementChild.remove();
	}

	// pointAt selects a line in the editor.
	function pointAt(editor, line) {
		const before = editor.value.split("\n").slice(0, line - 1).reduce((n, text) => n + text.length + 1, 0);
		const end = editor.value.indexOf("\n", before);
		editor.closest("details").open = true;
		editor.focus();
		editor.setSelectionRange(before, end < 0 ? editor.value.length : end);
		editor.parentElement.querySelector(`li:nth-child(${line})`)?.scrollIntoView({ block: "center" });
	}

	document.addEventListener("input", (e) => {
		if (e.target.matches("[data-cut]")) {
			one(".pair", e.target.closest("figure")).style.setProperty("--cut", e.target.value + "%");
		}
		if (e.target.matches("[data-editor]")) number(e.target);
		if (e.target.matches("[data-narrow]")) narrow(e.target.value.toLowerCase());
	});

	// A second press of a button, as of a double click, is not sent.
	document.addEventListener("submit", (e) => {
		const form = e.target;
		if (form.dataset.sent) e.preventDefault();
		form.dataset.sent = "yes";
		setTimeout(() => { delete form.dataset.sent; }, 3000);
	});

	document.addEventListener("click", (e) => {
		const editor = one("[data-editor]"), problem = e.target.closest("[data-line]");
		if (editor && problem) {
			e.preventDefault();
			pointAt(editor, Number(problem.dataset.line));
		}
		const view = e.target.closest("[data-view]"), whole = e.target.closest("[data-whole]");
		if (view) {
			const figure = view.closest("figure"), on = view.getAttribute("aria-pressed") !== "true";
			figure.dataset.as = on ? view.dataset.view : "";
			all("[data-view]", figure).forEach((b) => b.setAttribute("aria-pressed", on && b === view));
		}
		if (whole) draw(whole.closest("figure"), whole.getAttribute("aria-pressed") !== "true");
		const link = one(`.steps a[href="${e.target.closest("#live a")?.getAttribute("href")}"]`);
		if (!link) return;
		e.preventDefault();
		choose(link);
		document.getElementById("s" + link.dataset.step).focus({ preventScroll: true });
	});

	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.altKey || e.metaKey) return;
		if (e.target.matches("input, select, textarea")) {
			if (e.key === "Escape") e.target.blur();
			return;
		}
		const onButton = e.target.matches("button, summary, a");
		const keys = {
			j: () => step(1), k: () => step(-1),
			f: () => choose(one(".steps a.error, .steps a.failed")),
			"/": () => one("[data-find]")?.focus(),
			" ": () => one(".steps") && !onButton ? play() : true,
			Enter: () => onButton || one("tr.here a")?.click(),
		};
		if (keys[e.key] && keys[e.key]() !== true) e.preventDefault();
	});

	// keep carries over to a fresh page what the reader did on the old one.
	function keep(next) {
		const place = (d) => `${d.closest("section")?.id} ${one("summary", d).textContent}`;
		const shown = new Map(all("#live details").map((d) => [place(d), d.open]));
		all("details", next).forEach((d) => { d.open = shown.get(place(d)) ?? d.open; });
		const texts = (within) => all("form :is(input:not([type=hidden]), textarea)", within);
		const field = (f) => [f.name, f.form.getAttribute("action"), ...all("[type=hidden]:not([name=token])", f.form).map((h) => h.value)].join(" ");
		const written = new Map(texts(one("#live")).filter((f) => f.value !== f.defaultValue).map((f) => [field(f), f.value]));
		texts(next).forEach((f) => { f.value = written.get(field(f)) ?? f.value; });
		const find = one("[data-narrow]");
		if (find) one("[data-narrow]", next)?.replaceWith(find);
	}

	// fresh shows the page again as it is now, and leaves the reader where he was.
	async function fresh() {
		const answer = await fetch(location.href.split("#")[0], { headers: { Accept: "text/html" } }).catch(() => null);
		if (!answer?.ok) return;
		const page = new DOMParser().parseFromString(await answer.text(), "text/html"), now = one("#live", page);
		if (!now) return location.reload(); // the login has ended
		const active = document.activeElement;
		if (active?.closest("#live form")) return soon(2000); // somebody is writing
		const kept = here()?.dataset.step, row = here()?.querySelector("a")?.href;
		keep(now);
		one("#live").replaceWith(now);
		settle();
		const find = one("[data-narrow]");
		if (find) narrow(find.value.toLowerCase());
		if (find && find === active) find.focus();
		if (kept) choose(one(`.steps a[data-step="${kept}"]`), false);
		if (row) choose(all("[data-rows] tr").find((tr) => one("a", tr).href === row));
		if (!one("main", page).dataset.live) {
			delete one("main").dataset.live;
			events.close();
		}
	}

	let events, due = 0, away = false;
	const soon = (wait) => { due ||= setTimeout(() => { due = 0; fresh(); }, wait); };

	// listen shows what is new until the run has ended, and says when the server does not
	// answer. A browser opens a stream again by itself, unless it was refused.
	function listen(address) {
		const lost = (is) => {
			if (away && !is) soon(400);
			away = is;
			one("#lost")?.toggleAttribute("hidden", !is);
		};
		events = new EventSource(address);
		for (const name of ["run", "started", "ended", "captured", "skipped", "asked", "answered", "finished", "resumed", "paused", "continued", "recorded", "taken", "returned"]) {
			events.addEventListener(name, () => soon(400));
		}
		events.addEventListener("open", () => lost(false));
		events.addEventListener("error", () => {
			lost(true);
			if (events.readyState !== EventSource.CLOSED) return;
			setTimeout(async () => {
				await fresh();
				if (one("main").dataset.live) listen(address);
			}, 3000);
		});
	}

	document.documentElement.classList.add("scripted");
	settle();
	const live = one("main")?.dataset.live;
	if (live) listen(live);
})();
