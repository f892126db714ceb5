// SPDX-License-Identifier: Apache-2.0

#include "data/row_checks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/check.hpp"

namespace credens::data {

namespace {

constexpr double largest_scaled_noise = 1e150;  // the square is still finite

/// The end of a sentence about noise that is no use; `scale` is 0 where it is not known.
std::string fault_of(double noise, double scale) {
  if (!(noise > 0)) return "expected a number above 0";
  if (scale > 0 && !(noise / scale < largest_scaled_noise)) {
    return fmt::format("too large beside the target's scale {}", scale);
  }
  return std::isnormal(noise * noise) ? "" : "whose square is no usable variance";
}

}  // namespace

void check_weights(std::span<const double> weights, const WeightName& name) {
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (std::isfinite(weights[row]) && weights[row] >= 0) continue;
    base::fail(ErrorCode::data, "{} is {}, expected a number that is not negative", name(row), weights[row]);
  }
}

void check_weight_total(double total, const std::string& source) {
  const std::string where = source.empty() ? "" : source + ": ";
  base::require(total > 0, ErrorCode::data, "{}all weights are 0, expected at least one above 0", where);
  base::require(std::isfinite(total), ErrorCode::data, "{}the sum of the weights is beyond the largest double", where);
}

void check_noise(MatrixView noise_std, std::span<const double> target_scale, const NoiseName& name) {
  for (std::size_t row = 0; row < noise_std.rows(); ++row) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const std::string fault = fault_of(noise_std(row, k), target_scale.empty() ? 0 : target_scale[k]);
      if (!fault.empty()) base::fail(ErrorCode::data, "{} is {}, {}", name(row, k), noise_std(row, k), fault);
    }
  }
}

namespace {

void add_positions(std::span<const Column> columns, std::vector<std::size_t>& positions) {
  for (const Column& column : columns) {
    if (column.position) positions.push_back(*column.position);
  }
}

/// About a fault of the column of groups or times; empty where it is of another column.
std::string fold_sentence(const Table& table, const Schema& schema, const ColumnFault& fault) {
  const auto is_in = [&](const std::optional<Column>& column, const ColumnFaults& faults) {
    return column && column->position && first_fault(faults, {&*column->position, 1}) == &fault;
  };
  const auto place = [&](const Column& column) {
    return place_of(table, fault.row - table.first_row, *column.position);
  };
  if (is_in(schema.group, table.missing)) {
    return place(*schema.group) + ": the group is missing, expected a number or a text";
  }
  if (is_in(schema.time, table.missing)) {
    return place(*schema.time) + ": the time is missing, expected a number or a date";
  }
  if (!is_in(schema.time, table.faults) || !fault.is_word) return {};
  return fault.sentence + "; times are numbers, or dates such as 2024-05-17, all of one kind";
}

/// How a word can be meant that stands where a number was expected.
std::string hint_at(const Table& table, const ColumnFault* fault, const Schema& schema) {
  if (!schema.allows_missing || !fault->is_word) return {};
  const auto is_of = [&](std::span<const Column> columns) {
    std::vector<std::size_t> positions;
    add_positions(columns, positions);
    return fault == first_fault(table.faults, positions);
  };
  const bool is_target = is_of(schema.targets);
  if (!is_target && !is_of(schema.inputs)) return {};
  const std::string missing = "; --missing takes text that stands for a missing value";
  if (schema.is_of_model) return missing;
  if (is_target && fault->is_date) return "; a target holds numbers or classes, not dates";
  if (is_target) return missing + ", --task classification words as classes";
  return missing + (fault->is_date ? ", --dates columns of days and times" : ", --categories columns of words");
}

}  // namespace

void check_cells(const Table& table, const Schema& schema) {
  std::vector<std::size_t> complete;
  add_positions(schema.noise, complete);
  for (const auto* single : {&schema.weight, &schema.group, &schema.time}) {
    if (*single) add_positions({&**single, 1}, complete);
  }
  std::vector<std::size_t> used;
  add_positions(schema.inputs, used);
  add_positions(schema.targets, used);
  if (!schema.allows_missing) complete.insert(complete.end(), used.begin(), used.end());
  used.insert(used.end(), complete.begin(), complete.end());
  std::ranges::sort(used);

  const ColumnFault* fault = first_fault(table.faults, used);
  const ColumnFault* const missing = first_fault(table.missing, complete);
  if (missing != nullptr && (fault == nullptr || missing->row < fault->row)) fault = missing;
  if (fault == nullptr) return;
  if (const std::string sentence = fold_sentence(table, schema, *fault); !sentence.empty()) {
    throw Error(ErrorCode::data, sentence);
  }
  throw Error(ErrorCode::data, fault->sentence + hint_at(table, fault, schema));
}

}  // namespace credens::data
