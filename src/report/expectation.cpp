// SPDX-License-Identifier: Apache-2.0

#include "report/expectation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "model/ensemble_state.hpp"
#include "store/expectation_document.hpp"

namespace credens::report {

namespace {

/// One decimal, or as many as show that the error is not 0.
std::string percent_text(const Estimate& share) {
  const double error = 100 * share.standard_error;
  const int decimals = error > 1e-4 && error < 0.1 ? static_cast<int>(-std::floor(std::log10(error))) : 1;
  return fmt::format("{} +- {} %", fixed(100 * share.value, decimals), fixed(error, decimals));
}

}  // namespace

std::string estimate_text(const Estimate& estimate) {
  const auto [value, error] = estimate;
  const double size = std::max(std::abs(value), error);
  const bool is_plain = error > 0 && std::isfinite(size) && size < 1e7 && error >= 1e-7;
  if (!is_plain) return fmt::format("{} +- {}", significant(value), significant(error, 2));
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(error))));
  return fmt::format("{} +- {}", fixed(value, decimals), fixed(error, decimals));
}

namespace {

Table class_expectation_table(const Ensemble& ensemble) {
  const ClassExpectation& expected = *ensemble.expected_classes();
  Table table{.caption = fmt::format("What new rows may expect, by {} held-out rows:", expected.rows),
              .headings = {"", ensemble.target_names().size() == 1 ? ensemble.target_names().front() : "class"}};
  table.rows = {{"accuracy", percent_text(expected.accuracy)},
                {"log loss, nats per row", estimate_text(expected.log_loss)},
                {"Brier score", estimate_text(expected.brier)},
                {"noise (mean expected entropy, nats)", estimate_text(expected.aleatoric)},
                {"ignorance (mean mutual information, nats)", estimate_text(expected.epistemic)}};
  return table;
}

}  // namespace

Table expectation_table(const Ensemble& ensemble) {
  if (ensemble.expected_classes()) return class_expectation_table(ensemble);
  constexpr std::size_t most_outputs = 6;
  const Expectation& expected = *ensemble.expected();
  const std::vector<std::string> names = ensemble.state().schema.target_labels();
  const std::size_t shown = std::min(names.size(), most_outputs);
  Table table{.caption = fmt::format(
                  "What new rows may expect, by {} held-out rows{}:", expected.rows,
                  shown < names.size() ? fmt::format(" (the first {} of {} outputs)", shown, names.size()) : ""),
              .headings = {""}};
  table.headings.insert(table.headings.end(), names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown));
  const auto add = [&](const std::string& title, const auto& text_of) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{title});
    for (std::size_t k = 0; k < shown; ++k) row.push_back(text_of(expected.outputs[k]));
  };
  const auto add_estimate = [&](const std::string& title, Estimate OutputExpectation::*estimate) {
    add(title, [estimate](const OutputExpectation& output) { return estimate_text(output.*estimate); });
  };
  add_estimate("root mean square error", &OutputExpectation::rmse);
  add_estimate("R2, explained share of the variance", &OutputExpectation::r2);
  add_estimate("mean absolute error", &OutputExpectation::mae);
  add_estimate("CRPS", &OutputExpectation::crps);
  add_estimate("negative log likelihood, nats per row", &OutputExpectation::nll);
  add(fmt::format("inside the {} % intervals", base::to_text(100 * expected.level)),
      [](const OutputExpectation& output) { return percent_text(output.coverage); });
  add_estimate("noise (root mean aleatoric variance)", &OutputExpectation::aleatoric_std);
  add_estimate("ignorance (root mean epistemic variance)", &OutputExpectation::epistemic_std);
  return table;
}

std::string no_expectation(const Ensemble& ensemble) {
  const model::EnsembleState& state = ensemble.state();
  const std::string not_known = "What new rows may expect is not known: ";
  if (state.members.size() < state.total_members) return not_known + "this is a part of a model.";
  const std::optional<std::string> folds = model::stored_option(state, "folds");
  if (!folds) return not_known + "the networks were not trained here.";
  if (*folds == "0") return not_known + "no rows were held out.";
  return not_known + "this is not the model whose held-out rows were scored.";
}

std::string expectation_text(const Ensemble& ensemble) {
  const bool is_known = ensemble.expected() || ensemble.expected_classes();
  return is_known ? table_text(expectation_table(ensemble)) : no_expectation(ensemble) + "\n";
}

Json expectation_json(const Ensemble& ensemble) {
  Json document = store::expectation_to_json(ensemble.state());
  if (!ensemble.expected()) return document;
  const std::vector<std::string> names = ensemble.target_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    Json named = {{"output", names[k]}};
    named.update(document["outputs"][k]);
    document["outputs"][k] = std::move(named);
  }
  return document;
}

}  // namespace credens::report
