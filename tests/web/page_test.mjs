// SPDX-License-Identifier: Apache-2.0
//
// Opens pages in headless Chromium with the network off, in light and dark, on a desk and on a phone, and fails for: a
// request, a message on the console, a chart that was not drawn, a map without its scale of colours or whose cells have
// one colour, text that runs off a phone, a serious finding of axe-core, a page of 2 MB or more. Pages are seen in light on a desk and in dark on a phone by turns; with
// CREDENS_TORTURE=1 every page in all four ways.
//
// Usage: node page_test.mjs MODULES CHROMIUM [--pictures DIR] PAGE.html...

import {readFileSync, statSync} from "node:fs";
import {createRequire} from "node:module";
import {basename, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [modules, executablePath, ...rest] = process.argv.slice(2);
const pictures = rest[0] === "--pictures" ? rest.splice(0, 2)[1] : null;
const require = createRequire(pathToFileURL(join(resolve(modules), "index.js")));
const {chromium} = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const LARGEST_PAGE = 2_000_000;
const SETTINGS = ["light", "dark"].flatMap((colorScheme) => [
  {name: `${colorScheme}-desk`, colorScheme, viewport: {width: 1280, height: 900}},
  {name: `${colorScheme}-phone`, colorScheme, viewport: {width: 375, height: 740}},
]);
const SAMPLE = SETTINGS.filter(({name}) => ["light-desk", "dark-phone"].includes(name));
const settingsOf = (number) => process.env.CREDENS_TORTURE === "1" ? SETTINGS : [SAMPLE[number % SAMPLE.length]];

/// In the page: charts without a drawing, or whose drawing holds no mark.
const undrawn = () => [...document.querySelectorAll(".chart")].filter((chart) =>
  !chart.querySelector(".drawing svg :is(.role-mark path, .role-mark line)"))
  .map((chart) => JSON.parse(chart.querySelector("script").textContent).title.text);

/// In the page: charts with cells of which all have one colour though their values differ, or without a scale of colours.
const colourless = () => [...document.querySelectorAll(".chart")].map((chart) => {
  const spec = JSON.parse(chart.querySelector("script").textContent);
  const cells = spec.layer.find(({mark}) => mark.style.endsWith("_cells"))?.data.values;
  if (!cells || new Set(cells.map(({value}) => value)).size === 1) return null;
  const colours = new Set([...chart.querySelectorAll(".mark-rect path")].map((path) => path.getAttribute("fill")));
  return colours.size > 1 && chart.querySelector(".mark-group.role-legend linearGradient, linearGradient") ? null : spec.title.text;
}).filter((title) => title !== null);

const allDrawn = () => [...document.querySelectorAll(".chart")].every((chart) => chart.querySelector(".drawing svg"));

const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

const seriousFindings = async (page) => {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {resultTypes: ["violations"]}));
  return violations.filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, help, nodes}) => `${id}: ${help}: ${nodes[0].html.slice(0, 200)}`);
};

async function look(browser, file, {name, ...settings}) {
  const found = [];
  const context = await browser.newContext({...settings, offline: true, bypassCSP: true});  // axe is put into the page
  const page = await context.newPage();
  const url = pathToFileURL(resolve(file)).href;
  page.on("request", (request) => request.url() === url || request.url().startsWith("data:") || found.push(`asks for ${request.url()}`));
  page.on("console", (message) => found.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => found.push(`error: ${error.message}`));
  await page.goto(url);
  await page.waitForFunction(allDrawn, null, {timeout: 30_000}).catch(() => found.push("charts are missing"));
  found.push(...(await page.evaluate(undrawn)).map((title) => `nothing drawn in ${title}`));
  found.push(...(await page.evaluate(colourless)).map((title) => `no colours in ${title}`));
  const wider = await page.evaluate(overflow);
  if (wider > 0) found.push(`${wider} pixels wider than the screen`);
  if (pictures) await page.screenshot({path: join(pictures, `${basename(file, ".html")}-${name}.png`), fullPage: true});
  found.push(...await seriousFindings(page));
  const charts = await page.locator(".chart").count();
  await context.close();
  return {charts, found: found.map((what) => `${basename(file)}, ${name}: ${what}`)};
}

const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
const complaints = [];
for (const [number, file] of rest.entries()) {
  const bytes = statSync(file).size;
  if (bytes >= LARGEST_PAGE) complaints.push(`${basename(file)}: ${bytes} bytes`);
  const seen = await Promise.all(settingsOf(number).map((settings) => look(browser, file, settings)));
  const charts = Math.min(...seen.map((one) => one.charts));
  complaints.push(...seen.flatMap((one) => one.found));
  if (charts === 0) complaints.push(`${basename(file)}: no charts`);
  console.log(`${basename(file)}: ${charts} charts, ${bytes} bytes`);
}
await browser.close();
complaints.forEach((complaint) => console.log(complaint));
process.exit(complaints.length > 0 ? 1 : 0);
