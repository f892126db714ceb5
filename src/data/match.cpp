// SPDX-License-Identifier: Apache-2.0

#include "data/match.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/date.hpp"
#include "data/kinds.hpp"
#include "data/words.hpp"

namespace credens::data {

namespace {

std::vector<std::size_t> inputs_by_name(const Table& table, std::span<const Column> inputs) {
  std::vector<std::size_t> positions;
  for (const Column& input : inputs) {
    const auto found = find_name(table, input.name, input.unit);
    base::require(found.has_value(), ErrorCode::data, "{}: no column {}, an input of the model{}", table.source,
                  base::quoted(input.name), base::suggestion(input.name, table.names));
    check_unit(input, unit_of(table, *found), table.source);
    positions.push_back(*found);
  }
  return positions;
}

std::vector<std::size_t> find_inputs(const Table& table, const Schema& schema) {
  if (schema.has_names && !table.names.empty()) return inputs_by_name(table, schema.inputs);
  const std::size_t inputs = schema.inputs.size();
  if (table.cols() == inputs) {
    std::vector<std::size_t> all(inputs);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  base::require(table.cols() == schema.table_columns, ErrorCode::data, "{}: {}, expected the {} or the {} of training",
                table.source, count_of(table.cols(), "column"), count_of(inputs, "input"),
                count_of(schema.table_columns, "column"));
  return positions_of(schema.inputs);
}

std::vector<Column> find_columns(const Table& table, std::span<const std::string> names) {
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, find_column(table, name)});
  return columns;
}

std::vector<Column> find_noise(const Schema& model, const Table& table, std::span<const std::string> given) {
  const std::vector<std::string> training = names_of(model.noise);
  const std::span<const std::string> names = given.empty() ? training : given;
  base::require(!names.empty(), ErrorCode::usage,
                "the model was trained with known noise, expected its column of {} with --noise-std", table.source);
  base::require(names.size() == 1 || names.size() == model.targets.size(), ErrorCode::usage,
                "--noise-std gives {} columns, expected one for all outputs or one each ({})", names.size(),
                model.targets.size());
  return find_columns(table, names);
}

/// Whether the table says where the targets are: by all of their names or, without names, by the width of training.
bool has_targets(const Schema& model, const Table& table) {
  if (table.names.empty()) return table.cols() == model.table_columns && !positions_of(model.targets).empty();
  return std::ranges::all_of(
      model.targets, [&](const Column& target) { return find_name(table, target.name, target.unit).has_value(); });
}

/// Positions of the targets that the model was trained on.
std::vector<std::size_t> find_targets(const Schema& model, const Table& table) {
  base::require(!table.names.empty() || has_targets(model, table), ErrorCode::data,
                "{}: the targets cannot be found by name, expected --target", table.source);
  if (table.names.empty()) return positions_of(model.targets);
  std::vector<std::size_t> positions;
  for (const Column& target : model.targets) {
    const auto found = find_name(table, target.name, target.unit);
    positions.push_back(found ? *found : find_column(table, target.name));
    check_unit(target, unit_of(table, positions.back()), table.source);
  }
  return positions;
}

std::vector<std::size_t> given_targets(const Schema& model, const Table& table, std::span<const std::string> given) {
  base::require(given.size() == model.targets.size(), ErrorCode::usage,
                "--target gives {} columns, expected {}, one per output", given.size(), model.targets.size());
  std::vector<std::size_t> positions = positions_of(find_columns(table, given));
  for (std::size_t k = 0; k < positions.size(); ++k) {
    check_unit(model.targets[k], unit_of(table, positions[k]), table.source);
  }
  return positions;
}

void place_at(std::span<const std::size_t> positions, std::vector<Column>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].position = positions.empty() ? std::nullopt : std::optional(positions[i]);
  }
}

/// A text file's dates are copied as they are written; an array has only their seconds.
ColumnKind copied_kind(const Table& table, const ColumnContent& content) {
  if (content.words + content.dates == 0) return ColumnKind::number;
  return content.dates > 0 && table.first_line == 0 ? ColumnKind::date : ColumnKind::category;
}

