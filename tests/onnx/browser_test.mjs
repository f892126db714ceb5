// SPDX-License-Identifier: Apache-2.0
//
// Exported models, and the document's pages, in headless Chromium. There is no network: every request is answered from the disk or counts as a
// failure.
//
// Usage: node browser_test.mjs MODULES CASES.json

import {existsSync, readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {basename, dirname, extname, join, resolve} from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const [modules, path] = process.argv.slice(2);
const {chromium} = createRequire(pathToFileURL(join(resolve(modules), "index.js")))("playwright-core");
const cases = JSON.parse(readFileSync(path, "utf8"));

const ORIGIN = "http://credens.test/";
const FOLDERS = [join(modules, "onnxruntime-web", "dist"), dirname(fileURLToPath(import.meta.url)), dirname(path)];
const TYPES = {".mjs": "text/javascript", ".wasm": "application/wasm", ".onnx": "application/octet-stream", ".html": "text/html"};

const said = [];

function answer(route) {
  const name = new URL(route.request().url()).pathname.slice(1);
  if (name === "") return route.fulfill({contentType: "text/html", body: "<!doctype html><title>ONNX</title>"});
  const file = FOLDERS.map((folder) => join(folder, basename(name))).find((candidate) => existsSync(candidate));
  if (file && route.request().url().startsWith(ORIGIN)) return route.fulfill({contentType: TYPES[extname(file)], body: readFileSync(file)});
  said.push(`asks for ${route.request().url()}`);
  return route.abort();
}

/// In the page.
async function runInPage({one, file}) {
  const [ort, {complaints}] = await Promise.all([import("/ort.wasm.min.mjs"), import("/compare.mjs")]);
  ort.env.wasm.wasmPaths = "/";
  ort.env.wasm.numThreads = 1;
  return complaints(ort, `/${file}`, one, {executionProviders: ["wasm"]});
}

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});
const page = await browser.newPage();
await page.route("**/*", answer);
page.on("pageerror", (error) => said.push(`error: ${error.message}`));
await page.goto(ORIGIN);
for (const one of cases) said.push(...await page.evaluate(runInPage, {one, file: basename(one.file)}));
for (const name of ["example0.html", "example1.html"]) {  // those of docs/onnx.md
  await page.goto(ORIGIN + name);
  await page.waitForFunction(() => document.querySelector("#prediction").textContent !== "", null, {timeout: 30_000});
  const prediction = await page.textContent("#prediction");
  if (!/^-?\d+\.\d{3} with an ignorance of \d+\.\d{3}$/.test(prediction)) said.push(`${name} of the document says ${prediction}`);
}
await browser.close();
said.forEach((sentence) => console.log(sentence));
console.log(`${cases.length} ensembles in a browser, ${said.length} complaints`);
process.exit(said.length > 0 || cases.length === 0 ? 1 : 0);
