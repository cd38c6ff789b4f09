// Opens a page as often as it is told, and prints how many milliseconds each time
// passed until it was drawn: node open.mjs BROWSER ADDRESS TIMES.
import { chromium } from "playwright-core";

const [browserPath, address, times] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(120_000);
await page.goto(new URL("/runs", address).href);
const took = [];
for (let i = 0; i < Number(times); i++) {
	const began = performance.now();
	await page.goto(address, { waitUntil: "load" });
	await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
	took.push(performance.now() - began);
	await page.goto("about:blank");
}
console.log(JSON.stringify(took));
await browser.close();