/// Columns whose cells are to be copied keep their words, also those that are no numbers to a model.
/// Words that a model does not know keep codes of their own beyond those that it knows.
void keep_words(RowPortions& table, std::span<const std::string> columns, std::vector<ColumnReading>& readings) {
  if (columns.empty()) return;
  const std::vector<ColumnContent> contents = table.contents();
  for (const std::string& name : columns) {
    const std::size_t col = find_column(table.header(), name);
    if (readings[col].kind == ColumnKind::number) readings[col].kind = copied_kind(table.header(), contents[col]);
    readings[col].takes_new_levels = true;
    readings[col].is_copied = true;
  }
}

/// The levels of a table's column, as codes of the model's input; words that the model does not know get the number of
/// its levels. Throws data where the column is of another kind than in training.
void recode(const Table& table, std::size_t col, const Column& input, std::span<double> values) {
  const ColumnKind found = table.kind(col);
  const bool fits = found == input.kind || (input.kind == ColumnKind::category && found == ColumnKind::number);
  base::require(fits, ErrorCode::data, "{}: column {} holds {}, in training it held {}", table.source,
                base::quoted(input.name), plural_of(found), plural_of(input.kind));
  const std::optional<bool> zone = table.has_zone(col);
  base::require(!zone || input.has_zone.value_or(*zone) == *zone, ErrorCode::data, "{}: column {} {}", table.source,
                base::quoted(input.name), zone_complaint(zone.value_or(false)));
  if (input.kind != ColumnKind::category) return;
  WordIndex known(input.levels, false);
  std::vector<double> codes;
  for (std::size_t i = 0; found == ColumnKind::category && i < table.levels[col].size(); ++i) {
    codes.push_back(known.code_of(table.levels[col][i]));
  }
  codes.push_back(static_cast<double>(input.levels.size()));  // of words that the table has no level for
  for (double& value : values) {
    if (std::isnan(value)) continue;
    value = found == ColumnKind::number ? known.code_of(shortest_text(value)) : codes[static_cast<std::size_t>(value)];
  }
}

Matrix copied(MatrixView values) {
  Matrix copy(values.rows(), values.cols());
  for (std::size_t row = 0; row < values.rows(); ++row) std::ranges::copy(values.row(row), copy.row(row).begin());
  return copy;
}

Table table_of_inputs(const Dataset& rows) {
  Table table{.source = "inputs", .names = rows.input_names(), .values = copied(rows.inputs())};
  table.units = units_of(rows.schema().inputs);
  for (const Column& input : rows.schema().inputs) {
    table.kinds.push_back(input.kind);
    table.levels.push_back(input.levels);
    table.zones.push_back(input.has_zone);
  }
  return table;
}

/// Targets with the codes of the model's classes, where these are words.
Matrix recoded_targets(const Dataset& rows, const Schema& model) {
  Matrix targets = copied(rows.targets());
  if (!model.is_classification() || model.has_counts() || rows.targets().cols() != 1) return targets;
  Table table{.source = "targets"};
  table.kinds = {rows.schema().targets.front().kind};
  table.levels = {rows.schema().targets.front().levels};
  recode(table, 0, model.targets.front(), targets.values());
  return targets;
}

bool is_same(const Column& one, const Column& other) {
  const bool fits = !one.has_zone || !other.has_zone || one.has_zone == other.has_zone;
  return one.name == other.name && one.kind == other.kind && one.levels == other.levels && fits;
}

/// Columns of the dataset's inputs are those of the model, in its order and with its codes.
bool has_inputs_of(const Dataset& rows, const Schema& model) {
  const bool by_name = model.has_names && rows.schema().has_names;
  const auto has_classes_of = [](const Column& own, const Column& expected) {
    return own.kind == expected.kind && own.levels == expected.levels;
  };
  if (!std::ranges::equal(rows.schema().targets, model.targets, has_classes_of)) return false;
  return std::ranges::equal(rows.schema().inputs, model.inputs, [&](const Column& own, const Column& expected) {
    return is_same(own, by_name ? expected
                                : Column{.name = own.name,
                                         .kind = expected.kind,
                                         .levels = expected.levels,
                                         .has_zone = expected.has_zone});
  });
}

}  // namespace

