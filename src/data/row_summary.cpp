// SPDX-License-Identifier: Apache-2.0

#include "data/row_summary.hpp"

#include "data/fingerprint.hpp"
#include "data/names.hpp"

namespace credens::data {

RowSummary summarise(RowSource& source) {
  const DatasetParts& layout = source.layout();
  RowSummary summary{.rows = source.count_rows(),
                     .weight_total = 0,
                     .fingerprint = {},
                     .inputs = ColumnMoments(layout.inputs.cols()),
                     .targets = ColumnMoments(layout.targets.cols())};
  RowFingerprint fingerprint(layout, summary.rows);
  source.rewind();
  for (RowBlock block; source.next(block);) {
    summary.inputs.add(block.inputs, block.weights);
    summary.targets.add(block.targets, block.weights);
    fingerprint.add(block);
    for (const double weight : block.weights) summary.weight_total += weight;
  }
  if (!source.has_weights()) summary.weight_total = static_cast<double>(summary.rows);
  summary.fingerprint = fingerprint.digits();
  source.rewind();
  return summary;
}

std::vector<std::string> input_labels(const DatasetParts& layout) {
  return column_labels(layout.input_names, layout.input_columns);
}

std::vector<std::string> target_labels(const DatasetParts& layout) {
  return column_labels(layout.target_names, {});
}

}  // namespace credens::data
