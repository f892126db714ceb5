// SPDX-License-Identifier: Apache-2.0
//
// Opens pages of the documentation site as files, with the network off, in light on a desk and in dark on a phone. Fails
// for a request to elsewhere, an error on the console, a page wider than a phone, a serious finding of axe-core, and a
// search that finds nothing.
//
// Usage: node site_test.mjs MODULES CHROMIUM SITE

import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [modules, executablePath, site] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(resolve(modules), "index.js")));
const {chromium} = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const PAGES = ["index.html", "docs/start.html", "docs/tutorials/calibration.html", "docs/parameters.html", "docs/python-reference.html"];
const SETTINGS = [
  {name: "light-desk", colorScheme: "light", viewport: {width: 1280, height: 900}},
  {name: "dark-phone", colorScheme: "dark", viewport: {width: 375, height: 740}},
];
const url = (page) => pathToFileURL(join(resolve(site), page)).href;

const failures = [];
const watch = (page, name) => {
  page.on("request", (request) => /^https?:/.test(request.url()) && failures.push(`${name}: asks for ${request.url()}`));
  page.on("console", (message) => message.type() === "error" && failures.push(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => failures.push(`${name}: ${error.message}`));
};

const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

const seriousFindings = async (page) => {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {resultTypes: ["violations"]}));
  return violations.filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, help, nodes}) => `${id}: ${help} (${nodes[0].html.slice(0, 120)})`);
};

const browser = await chromium.launch({executablePath, args: ["--allow-file-access-from-files"]});
for (const {name: setting, colorScheme, viewport} of SETTINGS) {
  const context = await browser.newContext({colorScheme, viewport, offline: true});
  for (const file of PAGES) {
    const page = await context.newPage();
    const name = `${file} (${setting})`;
    watch(page, name);
    await page.goto(url(file));
    await page.waitForTimeout(300);
    const wide = await page.evaluate(overflow);
    if (wide > 0) failures.push(`${name}: ${wide} pixels wider than the window`);
    failures.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`));
    await page.close();
  }
  await context.close();
}

const page = await browser.newPage({viewport: SETTINGS[0].viewport});
watch(page, "search");
await page.goto(url("index.html"));
await page.fill(".md-search__input", "coverage factor");
try {
  await page.waitForSelector(".md-search-result__item", {timeout: 15000});
  console.log(`search: ${await page.locator(".md-search-result__meta").innerText()}`);
} catch {
  failures.push("search: nothing was found of 'coverage factor'");
}
await browser.close();

console.log(failures.join("\n") || `${PAGES.length} pages, ${SETTINGS.length} settings: nothing found`);
process.exit(failures.length ? 1 : 0);
