// SPDX-License-Identifier: Apache-2.0

#include "store/document_targets.hpp"

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "data/classes.hpp"

namespace credens::store {

std::vector<std::size_t> positions_in(const JsonObject& part) {
  const std::vector<std::uint64_t> columns = part.wholes("columns");
  return {columns.begin(), columns.end()};
}

void read_units(const JsonObject& part, std::vector<data::Column>& columns, std::string_view what) {
  if (!part.has("units")) return;
  const std::vector<std::string> units = part.texts("units");
  base::require(!units.empty(), ErrorCode::model, "{} is empty, expected one unit per {}", part.place_of("units"),
                what);
  data::set_units(units, columns, what, ErrorCode::model);
}

namespace {

/// Classes have names in place of shift and scale; words also the codes that training gave them.
Json class_targets_to_json(const data::Schema& schema) {
  const data::Column& target = schema.targets.front();
  Json targets = {{"names", schema.target_names()},
                  {"classes", schema.classes},
                  {"class_type", target.kind == ColumnKind::category ? "text" : "number"}};
  if (target.kind == ColumnKind::category) targets["levels"] = target.levels;
  const std::vector<std::size_t> columns = data::positions_of(schema.targets);
  if (!columns.empty()) targets["columns"] = columns;
  return targets;
}

void read_class_targets(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject targets = document.object("targets", {"names", "classes", "class_type", "levels", "columns"});
  const std::vector<std::string> names = targets.texts("names");
  const std::vector<std::size_t> positions =
      targets.has("columns") ? positions_in(targets) : std::vector<std::size_t>();
  data::Schema& schema = state.schema;
  schema.task = Task::classification;
  schema.classes = targets.texts("classes");
  schema.targets = data::make_columns(names, positions, names.size(), "target", ErrorCode::model);
  const std::string type = targets.text("class_type");
  base::require(!names.empty() && (type == "number" || (type == "text" && names.size() == 1)), ErrorCode::model,
                "targets.class_type is {} for {}, expected number, or text for one target", base::quoted(type),
                data::count_of(names.size(), "target"));
  if (type == "text") {
    schema.targets.front().kind = ColumnKind::category;
    schema.targets.front().levels = targets.texts("levels");
  }
  base::require(schema.classes.size() >= 2 && schema.classes.size() <= data::most_classes, ErrorCode::model,
                "targets.classes has {} names, expected 2 to {}", schema.classes.size(), data::most_classes);
  state.target_scaler = data::identity_scaler(schema.classes.size());
}

void read_number_targets(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject targets = document.object("targets", {"names", "units", "shift", "scale", "columns"});
  state.target_scaler = {.shift = targets.numbers("shift"), .scale = targets.numbers("scale")};
  const std::vector<std::string> names = targets.texts("names");
  const std::size_t count = state.target_scaler.cols();
  base::require(count > 0, ErrorCode::model, "targets.shift is empty, expected one number per output");
  base::require(names.size() == count, ErrorCode::model, "targets.names has {} names, expected {}", names.size(),
                count);
  const std::vector<std::size_t> positions =
      targets.has("columns") ? positions_in(targets) : std::vector<std::size_t>();
  state.schema.targets = data::make_columns(names, positions, count, "output", ErrorCode::model);
  read_units(targets, state.schema.targets, "output");
}

Task read_task(const JsonObject& document) {
  if (!document.has("task")) return Task::regression;
  const std::string task = document.text("task");
  base::require(task == "classification", ErrorCode::model, "task is {}, expected classification", base::quoted(task));
  return Task::classification;
}

}  // namespace

Json targets_to_json(const model::EnsembleState& state) {
  if (state.schema.is_classification()) return class_targets_to_json(state.schema);
  Json targets = {{"names", state.schema.target_names()},
                  {"shift", state.target_scaler.shift},
                  {"scale", state.target_scaler.scale}};
  const std::vector<std::string> units = data::units_of(state.schema.targets);
  if (!units.empty()) targets["units"] = units;
  const std::vector<std::size_t> columns = data::positions_of(state.schema.targets);
  if (!columns.empty()) targets["columns"] = columns;
  return targets;
}

void read_targets(const JsonObject& document, model::EnsembleState& state) {
  if (read_task(document) == Task::classification) {
    read_class_targets(document, state);
  } else {
    read_number_targets(document, state);
  }
}

}  // namespace credens::store
