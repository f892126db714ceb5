// SPDX-License-Identifier: Apache-2.0

#include "frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/classes.hpp"
#include "data/csv_line.hpp"
#include "data/date.hpp"
#include "data/kinds.hpp"
#include "data/match.hpp"
#include "data/row_source.hpp"

namespace credens::python {

namespace {

using data::Table;

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

std::string column_name(const Table& table, std::size_t col) {
  return table.names.empty() ? fmt::format("{}", col) : base::quoted(table.names[col]);
}

data::ColumnFault fault_with(const Table& table, std::size_t row, std::size_t col, const std::string& found,
                             std::string_view expected) {
  if (table.first_line != 0) {
    const std::string place = data::place_of(table, row, col);
    return {.row = row, .sentence = fmt::format("{} {}, expected {}", place, found, expected)};
  }
  return {.row = row,
          .sentence = fmt::format("{}: row {}, column {} {}, expected {}", table.source, row, column_name(table, col),
                                  found, expected)};
}

/// How often each text of a column occurs, missing ones left out.
data::ColumnContent content_of(const Frame& frame, std::size_t col) {
  const std::vector<std::string>& levels = frame.table.levels[col];
  std::vector<std::size_t> counts(levels.size());
  for (std::size_t row = 0; row < frame.table.rows(); ++row) {
    const double code = frame.table.values(row, col);
    if (!std::isnan(code)) ++counts[static_cast<std::size_t>(code)];
  }
  data::ColumnContent content;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (data::is_missing(levels[i], frame.missing)) continue;
    const bool is_number = data::read_cell(levels[i], frame.table.decimal).kind == data::CellKind::number;
    (is_number ? content.numbers : data::read_date(levels[i]) ? content.dates : content.words) += counts[i];
  }
  return content;
}

ColumnKind found_kind(const Frame& frame, std::size_t col) {
  switch (frame.contents[col]) {
    case Content::text:
      return data::recognised_kind(content_of(frame, col));
    case Content::word:
    case Content::flag:
      return ColumnKind::category;
    case Content::date:
      return ColumnKind::date;
    case Content::number:
      break;
  }
  return ColumnKind::number;
}

bool is_empty(const Table& table, std::size_t col) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!std::isnan(table.values(row, col))) return false;
  }
  return true;
}

/// Replaces the code of each text by `value_of(text)`; nothing: the text has no value, and the first such cell is a
/// fault.
template <class ValueOf>
void replace_codes(Frame& frame, std::size_t col, std::string_view expected, const ValueOf& value_of) {
  Table& table = frame.table;
  const std::vector<std::string> levels = std::exchange(table.levels[col], {});
  std::vector<std::optional<double>> values;
  for (const std::string& level : levels) {
    values.push_back(data::is_missing(level, frame.missing) ? missing_value : value_of(level));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double& cell = table.values(row, col);
    if (std::isnan(cell)) continue;
    const auto code = static_cast<std::size_t>(cell);
    cell = values[code].value_or(missing_value);
    if (values[code] || table.faults[col]) continue;
    table.faults[col] = fault_with(table, row, col, "is " + base::quoted(levels[code]), expected);
  }
}

void read_numbers(Frame& frame, std::size_t col) {
  if (frame.contents[col] == Content::date && !is_empty(frame.table, col)) {
    frame.table.faults[col] = fault_at(frame.table, 0, col, "is a date");
  }
  if (frame.contents[col] == Content::number || frame.contents[col] == Content::date) return;
  const bool is_flag = frame.contents[col] == Content::flag;
  replace_codes(frame, col, "a finite number", [&](const std::string& text) -> std::optional<double> {
    if (is_flag) return text == "True" ? 1.0 : 0.0;
    const data::Cell cell = data::read_cell(text, frame.table.decimal);
    return cell.kind == data::CellKind::number ? std::optional(cell.value) : std::nullopt;
  });
}

constexpr std::string_view expected_date =
    "a day or time such as 2024-05-17 or 2024-05-17T08:30:00Z, all with a zone or all without";

void refuse_numbers(Frame& frame, std::size_t col) {
  for (std::size_t row = 0; row < frame.table.rows() && !frame.table.faults[col]; ++row) {
    const double value = frame.table.values(row, col);
    if (std::isnan(value)) continue;
    frame.table.faults[col] = fault_with(frame.table, row, col, "is " + base::to_text(value), expected_date);
  }
}

