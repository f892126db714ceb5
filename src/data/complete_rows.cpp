// SPDX-License-Identifier: Apache-2.0

#include "data/complete_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace credens::data {

std::vector<std::size_t> rows_with_targets(MatrixView targets) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    if (std::ranges::none_of(targets.row(row), [](double value) { return std::isnan(value); })) rows.push_back(row);
  }
  return rows;
}

Matrix select_rows(MatrixView values, std::span<const std::size_t> rows) {
  if (values.empty()) return {};
  Matrix selected(rows.size(), values.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(values.row(rows[i]), selected.row(i).begin());
  return selected;
}

std::vector<double> select_rows(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> selected;
  for (std::size_t i = 0; i < rows.size() && !values.empty(); ++i) selected.push_back(values[rows[i]]);
  return selected;
}

std::string left_out_sentence(std::size_t rows) {
  return fmt::format("{} without target {} left out", count_of(rows, "row"), rows == 1 ? "is" : "are");
}

void CompleteRows::take(RowBlock& block) {
  const std::vector<std::size_t> kept = rows_with_targets(block.targets);
  if (kept.size() == block.rows()) return;
  left_out_ += block.rows() - kept.size();
  rows_ = {.inputs = select_rows(block.inputs, kept),
           .targets = select_rows(block.targets, kept),
           .weights = select_rows(block.weights, kept),
           .noise_std = select_rows(block.noise_std, kept)};
  Matrix values = select_rows(block.table->values, kept);
  table_ = *block.table;
  table_.values = std::move(values);
  block = {.first_row = block.first_row,
           .inputs = rows_.inputs,
           .targets = rows_.targets,
           .weights = rows_.weights,
           .noise_std = rows_.noise_std,
           .table = &table_,
           .file = block.file};
}

}  // namespace credens::data
