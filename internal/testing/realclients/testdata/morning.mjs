// Plays the operator in the morning, who works through what needs him: resumes all runs of
// a cause by a plan, mends a selector with a near match, dismisses the rest with a reason,
// and reads who did what: node morning.mjs BROWSER SITE FOLDER.
import { chromium } from "playwright-core";
import { look } from "./look.mjs";

const [browserPath, site, folder] = process.argv.slice(2);
const seen = { problems: [], said: [] };
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage();
page.on("console", (m) => m.type() === "error" && seen.said.push(m.text()));
page.on("pageerror", (e) => seen.said.push(String(e)));
page.on("dialog", (d) => { seen.said.push("dialog: " + d.message()); d.dismiss(); });

// show looks at a page by light and in the dark, wide and narrow.
async function show(name, path) {
	if (path) await page.goto(site + path);
	for (const colorScheme of ["dark", "light"]) {
		for (const width of [400, 1400]) {
			await page.emulateMedia({ colorScheme });
			await page.setViewportSize({ width, height: 900 });
			await look(page, folder, `${name}-${colorScheme}-${width}`, seen.problems);
		}
	}
}
const causes = () => page.locator(".cause h2").allInnerTexts();
const cause = (workflow) => page.locator(".cause").filter({ has: page.locator("h2", { hasText: workflow }) });

await show("schedules", "/schedules");
seen.begins = await page.locator("tbody td:nth-child(3)").innerText().then((text) => text.startsWith("0 2 * * *"));
await show("inbox", "/inbox");
seen.causes = (await causes()).map((text) => text.trim()).sort();

// The server of the invoices is back: one plan resumes them all.
await cause("invoice").getByRole("button", { name: /^Plan to resume all/ }).click();
await page.waitForURL("**/plans/*");
await show("bulk", null);
await page.getByRole("button", { name: /^Resume \d+ runs$/ }).click();
await page.locator(".counts li", { hasText: /^3\s*succeeded$/ }).waitFor().catch(async (e) => {
	throw new Error(`${e}\n${await page.locator("main").innerText()}`);
});
await show("bulk-done", null);

// The button has another name than the workflow looks for: the near match is used.
await page.goto(site + "/inbox");
await cause("letter").getByRole("link").first().click();
await page.waitForSelector(".step.here");
await show("nearest", null);
await page.getByRole("link", { name: /^use this/ }).first().click();
await page.waitForURL("**/resume?*");
seen.used = await page.locator("[data-editor]").inputValue().then((text) => text.includes("name:Send"));
await show("use-this", null);
await page.getByRole("button", { name: "Resume with it" }).click();
await page.waitForSelector("h1 .succeeded", { timeout: 60000 });

// What is left is dismissed.
await page.goto(site + "/inbox");
for (let left = await page.locator(".cause").count(); left > 0; left--) {
	await page.locator(".cause [name=reason]").first().fill("of <b>last</b> month");
	await page.locator(".cause .dismiss button").first().click();
	await page.waitForFunction((n) => document.querySelectorAll(".cause").length < n, left);
}
await show("inbox-empty", null);
seen.left = await causes();
await show("audit", "/audit");
const verbs = await page.locator("tbody tr td:nth-child(3)").allInnerTexts();
seen.acts = {};
for (const v of verbs) seen.acts[v] = (seen.acts[v] ?? 0) + 1;
seen.reason = await page.locator("tbody tr td:nth-child(5)").first().innerText();
await browser.close();
console.log(JSON.stringify(seen));