void read_dates(Frame& frame, std::size_t col) {
  if (frame.contents[col] == Content::number && !frame.is_array) refuse_numbers(frame, col);
  if (frame.contents[col] == Content::number || frame.contents[col] == Content::date) return;
  std::optional<bool> has_zone;
  replace_codes(frame, col, expected_date, [&](const std::string& text) -> std::optional<double> {
    const std::optional<data::Date> date = data::read_date(text);
    if (!date || date->has_zone != has_zone.value_or(date->has_zone)) return std::nullopt;
    has_zone = date->has_zone;
    return date->seconds;
  });
  frame.table.zones.resize(frame.table.cols());
  frame.table.zones[col] = has_zone;
}

/// Texts that stand for a missing value are no words.
void read_words(Frame& frame, std::size_t col) {
  if (frame.contents[col] == Content::number || frame.contents[col] == Content::date) return;
  std::vector<std::string> words;
  for (const std::string& level : frame.table.levels[col]) {
    if (!data::is_missing(level, frame.missing)) words.push_back(level);
  }
  double next = 0;
  replace_codes(frame, col, "a word", [&](const std::string&) { return std::optional(next++); });
  frame.table.levels[col] = std::move(words);
}

/// A column without a value fits any kind.
void read_as(Frame& frame, std::size_t col, ColumnKind kind) {
  if (kind == ColumnKind::number) read_numbers(frame, col);
  if (kind == ColumnKind::date) read_dates(frame, col);
  if (kind == ColumnKind::category) read_words(frame, col);
  const bool is_number = frame.contents[col] == Content::number && kind != ColumnKind::date;
  const bool is_date = frame.contents[col] == Content::date;
  const ColumnKind found = is_number ? ColumnKind::number : is_date ? ColumnKind::date : kind;
  frame.table.kinds[col] = is_empty(frame.table, col) ? kind : found;
}

/// First cells that are infinite or missing.
void note_cells(Frame& frame) {
  Table& table = frame.table;
  table.missing.assign(table.cols(), std::nullopt);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t col = 0; col < table.cols(); ++col) {
      const double value = table.values(row, col);
      if (std::isfinite(value)) continue;
      auto& first = std::isnan(value) ? table.missing[col] : table.faults[col];
      if (first) continue;
      first = fault_at(table, row, col, std::isnan(value) ? "is missing" : "is " + base::to_text(value));
    }
  }
}

void read_all(Frame& frame, const std::vector<ColumnKind>& kinds) {
  frame.table.kinds.assign(frame.table.cols(), ColumnKind::number);
  frame.table.levels.resize(frame.table.cols());
  for (std::size_t col = 0; col < kinds.size(); ++col) read_as(frame, col, kinds[col]);
  note_cells(frame);
}

/// Groups matter only by which rows share one, so texts and dates become numbers.
void read_groups(Frame& frame, std::size_t col) {
  if (frame.contents[col] != Content::number && frame.contents[col] != Content::date) {
    replace_codes(frame, col, "a number or a text", [](const std::string& text) -> std::optional<double> {
      const std::string_view word = base::trim(text);
      return word.empty() ? missing_value : data::word_number(word);
    });
  }
  frame.contents[col] = Content::number;
}

/// Whether a target is a column of words. One that is asked to hold classes does with a single word.
bool holds_classes(const Frame& frame, std::size_t col, const DatasetOptions& options) {
  const bool is_asked = options.task == Task::classification || !options.classes.empty();
  if (is_asked && frame.contents[col] == Content::text) {
    const data::ColumnContent content = content_of(frame, col);
    return content.words + content.dates > 0;
  }
  const bool may_be = is_asked || (options.task == Task::automatic && !options.strict);
  return may_be && found_kind(frame, col) == ColumnKind::category;
}

/// Kinds of the columns in `targets`, which lie at `positions` of the frame.
std::vector<ColumnKind> target_kinds(const Frame& frame, std::span<const std::size_t> positions,
                                     const DatasetOptions& options) {
  std::vector<ColumnKind> kinds;
  for (const std::size_t col : positions) {
    const bool is_class = options.counts.empty() && holds_classes(frame, col, options);
    base::require(!is_class || positions.size() == 1, ErrorCode::data,
                  "{}: column {} holds words, and a classification has one target, found {}", frame.table.source,
                  column_name(frame.table, col), positions.size());
    kinds.push_back(is_class ? ColumnKind::category : ColumnKind::number);
  }
  return kinds;
}

