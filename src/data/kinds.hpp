// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of a table are numbers, words or dates.

#pragma once

#include <credens/dataset.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::base {

template <>
struct EnumNames<ColumnKind> {
  static constexpr std::string_view what = "kind of column";
  static constexpr std::pair<ColumnKind, std::string_view> entries[] = {
      {ColumnKind::number, "number"}, {ColumnKind::category, "category"}, {ColumnKind::date, "date"}};
};

template <>
struct EnumNames<Task> {
  static constexpr std::string_view what = "task";
  static constexpr std::pair<Task, std::string_view> entries[] = {
      {Task::automatic, "auto"}, {Task::regression, "regression"}, {Task::classification, "classification"}};
};

}  // namespace credens::base

namespace credens::data {

/// "numbers", "words" or "dates".
std::string_view plural_of(ColumnKind kind);

/// The text of a number that is to be a word.
std::string shortest_text(double value);

/// The kind that at least half of a column's cells have that are not missing, numbers before dates; words where neither
/// has, numbers where all are missing. A word among numbers is most likely a slip: it will be refused, and whoever
/// means it says so.
ColumnKind recognised_kind(const ColumnContent& content);

/// Sets the kinds of the schema's inputs: as `options` say, or by the first rows of the table. Throws usage where
/// `options` contradict themselves or name a column that is no input.
void set_kinds(RowPortions& table, const DatasetOptions& options, Schema& schema);

/// Sets task, classes and the kind of the target: as `options` say, or by the first rows of the table. Throws data
/// where a target of several holds words.
void set_task(RowPortions& table, const DatasetOptions& options, Schema& schema);

/// Sets the kinds of the columns of groups and times.
void set_fold_kinds(RowPortions& table, Schema& schema);

/// How a table of `columns` columns is to be read for the schema, whose positions are those of the table. With known
/// levels no others are added.
std::vector<ColumnReading> readings_of(const Schema& schema, std::size_t columns, bool levels_are_known);

/// As `set_kinds`, for a table in memory that knows the kinds of its columns. Numbers that are to be words become the
/// levels of their shortest texts. The task is left alone where the target lies outside the table.
void set_kinds(const DatasetOptions& options, Table& table, Schema& schema);

}  // namespace credens::data
