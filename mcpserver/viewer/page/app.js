// The view of a run inside a host of MCP Apps. It speaks JSON-RPC with the host, which
// calls tools and reads pictures for it with the rights of its own connection.
"use strict";
const DATA = "understudy/run", FORM = "understudy/form", POLL = 1500;
const waiting = new Map();
const pictures = new Map();
const opened = new Set();
let next = 1, host = {}, run = null, form = null, given = {}, id = "", timer = 0, said = "", busy = false, ended = false;

const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const tell = (method, params = {}) => post({ method, params });
const ask = (method, params) => new Promise((yes, no) => {
	waiting.set(next, { yes, no });
	post({ id: next++, method, params });
});

const heard = {
	"ui/notifications/tool-input": ({ arguments: args }) => { given = args ?? {}; id = given.run_id ?? id; timer = setTimeout(refresh, POLL); },
	"ui/notifications/tool-result": take,
	"ui/notifications/tool-cancelled": ({ reason }) => { said = reason || "the call was cancelled"; draw(); },
	"ui/notifications/host-context-changed": dress,
};

addEventListener("message", ({ source, data }) => {
	if (source !== parent || data?.jsonrpc !== "2.0") return;
	if (data.method && data.id !== undefined) {
		if (data.method === "ui/resource-teardown") { ended = true; clearTimeout(timer); }
		const known = ["ui/resource-teardown", "ping"].includes(data.method);
		post(known ? { id: data.id, result: {} } : { id: data.id, error: { code: -32601, message: "unknown method" } });
	} else if (data.method) {
		heard[data.method]?.(data.params ?? {});
	} else if (waiting.has(data.id)) {
		const { yes, no } = waiting.get(data.id);
		waiting.delete(data.id);
		data.error ? no(new Error(data.error.message)) : yes(data.result);
	}
});

// dress takes over the theme and the variables of the host.
function dress({ theme, styles }) {
	const root = document.documentElement.style;
	if (theme) root.colorScheme = theme;
	for (const [name, value] of Object.entries(styles?.variables ?? {})) if (value) root.setProperty(name, value);
}

const textOf = (result) => (result.content ?? []).filter((c) => c.type === "text").map((c) => c.text).join("\n");

// take shows the result of a tool. Its words name the run, if its data do not come through.
function take(result) {
	run = result._meta?.[DATA] ?? run;
	id = run?.run_id ?? /\brun ([0-9a-z]{26})\b/i.exec(textOf(result))?.[1] ?? id;
	form = result._meta?.[FORM] ?? (result._meta?.[DATA] ? null : form);
	said = result._meta?.[DATA] || result._meta?.[FORM] ? "" : textOf(result);
	draw();
	clearTimeout(timer);
	if (!ended && id && (!run || ["running", "queued", "paused"].includes(run.status))) timer = setTimeout(refresh, POLL);
}

async function call(name, args) {
	return ask("tools/call", { name, arguments: args });
}

// refresh asks for the run. While the call that plays it is still open, its id is not
// known yet, and the newest run that plays is taken.
async function refresh() {
	if (!host.serverTools) return;
	try {
		if (!id) id = /\b([0-9a-z]{26})\b/i.exec(textOf(await call("list_runs", { status: "running", limit: 1 })))?.[1] ?? "";
		if (id) take(await call("get_run", { run_id: id }));
		else timer = setTimeout(refresh, POLL);
	} catch (problem) { said = problem.message; draw(); }
}

// act calls a tool for a button or a form.
async function act(name, args) {
	if (busy) return;
	busy = true;
	draw();
	try {
		const result = await call(name, args);
		busy = false;
		take(result);
		if (result.isError && !result._meta?.[DATA]) return;
		await refresh();
	} catch (problem) { said = problem.message; }
	busy = false;
	draw();
}

// make builds an element; texts of runs are only ever text.
function make(tag, props, ...children) {
	const el = Object.assign(document.createElement(tag), props);
	el.append(...children.filter((c) => c !== undefined && c !== null && c !== ""));
	return el;
}

const button = (label, name, args, first) => make("button", { type: "button", textContent: label, disabled: busy, className: first ? "first" : "", onclick: () => act(name, args) });
const took = (ms) => ms < 1000 ? ms + " ms" : ms < 60000 ? (ms / 1000).toFixed(1) + " s" : Math.round(ms / 60000) + " min";
const isBad = (s) => s.error && s.status !== "success";

