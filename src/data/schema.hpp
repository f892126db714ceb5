// SPDX-License-Identifier: Apache-2.0
//
// The columns of a training table by their role. Made once, kept in the model and matched against every later table.

#pragma once

#include <credens/dataset.hpp>
#include <credens/error.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/table.hpp"

namespace credens::data {

struct Column {
  std::string name;                          ///< may be empty
  std::optional<std::size_t> position = {};  ///< in the table; none: not known
  std::string unit = {};                     ///< empty: not known
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels = {};  ///< words of a category, in the order of their codes: that of their first rows
  std::optional<bool> has_zone = {};     ///< of dates; none: not known, as in models of before
  bool is_wanted = false;                ///< somebody said that it is a category: it stays an input whatever it holds
  bool operator==(const Column&) const = default;
};

struct Schema {
  std::vector<Column> inputs = {};
  std::vector<Column> targets = {};  ///< of a classification one column of words, or one of counts for each class
  Task task = Task::regression;
  bool is_task_found = false;  ///< a classification that nobody asked for: the target holds words
  std::vector<std::string> classes = {};  ///< given, in their order; empty: those of the rows (data/classes.hpp)
  std::optional<Column> weight = {};      ///< none: every row counts once
  std::vector<Column> noise = {};         ///< of known noise: none, one for all targets or one each
  std::optional<Column> group = {};       ///< rows with one value here are held out together
  std::optional<Column> time = {};        ///< rows are held out in blocks of time
  bool has_noise = false;         ///< whether rows come with known noise, which arrays may hold without a column
  bool has_names = false;         ///< whether inputs have names: the table had a header
  std::size_t table_columns = 0;  ///< of the whole table
  bool is_of_model = false;       ///< found in another table than that of training: kinds are settled
  bool allows_missing = true;     ///< of inputs and targets; else a missing cell is refused
  std::vector<std::string> missing = {};  ///< cells that stand for a missing value, beside the usual ones

  bool is_classification() const { return task == Task::classification; }
  bool has_counts() const { return is_classification() && targets.size() > 1; }
  std::vector<std::string> input_names() const;  ///< empty where inputs have no names
  std::vector<std::string> input_keys() const;   ///< names, or positions as text where inputs have no names
  std::vector<std::string> target_names() const;
  std::vector<std::string> input_labels() const;   ///< as the keys, with units: `length [mm]`
  std::vector<std::string> target_labels() const;  ///< as the names, with units
  bool operator==(const Schema&) const = default;
};

std::vector<std::string> names_of(std::span<const Column> columns);

/// Empty where no column has a unit.
std::vector<std::string> units_of(std::span<const Column> columns);

/// `units` is empty or has one unit for each column, which may be empty; else it throws `code`. `what` is the noun.
void set_units(std::span<const std::string> units, std::vector<Column>& columns, std::string_view what, ErrorCode code);

/// Throws data where both name a unit for a column and these differ: `source: column "length" is in cm, expected mm`.
void check_unit(const Column& expected, const std::string& unit, const std::string& source);

/// Checks the units of all inputs and targets of another table, which has as many.
void check_units(const Schema& expected, const Schema& found, const std::string& source);

/// Empty where a position is not known.
std::vector<std::size_t> positions_of(std::span<const Column> columns);

/// `count` columns. Names and positions may be empty; as many as columns else, or it throws `code`. `what` is the noun.
std::vector<Column> make_columns(std::span<const std::string> names, std::span<const std::size_t> positions,
                                 std::size_t count, std::string_view what, ErrorCode code);

/// Throws `code` where an input or a target lies beyond the last column of the table.
void check_positions(const Schema& schema, ErrorCode code);

/// The schema of a training table, as `options` say; contradictions throw usage, columns that are not there data. The
/// table needs no rows.
Schema make_schema(const Table& table, const DatasetOptions& options);

/// The schema of arrays: inputs lie in their order, the positions of targets are not known. Rows are not looked at.
Schema schema_of(const DatasetParts& parts);

/// How sentences name the columns: `column "age"`, or by position in the table, or by place where that is not known.
std::vector<std::string> labels_of(std::span<const Column> columns);

}  // namespace credens::data
