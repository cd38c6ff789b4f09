// Records a person at work while the page of the recording is open in a real browser,
// and changes the recording there: node record.mjs BROWSER ADDRESS FOLDER PLACES. The
// person's hands are xdotool, on the display of the environment; PLACES says where
// they go. Prints what there was to see as JSON.
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { look } from "./look.mjs";

const [browserPath, address, folder, placesText] = process.argv.slice(2);
const { name, town, code, ok, yes, programs } = JSON.parse(placesText);
const seen = { problems: [], said: [] };
const hands = (...args) => execFileSync("xdotool", args.map(String));
const pause = (ms) => new Promise((then) => setTimeout(then, ms));
async function clicks([x, y]) {
	hands("mousemove", x, y);
	await pause(1500); // rests, as a person does
	hands("click", 1);
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(120_000);
page.on("console", (m) => m.type() === "error" && seen.said.push(m.text()));
page.on("pageerror", (e) => seen.said.push(String(e)));
await page.goto(address);
seen.empty = await page.locator(".none").count();

const steps = () => page.locator(".recorded > li");
const step = (text) => steps().filter({ has: page.locator("b").getByText(text) });
const shows = (text) => step(text).first().waitFor({ timeout: 60000 });

// The steps come by themselves while the person works.
await clicks(name);
hands("type", "--delay", 30, "Ada");
await shows("Ada");
await clicks(town);
hands("type", "--delay", 30, "Paris");
await shows("Paris");
await clicks(code);
hands("type", "--delay", 30, "hQ7#kZ9!x");
await shows("secret");
await clicks(ok);
await shows("OK");
await clicks(yes);
await page.locator(".ask").waitFor({ timeout: 60000 });
await page.waitForFunction(() => [...document.querySelectorAll(".recorded img")].every((i) => i.complete));
seen.pictures = await page.locator(".recorded img").evaluateAll((all) => all.filter((i) => i.naturalWidth > 0).length);
const texts = () => page.locator(".recorded .what b").allInnerTexts();
seen.recorded = await texts();

async function show(of) {
	for (const colorScheme of ["light", "dark"]) {
		for (const width of [1400, 400]) {
			const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
			const other = await context.newPage();
			other.setDefaultTimeout(120_000);
			await other.goto(address);
			await look(other, folder, `${of}-${colorScheme}-${width}`, seen.problems);
			await context.close();
		}
	}
}
await show("recording");

// Each change is a page of its own, as it is without scripts.
const press = async (where, button) => {
	await Promise.all([page.waitForEvent("load"), where.getByRole("button", { name: button, exact: true }).click()]);
};
await step("OK").getByRole("textbox").fill("Send it");
await press(step("OK"), "Call it so");
await step("Send it").getByRole("textbox").fill("it takes a while");
await press(step("Send it"), "Note it");
await press(step("Paris"), "Constant");
await press(step("Ada"), "Secret");
await press(step("Send it"), `move step ${(await texts()).findIndex((t) => t.includes("Send it")) + 1} up`);
await press(step("Send it"), `move step ${(await texts()).findIndex((t) => t.includes("Send it")) + 1} up`);
seen.moved = await texts();
const up = (await texts()).findIndex((t) => t.includes("Send it"));
await press(steps().nth(up + 1), `move step ${up + 2} up`);
await press(steps().nth(up + 2), `move step ${up + 3} up`);
await press(page.locator(".ask"), "Yes, keep it so");
seen.asked = await page.locator(".ask").count();
await press(steps().first(), "Take away");
seen.changed = await texts();
await press(page.locator("form[action$=command]"), "stop the recording");
seen.written = await page.locator("h1").innerText();
await show("recorded");

// Plays it from its first step, where the programs are as they were.
for (const [program, ...args] of programs) spawn(program, args, { detached: true, stdio: "ignore" }).unref();
await pause(3000);
for (const secret of await page.locator("#play input").all()) await secret.fill("Ada");
await Promise.all([page.waitForEvent("load", { timeout: 120000 }), steps().first().getByRole("button", { name: /^Play from here/ }).click()]);
seen.played = (await page.locator(".said").innerText()).split("\n").find((line) => line.includes("succeeded")) ? "succeeded" : await page.locator(".said").innerText();
await page.screenshot({ path: join(folder, "played.png"), fullPage: true });
await browser.close();
console.log(JSON.stringify(seen));
