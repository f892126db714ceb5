// SPDX-License-Identifier: Apache-2.0
//
// The rows that a model was trained on, read again.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/rows.hpp"
#include "data/row_source.hpp"

namespace credens::cli {

/// The table, and the columns that the model cannot know or that are called otherwise there.
struct TrainArguments {
  std::string table;
  std::vector<std::string> target;
  std::string weight;
  std::vector<std::string> noise_std;
  TableFormat format;

  bool names_columns() const { return !target.empty() || !weight.empty() || !noise_std.empty(); }
};

/// All but the table.
void train_options(Arguments& arguments, TrainArguments& train);

/// The rows of a table in the roles that the model knows, with the names and places of training.
class ModelRows : public data::RowSource {
 public:
  /// The ensemble must live as long; `model` is its name in sentences.
  ModelRows(const Ensemble& ensemble, const std::string& model, TrainArguments train);

  const DatasetParts& layout() const override { return layout_; }
  bool has_weights() const override { return !train_.weight.empty(); }
  std::size_t count_rows() override { return stream_.count_rows(); }
  bool next(data::RowBlock& block) override;
  void rewind() override;

 private:
  const Ensemble& ensemble_;
  TrainArguments train_;
  RowStream stream_;
  DatasetParts layout_;
  Matrix targets_;               ///< of the block
  std::vector<double> weights_;  ///< of the block
  double weight_total_ = 0;
};

}  // namespace credens::cli
