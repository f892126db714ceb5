// SPDX-License-Identifier: Apache-2.0

#include "cli/candidates.hpp"

#include <credens/suggest.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "cli/kept.hpp"
#include "cli/prediction_table.hpp"
#include "data/table.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

void append_rows(MatrixView rows, Matrix& all) {
  if (rows.empty()) return;
  const std::size_t first = all.rows();
  all.resize(first + rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) std::ranges::copy(rows.row(i), all.row(first + i).begin());
}

void append_costs(const Rows& rows, const std::string& column, std::vector<double>& costs) {
  const data::Table& table = *rows.block.table;
  const std::size_t col = data::find_column(table, column);
  data::check_usable(table, {&col, 1});
  base::require(rows.block.file->kind(col) == ColumnKind::number, ErrorCode::data,
                "{}: column {} holds words, expected costs", table.source, base::quoted(column));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const double cost = table.values(i, col);
    base::require(cost > 0, ErrorCode::data, "{}: the cost is {}, expected a number above 0",
                  data::place_of(table, i, col), cost);
    costs.push_back(cost);
  }
}

/// All of a small table, whose column `words` holds words and all others numbers.
data::Table read_small_table(const std::string& path, const std::string& words) {
  const auto portions = data::open_table(path, {}, data::FileKind::text);
  data::Table table = portions->header();
  std::vector<data::ColumnReading> readings(table.cols());
  readings[data::find_column(table, words)].kind = ColumnKind::category;
  portions->read_as(std::move(readings));
  std::vector<double> values;
  while (portions->append(values)) {
  }
  const std::size_t rows = values.size() / table.cols();
  table.values = Matrix(rows, table.cols(), std::move(values));
  table.faults = portions->faults();
  table.missing = portions->missing();
  table.levels.resize(table.cols());
  table.levels[data::find_column(table, words)] = portions->levels(data::find_column(table, words));
  return table;
}

struct NamedBounds {
  std::string input;
  InputBounds bounds;
};

std::vector<NamedBounds> read_bounds(const std::string& path) {
  const data::Table table = read_small_table(path, "input");
  const std::size_t columns[] = {data::find_column(table, "input"), data::find_column(table, "lower"),
                                 data::find_column(table, "upper")};
  data::check_usable(table, columns);
  std::vector<NamedBounds> bounds;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto code = static_cast<std::size_t>(table.values(i, columns[0]));
    bounds.push_back(
        {table.levels[columns[0]][code], {table.values(i, columns[1]), table.values(i, columns[2])}});
  }
  return bounds;
}

std::vector<InputBounds> bounds_of_inputs(const data::Schema& schema, const std::vector<NamedBounds>& given,
                                          const std::string& path) {
  const std::vector<std::string> names = schema.input_keys();
  std::vector<std::optional<InputBounds>> found(names.size());
  for (const NamedBounds& row : given) {
    const auto name = std::ranges::find(names, row.input);
    base::require(name != names.end(), ErrorCode::data, "{}: {} is no input of the model{}", path,
                  base::quoted(row.input), base::suggestion(row.input, names));
    std::optional<InputBounds>& bounds = found[static_cast<std::size_t>(name - names.begin())];
    base::require(!bounds, ErrorCode::data, "{}: {} is there twice", path, base::quoted(row.input));
    bounds = row.bounds;
  }
  std::vector<InputBounds> bounds;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const ColumnKind kind = schema.inputs[j].kind;
    base::require(kind != ColumnKind::date, ErrorCode::usage, "{} holds dates, which --bounds cannot take: give a pool",
                  base::quoted(names[j]));
    base::require((kind == ColumnKind::category) != found[j].has_value(), ErrorCode::data, "{}: {}", path,
                  found[j] ? base::quoted(names[j]) + " holds words, of which all are taken; expected no bounds"
                           : "no bounds of " + base::quoted(names[j]) + ", an input of the model");
    bounds.push_back(found[j].value_or(InputBounds{}));
  }
  return bounds;
}

}  // namespace

Candidates read_candidates(const Ensemble& ensemble, RowArguments arguments, const std::string& cost) {
  arguments.keeps_all = true;
  RowStream stream(ensemble, arguments, data::Targets::unused);
  Candidates candidates;
  while (const Rows* rows = stream.next()) {
    stream.check_range();
    const data::Table& table = *rows->block.table;
    const std::vector<std::string> columns = all_columns(table);
    candidates.delimiter = delimiter_of(table.decimal);
    if (candidates.columns.empty()) {
      candidates.first_line = table.first_line;
      for (const std::string& column : columns) candidates.columns.push_back(kept_heading(table, column));
    }
    append_rows(rows->block.inputs, candidates.inputs);
    append_rows(rows->block.noise_std, candidates.noise_std);
    if (!cost.empty()) append_costs(*rows, cost, candidates.cost);
    for (std::string& row : kept_cells(*rows, columns)) {
      row.pop_back();
      candidates.rows.push_back(std::move(row));
    }
  }
  return candidates;
}

Candidates candidates_within(const Ensemble& ensemble, const std::string& bounds, std::size_t count,
                             std::uint64_t seed) {
  const data::Schema& schema = ensemble.state().schema;
  const std::vector<InputBounds> box = bounds_of_inputs(schema, read_bounds(bounds), bounds);
  Candidates candidates{
      .inputs = naming(bounds, ErrorCode::usage, [&] { return rows_within(ensemble, box, count, seed); }),
      .columns = schema.input_labels()};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> cells;
    for (std::size_t j = 0; j < schema.inputs.size(); ++j) {
      const double value = candidates.inputs(i, j);
      cells.push_back(schema.inputs[j].kind == ColumnKind::category
                          ? csv_cell(schema.inputs[j].levels[static_cast<std::size_t>(value)], ',')
                          : number_text(value, '.'));
    }
    candidates.rows.push_back(base::join(cells, ","));
  }
  return candidates;
}

}  // namespace credens::cli
