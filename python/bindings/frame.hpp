// SPDX-License-Identifier: Apache-2.0
//
// A table that comes from Python, before anybody has said which part its columns play. Text becomes words, numbers or
// dates when it is used, as that of a CSV file.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::python {

/// The values of a column.
enum class Content {
  number,
  text,  ///< codes of texts that may be words, numbers or dates
  word,  ///< codes of texts that are words, whatever they look like
  flag,  ///< codes of True and False
  date,
};

struct Frame {
  data::Table table;  ///< its kinds, and what is missing in it, follow from how it is used
  std::vector<Content> contents;
  bool is_array = false;                  ///< without types of columns: numbers may be dates, in seconds
  std::vector<std::string> missing = {};  ///< texts that stand for a missing value, beside the usual ones
};

/// The sentence about a cell that is no finite number.
data::ColumnFault fault_at(const data::Table& table, std::size_t row, std::size_t col, const std::string& found);

/// Every column as numbers, NaN where a cell is missing; throws data where one holds something else.
Matrix numbers_of(Frame frame);

/// Columns in the parts that `options` give them.
Dataset make_dataset(Frame frame, const DatasetOptions& options);

/// The table that inputs and targets are taken for the first columns of.
struct WholeTable {
  std::size_t columns = 0;
  std::vector<std::string> target_units = {};  ///< empty or one for each target
};

/// Targets that are a table of their own: numbers, classes, or with `has_counts` counts of each class.
struct TargetFrame {
  Frame frame;
  bool has_counts = false;
};

/// The rows `parts`, whose inputs are all columns of `frame`. Task and classes are those of `options`.
Dataset make_dataset(Frame frame, TargetFrame targets, DatasetParts parts, const DatasetOptions& options,
                     const WholeTable& whole);

/// The inputs of a model, in its order and with its codes of words.
Matrix inputs_of(Frame frame, const data::Schema& model);

/// Whether the classes of a schema are numbers: they have neither words nor counts.
bool has_number_classes(const data::Schema& schema);

/// `number`, `category` or `date` for each input.
std::vector<std::string> kind_names(const data::Schema& schema);

/// Whether the dates of each input have a zone (1) or none (0); -1: not known.
std::vector<int> zones_of(const data::Schema& schema);

}  // namespace credens::python
