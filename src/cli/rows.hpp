// SPDX-License-Identifier: Apache-2.0
//
// The rows a model is asked about: a table for its networks, or the arrays of an outputs folder.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/outputs_folder.hpp>
#include <credens/store.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/uncertain_columns.hpp"
#include "data/complete_rows.hpp"
#include "data/match.hpp"
#include "data/row_source.hpp"
#include "score/scorer.hpp"

namespace credens::cli {

/// MODEL, DATA or `--outputs DIR`, and how DATA is read.
struct RowArguments {
  std::string model = {};
  std::string data = {};
  std::string outputs = {};
  data::GivenColumns columns = {};
  std::vector<std::string> keep = {};  ///< columns to copy, words too
  bool keeps_all = false;              ///< copies all columns
  TableFormat format = {};
  UncertainArguments uncertain = {};  ///< of the verbs that take them
};

void row_arguments(Arguments& arguments, RowArguments& rows);

/// `--target COL[,COL]`
void target_option(Arguments& arguments, data::GivenColumns& columns);

/// Columns and format of a training table.
void train_options(Arguments& arguments, RowArguments& rows);

/// The columns of a table by name, or by index where it has no names.
std::vector<std::string> all_columns(const data::Table& table);

/// Throws usage unless exactly one of DATA and `--outputs` is given and standard input is asked for at most once.
/// Before anything is read.
void check_arguments(const RowArguments& arguments);

/// Rows of the table DATA for a model, which `arguments.model` calls in sentences; `targets` says whether they matter.
std::unique_ptr<data::RowSource> open_rows(const Ensemble& ensemble, const RowArguments& arguments,
                                           data::Targets targets, data::Passes passes = data::Passes::many);

/// A block of what was read: rows of a table, or the arrays of the members with their targets and weights.
struct Rows {
  data::RowBlock block = {};  ///< of arrays: targets, in the units of the data, and weights
  std::optional<MemberOutputs> arrays = {};

  std::size_t count() const { return arrays ? arrays->rows() : block.rows(); }
};

/// Counts the rows with words that the model was not trained on.
class NewWords {
 public:
  explicit NewWords(const data::Schema& schema) : schema_(schema), rows_(schema.inputs.size()) {}

  void count(MatrixView inputs);
  void forget();       ///< what was counted
  void warn() const;  ///< one sentence for each column that has such words

 private:
  const data::Schema& schema_;     ///< of the model
  std::vector<std::size_t> rows_;  ///< by input
};

/// Block by block, so that memory does not grow with the rows.
class RowStream {
 public:
  /// The ensemble must live as long. Targets that are wanted if they are there are needed where they are there.
  RowStream(const Ensemble& ensemble, const RowArguments& arguments, data::Targets targets,
            data::Passes passes = data::Passes::many);

  /// Valid until the next call; null: there are no more. Where targets are needed, rows without are left out, with one
  /// warning after the first pass.
  const Rows* next();
  void rewind();  ///< the next block is the first again
  std::size_t count_rows() { return table_ ? table_->count_rows() : arrays_->rows(); }
  bool may_have_weights() const {
    return !table_ || table_->schema().weight || table_->schema().has_counts();
  }                                    ///< of arrays their blocks tell
  const data::Schema& schema() const;  ///< with the positions of the table
  bool has_targets() const { return targets_wanted_ == data::Targets::needed; }

  Predictive predict() const;                                     ///< at the last block
  std::optional<UncertainInputs> uncertain_inputs() const;        ///< of the last block; none: inputs are exact
  ClassPredictive predict_classes(bool classical = false) const;  ///< likewise

  /// Throws data, with the place in the table, where a value of the last block is too far from the training data.
  void check_range() const;

 private:
  const Rows* next_arrays();
  const Rows* next_part();
  void take_targets();
  void warn_of_missing_targets();
  bool target_is_there() const;

  const Ensemble& ensemble_;
  std::string folder_;
  data::Targets targets_wanted_;
  std::unique_ptr<data::RowSource> table_;  ///< null for arrays
  std::optional<OutputsReader> arrays_;     ///< none for a table
  std::size_t next_row_ = 0;                ///< of arrays
  Matrix targets_;                          ///< of arrays
  Rows block_;
  std::optional<UncertainColumns> uncertain_;
  data::RowBlock whole_;  ///< of which `block_` is a part, where inputs are uncertain
  std::size_t next_part_ = 0;
  std::vector<std::size_t> part_rows_;
  data::CompleteRows complete_;
  bool has_warned_ = false;
  std::size_t passes_ = 0;  ///< that are over
  NewWords new_words_;
};

/// Throws data with the place of the first value of a table that is too far from the training data.
void check_range(const Ensemble& ensemble, const data::Schema& schema, const data::RowBlock& block);

/// Does `work` on all rows of `table`. Where that refuses some, the table is read again to say which cell it is.
template <class Work>
auto naming_cells(const Ensemble& ensemble, data::RowSource& table, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
    table.rewind();
    for (data::RowBlock block; table.next(block);) check_range(ensemble, table.schema(), block);
    throw;
  }
}

/// Warns where the fingerprint of rows, read from `data`, is not that of the rows, weights and noise that the model was
/// made from.
void warn_unless_trained_on(const Ensemble& ensemble, const std::string& fingerprint, const std::string& data,
                            const std::string& model);

/// A model against observations: what `evaluate` and `report` are given.
struct ComparisonArguments : RowArguments {
  std::vector<std::string> truth = {};
  scoring::IntervalOptions interval = {};
};

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison);

/// Throws usage where arguments contradict each other. Before anything is read.
void check_arguments(const ComparisonArguments& arguments);

/// The largest of the row weights, read in a pass of its own where rows have weights; 1 where they have none.
double largest_weight(RowStream& stream);

/// Gives away the rows from the first on, block by block: predictions and what was observed.
/// `wants` is asked for each, counted from 0; nothing is predicted for those that are not wanted.
void for_observations(
    const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
    const std::function<void(const scoring::Observations&)>& take,
    const std::function<bool(std::size_t, const Rows&)>& wants = [](std::size_t, const Rows&) { return true; });

}  // namespace credens::cli
