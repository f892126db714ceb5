// SPDX-License-Identifier: Apache-2.0
//
// Class probabilities as arrays, and their scores as JSON documents for credens._scores.

#include <credens/class_predictive.hpp>
#include <credens/class_score.hpp>
#include <credens/dataset.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "arrays.hpp"
#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/classes.hpp"
#include "data/kinds.hpp"
#include "data/row_sketch.hpp"
#include "data/words.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"
#include "module.hpp"
#include "report/class_comparison.hpp"
#include "report/class_page.hpp"
#include "report/model_card.hpp"
#include "row_places.hpp"

namespace credens::python {

namespace {

/// As it comes from a pickle.
ClassPredictive class_predictive_from(const Array2& probability, const Array2& epistemic_variance,
                                      const Array1& entropy, const Array1& aleatoric, const Array1& epistemic,
                                      const Array1& between_members) {
  return {.probability = copy_of(probability),
          .epistemic_variance = copy_of(epistemic_variance),
          .entropy = copy_of(std::optional(entropy)),
          .aleatoric = copy_of(std::optional(aleatoric)),
          .epistemic = copy_of(std::optional(epistemic)),
          .between_members = copy_of(std::optional(between_members))};
}

template <Matrix ClassPredictive::*part>
NumpyArray shared_matrix(nb::handle_t<ClassPredictive> self) {
  return shared_array(nb::cast<const ClassPredictive&>(self).*part, self);
}

template <std::vector<double> ClassPredictive::*part>
NumpyArray shared_vector(nb::handle_t<ClassPredictive> self) {
  const std::vector<double>& values = nb::cast<const ClassPredictive&>(self).*part;
  return shared_array(values.data(), {values.size()}, self);
}

RiskOrder order_named(const std::string& name) {
  base::require(name == "confidence" || name == "epistemic", ErrorCode::usage,
                "by is {}, expected confidence or epistemic", base::quoted(name));
  return name == "confidence" ? RiskOrder::confidence : RiskOrder::epistemic;
}

/// The label of a row that is no class of a model.
std::string label_text(const data::Schema& schema, double target) {
  const data::Column& column = schema.targets.front();
  if (column.kind != ColumnKind::category) return data::shortest_text(target);
  const auto code = static_cast<std::size_t>(target);
  return base::quoted(code < column.levels.size() ? column.levels[code] : "");
}

/// Class numbers of a model [N x 1], or shares of its classes [N x C]. Throws data for labels that are no class.
Matrix class_targets(const Ensemble& ensemble, const Dataset& rows) {
  const std::vector<std::string> classes = ensemble.classes();
  data::Schema schema = rows.schema();
  schema.task = Task::classification;
  Matrix targets(rows.rows(), schema.targets.size());
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    std::ranges::copy(rows.targets().row(row), targets.row(row).begin());
  }
  if (schema.has_counts()) {
    base::require(schema.target_names() == classes, ErrorCode::data, "counts are of {}, expected the classes {}",
                  base::join(schema.target_names(), ", "), base::join(classes, ", "));
    return targets;
  }
  const data::Classes known(schema, classes);
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    const auto number = known.class_of(targets(row, 0));
    base::require(number.has_value(), ErrorCode::data,
                  "targets: row {} is {}, a class that the training rows did not have, expected one of {}", row,
                  number ? "" : label_text(schema, targets(row, 0)), base::join(classes, ", "));
    targets(row, 0) = static_cast<double>(*number);
  }
  return targets;
}

/// Class numbers as the model's own table held them: codes of words, or numbers.
Matrix trained_targets(const Ensemble& ensemble, Matrix targets) {
  const data::Schema& schema = ensemble.state().schema;
  if (targets.cols() != 1 || schema.has_counts()) return targets;
  const data::Column& column = schema.targets.front();
  data::WordIndex words(column.levels, false);
  std::vector<double> codes;
  for (const std::string& name : ensemble.classes()) {
    codes.push_back(column.kind == ColumnKind::category ? words.code_of(name) : base::parse_double(name).value_or(0));
  }
  for (double& target : targets.values()) target = codes[static_cast<std::size_t>(target)];
  return targets;
}

/// Share of the rows that the ensemble was trained on, where it is known; targets are those of class_targets.
std::optional<double> training_share(const Ensemble& ensemble, const std::optional<Array2>& inputs,
                                     const Matrix& targets) {
  if (!inputs) return std::nullopt;
  const Matrix trained = trained_targets(ensemble, targets);
  data::SharedRows trained_on(ensemble.state().row_hashes);
  trained_on.add({.inputs = view_of(*inputs), .targets = trained});
  return trained_on.share();
}

/// Predictions of the same rows by the classical ensemble and by the extended one; none: no rows.
using BothPredictions = std::optional<std::pair<const ClassPredictive*, const ClassPredictive*>>;

report::ClassPredictions both_of(const BothPredictions& both) { return {*both->first, *both->second}; }

/// Targets are those of class_targets; `foreign` are rows that belong to no class.
report::ClassComparison class_comparison(const Ensemble& ensemble, const BothPredictions& both, const Array2& targets,
                                         const std::optional<Array1>& weights, const BothPredictions& foreign,
                                         const std::optional<Array2>& inputs, RiskOrder order) {
  model::RowWeights all_weights;
  all_weights.add(span_of(weights));
  report::ClassComparer comparer(
      ensemble.outputs(),
      {.risk_order = order, .has_foreign = foreign.has_value(), .largest_weight = all_weights.largest()});
  comparer.add(both_of(both), view_of(targets), span_of(weights));
  if (foreign) comparer.add_foreign(both_of(foreign));
  report::ClassComparison comparison = comparer.comparison();
  comparison.training_share = training_share(ensemble, inputs, copy_of(targets));
  return comparison;
}

