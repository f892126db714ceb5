// SPDX-License-Identifier: Apache-2.0

#include "data/classes.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/kinds.hpp"
#include "data/looks.hpp"
#include "data/words.hpp"
#include "math/statistics.hpp"

namespace credens::data {

namespace {

bool has_words(const Schema& schema) {
  return schema.targets.front().kind == ColumnKind::category;
}

/// The text of a target that rows have.
std::string text_of(const Schema& schema, double target) {
  if (!has_words(schema)) return shortest_text(target);
  return schema.targets.front().levels[static_cast<std::size_t>(target)];
}

/// Numbers in their order, words by their bytes; words that are all numbers count as numbers.
void sort_names(std::vector<std::string>& names) {
  const auto is_number = [](const std::string& name) { return base::parse_double(name).has_value(); };
  if (std::ranges::all_of(names, is_number)) {
    std::ranges::stable_sort(names, {}, [](const std::string& name) { return *base::parse_double(name); });
  } else {
    std::ranges::sort(names);
  }
}

std::vector<std::string> names_of_rows(const Schema& schema,
                                       const std::vector<std::pair<double, std::size_t>>& rows_of_value) {
  std::vector<std::string> names;
  for (const auto& [target, rows] : rows_of_value) names.push_back(text_of(schema, target));
  sort_names(names);
  return names;
}

/// Words become classes unasked only where they are most likely meant as such.
void check_found_task(const Schema& schema, const std::vector<std::pair<double, std::size_t>>& rows_of_value) {
  constexpr std::size_t few_classes = 10;
  if (!schema.is_task_found || !has_words(schema)) return;
  const std::string target = base::quoted(schema.targets.front().name);
  const std::string like = measurement_of(schema.targets.front().levels);
  base::require(like.empty(), ErrorCode::data,
                "the words of the target {} look like {}: a regression needs plain numbers such as 12.5 (--missing "
                "takes text that stands for a missing value), --task classification takes each word as a class",
                target, like);
  std::size_t rows = 0;
  for (const auto& [value, count] : rows_of_value) rows += count;
  const std::size_t words = rows_of_value.size();
  const bool is_told_apart = words <= few_classes || words > most_classes || 2 * words <= rows;
  base::require(is_told_apart, ErrorCode::data,
                "the target {} holds {} different words in {} rows, such as {}: a regression needs plain numbers, "
                "--task classification takes each word as a class",
                target, words, rows, base::quoted(schema.targets.front().levels.front()));
}

}  // namespace

Classes::Classes(const Schema& schema, std::vector<std::string> names) : names_(std::move(names)) {
  if (!schema.is_classification() || schema.has_counts()) return;
  const std::string target = base::quoted(schema.targets.front().name);
  for (std::uint32_t number = 0; number < names_.size() && !has_words(schema); ++number) {
    const std::optional<double> value = base::parse_double(names_[number]);
    base::require(value && std::isfinite(*value), ErrorCode::usage,
                  "the class {} is no number, but the target {} has numbers", base::quoted(names_[number]), target);
    of_value_.push_back({*value, number});
  }
  std::ranges::sort(of_value_, {}, &Value::value);
  const auto same = std::ranges::adjacent_find(of_value_, {}, &Value::value);
  base::require(same == of_value_.end(), ErrorCode::usage, "the class {} is given twice",
                same == of_value_.end() ? "" : base::quoted(names_[same->number]));
  if (!has_words(schema)) return;
  WordIndex known(names_, false);
  for (const std::string& level : schema.targets.front().levels) {
    const std::uint32_t number = known.code_of(level);
    of_code_.push_back(number < names_.size() ? std::optional(number) : std::nullopt);
  }
}

std::optional<std::uint32_t> Classes::class_of(double target) const {
  if (!(target >= 0) && !of_code_.empty()) return std::nullopt;
  if (!of_code_.empty()) {
    const auto code = static_cast<std::size_t>(target);
    return code < of_code_.size() ? of_code_[code] : std::nullopt;
  }
  const auto found = std::ranges::lower_bound(of_value_, target, {}, &Value::value);
  return found != of_value_.end() && found->value == target ? std::optional(found->number) : std::nullopt;
}

void TargetCounts::add(MatrixView targets, std::span<const double> weights) {
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    const double value = targets(row, 0);
    if (std::isnan(value) || !(math::weight_at(weights, row) > 0)) continue;
    const auto found = std::ranges::lower_bound(rows_, value, {}, &std::pair<double, std::size_t>::first);
    if (found != rows_.end() && found->first == value) {
      ++found->second;
    } else if (rows_.size() <= most_classes) {
      rows_.insert(found, {value, 1});
    }
  }
}

Classes classes_of_rows(const Schema& schema, const std::vector<std::pair<double, std::size_t>>& rows_of_value) {
  if (!schema.is_classification()) return {};
  check_found_task(schema, rows_of_value);
  std::vector<std::string> names = schema.classes;
  if (schema.has_counts()) names = schema.target_names();
  if (names.empty()) names = names_of_rows(schema, rows_of_value);
  const std::string target = base::quoted(schema.targets.front().name);
  base::require(names.size() <= most_classes, ErrorCode::data, "the target {} has more than {} classes; {}", target,
                most_classes, has_words(schema) ? "is it a name of the rows?" : "--task regression takes numbers");
  const auto twins = first_duplicate(names);
  base::require(!twins, ErrorCode::usage, "the class {} is given twice",
                twins ? base::quoted(names[twins->first]) : "");
  const Classes classes(schema, std::move(names));
  for (const auto& [value, rows] : rows_of_value) {
    base::require(schema.has_counts() || classes.class_of(value).has_value(), ErrorCode::usage,
                  "{} of the class {}, which is none of those given: {}", count_of(rows, "row"),
                  base::quoted(text_of(schema, value)), base::join(classes.names(), ", "));
  }
  base::require(classes.count() >= 2, ErrorCode::data, "the target {} has {}, expected at least 2", target,
                count_of(classes.count(), "class"));
  return classes;
}

void counts_to_shares(Matrix& counts, std::span<double> weights,
                      const std::function<std::string(std::size_t, std::size_t)>& place) {
  for (std::size_t row = 0; row < counts.rows(); ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < counts.cols(); ++c) {
      if (counts(row, c) < 0) {
        base::fail(ErrorCode::data, "{}: the count is {}, expected 0 or more", place(row, c), counts(row, c));
      }
      sum += counts(row, c);
    }
    if (sum == 0) {
      base::fail(ErrorCode::data, "{}: all counts of the row are 0, expected at least one above 0", place(row, 0));
    }
    if (std::isnan(sum)) continue;
    for (double& count : counts.row(row)) count /= sum;
    weights[row] *= sum;
  }
}

void check_classes(const Classes& classes, MatrixView targets, std::size_t first_row) {
  if (classes.count() == 0 || targets.cols() != 1) return;
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    if (std::isnan(targets(row, 0)) || classes.class_of(targets(row, 0))) continue;
    base::fail(ErrorCode::data, "row {} has a class that the training rows did not have, expected one of {}",
               first_row + row, base::join(classes.names(), ", "));
  }
}

}  // namespace credens::data