/// Inputs are of the kinds that `options` give them or that are found, targets may be words, times may be dates,
/// everything else is a number.
std::vector<ColumnKind> training_kinds(const Frame& frame, const data::Schema& schema, const DatasetOptions& options) {
  std::vector<ColumnKind> kinds(frame.table.cols(), ColumnKind::number);
  const std::vector<std::size_t> targets = data::positions_of(schema.targets);
  const std::vector<ColumnKind> of_targets = target_kinds(frame, targets, options);
  for (std::size_t k = 0; k < targets.size(); ++k) kinds[targets[k]] = of_targets[k];
  if (schema.time && found_kind(frame, *schema.time->position) == ColumnKind::date) {
    kinds[*schema.time->position] = ColumnKind::date;
  }
  if (options.strict) return kinds;
  for (const data::Column& input : schema.inputs) kinds[*input.position] = found_kind(frame, *input.position);
  const auto give = [&](std::span<const std::string> columns, ColumnKind kind) {
    for (const std::string& column : columns) kinds[data::find_column(frame.table, column)] = kind;
  };
  give(options.numbers, ColumnKind::number);
  give(options.categories, ColumnKind::category);
  give(options.dates, ColumnKind::date);
  return kinds;
}

std::vector<std::size_t> all_columns(const Table& table) {
  std::vector<std::size_t> columns;
  for (std::size_t col = 0; col < table.cols(); ++col) columns.push_back(col);
  return columns;
}

/// Throws data where times are words, with the first of them.
void check_times(const Frame& frame, std::size_t col) {
  if (found_kind(frame, col) != ColumnKind::category) return;
  const Table& table = frame.table;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double code = table.values(row, col);
    if (std::isnan(code)) continue;
    const std::string word = base::quoted(table.levels[col][static_cast<std::size_t>(code)]);
    throw Error(ErrorCode::data, fault_with(table, row, col, "is " + word,
                                            "a number, or a day or time such as 2024-05-17 or 2024-05-17T08:30:00Z")
                                     .sentence);
  }
}

void check_faults(const Table& table) {
  if (const auto* fault = data::first_fault(table.faults, all_columns(table))) {
    throw Error(ErrorCode::data, fault->sentence);
  }
}

/// Throws usage for targets that are no classification, where one is asked for.
void check_target_table(const TargetFrame& targets, const DatasetParts& parts, const DatasetOptions& options) {
  const std::size_t columns = targets.frame.table.cols();
  const bool is_asked = options.task == Task::classification || !options.classes.empty();
  base::require(!targets.has_counts || columns > 1, ErrorCode::usage,
                "counts has 1 column, expected one for each class");
  base::require(options.task != Task::regression || (!targets.has_counts && options.classes.empty()), ErrorCode::usage,
                "the task is regression, but {} are given", targets.has_counts ? "counts" : "classes");
  base::require(!is_asked || targets.has_counts || columns == 1, ErrorCode::usage,
                "targets has {} columns, expected 1 for a classification; counts takes one column for each class",
                columns);
  base::require(parts.noise_std.empty() || !(is_asked || targets.has_counts), ErrorCode::usage,
                "noise_std is given, which classes do not have");
}

