// Plays the operator who mends a run in the night: opens the page of the run, takes
// over, closes the dialog that nobody expected, hands back, and keeps that as a step:
// node story.mjs BROWSER SITE RUN FOLDER X Y, where X and Y are of the dialog's button.
import { chromium } from "playwright-core";
import { look, picture } from "./look.mjs";

const [browserPath, site, run, folder, x, y] = process.argv.slice(2);
const seen = { problems: [], said: [] };
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(120_000);
page.on("pageerror", (e) => seen.said.push(String(e)));
const keep = (name) => picture(page, folder, name);

await page.goto(`${site}/runs`);
await page.getByRole("link", { name: "nightly" }).first().click();
await page.waitForSelector(".step.here");
await keep("story-1-failed");
await page.getByRole("link", { name: "Watch or take over…" }).click();
await page.getByRole("button", { name: "Take over" }).click();
await page.waitForSelector("#screen[data-acts][data-connected] canvas");
const box = await page.locator("#screen canvas").boundingBox();
const at = [box.x + x / 1920 * box.width, box.y + y / 1080 * box.height];
await page.mouse.move(at[0] - 20, at[1] - 20);
await page.waitForTimeout(500); // a person comes to rest before he presses
await page.mouse.move(...at);
await page.waitForTimeout(1000);
await keep("story-2-taken-over");
await page.mouse.click(...at);
await page.waitForTimeout(2500); // he looks at what came of it
await keep("story-3-closed");
await page.getByRole("button", { name: "Hand back and keep what I did…" }).click();
await page.waitForURL(`**/runs/${run}/repair`);
seen.did = await page.locator(".did li").allInnerTexts();
seen.condition = await page.locator("[name=if]").first().inputValue();

for (const colorScheme of ["light", "dark"]) {
	for (const width of [1400, 400]) {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height: 900 });
		await look(page, folder, `repair-${colorScheme}-${width}`, seen.problems);
	}
}
await page.emulateMedia({ colorScheme: "light" });
await page.setViewportSize({ width: 1400, height: 900 });
await keep("story-4-kept");
await page.getByRole("button", { name: "Keep it and resume" }).click();
await page.waitForURL(`**/runs/${run}`);
await page.waitForSelector("h1 .succeeded", { timeout: 60000 });
await keep("story-5-succeeded");
await browser.close();
console.log(JSON.stringify(seen));
