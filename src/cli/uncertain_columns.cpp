// SPDX-License-Identifier: Apache-2.0

#include "cli/uncertain_columns.hpp"

#include <algorithm>
#include <cmath>

#include "data/complete_rows.hpp"
#include "data/table.hpp"
#include "decide/names.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

constexpr const char* std_expects = "COL=NUMBER from 0, or COL=COL with a column of standard uncertainties";

bool is_std(const NamedValue& named) {
  return !named.name.empty() && base::parse_double(named.value).value_or(0) >= 0;
}

std::size_t input_called(const std::string& name, const std::vector<std::string>& keys, const std::string& who) {
  const auto found = std::ranges::find(keys, name);
  base::require(found != keys.end(), ErrorCode::usage, "{} names {}, expected one of the inputs {}{}", who,
                base::quoted(name), base::join(keys, ", "), base::suggestion(name, keys));
  return static_cast<std::size_t>(found - keys.begin());
}

/// All rows of a small table of numbers.
data::Table read_numbers(const std::string& path) {
  const std::unique_ptr<data::RowPortions> portions = data::open_table(path, {});
  data::Table table = portions->header();
  std::vector<double> values;
  while (portions->append(values)) {
  }
  table.faults = portions->faults();
  table.missing = portions->missing();
  const std::size_t rows = table.cols() == 0 ? 0 : values.size() / table.cols();
  table.values = Matrix(rows, table.cols(), std::move(values));
  return table;
}

}  // namespace

void uncertain_arguments(Arguments& arguments, UncertainArguments& uncertain) {
  arguments.group("Uncertain inputs");
  named_values_option(arguments, "--input-std", "COL=NUMBER|COL=COL,..", uncertain.std,
                      "Standard uncertainties of inputs: a number for all rows, or a column of DATA with one for each",
                      std_expects, is_std);
  arguments.option("--input-covariance", "FILE", uncertain.covariance,
                   "Table with the covariance of the inputs' errors, its columns named after inputs");
  arguments.option("--input-method", "METHOD", uncertain.method,
                   "draws, if not given: quasi-random draws through the exact mixture; first-order: by slopes",
                   one_of<InputMethod>());
  arguments.option("--input-draws", "M", uncertain.draws, "Draws of the inputs; 256 if not given, more of many inputs",
                   whole_number<std::size_t>(4));
}

void check_arguments(const UncertainArguments& arguments) {
  base::require(arguments.std.empty() || arguments.covariance.empty(), ErrorCode::usage,
                "both --input-std and --input-covariance are given, expected one of them");
  base::require(!arguments.draws || arguments.method != InputMethod::first_order, ErrorCode::usage,
                "--input-draws is given, but --input-method is first-order");
  const std::pair<const char*, bool> of_inputs[] = {{"--input-method", arguments.method.has_value()},
                                                    {"--input-draws", arguments.draws.has_value()}};
  for (const auto& [flag, is_given] : of_inputs) {
    base::require(!is_given || arguments.is_given(), ErrorCode::usage,
                  "{} needs uncertain inputs: give --input-std or --input-covariance", flag);
  }
}

UncertainColumns::UncertainColumns(const UncertainArguments& arguments, const Ensemble& ensemble,
                                   const std::string& model)
    : options_{.method = arguments.method.value_or(InputMethod::draws), .draws = arguments.draws.value_or(0)} {
  const char* const flag = arguments.std.empty() ? "--input-covariance" : "--input-std";
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "{} is for models that predict numbers; {} predicts classes", flag, model);
  base::require(ensemble.has_networks(), ErrorCode::usage, "{} names inputs, but {} has no networks", flag, model);
  const data::Schema& schema = ensemble.state().schema;
  if (arguments.std.empty()) {
    read_covariance(arguments.covariance, schema.input_keys());
  } else {
    read_stds(arguments, schema.input_keys());
  }
  const Matrix nowhere(0, ensemble.inputs());
  credens::predict(ensemble, nowhere, inputs_, options_);  // refuses inputs that have no standard uncertainty
}

void UncertainColumns::read_stds(const UncertainArguments& arguments, const std::vector<std::string>& keys) {
  inputs_.std = Matrix(1, arguments.std.size());
  for (const auto& [name, value] : arguments.std) {
    const std::size_t j = inputs_.columns.size();
    inputs_.columns.push_back(input_called(name, keys, "--input-std"));
    const std::optional<double> number = base::parse_double(value);
    inputs_.std(0, j) = number.value_or(0);
    column_.push_back(number ? "" : value);
  }
}

void UncertainColumns::read_covariance(const std::string& path, const std::vector<std::string>& keys) {
  const data::Table table = read_numbers(path);
  base::require(!table.names.empty(), ErrorCode::data, "{}: no names of inputs in the first line", path);
  base::require(table.rows() == table.cols(), ErrorCode::data, "{}: {} rows and {} columns, expected as many of both",
                path, table.rows(), table.cols());
  for (const std::string& name : table.names) inputs_.columns.push_back(input_called(name, keys, path));
  inputs_.covariance = data::select_columns(table, table.names);
}

UncertainInputs UncertainColumns::at(const data::RowBlock& block) const {
  UncertainInputs inputs = inputs_;
  if (std::ranges::all_of(column_, &std::string::empty)) return inputs;
  inputs.std = Matrix(block.rows(), column_.size());
  for (std::size_t j = 0; j < column_.size(); ++j) {
    if (column_[j].empty()) {
      for (std::size_t row = 0; row < block.rows(); ++row) inputs.std(row, j) = inputs_.std(0, j);
      continue;
    }
    const std::size_t col = data::find_column(*block.table, column_[j]);
    data::check_usable(*block.table, {&col, 1});
    for (std::size_t row = 0; row < block.rows(); ++row) {
      const double std = block.table->values(block.table_row(row), col);
      base::require(std >= 0 && std::isfinite(std), ErrorCode::data,
                    "{}: the standard uncertainty is {}, expected a number from 0",
                    data::place_of(*block.table, block.table_row(row), col), std);
      inputs.std(row, j) = std;
    }
  }
  return inputs;
}

}  // namespace credens::cli
