// SPDX-License-Identifier: Apache-2.0

#include "data/complete_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace credens::data {

bool has_all_targets(std::span<const double> targets) {
  return std::ranges::none_of(targets, [](double value) { return std::isnan(value); });
}

std::vector<std::size_t> rows_with_targets(MatrixView targets) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    if (has_all_targets(targets.row(row))) rows.push_back(row);
  }
  return rows;
}

std::span<const double> effective_weights(const RowBlock& block, std::vector<double>& room) {
  const std::vector<std::size_t> complete = rows_with_targets(block.targets);
  if (complete.size() == block.targets.rows()) return block.weights;
  room.assign(block.rows(), 0);
  for (const std::size_t row : complete) room[row] = block.weights.empty() ? 1 : block.weights[row];
  return room;
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

std::string left_out_sentence(std::size_t left_out, std::size_t rows) {
  return fmt::format("{} of {} without target {} left out", left_out, count_of(rows, "row"),
                     left_out == 1 ? "is" : "are");
}

void CompleteRows::take(RowBlock& block) {
  kept_ = rows_with_targets(block.targets);
  rows_ += block.rows();
  left_out_ += block.rows() - kept_.size();
  if (kept_.size() == block.rows()) return;
  parts_ = {.inputs = select_rows(block.inputs, kept_),
            .targets = select_rows(block.targets, kept_),
            .weights = select_rows(block.weights, kept_),
            .noise_std = select_rows(block.noise_std, kept_)};
  block = {.first_row = block.first_row,
           .inputs = parts_.inputs,
           .targets = parts_.targets,
           .weights = parts_.weights,
           .noise_std = parts_.noise_std,
           .table = block.table,
           .file = block.file,
           .kept = kept_};
}

}  // namespace credens::data