/// Numbers, codes of words, or shares of the classes, by which the rows are then weighted.
void take_targets(TargetFrame targets, const DatasetOptions& options, DatasetParts& parts) {
  check_target_table(targets, parts, options);
  Frame& frame = targets.frame;
  const std::vector<std::size_t> positions = all_columns(frame.table);
  const bool is_asked = options.task == Task::classification || !options.classes.empty();
  read_all(frame, targets.has_counts ? std::vector<ColumnKind>(positions.size(), ColumnKind::number)
                                     : target_kinds(frame, positions, options));
  check_faults(frame.table);
  if (frame.table.kinds.front() == ColumnKind::category) parts.target_levels = frame.table.levels.front();
  const bool has_classes = is_asked || targets.has_counts || !parts.target_levels.empty();
  parts.task = has_classes ? Task::classification : Task::regression;
  base::require(parts.noise_std.empty() || !has_classes, ErrorCode::usage,
                "noise_std is given, which classes do not have");
  if (!targets.has_counts) parts.classes = options.classes;
  parts.targets = std::move(frame.table.values);
  if (!targets.has_counts) return;
  if (parts.weights.empty()) parts.weights.assign(parts.targets.rows(), 1);
  base::require(parts.weights.size() == parts.targets.rows(), ErrorCode::data, "{} for {}",
                data::count_of(parts.weights.size(), "weight"), data::count_of(parts.targets.rows(), "row"));
  data::counts_to_shares(parts.targets, parts.weights, [](std::size_t row, std::size_t column) {
    return fmt::format("counts: row {}, column {}", row, column);
  });
}

}  // namespace

data::ColumnFault fault_at(const Table& table, std::size_t row, std::size_t col, const std::string& found) {
  return fault_with(table, row, col, found, "a finite number");
}

Matrix numbers_of(Frame frame) {
  read_all(frame, std::vector<ColumnKind>(frame.table.cols(), ColumnKind::number));
  check_faults(frame.table);
  return std::move(frame.table.values);
}

Dataset make_dataset(Frame frame, const DatasetOptions& options) {
  const data::Schema schema = data::make_schema(frame.table, options);
  frame.missing = options.format.missing;
  if (schema.group) read_groups(frame, *schema.group->position);
  if (schema.time) check_times(frame, *schema.time->position);
  read_all(frame, training_kinds(frame, schema, options));
  return data::make_dataset(std::move(frame.table), options);
}

Dataset make_dataset(Frame frame, TargetFrame targets, DatasetParts parts, const DatasetOptions& options,
                     const WholeTable& whole) {
  take_targets(std::move(targets), options, parts);
  Table& table = frame.table;
  const std::vector<std::size_t> positions = all_columns(table);
  const auto inputs = data::make_columns(parts.input_names, positions, table.cols(), "input", ErrorCode::data);
  read_all(frame, training_kinds(frame, {.inputs = inputs}, options));
  parts.inputs = table.values;
  data::Schema schema = data::schema_of(parts);
  schema.is_task_found =
      !parts.target_levels.empty() && options.task == Task::automatic && options.classes.empty();
  data::set_units(table.units, schema.inputs, "input", ErrorCode::data);
  data::set_kinds(options, table, schema);
  check_faults(table);
  if (options.strict) data::check_usable(table, positions);
  parts.inputs = std::move(table.values);

  for (std::size_t k = 0; k < schema.targets.size(); ++k) schema.targets[k].position = positions.size() + k;
  data::set_units(whole.target_units, schema.targets, "target", ErrorCode::data);
  schema.table_columns = whole.columns;
  return {std::move(parts), schema};
}

Matrix inputs_of(Frame frame, const data::Schema& model) {
  std::vector<ColumnKind> kinds(frame.table.cols(), ColumnKind::number);
  data::Schema without_noise = model;
  without_noise.has_noise = false;
  const data::Schema matched = data::match(without_noise, frame.table, {}, data::Targets::unused);
  const std::vector<std::size_t> positions = data::positions_of(matched.inputs);
  frame.missing = model.missing;
  for (std::size_t i = 0; i < positions.size(); ++i) kinds[positions[i]] = model.inputs[i].kind;
  read_all(frame, kinds);
  if (!model.allows_missing) data::check_usable(frame.table, positions);
  return data::select_inputs(frame.table, model);
}

bool has_number_classes(const data::Schema& schema) {
  return schema.is_classification() && !schema.has_counts() && schema.targets.front().kind == ColumnKind::number;
}

std::vector<std::string> kind_names(const data::Schema& schema) {
  std::vector<std::string> names;
  for (const data::Column& input : schema.inputs) {
    const bool is_date = input.kind == ColumnKind::date;
    names.emplace_back(input.kind == ColumnKind::category ? "category" : is_date ? "date" : "number");
  }
  return names;
}

std::vector<int> zones_of(const data::Schema& schema) {
  std::vector<int> zones;
  for (const data::Column& input : schema.inputs) zones.push_back(input.has_zone ? *input.has_zone : -1);
  return zones;
}

}  // namespace credens::python
