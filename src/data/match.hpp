// SPDX-License-Identifier: Apache-2.0
//
// A table meets a model: its columns are found by the names of training, its words get the codes of training.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/row_source.hpp"
#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::data {

/// Columns of a table that a model meets, where they are called otherwise than in training or the model does not know
/// them. Empty: as in training.
struct GivenColumns {
  std::vector<std::string> target = {};
  std::string weight = {};  ///< empty: every row counts once, whatever counted in training
  std::vector<std::string> noise_std = {};
  std::string group = {};  ///< empty: as for weights
  std::string time = {};

  bool empty() const { return target.empty() && weight.empty() && noise_std.empty() && group.empty() && time.empty(); }
};

enum class Targets { unused, if_there, needed };

/// The model's schema with the positions of this table, of which no rows are needed. Inputs and targets are found by
/// name; without names inputs are the d columns of the table, or columns lie as in training. Targets that are not used
/// or not there have no position. Throws data for columns that are not there, usage where `given` contradicts the
/// model.
Schema match(const Schema& model, const Table& table, const GivenColumns& given, Targets targets);

/// How the rows of a file are taken for a model.
struct Matching {
  GivenColumns columns = {};
  Targets targets = Targets::unused;
  std::vector<std::string> keep = {};     ///< columns to copy, words too
  std::vector<double> target_scale = {};  ///< as that of check_noise
  bool reads_new_classes = false;         ///< words of targets that are no class have a code and a text of their own
  Passes passes = Passes::many;
};

/// The file that a model meets: what stood for a missing value in training does so here.
std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, TableFormat format, const Schema& model,
                                        Passes passes = Passes::many);

/// Rows of `portions`, which `path` names, with the columns and codes of the model.
std::unique_ptr<RowSource> open_rows_for(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                         const Schema& model, const Matching& matching);

/// The inputs [N x d] of all rows of a source.
Matrix read_inputs(RowSource& rows);

/// The inputs [N x d] of a table in memory: by name; without names the d columns of the table, or those at the
/// positions of training. Words get the codes of the model. An input that is not there and a table that is neither
/// throw data.
Matrix select_inputs(const Table& table, const Schema& model);

/// As those of a table with the columns of the dataset's inputs.
Matrix select_inputs(const Dataset& rows, const Schema& model);

/// The dataset with the inputs of the model, in its order and with its codes; nothing where it has just these already.
std::optional<Dataset> matched(const Dataset& rows, const Schema& model);

}  // namespace credens::data
