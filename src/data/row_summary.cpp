// SPDX-License-Identifier: Apache-2.0

#include "data/row_summary.hpp"

#include "data/fingerprint.hpp"

namespace credens::data {

RowSummary summarise(RowSource& source, bool with_sample) {
  const Schema& schema = source.schema();
  RowSummary summary{.rows = source.count_rows(),
                     .weight_total = 0,
                     .fingerprint = {},
                     .digest = {},
                     .inputs = ColumnMoments(schema.inputs.size()),
                     .targets = ColumnMoments(schema.targets.size()),
                     .sample = RowSample(schema.inputs.size())};
  RowFingerprint fingerprint(schema, summary.rows);
  RowDigest digest;
  source.rewind();
  for (RowBlock block; source.next(block);) {
    digest.add(block);
    summary.inputs.add(block.inputs, block.weights);
    summary.targets.add(block.targets, block.weights);
    if (with_sample) summary.sample.add(block.inputs, block.weights);
    fingerprint.add(block);
    for (const double weight : block.weights) summary.weight_total += weight;
  }
  if (!schema.weight) summary.weight_total = static_cast<double>(summary.rows);
  summary.fingerprint = fingerprint.digits();
  summary.digest = digest.digits();
  source.rewind();
  return summary;
}

}  // namespace credens::data
