// SPDX-License-Identifier: Apache-2.0
//
// Exported models in Node.
//
// Usage: node node_test.mjs MODULES CASES.json

import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

import {complaints} from "./compare.mjs";

const [modules, path] = process.argv.slice(2);
const ort = createRequire(pathToFileURL(join(resolve(modules), "index.js")))("onnxruntime-node");
const cases = JSON.parse(readFileSync(path, "utf8"));
const said = [];
for (const one of cases) said.push(...await complaints(ort, one.file, one));
said.forEach((sentence) => console.log(sentence));
console.log(`${cases.length} ensembles in Node, ${said.length} complaints`);
process.exit(said.length > 0 || cases.length === 0 ? 1 : 0);
