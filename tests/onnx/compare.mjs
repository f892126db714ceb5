// SPDX-License-Identifier: Apache-2.0
//
// Runs one exported model and says what differs from `credens predict`. For Node and for browsers: `ort` is given.

const shape = (rows) => [rows.length, rows[0].length];
const numbers = (ort, rows) => new ort.Tensor("float64", Float64Array.from(rows.flat(), (value) => value ?? NaN), shape(rows));  // null is missing
const words = (ort, rows) => new ort.Tensor("string", rows.flat(), shape(rows));

/// Sentences; none where all is right. `model` is a path or the bytes of the file.
export async function complaints(ort, model, {name, inputs, categories, noise_std, expected, allowed}, options = {}) {
  const session = await ort.InferenceSession.create(model, options);
  const feeds = {};
  if (inputs) feeds.inputs = numbers(ort, inputs);
  if (categories) feeds.categories = words(ort, categories);
  if (noise_std) feeds.noise_std = numbers(ort, noise_std);
  const found = await session.run(feeds);
  const said = [];
  for (const [moment, rows] of Object.entries(expected)) {
    const {data, dims} = found[moment];
    const [values, bounds] = [rows.flat(), allowed[moment].flat()];
    if (dims[0] !== rows.length || data.length !== values.length) said.push(`${name}: ${moment} has the shape ${dims}`);
    const bad = values.findIndex((value, i) => !(Math.abs(Number(data[i]) - value) <= bounds[i]));  // a class is a BigInt
    if (bad >= 0) said.push(`${name}: ${moment} ${bad} is ${data[bad]}, expected ${values[bad]}`);
    if (moment !== "mean" && data.some((value) => value < 0)) said.push(`${name}: ${moment} has a negative value`);
  }
  return said;
}