/// JSON of `credens evaluate --json`.
std::string class_comparison_text(const Ensemble& ensemble, const BothPredictions& both, const Array2& targets,
                                  const std::optional<Array1>& weights, const BothPredictions& foreign,
                                  const std::optional<Array2>& inputs, const std::string& by) {
  const RiskOrder order = order_named(by);
  return unlocked([&] {
    const auto comparison = class_comparison(ensemble, both, targets, weights, foreign, inputs, order);
    const report::ClassModelNames names{ensemble.classes(), std::string(base::name_of(ensemble.posterior()))};
    return report::class_comparison_json(comparison, names).dump();
  });
}

/// A model card with scores at these rows.
std::string class_card(const Ensemble& ensemble, const std::string& name, const BothPredictions& both,
                       const Array2& targets, const std::optional<Array1>& weights,
                       const std::optional<Array2>& inputs) {
  return unlocked([&] {
    report::CardFacts facts{.name = name, .model_file = name + ".safetensors", .data_file = "the data"};
    facts.classes = class_comparison(ensemble, both, targets, weights, {}, inputs, RiskOrder::confidence);
    return report::model_card(ensemble, facts);
  });
}

/// The page of `credens report`. Rows without targets have none; `numbers`: those of the rows among what the user gave.
/// Without inputs the page shows no row by its place.
void write_class_report(const Ensemble& ensemble, const BothPredictions& both, const std::optional<Array2>& targets,
                        const std::optional<Array1>& weights, const BothPredictions& foreign,
                        const std::optional<Array2>& inputs, const std::vector<std::size_t>& numbers,
                        const std::filesystem::path& path, const std::string& title, const std::string& date) {
  unlocked([&] {
    model::RowWeights all_weights;
    all_weights.add(span_of(weights));
    report::ClassReport judged(ensemble, {.has_targets = targets.has_value(),
                                          .has_foreign = foreign.has_value(),
                                          .largest_weight = all_weights.largest()});
    judged.add(both_of(both), view_of(targets), span_of(weights));
    if (foreign) judged.add_foreign(both_of(foreign));
    if (targets) judged.set_training_share(training_share(ensemble, inputs, copy_of(*targets)));
    report::RowPlaces places = places_of(judged.shown_rows(), inputs, numbers);
    if (inputs) places.sample.add(view_of(*inputs), {});
    base::write_file(path, report::render_page(judged.page({"the model", "the data", title, date}, places)));
  });
}

/// JSON; `targets` are class numbers [N x 1] or counts [N x C].
std::string class_score_text(const ClassPredictive& predictive, const Array2& targets,
                             const std::optional<Array1>& weights, const std::string& by) {
  const ClassScoreOptions options{.weights = span_of(weights), .risk_order = order_named(by)};
  return unlocked([&] { return report::class_scores_json(score(predictive, view_of(targets), options)).dump(); });
}

}  // namespace

void register_classes(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<ClassPredictive>(module, "ClassPredictive", "Class probabilities at some rows.")
      .def_static("from_arrays", &class_predictive_from, "probability"_a.noconvert(),
                  "epistemic_variance"_a.noconvert(), "entropy"_a, "aleatoric"_a, "epistemic"_a, "between_members"_a)
      .def_prop_ro("rows", &ClassPredictive::rows)
      .def_prop_ro("probability", &shared_matrix<&ClassPredictive::probability>)
      .def_prop_ro("epistemic_variance", &shared_matrix<&ClassPredictive::epistemic_variance>)
      .def_prop_ro("entropy", &shared_vector<&ClassPredictive::entropy>)
      .def_prop_ro("aleatoric", &shared_vector<&ClassPredictive::aleatoric>)
      .def_prop_ro("epistemic", &shared_vector<&ClassPredictive::epistemic>)
      .def_prop_ro("between_members", &shared_vector<&ClassPredictive::between_members>);
  module.def(
      "class_targets", [](const Ensemble& ensemble, const Dataset& rows) { return to_array(class_targets(ensemble, rows)); },
      "ensemble"_a, "rows"_a);
  module.def("compare_classes", &class_comparison_text, "ensemble"_a, "both"_a, "targets"_a.noconvert(),
             "weights"_a.noconvert().none(), "foreign"_a.none(), "inputs"_a.noconvert().none(), "by"_a);
  module.def("report_classes", &write_class_report, "ensemble"_a, "both"_a, "targets"_a.noconvert().none(),
             "weights"_a.noconvert().none(), "foreign"_a.none(), "inputs"_a.noconvert().none(), "numbers"_a, "path"_a,
             "title"_a, "date"_a);
  module.def("class_card", &class_card, "ensemble"_a, "name"_a, "both"_a, "targets"_a.noconvert(),
             "weights"_a.noconvert().none(), "inputs"_a.noconvert());
  module.def("score_classes", &class_score_text, "predictive"_a, "targets"_a.noconvert(),
             "weights"_a.noconvert().none(), "by"_a);
}

}  // namespace credens::python
