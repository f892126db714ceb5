// SPDX-License-Identifier: Apache-2.0
//
// Uncertain inputs on the command line: `--input-std COL=NUMBER|COL=COL` or `--input-covariance FILE`.

#pragma once

#include <credens/uncertain_inputs.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/named_values.hpp"
#include "data/row_source.hpp"

namespace credens::cli {

struct UncertainArguments {
  std::vector<NamedValue> std = {};
  std::string covariance = {};
  std::optional<InputMethod> method = {};
  std::optional<std::size_t> draws = {};

  bool is_given() const { return !std.empty() || !covariance.empty(); }
};

void uncertain_arguments(Arguments& arguments, UncertainArguments& uncertain);

/// Throws usage for what contradicts itself. Before anything is read.
void check_arguments(const UncertainArguments& arguments);

/// The uncertain inputs of a model, and where the standard uncertainties of each row stand.
class UncertainColumns {
 public:
  /// `model` is how sentences call the model. Throws usage where it has no such inputs, data for a file that is no
  /// covariance of them.
  UncertainColumns(const UncertainArguments& arguments, const Ensemble& ensemble, const std::string& model);

  /// Those of the rows of a block. Throws data, with the place, for a cell that is no standard uncertainty.
  UncertainInputs at(const data::RowBlock& block) const;

  const InputOptions& options() const { return options_; }

 private:
  void read_stds(const UncertainArguments& arguments, const std::vector<std::string>& keys);
  void read_covariance(const std::string& path, const std::vector<std::string>& keys);

  UncertainInputs inputs_;           ///< with stds that are numbers, and 0 for those that stand in columns
  std::vector<std::string> column_;  ///< one for each uncertain input; empty: a number
  InputOptions options_;
};

}  // namespace credens::cli
