// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of a table are numbers, words or dates.

#pragma once

#include <credens/dataset.hpp>

#include <vector>

#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::data {

/// A column that is a number, a word or a date in at least four of five of its cells that are not missing; words where
/// it is none of these, numbers where all are missing. A number among few words is most likely a code, a word among
/// many numbers a slip: that stays a column of numbers, in which the word will be refused.
ColumnKind recognised_kind(const ColumnContent& content);

/// Sets the kinds of the schema's inputs: as `options` say, or by the first rows of the table. Throws usage where
/// `options` contradict themselves or name a column that is no input.
void set_kinds(RowPortions& table, const DatasetOptions& options, Schema& schema);

/// Sets the kinds of the columns of groups and times.
void set_fold_kinds(RowPortions& table, Schema& schema);

/// How a table of `columns` columns is to be read for the schema, whose positions are those of the table. With known
/// levels no others are added.
std::vector<ColumnReading> readings_of(const Schema& schema, std::size_t columns, bool levels_are_known);

/// Columns whose cells are to be copied keep their words, also those that are no numbers to a model.
void keep_words(RowPortions& table, std::span<const std::string> columns, std::vector<ColumnReading>& readings);

/// As `set_kinds`, for a table in memory that knows the kinds of its columns. Numbers that are to be words become the
/// levels of their shortest texts.
void set_kinds(const DatasetOptions& options, Table& table, Schema& schema);

/// The levels of a table's column, as codes of the model's input; words that the model does not know get the number of
/// its levels. Throws data where the column is of another kind than in training.
void recode(const Table& table, std::size_t col, const Column& input, std::span<double> values);

}  // namespace credens::data