Schema match(const Schema& model, const Table& table, const GivenColumns& given, Targets targets) {
  Schema schema = model;
  schema.is_of_model = true;
  schema.table_columns = table.cols();
  place_at(find_inputs(table, model), schema.inputs);
  schema.has_noise = model.has_noise || !given.noise_std.empty();
  schema.noise = schema.has_noise ? find_noise(model, table, given.noise_std) : std::vector<Column>();
  if (targets == Targets::if_there && given.target.empty() && !has_targets(model, table)) targets = Targets::unused;
  place_at({}, schema.targets);
  if (targets != Targets::unused) {
    place_at(given.target.empty() ? find_targets(model, table) : given_targets(model, table, given.target),
             schema.targets);
  }
  const auto single = [&](const std::string& column) {
    return column.empty() ? std::nullopt : std::optional(Column{column, find_column(table, column)});
  };
  schema.weight = single(given.weight);
  schema.group = single(given.group);
  schema.time = single(given.time);
  return schema;
}

std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, TableFormat format, const Schema& model,
                                        Passes passes) {
  format.missing.insert(format.missing.end(), model.missing.begin(), model.missing.end());
  return open_table(path, format, FileKind::any, passes);
}

std::unique_ptr<RowSource> open_rows_for(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                         const Schema& model, const Matching& matching) {
  Schema schema = match(model, portions->header(), matching.columns, matching.targets);
  set_fold_kinds(*portions, schema);
  std::vector<ColumnReading> readings = readings_of(schema, portions->header().cols(), true);
  keep_words(*portions, matching.keep, readings);
  for (const Column& target : schema.targets) {
    if (target.position && matching.reads_new_classes) readings[*target.position].takes_new_levels = true;
  }
  portions->read_as(std::move(readings));
  const Passes passes = matching.keep.empty() ? matching.passes : Passes::one;  // so that blocks end where portions do
  return open_rows(path, std::move(portions), std::move(schema), matching.target_scale, passes);
}

Matrix read_inputs(RowSource& rows) {
  const std::size_t cols = rows.schema().inputs.size();
  std::vector<double> values;
  for (RowBlock block; rows.next(block);) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      values.insert(values.end(), block.inputs.row(row).begin(), block.inputs.row(row).end());
    }
  }
  const std::size_t count = values.size() / cols;
  return {count, cols, std::move(values)};
}

Matrix select_inputs(const Table& table, const Schema& model) {
  const std::vector<std::size_t> positions = find_inputs(table, model);
  if (const ColumnFault* fault = first_fault(table.faults, positions)) throw Error(ErrorCode::data, fault->sentence);
  Matrix inputs;
  take_columns(table, positions, inputs);
  std::vector<double> column(table.rows());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t row = 0; row < column.size(); ++row) column[row] = inputs(row, i);
    recode(table, positions[i], model.inputs[i], column);
    for (std::size_t row = 0; row < column.size(); ++row) inputs(row, i) = column[row];
  }
  return inputs;
}

Matrix select_inputs(const Dataset& rows, const Schema& model) {
  return select_inputs(table_of_inputs(rows), model);
}

std::optional<Dataset> matched(const Dataset& rows, const Schema& model) {
  if (has_inputs_of(rows, model)) return std::nullopt;
  Schema schema = rows.schema();
  schema.inputs = model.inputs;
  schema.has_names = model.has_names;
  schema.table_columns = model.table_columns;
  place_at({}, schema.targets);
  if (model.is_classification() && schema.targets.size() == model.targets.size()) {
    schema.task = model.task;
    schema.classes = model.classes;
    for (std::size_t k = 0; k < schema.targets.size(); ++k) {
      schema.targets[k].kind = model.targets[k].kind;
      schema.targets[k].levels = model.targets[k].levels;
    }
  }
  DatasetParts parts{.inputs = select_inputs(rows, model),
                     .targets = recoded_targets(rows, model),
                     .weights = {rows.weights().begin(), rows.weights().end()},
                     .noise_std = copied(rows.noise_std()),
                     .groups = {rows.groups().begin(), rows.groups().end()},
                     .times = {rows.times().begin(), rows.times().end()}};
  return Dataset(std::move(parts), schema);
}

}  // namespace credens::data
