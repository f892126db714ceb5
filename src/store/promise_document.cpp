// SPDX-License-Identifier: Apache-2.0

#include "store/promise_document.hpp"

#include <nlohmann/json.hpp>

namespace credens::store {

namespace {

constexpr const char* training_name = "promise.training_inputs";
constexpr const char* calibration_name = "promise.calibration_inputs";

void append(std::string name, const Matrix& values, std::vector<Tensor>& tensors) {
  tensors.push_back({std::move(name),
                     {values.rows(), values.cols()},
                     std::vector<double>(values.values().begin(), values.values().end())});
}

Matrix take_matrix(TensorMap& tensors, const std::string& name, std::size_t rows, std::size_t cols) {
  return {rows, cols, take<double>(tensors, name, {rows, cols})};
}

std::string scores_name(std::size_t group) {
  return fmt::format("promise.{}.scores", group);
}

}  // namespace

Json promise_to_json(const model::EnsembleState& state) {
  if (!state.promise) return {};
  Json groups = Json::array();
  for (const PromiseGroup& group : state.promise->groups) {
    groups.push_back({{"name", group.name}, {"rows", group.rows()}});
  }
  Json json = {{"column", state.promise->column}, {"edges", state.promise->edges}, {"groups", std::move(groups)}};
  if (state.promise->judges_rows()) {
    json["training_rows"] = state.promise->training_inputs.rows();
    json["calibration_rows"] = state.promise->calibration_inputs.rows();
  }
  return json;
}

void append_promise_tensors(const model::EnsembleState& state, std::vector<Tensor>& tensors) {
  if (!state.promise) return;
  for (std::size_t g = 0; g < state.promise->groups.size(); ++g) {
    append(scores_name(g), state.promise->groups[g].scores, tensors);
  }
  if (!state.promise->judges_rows()) return;
  append(training_name, state.promise->training_inputs, tensors);
  append(calibration_name, state.promise->calibration_inputs, tensors);
}

void read_promise(const JsonObject& document, TensorMap& tensors, model::EnsembleState& state) {
  if (!document.has("promise")) return;
  const JsonObject part = document.object("promise", {"column", "edges", "groups", "training_rows", "calibration_rows"});
  Promise promise{.column = part.text("column"), .edges = part.numbers("edges"), .groups = {}};
  const std::size_t outputs = state.target_scaler.cols();
  for (const JsonObject& group : part.objects("groups", {"name", "rows"})) {
    const std::string name = scores_name(promise.groups.size());
    promise.groups.push_back({group.text("name"), take_matrix(tensors, name, group.whole("rows"), outputs)});
  }
  if (part.has("training_rows")) {
    const std::size_t inputs = state.encoder.inputs();
    promise.training_inputs = take_matrix(tensors, training_name, part.whole("training_rows"), inputs);
    promise.calibration_inputs = take_matrix(tensors, calibration_name, part.whole("calibration_rows"), inputs);
  }
  state.promise = std::move(promise);
}

}  // namespace credens::store
