// Measures what playwright-core does with the form of 40 fields, in milliseconds:
// node page_bench.mjs FOLDER-OF-MODULES CHROMIUM ADDRESS TIMES
import { createRequire } from "node:module"
const [modules, executablePath, address, times] = process.argv.slice(2)
const { chromium } = createRequire(modules + "/")("playwright-core")
const browser = await chromium.launch({ executablePath, headless: false, args: ["--no-sandbox", "--no-first-run", "--password-store=basic", "--disable-gpu", "--force-renderer-accessibility"] })
const page = await browser.newPage({ viewport: null })
const took = {}
const measure = async (name, act) => {
	const began = performance.now()
	await act()
	took[name] = (took[name] || 0) + (performance.now() - began) / times
}
for (let i = 0; i < times; i++) {
	await page.goto(address)
	const fields = await page.evaluate(() => [...document.querySelectorAll("label")].map(l => [l.textContent, l.control.tagName + l.control.type]))
	await measure("tree", () => page.locator("body").ariaSnapshot())
	await measure("find", () => page.getByRole("button", { name: "Register" }).waitFor())
	await measure("click", () => page.getByRole("checkbox", { name: "Newsletter" }).click())
	await measure("fill", async () => {
		for (const [label, sort] of fields) {
			const field = page.getByLabel(label, { exact: true })
			if (sort == "INPUTcheckbox") await field.setChecked(true)
			else if (sort == "INPUTdate") await field.fill("2024-05-10")
			else if (sort.startsWith("SELECT")) await field.selectOption("Special")
			else await field.fill(label + " of Ada")
		}
	})
}
await browser.close()
console.log(JSON.stringify(took))
