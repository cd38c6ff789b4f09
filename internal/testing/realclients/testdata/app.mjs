// Shows the page of a run as a host of MCP Apps does, in a real browser, and prints what
// there was to see as JSON: node app.mjs BROWSER FOLDER SERVER...
// The bridge is that of the authors of the extension. It runs here, and its messages pass
// through the host's page, in which the view has a frame without an origin.
import { join } from "node:path";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { chromium } from "playwright-core";

const [browserPath, folder, command, ...args] = process.argv.slice(2);
const appType = "text/html;profile=mcp-app";
const seen = { said: [], calls: [] };

const client = new Client({ name: "host", version: "1" }, {
	versionNegotiation: { mode: "auto" },
	capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [appType] } } },
});
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
const uri = tools.find((t) => t.name === "execute_sequence")._meta.ui.resourceUri;
const { contents: [view] } = await client.readResource({ uri });
seen.type = view.mimeType;

const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });

// show opens a view, and returns its page, its frame and its bridge.
async function show(theme, width) {
	const page = await (await browser.newContext({ viewport: { width, height: 900 } })).newPage();
	page.setDefaultTimeout(120_000);
	page.on("pageerror", (e) => seen.said.push(String(e)));
	page.on("console", (m) => m.type() === "error" && seen.said.push(m.text()));
	const transport = {
		start: async () => {},
		close: async () => {},
		send: (message) => page.evaluate((m) => document.querySelector("iframe").contentWindow.postMessage(m, "*"), message),
	};
	await page.exposeFunction("toHost", (message) => {
		if (message.method === "tools/call") seen.calls.push(message.params.name);
		transport.onmessage?.(message);
	});
	const bridge = new AppBridge(client, { name: "host", version: "1" }, { serverTools: {}, serverResources: {}, logging: {} }, { hostContext: { theme, displayMode: "inline" } });
	const ready = new Promise((yes) => { bridge.oninitialized = yes; });
	bridge.onsizechange = ({ height }) => page.evaluate((h) => { document.querySelector("iframe").style.height = h + "px"; }, height).catch((e) => page.isClosed() || seen.said.push(String(e)));
	await page.setContent(`<body style="margin:0"><iframe sandbox="allow-scripts" style="border:0;width:100%;height:100px"></iframe>`);
	await bridge.connect(transport);
	await page.evaluate(([html, policy]) => {
		const frame = document.querySelector("iframe");
		addEventListener("message", (e) => e.source === frame.contentWindow && toHost(e.data));
		frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}">` + html;
	}, [view.text, policy]);
	await ready;
	return { page, bridge, frame: page.frameLocator("iframe") };
}

const picture = ({ page }, name) => page.screenshot({ path: join(folder, name + ".png"), fullPage: true });
const steps = [
	{ id: "open", tool_name: "open_application", arguments: { app_name: "mousepad" } },
	{ id: "write", tool_name: "type_into_element", arguments: { process: "mousepad", selector: "role:text", text_to_type: "Hello" } },
];

// A run that failed: what failed comes first, with its pictures; another call resumes it.
const failing = { steps: [...steps, { id: "press", tool_name: "click_element", arguments: { process: "mousepad", selector: "role:button && name:Nowhere", timeout_ms: 300 } }] };
const failed = await client.callTool({ name: "execute_sequence", arguments: failing }, { timeout: 120000 });
seen.answer = /<b>|<section/.test(JSON.stringify(failed.content)) ? "markup" : "text";
for (const theme of ["light", "dark"]) {
	for (const width of [720, 360]) {
		const v = await show(theme, width);
		await v.bridge.sendToolInput({ arguments: failing });
		await v.bridge.sendToolResult(failed);
		await v.frame.locator(".box.failed").waitFor();
		await v.frame.locator(".pictures img[src]").first().waitFor();
		await v.page.waitForFunction(() => parseInt(document.querySelector("iframe").style.height) > 300);
		const wide = await v.frame.locator("html").evaluate((e) => e.scrollWidth - e.clientWidth);
		if (wide > 0) seen.said.push(`${theme} ${width}: ${wide} pixels too wide`);
		seen[theme] = await v.frame.locator("body").evaluate((e) => getComputedStyle(e).backgroundColor);
		await picture(v, `app-${theme}-${width}`);
		if (theme === "dark" && width === 360) {
			seen.first = await v.frame.locator("main > :nth-child(2) b").first().textContent();
			await v.frame.getByText("write type_into_element").click();
			await v.frame.locator(".rows img[src]").first().waitFor();
			seen.from = await v.frame.getByRole("button", { name: /^Resume/ }).textContent();
			await v.frame.getByRole("button", { name: /^Resume/ }).click();
			await v.frame.getByText("attempt 2").waitFor();
			await v.frame.locator(".status.failed").waitFor();
			seen.teardown = await v.bridge.teardownResource({});
		}
		await v.page.context().close();
	}
}

// A run that asks: its form is in the view, and what is entered there reaches the run.
const asking = { steps: [{ id: "ask", tool_name: "ask_user", arguments: { question: "Which <colour>?" } }], output: "ask_result.answer", wait: false };
const v = await show("light", 720);
await v.bridge.sendToolInput({ arguments: asking });
await v.bridge.sendToolResult(await client.callTool({ name: "execute_sequence", arguments: asking }));
await v.frame.getByText("Which <colour>?").waitFor();
await picture(v, "app-question");
await v.frame.getByRole("textbox").fill("blue");
await v.frame.getByRole("button", { name: "Answer" }).click();
await v.frame.locator(".status.succeeded").waitFor();
seen.output = await v.frame.locator("pre").textContent();
await picture(v, "app-answered");

// A saved workflow that needs inputs: its form comes before the run.
const wanting = { url: "greeting" };
for (const theme of ["light", "dark"]) {
	const f = await show(theme, theme === "light" ? 720 : 360);
	await f.bridge.sendToolInput({ arguments: wanting });
	await f.bridge.sendToolResult(await client.callTool({ name: "execute_sequence", arguments: wanting }));
	await f.frame.getByRole("combobox", { name: "tone" }).selectOption("loud");
	await f.frame.getByRole("textbox", { name: "who" }).fill("Ada <b>");
	await picture(f, `app-form-${theme}`);
	if (theme === "dark") {
		await f.frame.getByRole("button", { name: "Run" }).click();
		await f.frame.locator(".status.succeeded").waitFor();
		seen.form = await f.frame.locator("pre").textContent();
	}
}

seen.calls = [...new Set(seen.calls)].sort();
console.log(JSON.stringify(seen));
await browser.close();
await client.close();
