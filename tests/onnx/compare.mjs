// SPDX-License-Identifier: Apache-2.0
//
// Runs one exported model and says what differs from `credens predict`. For Node and for browsers: `ort` is given.

const MOMENTS = ["mean", "aleatoric_variance", "epistemic_variance", "total_variance"];
const TOLERANCE = 1e-5;
const ROOT_TOLERANCE = 1e-6;

const shape = (rows) => [rows.length, rows[0].length];
const numbers = (ort, rows) => new ort.Tensor("float64", Float64Array.from(rows.flat(), (value) => value ?? NaN), shape(rows));  // null is missing
const words = (ort, rows) => new ort.Tensor("string", rows.flat(), shape(rows));

/// How far a value of `expected` may be off; python_test.py gives the reasons.
function allowed(expected, moment, i) {
  const size = Math.abs(expected.mean[i]) + Math.sqrt(expected.total_variance[i]);
  if (moment === "mean") return TOLERANCE * size;
  const root = moment === "epistemic_variance" ? Math.sqrt(expected[moment][i]) : 0;
  return Math.max(TOLERANCE * expected[moment][i], 2 * root * ROOT_TOLERANCE * size);
}

/// Sentences; none where all is right. `model` is a path or the bytes of the file.
export async function complaints(ort, model, {name, inputs, categories, noise_std, expected}, options = {}) {
  const session = await ort.InferenceSession.create(model, options);
  const feeds = {};
  if (inputs) feeds.inputs = numbers(ort, inputs);
  if (categories) feeds.categories = words(ort, categories);
  if (noise_std) feeds.noise_std = numbers(ort, noise_std);
  const found = await session.run(feeds);
  const flat = Object.fromEntries(MOMENTS.map((moment) => [moment, expected[moment].flat()]));
  const said = [];
  for (const moment of MOMENTS) {
    const {data, dims} = found[moment];
    if (dims[0] !== expected.mean.length || data.length !== flat[moment].length) said.push(`${name}: ${moment} has the shape ${dims}`);
    const bad = flat[moment].findIndex((value, i) => !(Math.abs(data[i] - value) <= allowed(flat, moment, i)));
    if (bad >= 0) said.push(`${name}: ${moment} ${bad} is ${data[bad]}, expected ${flat[moment][bad]}`);
    if (moment !== "mean" && data.some((value) => value < 0)) said.push(`${name}: ${moment} has a negative value`);
  }
  return said;
}
