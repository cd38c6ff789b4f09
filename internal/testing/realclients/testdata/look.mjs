// What is wrong with a page as it is shown, and a picture of it.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// problems returns what a person would complain about: what is cut off, words of buttons
// that are broken, a place in the navigation that is out of sight, and what axe finds.
async function problems(page) {
	const all = await page.evaluate(() => {
		const found = [], wide = document.documentElement.scrollWidth - innerWidth;
		if (wide > 0) found.push(`${wide} pixels wider than the window`);
		for (const b of document.querySelectorAll("td button, td .button")) {
			const range = document.createRange();
			range.selectNodeContents(b);
			if (new Set([...range.getClientRects()].filter((r) => r.width > 1).map((r) => Math.round(r.top))).size > 1) found.push(`a button in lines: ${b.outerHTML.slice(0, 120)}`);
		}
		const here = document.querySelector(".side [aria-current]")?.getBoundingClientRect();
		if (here && (here.left < 0 || here.right > innerWidth)) found.push("the place in the navigation is cut off");
		return found;
	});
	// The policy of the page lets no script in; the browser's own tools may.
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => axe.run());
	for (const v of violations) {
		if (["serious", "critical"].includes(v.impact)) all.push(`${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
	}
	return all;
}

// picture keeps what a page shows in a folder, once what is in sight is loaded.
export async function picture(page, folder, name) {
	await page.waitForFunction(() => [...document.images].every((i) => i.complete || !i.getClientRects().length || i.getBoundingClientRect().top > innerHeight));
	await page.screenshot({ path: join(folder, name + ".png"), fullPage: true });
}

// look keeps a picture of a page, and adds what is wrong with the page to a list.
export async function look(page, folder, name, list) {
	await picture(page, folder, name);
	for (const problem of await problems(page)) list.push(`${name}: ${problem}`);
}
