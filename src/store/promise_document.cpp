// SPDX-License-Identifier: Apache-2.0

#include "store/promise_document.hpp"

#include <nlohmann/json.hpp>

namespace credens::store {

namespace {

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
  return {{"column", state.promise->column}, {"edges", state.promise->edges}, {"groups", std::move(groups)}};
}

void append_promise_tensors(const model::EnsembleState& state, std::vector<Tensor>& tensors) {
  if (!state.promise) return;
  for (std::size_t g = 0; g < state.promise->groups.size(); ++g) {
    const Matrix& scores = state.promise->groups[g].scores;
    tensors.push_back({scores_name(g),
                       {scores.rows(), scores.cols()},
                       std::vector<double>(scores.values().begin(), scores.values().end())});
  }
}

void read_promise(const JsonObject& document, TensorMap& tensors, model::EnsembleState& state) {
  if (!document.has("promise")) return;
  const JsonObject part = document.object("promise", {"column", "edges", "groups"});
  Promise promise{.column = part.text("column"), .edges = part.numbers("edges"), .groups = {}};
  const std::size_t outputs = state.target_scaler.cols();
  for (const JsonObject& group : part.objects("groups", {"name", "rows"})) {
    const std::size_t rows = group.whole("rows");
    std::vector<double> scores = take<double>(tensors, scores_name(promise.groups.size()), {rows, outputs});
    promise.groups.push_back({group.text("name"), Matrix(rows, outputs, std::move(scores))});
  }
  state.promise = std::move(promise);
}

}  // namespace credens::store
