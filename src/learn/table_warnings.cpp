// SPDX-License-Identifier: Apache-2.0

#include "learn/table_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "learn/slips.hpp"

namespace credens::learn {

namespace {

void warn(const FitOptions& options, const std::string& sentence) {
  if (options.on_warning) options.on_warning(sentence);
}

/// By name, or by 0-based position where there are no names.
std::string column_list(const std::vector<std::size_t>& columns, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::size_t column : columns) words.push_back(names.empty() ? fmt::format("{}", column) : names[column]);
  return base::join(words, ", ");
}

void warn_of_constant_columns(const TrainingTable& table, const FitOptions& options) {
  std::vector<std::size_t> inputs = table.summary().inputs.constant_columns();
  std::vector<std::size_t> empty;
  std::ranges::copy_if(inputs, std::back_inserter(empty),
                       [&](std::size_t col) { return table.summary().inputs.is_empty(col); });
  std::erase_if(inputs, [&](std::size_t col) { return table.summary().inputs.is_empty(col); });
  if (!empty.empty()) {
    warn(options,
         fmt::format("{} no value in any row and {} nothing: {}", empty.size() == 1 ? "an input has" : "inputs have",
                     empty.size() == 1 ? "explains" : "explain", column_list(empty, table.schema().input_names())));
  }
  if (!inputs.empty()) {
    warn(options,
         fmt::format("{} and {} nothing: {}", inputs.size() == 1 ? "an input is constant" : "inputs are constant",
                     inputs.size() == 1 ? "explains" : "explain", column_list(inputs, table.schema().input_names())));
  }
  if (table.schema().is_classification()) return;
  if (const auto targets = table.summary().targets.constant_columns(); !targets.empty()) {
    warn(options, fmt::format("{} constant: {}", targets.size() == 1 ? "a target is" : "targets are",
                              column_list(targets, table.schema().target_names())));
  }
}

/// One value z standard deviations from the mean makes z^2 / (n - 1) of the variance, to first order. The scale of the
/// target is then that of this value, and all others look the same.
void warn_of_lone_targets(const TrainingTable& table, const FitOptions& options) {
  constexpr std::size_t enough_rows = 20;
  constexpr double share = 0.9;
  const data::ColumnMoments& targets = table.summary().targets;
  if (targets.rows() < enough_rows || table.schema().is_classification()) return;
  const double distance = std::sqrt(share * static_cast<double>(targets.rows() - 1));
  if (const auto lone = targets.columns_with_outliers(distance); !lone.empty()) {
    warn(options,
         fmt::format("one value causes nearly all of the variance of a target; if it is an error, leave its row "
                     "out: {}",
                     column_list(lone, table.schema().target_names())));
  }
}

/// A class of one row is never both seen and held out.
void warn_of_rare_classes(const TrainingTable& table, const FitOptions& options) {
  std::vector<std::string> rare;
  for (const auto& [value, rows] : table.summary().classes.rows_of_value()) {
    if (rows == 1) rare.push_back(table.classes().names()[*table.classes().class_of(value)]);
  }
  if (rare.empty()) return;
  constexpr std::size_t most_named = 8;
  const std::string names = base::join(std::span(rare).first(std::min(rare.size(), most_named)), ", ");
  warn(options, fmt::format("{} one row, which is either trained on or held out: {}{}",
                            rare.size() == 1 ? "a class has" : fmt::format("{} classes have", rare.size()), names,
                            rare.size() > most_named ? ", ..." : ""));
}

void warn_of_slips(const TrainingTable& table, const FitOptions& options) {
  if (table.slips().empty()) return;
  warn(options,
       fmt::format("{} hard to believe and left out: {}",
                   table.slips().size() == 1 ? "a target is" : fmt::format("{} targets are", table.slips().size()),
                   places_of(table.slips(), table.summary().first_line)));
}

/// Copies matter only if rows are held out: otherwise they are like rows of weight 2.
void warn_of_copies(const TrainingTable& table, const FitOptions& options) {
  const FoldUnits& units = table.fold_units();
  if (units.kind != FoldUnits::Kind::copies || (*options.folds == 0 && options.validation_fraction == 0)) return;
  const std::size_t copies = units.rows - units.count;
  warn(options, fmt::format("{} of {} rows {} in all inputs; rows with equal inputs are held out together", copies,
                            units.rows, copies == 1 ? "is a copy of another" : "are copies of others"));
}

/// Groups and times say which rows are held out together.
void warn_of_useless_groups(const TrainingTable& table, const FitOptions& options) {
  const FoldUnits::Kind kind = table.fold_units().kind;
  const bool is_given = kind == FoldUnits::Kind::groups || kind == FoldUnits::Kind::times;
  if (!is_given || *options.folds > 0 || options.validation_fraction > 0) return;
  warn(options, fmt::format("no rows are held out (folds 0), so that {} have no effect",
                            kind == FoldUnits::Kind::groups ? "groups" : "times"));
}

}  // namespace

void warn_of_table(const TrainingTable& table, const FitOptions& options) {
  warn_of_constant_columns(table, options);
  warn_of_lone_targets(table, options);
  warn_of_copies(table, options);
  warn_of_useless_groups(table, options);
  warn_of_slips(table, options);
  warn_of_rare_classes(table, options);
}

}  // namespace credens::learn
