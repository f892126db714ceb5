// SPDX-License-Identifier: Apache-2.0

#include "store/expectation_document.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace credens::store {

namespace {

/// Numbers that are too large for a double are null.
Json estimate_to_json(const Estimate& estimate) {
  const auto finite = [](double value) {
    return number_or_null(std::isfinite(value) ? std::optional(value) : std::nullopt);
  };
  return {{"value", finite(estimate.value)}, {"standard_error", finite(estimate.standard_error)}};
}

Estimate read_estimate(const JsonObject& part, std::string_view name) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const JsonObject estimate = part.object(name, {"value", "standard_error"});
  const double standard_error = estimate.number_or_null("standard_error").value_or(infinite);
  base::require(standard_error >= 0, ErrorCode::model, "{} is {}, expected a number that is not negative",
                estimate.place_of("standard_error"), standard_error);
  return {estimate.number_or_null("value").value_or(infinite), standard_error};
}

constexpr std::pair<std::string_view, Estimate ClassExpectation::*> class_estimates[] = {
    {"accuracy", &ClassExpectation::accuracy},
    {"log_loss", &ClassExpectation::log_loss},
    {"brier", &ClassExpectation::brier},
    {"aleatoric", &ClassExpectation::aleatoric},
    {"epistemic", &ClassExpectation::epistemic}};

constexpr std::pair<std::string_view, Estimate OutputExpectation::*> estimates[] = {
    {"rmse", &OutputExpectation::rmse},
    {"r2", &OutputExpectation::r2},
    {"mae", &OutputExpectation::mae},
    {"crps", &OutputExpectation::crps},
    {"nll", &OutputExpectation::nll},
    {"coverage", &OutputExpectation::coverage},
    {"aleatoric_std", &OutputExpectation::aleatoric_std},
    {"epistemic_std", &OutputExpectation::epistemic_std}};

Expectation read_output_expectation(const JsonObject& document, std::size_t outputs) {
  const JsonObject part = document.object("expected", {"rows", "level", "nll", "outputs"});
  Expectation expected{
      .rows = part.whole("rows"), .level = part.number("level"), .nll = read_estimate(part, "nll"), .outputs = {}};
  base::require(expected.level > 0 && expected.level < 1, ErrorCode::model,
                "expected.level is {}, expected a number between 0 and 1", expected.level);
  for (const JsonObject& of_output :
       part.objects("outputs", {"rmse", "r2", "mae", "crps", "nll", "coverage", "aleatoric_std", "epistemic_std"})) {
    OutputExpectation& output = expected.outputs.emplace_back();
    for (const auto& [name, estimate] : estimates) output.*estimate = read_estimate(of_output, name);
  }
  base::require(expected.outputs.size() == outputs, ErrorCode::model, "expected.outputs has {} outputs, expected {}",
                expected.outputs.size(), outputs);
  return expected;
}

ClassExpectation read_class_expectation(const JsonObject& document) {
  const JsonObject part =
      document.object("expected", {"rows", "accuracy", "log_loss", "brier", "aleatoric", "epistemic"});
  ClassExpectation expected{.rows = part.whole("rows")};
  for (const auto& [name, estimate] : class_estimates) expected.*estimate = read_estimate(part, name);
  return expected;
}

Json numbers_to_json(const Expectation& expected) {
  Json outputs = Json::array();
  for (const OutputExpectation& output : expected.outputs) {
    Json& of_output = outputs.emplace_back(Json::object());
    for (const auto& [name, estimate] : estimates) of_output[std::string(name)] = estimate_to_json(output.*estimate);
  }
  return {{"rows", expected.rows},
          {"level", expected.level},
          {"nll", estimate_to_json(expected.nll)},
          {"outputs", std::move(outputs)}};
}

Json classes_to_json(const ClassExpectation& expected) {
  Json json = {{"rows", expected.rows}};
  for (const auto& [name, estimate] : class_estimates) json[std::string(name)] = estimate_to_json(expected.*estimate);
  return json;
}

}  // namespace

Json expectation_to_json(const model::EnsembleState& state) {
  if (state.expected) return numbers_to_json(*state.expected);
  return state.expected_classes ? classes_to_json(*state.expected_classes) : Json();
}

void read_expectation(const JsonObject& document, model::EnsembleState& state) {
  if (!document.has("expected")) return;
  if (state.schema.is_classification()) {
    state.expected_classes = read_class_expectation(document);
  } else {
    state.expected = read_output_expectation(document, state.target_scaler.cols());
  }
}

}  // namespace credens::store
