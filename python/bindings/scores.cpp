// SPDX-License-Identifier: Apache-2.0
//
// What a model and its predictions are worth: documents for credens._scores, and the page of `report`.

#include <credens/dataset.hpp>
#include <credens/score.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "base/file.hpp"
#include "model/names.hpp"
#include "module.hpp"
#include "report/comparison.hpp"
#include "report/model_page.hpp"
#include "report/model_summary.hpp"
#include "score/row_weights.hpp"

namespace credens::python {

namespace {

/// JSON; without an ensemble the scores of the prediction alone.
std::string score_text(const Ensemble* ensemble, const Predictive& predictive, const Array2& targets,
                       const std::optional<Array1>& weights, const std::optional<Array2>& truth, double level,
                       const std::string& interval) {
  const ScoreOptions options{.level = level,
                             .interval = base::parse_enum<IntervalKind>(interval),
                             .weights = span_of(weights),
                             .truth = view_of(truth)};
  return unlocked([&] {
    if (ensemble == nullptr) return report::scores_json(score(predictive, view_of(targets), options)).dump();
    const report::Comparison comparison = report::compare(*ensemble, predictive, view_of(targets), options);
    return report::comparison_json(comparison, *ensemble, level).dump();
  });
}

void write_report(const Ensemble& ensemble, const Predictive& predictive, const Array2& inputs, const Dataset& data,
                  const std::filesystem::path& path, double level, const std::string& interval) {
  const ScoreOptions options{.level = level, .interval = base::parse_enum<IntervalKind>(interval)};
  const MatrixView rows = view_of(inputs);
  unlocked([&] {
    scoring::RowWeights weights;
    weights.add(data.weights());
    report::Judge judge(ensemble, options, weights.largest());
    judge.add({.predictive = predictive, .targets = data.targets(), .weights = data.weights()});
    report::ReportMatter matter = judge.matter();
    matter.model_name = "the model";
    matter.data_name = "the data";
    for (const std::size_t row : report::shown_rows(matter)) {
      matter.places.inputs[row].assign(rows.row(row).begin(), rows.row(row).end());
    }
    base::write_file(path, report::render_page(report::model_page(matter)));
  });
}

}  // namespace

void register_scores(nb::module_& module) {
  using namespace nb::literals;
  module.def("score", &score_text, "ensemble"_a.none(), "predictive"_a, "targets"_a.noconvert(),
             "weights"_a.noconvert().none(), "truth"_a.noconvert().none(), "level"_a, "interval"_a);
  module.def("report", &write_report, "ensemble"_a, "predictive"_a, "inputs"_a.noconvert(), "data"_a, "path"_a,
             "level"_a, "interval"_a);
  module.def(
      "inspect", [](const Ensemble& ensemble) { return report::model_json(ensemble).dump(); }, "ensemble"_a);
}

}  // namespace credens::python
