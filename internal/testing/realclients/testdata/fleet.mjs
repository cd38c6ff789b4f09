// Plays the operator of a fleet: watches the desktop of a failed run, takes it over,
// closes the dialog that nobody expected, types into the next one, hands back and
// resumes: node fleet.mjs BROWSER SITE RUN FOLDER X Y, where X and Y are of the dialog's
// button.
import { join } from "node:path";
import { chromium } from "playwright-core";

const [browserPath, site, run, folder, x, y] = process.argv.slice(2);
const seen = { said: [] };
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const patience = { timeout: 60000 };

async function open(path) {
	const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
	page.setDefaultTimeout(120_000);
	page.on("pageerror", (e) => seen.said.push(String(e)));
	await page.goto(site + path);
	return page;
}

// shown is what of the desktop a page shows: how many points are not of the background, as in the
// last corner, and the sum of all.
const shown = (page) => page.evaluate(() => {
	const canvas = document.querySelector("#screen canvas");
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
	const lightAt = (i) => data[i] + data[i + 1] + data[i + 2];
	const background = lightAt(data.length - 4);
	let lit = 0, sum = 0;
	for (let i = 0; i < data.length; i += 4) {
		const light = lightAt(i);
		if (Math.abs(light - background) > 60) lit++;
		sum = (sum * 31 + light) % 1000000007;
	}
	return { lit, sum };
});

// until waits until a page shows something else than before, which does not change any more.
async function until(page, holds) {
	for (let before = {}, late = Date.now() + patience.timeout; ;) {
		const now = await shown(page);
		if (holds(now) && now.sum === before.sum) return now;
		if (Date.now() > late) throw new Error("the desktop shows " + JSON.stringify(now));
		before = now;
		await page.waitForTimeout(500);
	}
}
const picture = (page, name) => page.screenshot({ path: join(folder, `fleet-${name}.png`), fullPage: true });

const page = await open("/runs");
await page.locator(`a[href*="/runs/${run}"]`).first().click();
await page.waitForSelector(".step.here");
await page.getByRole("link", { name: "Watch or take over…" }).click();
await page.waitForSelector("#screen[data-connected] canvas", patience);
await until(page, ({ lit }) => lit > 1000);
await picture(page, "1-watched");
const watcher = await open(`/runs/${run}/desktop`);
await watcher.waitForSelector("#screen[data-connected] canvas", patience);
const dialog = await until(watcher, ({ lit }) => lit > 1000);

await page.getByRole("button", { name: "Take over" }).click();
await page.waitForSelector("#screen[data-acts][data-connected] canvas", patience);
await until(page, ({ lit }) => lit > 1000);
const box = await page.locator("#screen canvas").boundingBox();
const at = [box.x + x / 1920 * box.width, box.y + y / 1080 * box.height];
await page.mouse.move(at[0] - 20, at[1] - 20);
await page.mouse.move(...at);
const pointed = await until(page, () => true);
await picture(page, "2-taken-over");
await page.mouse.click(...at);
const entry = await until(page, ({ lit, sum }) => lit > 1000 && sum !== pointed.sum && lit !== pointed.lit);
await picture(page, "3-clicked");
await page.keyboard.press("Control+a");
await page.keyboard.type("By hand", { delay: 50 });
await until(page, ({ sum }) => sum !== entry.sum);
await picture(page, "4-typed");
await until(watcher, ({ sum }) => sum !== dialog.sum);
seen.watched = (await watcher.locator("#view-status").innerText()).startsWith("You watch.");
await picture(watcher, "5-who-only-watches");
await page.getByRole("button", { name: "Hand back and resume" }).click();
await page.waitForURL(`**/runs/${run}`);
await page.waitForSelector("h1 .succeeded", patience);
await picture(page, "6-succeeded");
await browser.close();
console.log(JSON.stringify(seen));
