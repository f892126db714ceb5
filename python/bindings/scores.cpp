// SPDX-License-Identifier: Apache-2.0
//
// Scores and summaries as JSON documents for credens._scores, and the page of `report`.

#include <credens/score.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.hpp"
#include "base/file.hpp"
#include "data/row_sketch.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"
#include "module.hpp"
#include "report/comparison.hpp"
#include "report/model_card.hpp"
#include "report/model_page.hpp"
#include "report/model_summary.hpp"
#include "row_places.hpp"

namespace credens::python {

namespace {

/// Share of the rows that the ensemble was trained on, where it is known; arrays of networks trained elsewhere have no inputs.
std::optional<double> training_share(const Ensemble& ensemble, const std::optional<Array2>& inputs,
                                     MatrixView targets) {
  if (!inputs) return std::nullopt;
  data::SharedRows trained_on(ensemble.state().row_hashes);
  trained_on.add({.inputs = view_of(*inputs), .targets = targets});
  return trained_on.share();
}

report::Comparison comparison_of(const Ensemble& ensemble, const scoring::Observations& rows,
                                 const std::optional<Array2>& inputs, const scoring::IntervalOptions& interval) {
  model::RowWeights all_weights;
  all_weights.add(rows.weights);
  report::Comparer comparer(ensemble, interval, all_weights.largest());
  comparer.add(rows);
  report::Comparison comparison = comparer.comparison();
  comparison.training_share = training_share(ensemble, inputs, rows.targets);
  return comparison;
}

/// JSON; without an ensemble the scores of the prediction alone.
std::string score_text(const Ensemble* ensemble, const Predictive& predictive, const std::optional<Array2>& inputs,
                       const Array2& targets, const std::optional<Array1>& weights, const std::optional<Array2>& truth,
                       double level, const std::string& interval) {
  const auto kind = base::parse_enum<IntervalKind>(interval);
  return unlocked([&] {
    if (ensemble == nullptr) {
      const ScoreOptions options{
          .level = level, .interval = kind, .weights = span_of(weights), .truth = view_of(truth)};
      return report::scores_json(score(predictive, view_of(targets), options)).dump();
    }
    const scoring::Observations rows{
        .predictive = predictive, .targets = view_of(targets), .weights = span_of(weights), .truth = view_of(truth)};
    const report::Comparison comparison = comparison_of(*ensemble, rows, inputs, {.level = level, .kind = kind});
    return report::comparison_json(comparison, *ensemble, level).dump();
  });
}

/// A model card; with a prediction, scores of it too.
std::string card_text(const Ensemble& ensemble, const std::string& name, const Predictive* predictive,
                      const std::optional<Array2>& inputs, const std::optional<Array2>& targets,
                      const std::optional<Array1>& weights, double level, const std::string& interval) {
  const scoring::IntervalOptions options{.level = level, .kind = base::parse_enum<IntervalKind>(interval)};
  return unlocked([&] {
    report::CardFacts facts{
        .name = name, .model_file = name + ".safetensors", .data_file = "the data", .level = level};
    if (predictive != nullptr) {
      const scoring::Observations rows{
          .predictive = *predictive, .targets = view_of(targets), .weights = span_of(weights)};
      facts.comparison = comparison_of(ensemble, rows, inputs, options);
    }
    return report::model_card(ensemble, facts);
  });
}

/// `numbers`: those of the rows among what the user gave. Without inputs the page shows no row by its place.
void write_report(const Ensemble& ensemble, const Predictive& predictive, const std::optional<Array2>& inputs,
                  const Array2& targets, const std::optional<Array1>& weights, const std::optional<Array2>& noise_std,
                  const std::vector<std::size_t>& numbers, const std::filesystem::path& path, const std::string& title,
                  const std::string& date, double level, const std::string& interval) {
  const scoring::IntervalOptions options{.level = level, .kind = base::parse_enum<IntervalKind>(interval)};
  unlocked([&] {
    model::RowWeights all_weights;
    all_weights.add(span_of(weights));
    report::ModelReport judged(ensemble, options, all_weights.largest());
    judged.add({.predictive = predictive, .targets = view_of(targets), .weights = span_of(weights)});
    judged.set_training_share(training_share(ensemble, inputs, view_of(targets)));
    report::RowPlaces places = places_of(judged.shown_rows(), inputs, numbers);
    if (inputs) places.sample.add(view_of(*inputs), view_of(noise_std));
    base::write_file(path, report::render_page(judged.page({"the model", "the data", title, date}, places)));
  });
}

}  // namespace

void register_scores(nb::module_& module) {
  using namespace nb::literals;
  module.def("score", &score_text, "ensemble"_a.none(), "predictive"_a, "inputs"_a.noconvert().none(),
             "targets"_a.noconvert(), "weights"_a.noconvert().none(), "truth"_a.noconvert().none(), "level"_a,
             "interval"_a);
  module.def("report", &write_report, "ensemble"_a, "predictive"_a, "inputs"_a.noconvert().none(),
             "targets"_a.noconvert(), "weights"_a.noconvert().none(), "noise_std"_a.noconvert().none(), "numbers"_a, "path"_a,
             "title"_a, "date"_a, "level"_a, "interval"_a);
  module.def("card", &card_text, "ensemble"_a, "name"_a, "predictive"_a.none(), "inputs"_a.noconvert().none(),
             "targets"_a.noconvert().none(), "weights"_a.noconvert().none(), "level"_a, "interval"_a);
  module.def(
      "inspect", [](const Ensemble& ensemble) { return report::model_json(ensemble).dump(); }, "ensemble"_a);
}

}  // namespace credens::python
