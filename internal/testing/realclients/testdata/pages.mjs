// Reads the pages of the runs in a real browser, as a person does, and prints what
// there was to see as JSON: node pages.mjs BROWSER SITE RUN FOLDER.
import { join } from "node:path";
import { chromium } from "playwright-core";
import { look } from "./look.mjs";

const [browserPath, site, run, folder] = process.argv.slice(2);
const seen = { problems: [], said: [] };

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });

// show opens a page and looks at it.
async function show(page, name, path) {
	if (path) await page.goto(site + path);
	await page.waitForSelector("main");
	await look(page, folder, name, seen.problems);
}

for (const colorScheme of ["light", "dark"]) {
	for (const width of [1400, 400]) {
		const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
		const page = await context.newPage();
		page.setDefaultTimeout(120_000);
		page.on("console", (m) => m.type() === "error" && seen.said.push(m.text()));
		page.on("pageerror", (e) => seen.said.push(String(e)));
		const of = (name) => `${name}-${colorScheme}-${width}`;
		await show(page, of("runs"), "/runs");
		await show(page, of("plan"), `/runs/${run}/resume`);
		await show(page, of("workflows"), "/workflows");
		await show(page, of("workflow"), "/workflows/greeting");
		await show(page, of("fleet"), "/fleet");
		await show(page, of("recordings"), "/recordings");
		await show(page, of("desktops"), "/desktops");
		await page.locator("td a").first().click();
		await page.waitForSelector("#screen[data-connected] canvas");
		await show(page, of("lasting"), null);
		await page.goto(`${site}/workflows/greeting/versions`);
		await page.locator("td a").first().click();
		await show(page, of("versions"), page.url().slice(site.length));
		await page.goto(`${site}/runs/${run}/resume`);
		await page.locator(".mend summary").click();
		const text = await page.locator("[data-editor]").inputValue();
		await page.locator("[data-editor]").fill(text.replace("type_into_element", "type_into_elemen"));
		await page.getByRole("button", { name: "Check it" }).click();
		await page.waitForSelector(".editor .bad");
		await show(page, of("mend"), null);
		await show(page, of("run"), `/runs/${run}`);
		await page.goto(`${site}/runs/${run}/desktop`);
		await page.waitForSelector("#screen[data-connected] canvas");
		await show(page, of("desktop"), null);
		await context.close();
	}
}

// By keys and buttons.
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(120_000);
const here = () => page.locator(".steps a.here b").innerText();
await page.goto(`${site}/runs?text=${run}`);
await page.keyboard.press("j");
await page.keyboard.press("Enter");
await page.waitForURL(`**/runs/${run}`);
seen.first = await here();
await page.keyboard.press("k");
seen.before = await here();
await page.waitForFunction(() => document.querySelector(".step.here img").complete);
seen.drawn = await page.locator(".step.here svg rect").count();
await page.locator(".step.here [data-cut]").fill("30");
seen.cut = await page.evaluate(() => getComputedStyle(document.querySelector(".step.here .after")).clipPath);
await page.keyboard.press("Escape");
await page.locator("h1").click();
await page.keyboard.press("f");
seen.failure = await here();
await page.getByRole("link", { name: "document", exact: true }).focus();
await page.keyboard.press("Enter");
await page.waitForURL(`**/runs/${run}/document`);
await page.goBack();

// Watches the desktop live, takes it over, writes into the editor, and hands it back.
await page.getByRole("link", { name: "Watch or take over…" }).click();
await page.waitForSelector("#screen[data-connected] canvas");
let frames = 0;
page.on("websocket", (socket) => socket.on("framereceived", () => { frames++; }));
await page.getByRole("button", { name: "Take over" }).click();
await page.waitForSelector("#screen[data-acts][data-connected] canvas");
const canvas = page.locator("#screen canvas");
const box = await canvas.boundingBox();
const on = (x, y) => [box.x + x / 1920 * box.width, box.y + y / 1080 * box.height];
await page.mouse.click(...on(960, 540));
frames = 0;
const began = Date.now();
await page.keyboard.type(" by hand, and more of it", { delay: 60 });
seen.typing = frames / ((Date.now() - began) / 1000);
await page.waitForTimeout(500); // what was typed last shows
await page.screenshot({ path: join(folder, "taken-over.png") });
await page.getByRole("button", { name: "Hand back", exact: true }).click();
await page.waitForURL(`**/runs/${run}`);
seen.hands = await page.locator(".hands b").allInnerTexts();
await page.screenshot({ path: join(folder, "handed-back.png") });
await page.getByRole("link", { name: "Resume…" }).click();
await page.getByRole("button", { name: "Resume", exact: true }).click();
await page.waitForURL(`**/runs/${run}`);
// The page keeps itself fresh until the second attempt has ended too, and leaves what is
// typed there.
await page.locator("[data-narrow]").fill("press");
await page.waitForFunction(() => document.querySelector(".facts").textContent.includes("attempt 2") && document.querySelector("h1 .failed"));
seen.attempts = await page.locator(".steps li").count();
seen.found = await page.locator("[data-narrow]").inputValue();

// Runs a saved workflow with a secret, and mends it at the line where it is wrong.
await page.goto(`${site}/workflows`);
await page.getByRole("link", { name: "greeting", exact: true }).click();
await page.getByLabel("Who is greeted").fill("Ann");
await page.getByLabel("pin").fill("s3cret!");
// The page of a run whose login ends shows the login.
await page.route("**/runs/*", (route) => route.request().resourceType() === "fetch"
	? route.fulfill({ contentType: "text/html", body: "<main>the login</main>" }) : route.continue());
await page.getByRole("button", { name: "Run" }).click();
await page.waitForURL("**/runs/*");
await page.waitForSelector("h1 .failed", { timeout: 60000 });
await page.unroute("**/runs/*");
await page.getByRole("link", { name: "Resume…" }).click();
await page.locator(".mend summary").click();
const editor = page.locator("[data-editor]");
await editor.fill((await editor.inputValue()).replace("Nowhere", "Nowhere\" && \""));
await page.getByRole("button", { name: "Check it" }).click();
await page.locator("[data-line]").first().click();
seen.line = await editor.evaluate((e) => e.value.slice(e.selectionStart, e.selectionEnd).trim().slice(0, 12));
await editor.fill((await editor.inputValue()).replace(/  - {id: press.*\n/, "  - {id: press, tool_name: delay, arguments: {delay_ms: 1}}\n"));
await page.getByRole("button", { name: "Check it" }).click();
await page.getByLabel("pin").fill("s3cret!");
await page.getByRole("button", { name: "Resume with it" }).click();
await page.waitForURL("**/runs/*");
await page.waitForSelector("h1 .succeeded", { timeout: 60000 });
seen.mended = await page.locator(".steps li").count();

// Goes back to a version, and stops a desktop.
await page.goto(`${site}/workflows/greeting/versions`);
await page.getByRole("button", { name: "Restore" }).click();
seen.versions = await page.locator("tbody tr").count();
await page.goto(`${site}/desktops`);
seen.desktops = await page.locator("tbody tr").count();
await page.locator("td a").first().click();
await page.getByRole("button", { name: "Stop it, with all that runs there" }).click();
await page.waitForURL(`${site}/desktops`);
seen.desktops -= await page.locator("tbody tr").count();
await browser.close();
console.log(JSON.stringify(seen));
