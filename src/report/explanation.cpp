// SPDX-License-Identifier: Apache-2.0

#include "report/explanation.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

namespace credens::report {

namespace {

struct NamedPart {
  const char* name;
  const Contributions& part;
};

std::vector<NamedPart> parts_of(const Explanation& explanation) {
  return {{"mean", explanation.mean}, {"noise", explanation.noise}, {"ignorance", explanation.ignorance}};
}

double largest_error(const Contributions& part, std::size_t output) {
  const std::span<const double> errors = part.standard_error[output].values();
  return errors.empty() ? 0 : *std::ranges::max_element(errors);
}

Table share_table(const Explanation& explanation, const model::EnsembleState& state, std::size_t output) {
  Table table{.caption = "What moves " + state.schema.target_labels()[output],
              .headings = {"", "mean", "spread", "noise", "spread", "ignorance", "spread"}};
  std::vector<std::vector<InputShare>> shares;
  for (const NamedPart& part : parts_of(explanation)) shares.push_back(input_shares(part.part, output));
  std::vector<std::size_t> order(shares.front().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t j) { return shares.front()[j].share; });
  const std::vector<std::string> labels = state.schema.input_labels();
  for (const std::size_t j : order) {
    table.rows.push_back({labels[j]});
    for (const auto& quantity : shares) {
      table.rows.back().push_back(percent(quantity[j].share));
      table.rows.back().push_back(significant(quantity[j].spread));
    }
  }
  table.rows.push_back({"largest standard error"});
  for (const NamedPart& part : parts_of(explanation)) {
    table.rows.back().emplace_back("");
    table.rows.back().push_back(significant(largest_error(part.part, output), 2));
  }
  return table;
}

}  // namespace

std::vector<Table> share_tables(const Explanation& explanation, const model::EnsembleState& state) {
  std::vector<Table> tables;
  for (std::size_t k = 0; k < state.schema.targets.size(); ++k) tables.push_back(share_table(explanation, state, k));
  return tables;
}

std::vector<std::string> explanation_columns(const model::EnsembleState& state) {
  std::vector<std::string> columns;
  for (const data::Column& target : state.schema.targets) {
    for (const char* quantity : {"mean", "noise", "ignorance"}) {
      const std::string name = target.name + "_" + quantity;
      columns.push_back(name);
      columns.push_back(name + "_base");
      for (const std::string& input : state.schema.input_keys()) columns.push_back(name + "_" + input);
      columns.push_back(name + "_error");
    }
  }
  return columns;
}

Matrix explanation_values(const Explanation& explanation) {
  const std::size_t rows = explanation.mean.value.rows();
  const std::size_t outputs = explanation.mean.base.size();
  const std::size_t inputs = explanation.mean.of_inputs.front().cols();
  Matrix values(rows, 3 * outputs * (inputs + 3));
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (const NamedPart& named : parts_of(explanation)) {
        values(i, next++) = named.part.value(i, k);
        values(i, next++) = named.part.base[k];
        for (const double contribution : named.part.of_inputs[k].row(i)) values(i, next++) = contribution;
        values(i, next++) = *std::ranges::max_element(named.part.standard_error[k].row(i));
      }
    }
  }
  return values;
}

Json explanation_json(const Explanation& explanation, const model::EnsembleState& state) {
  Json outputs = Json::object();
  const std::vector<std::string> inputs = state.schema.input_keys();
  for (std::size_t k = 0; k < state.schema.targets.size(); ++k) {
    Json& output = outputs[state.schema.targets[k].name] = Json::object();
    for (const NamedPart& named : parts_of(explanation)) {
      Json shares = Json::object();
      const std::vector<InputShare> found = input_shares(named.part, k);
      for (std::size_t j = 0; j < inputs.size(); ++j) {
        shares[inputs[j]] = {{"share", found[j].share}, {"spread", found[j].spread}};
      }
      output[named.name] = {
          {"base", named.part.base[k]}, {"inputs", shares}, {"largest_error", largest_error(named.part, k)}};
    }
  }
  return {{"rows", explanation.mean.value.rows()}, {"outputs", outputs}};
}

}  // namespace credens::report