function facts() {
	return make("header", {},
		make("h1", {}, make("bdi", { textContent: run.workflow || "Run" }), " ", make("span", { className: "status " + run.status, textContent: run.status })),
		make("p", { className: "facts", textContent: `${run.run_id} · ${Math.min(run.executed, run.total)} of ${run.total} steps · ${took(run.duration_ms)}` + (run.attempt > 1 ? ` · attempt ${run.attempt}` : "") }));
}

// shots shows the pictures of a step, if the host reads resources.
function shots(step) {
	const box = make("div", { className: "pictures" });
	for (const { when, uri } of host.serverResources ? step.captures ?? [] : []) {
		const img = make("img", { alt: `the screen ${when} the step` });
		box.append(make("figure", {}, img, make("figcaption", { textContent: when })));
		if (!pictures.has(uri)) {
			pictures.set(uri, ask("resources/read", { uri }).then(({ contents: [c] }) => `data:${c.mimeType};base64,${c.blob}`));
		}
		pictures.get(uri).then((url) => { img.src = url; }, () => img.parentNode.remove());
	}
	return box.children.length ? box : undefined;
}

function problem() {
	const step = run.steps?.findLast(isBad), e = run.error;
	if (!e) return;
	const box = make("div", { className: "box failed" }, make("p", { className: "text" },
		make("b", { textContent: e.code }), e.step ? ` at ${e.step}` : "", ": ", make("bdi", { textContent: e.message })));
	if (e.next) box.append(make("p", { className: "text", textContent: e.next }));
	return make("section", { ariaLabel: "What failed" }, box, step && shots(step));
}

// question asks what the run asks. A secret is never typed here. It is no form element,
// which hosts do not let submit.
function question() {
	const q = run.question;
	if (!q || run.status !== "waiting") return;
	const box = make("section", { className: "box waiting" }, make("p", { className: "text", textContent: q.text }), q.context && make("p", { className: "text", textContent: q.context }));
	const answer = (answer) => ({ run_id: run.run_id, answer, wait: false });
	const row = make("div", { className: "acts" });
	if (q.sort === "secret") {
		box.append(make("p", { className: "note", textContent: `A secret is not given here. Run: understudy resume ${run.run_id}` }));
	} else if (q.sort === "doubt") {
		for (const [label, decision] of [["Do it again", "redo"], ["Skip it", "skip"]]) row.append(button(label, "resume_run", { run_id: run.run_id, decision, wait: false }));
	} else if (q.choices?.length) {
		for (const c of q.choices) row.append(button(c, "resume_run", answer(c)));
	} else {
		const fields = Object.entries(q.fields ?? { "": {} }).map(([name, schema]) => [name, field(row, name, schema ?? {})]);
		const send = () => {
			const values = Object.fromEntries(fields.map(([name, read]) => [name, read()]));
			act("resume_run", answer(q.fields ? values : values[""]));
		};
		row.append(make("button", { type: "button", className: "first", textContent: "Answer", disabled: busy, onclick: send }));
		row.onkeydown = (e) => e.key === "Enter" && e.target.tagName === "INPUT" && send();
	}
	box.append(row);
	return host.serverTools ? box : undefined;
}

// inputs is the form of a workflow that has not begun, because inputs are missing.
function inputs() {
	if (!form || !host.serverTools) return;
	const box = make("section", { className: "box waiting", ariaLabel: "Inputs" }, make("h1", {}, make("bdi", { textContent: form.workflow })));
	const row = make("div", { className: "acts" });
	const fields = Object.entries(form.schema.properties ?? {}).map(([name, schema]) => [name, field(row, name, { ...schema, default: given.inputs?.[name] ?? schema.default })]);
	const send = async () => {
		try {
			const read = fields.map(([name, value]) => [name, value()]).filter(([, v]) => v !== "" && !Number.isNaN(v));
			given = { ...given, inputs: { ...given.inputs, ...Object.fromEntries(read) } };
		} catch (problem) { said = problem.message; draw(); return; }
		const { workflow } = form;
		await act("execute_sequence", { ...given, wait: false });
		if (run && host.updateModelContext) ask("ui/update-model-context", { content: [{ type: "text", text: `The person began ${workflow} with inputs: run ${run.run_id}.` }] }).catch(() => {});
	};
	row.append(make("button", { type: "button", className: "first", textContent: "Run", disabled: busy, onclick: send }));
	row.onkeydown = (e) => e.key === "Enter" && e.target.tagName === "INPUT" && send();
	box.append(row);
	if (form.secrets) box.append(make("p", { className: "note", textContent: `asked for later: ${form.secrets.join(", ")}` }));
	return box;
}

