// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime as a contender: one session with all members, raw outputs. The protocol is that of request.hpp.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// argv: folder whose node_modules hold onnxruntime-node.
const ort = createRequire(process.argv[2] + "/")("onnxruntime-node");
const units = new Map();

function parse(line) {
  const [task, ...words] = line.trim().split(/\s+/);
  return Object.fromEntries([["task", task], ...words.map((word) => word.split(/=(.*)/s).slice(0, 2))]);
}

/// The file's rows without their targets, cut into tensors of `batch` rows.
function batches(request) {
  const [rows, inputs, batch] = [Number(request.rows), Number(request.inputs), Number(request.batch)];
  const bytes = readFileSync(request.data);
  const table = new Float32Array(bytes.buffer, bytes.byteOffset, rows * (inputs + 1));
  const list = [];
  for (let first = 0; first < rows; first += batch) {
    const count = Math.min(batch, rows - first);
    const values = new Float32Array(count * inputs);
    for (let i = 0; i < count; ++i) {
      const start = (first + i) * (inputs + 1);
      values.set(table.subarray(start, start + inputs), i * inputs);
    }
    list.push(new ort.Tensor("float32", values, [count, inputs]));
  }
  return list;
}

async function prepare(request) {
  const session = await ort.InferenceSession.create(request.model, {
    intraOpNumThreads: Number(request.threads), interOpNumThreads: 1, graphOptimizationLevel: "all",
  });
  const list = batches(request);
  return async () => {
    let check = 0;
    const start = performance.now();
    for (const x of list) check = (await session.run({ x })).y.data[0];
    return [(performance.now() - start) / 1000, Number(request.rows), check];
  };
}

/// Whole units until the window is long enough, after half a window that does not count; see request.hpp.
async function runWindow(unit, leastSeconds) {
  for (let warm = 0; warm < leastSeconds / 2; ) {
    const one = await unit();
    if (one[0] >= leastSeconds) return one;
    warm += one[0];
  }
  let [seconds, work, check] = [0, 0, 0];
  do {
    const one = await unit();
    [seconds, work, check] = [seconds + one[0], work + one[1], one[2]];
  } while (seconds < leastSeconds);
  return [seconds, work, check];
}

async function answer(line) {
  if (line.trim() === "clear") return units.clear();
  const request = parse(line);
  if (!units.has(line)) units.set(line, await prepare(request));
  console.log((await runWindow(units.get(line), Number(request.seconds))).join(" "));
}

for await (const line of createInterface({ input: process.stdin })) {
  await answer(line).catch((error) => console.log(`absent: ${String(error.message).replace(/\s+/g, " ").slice(0, 200)}`));
}
