// SPDX-License-Identifier: Apache-2.0
//
// Scores and summaries as JSON documents for credens._scores, and the page of `report`.

#include <credens/dataset.hpp>
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
#include "report/model_page.hpp"
#include "report/model_summary.hpp"

namespace credens::python {

namespace {

/// Share of the rows that the ensemble was trained on, where it is known.
std::optional<double> training_share(const Ensemble& ensemble, MatrixView inputs, MatrixView targets) {
  data::SharedRows trained_on(ensemble.state().row_hashes);
  trained_on.add({.inputs = inputs, .targets = targets});
  return trained_on.share();
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
    model::RowWeights all_weights;
    all_weights.add(rows.weights);
    report::Comparer comparer(*ensemble, {.level = level, .kind = kind}, all_weights.largest());
    comparer.add(rows);
    report::Comparison comparison = comparer.comparison();
    comparison.training_share = training_share(*ensemble, view_of(inputs), rows.targets);
    return report::comparison_json(comparison, *ensemble, level).dump();
  });
}

/// `numbers`: those of the rows among what the user gave.
void write_report(const Ensemble& ensemble, const Predictive& predictive, const Array2& inputs, const Dataset& data,
                  const std::vector<std::size_t>& numbers, const std::filesystem::path& path, const std::string& title,
                  const std::string& date, double level, const std::string& interval) {
  const scoring::IntervalOptions options{.level = level, .kind = base::parse_enum<IntervalKind>(interval)};
  const MatrixView rows = view_of(inputs);
  unlocked([&] {
    model::RowWeights weights;
    weights.add(data.weights());
    report::ModelReport judged(ensemble, options, weights.largest());
    judged.add({.predictive = predictive, .targets = data.targets(), .weights = data.weights()});
    judged.set_training_share(training_share(ensemble, rows, data.targets()));
    report::RowPlaces places;
    for (const std::size_t row : judged.shown_rows()) {
      places.inputs[row].assign(rows.row(row).begin(), rows.row(row).end());
      places.numbers[row] = numbers[row];
    }
    places.sample.add(rows, data.noise_std());
    base::write_file(path, report::render_page(judged.page({"the model", "the data", title, date}, places)));
  });
}

}  // namespace

void register_scores(nb::module_& module) {
  using namespace nb::literals;
  module.def("score", &score_text, "ensemble"_a.none(), "predictive"_a, "inputs"_a.noconvert().none(),
             "targets"_a.noconvert(), "weights"_a.noconvert().none(), "truth"_a.noconvert().none(), "level"_a,
             "interval"_a);
  module.def("report", &write_report, "ensemble"_a, "predictive"_a, "inputs"_a.noconvert(), "data"_a, "numbers"_a,
             "path"_a, "title"_a, "date"_a, "level"_a, "interval"_a);
  module.def(
      "inspect", [](const Ensemble& ensemble) { return report::model_json(ensemble).dump(); }, "ensemble"_a);
}

}  // namespace credens::python