// field adds a control for a value of a schema, and returns how it is read.
function field(row, name, schema) {
	const options = schema.enum ?? schema.oneOf?.map((o) => o.const);
	const input = options ? make("select", {}, ...options.map((o) => make("option", { textContent: o }))) : make("input", {
		type: { boolean: "checkbox", number: "number", integer: "number" }[schema.type] ?? "text", step: schema.type === "number" ? "any" : "",
	});
	const nested = ["array", "object"].includes(schema.type);
	if (nested) input.placeholder = "JSON";
	if (schema.default !== undefined) input.type === "checkbox" ? input.checked = schema.default : input.value = nested ? JSON.stringify(schema.default) : schema.default;
	input.ariaLabel = name || "answer";
	input.title = schema.description ?? "";
	row.append(make("label", {}, schema.title || name, input));
	return () => {
		if (options) return options[input.selectedIndex];
		if (nested && input.value) return JSON.parse(input.value);
		return input.type === "checkbox" ? input.checked : input.type === "number" ? input.valueAsNumber : input.value;
	};
}

function acts() {
	const row = make("div", { className: "acts" }), p = run.plan;
	if (!host.serverTools) return;
	if (["running", "queued", "waiting", "paused"].includes(run.status)) row.append(button("Stop", "stop_execution", { run_id: run.run_id }));
	if (p) {
		const resume = (more) => ({ run_id: run.run_id, wait: false, ...more });
		if (p.doubt) row.append(button(`Do ${p.from} again`, "resume_run", resume({ decision: "redo" })), button(`Skip ${p.from}`, "resume_run", resume({ decision: "skip" })));
		else row.append(button(`Resume at ${p.from}`, "resume_run", resume({}), true));
	}
	row.append(make("button", { type: "button", textContent: "Refresh", disabled: busy || !id, onclick: refresh }));
	return row;
}

// plan says what a resume does with the steps.
function plan() {
	const p = run.plan;
	if (!p) return;
	const names = (all) => (all ?? []).map((s) => s.id || s.path).join(", ");
	const lines = [["kept", p.kept], ["done again", p.again], ["cleaned up already", p.undone]].filter(([, all]) => all?.length).map(([what, all]) => `${what}: ${names(all)}`);
	if (p.doubt) lines.unshift(`${p.from} may have acted before it was cut short: look at the screen first`);
	if (p.gone) lines.unshift(`its desktop is gone: ${p.gone}`);
	return lines.length ? make("p", { className: "note", textContent: lines.join("\n") }) : undefined;
}

function output() {
	return run.output === undefined ? undefined : make("pre", { textContent: JSON.stringify(run.output, null, 2), ariaLabel: "Output" });
}

function rows() {
	const list = make("ol", { className: "rows" });
	for (const s of run.steps ?? []) {
		const key = `${s.path} ${s.started_at}`;
		const item = make("details", { open: opened.has(key) }, make("summary", {}, make("span", {}, make("b", {}, make("bdi", { textContent: s.id || s.path })), ` ${s.kind} · ${s.status} · ${took(s.duration_ms)}`)));
		const fill = () => {
			item.open ? opened.add(key) : opened.delete(key);
			if (!item.open || item.children.length > 1) return;
			if (s.error) item.append(make("p", { className: "text", textContent: `${s.error.code}: ${s.error.message}` }));
			item.append(shots(s) ?? "");
		};
		item.ontoggle = fill;
		list.append(make("li", { className: s.status }, item));
	}
	return make("section", { ariaLabel: "Steps" }, list);
}

function draw() {
	const parts = run ? [facts(), problem(), question(), acts(), plan(), output()] : [inputs()].filter(Boolean);
	if (said) parts.push(make("p", { className: "said text", textContent: said }));
	if (run) parts.push(rows());
	if (!parts.length) return;
	// An answer that is being typed must survive a refresh.
	if (document.activeElement?.matches(".box input, .box select") && run?.status === "waiting") return;
	document.getElementById("main").replaceChildren(...parts.filter(Boolean));
}

new ResizeObserver(() => tell("ui/notifications/size-changed", { width: document.documentElement.scrollWidth, height: document.body.scrollHeight })).observe(document.body);
ask("ui/initialize", {
	protocolVersion: "2026-01-26", appInfo: { name: "understudy", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
}).then((answer) => {
	host = answer.hostCapabilities ?? {};
	dress(answer.hostContext ?? {});
	tell("ui/notifications/initialized");
}, (problem) => { said = problem.message; draw(); });
