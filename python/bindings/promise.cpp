// SPDX-License-Identifier: Apache-2.0
//
// Calibration with a promise, for credens._promise.

#include <credens/guarantee.hpp>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include <tuple>

#include "arrays.hpp"
#include "math/normal.hpp"
#include "module.hpp"
#include "report/promise_summary.hpp"

namespace credens::python {

namespace {

using Ends = nb::typed<nb::tuple, NumpyArray, NumpyArray>;

/// The calibrated model, and how many of the rows that can be recognised are rows of training.
std::tuple<Ensemble, std::size_t, std::size_t> calibrated(const Ensemble& ensemble, const Predictive& predictive,
                                                          const Array2& inputs, const Array2& targets,
                                                          const std::string& by,
                                                          const std::vector<std::string>& groups, double level,
                                                          const std::optional<Array2>& training_inputs,
                                                          const std::optional<Array2>& training_targets) {
  const bool by_ignorance = by == "ignorance" && groups.empty();
  return unlocked([&] {
    Calibration calibration(ensemble,
                            {.level = level, .column = by_ignorance ? "" : by, .by_ignorance = by_ignorance});
    calibration.add(view_of(inputs), predictive, view_of(targets), groups);
    if (training_inputs) calibration.add_training(view_of(training_inputs), view_of(training_targets));
    return std::tuple(calibration.finish(), calibration.rows_of_training(), calibration.recognisable_rows());
  });
}

Ends guaranteed(const Ensemble& ensemble, const Predictive& predictive, double level,
                const std::vector<std::string>& groups, bool joint) {
  Interval interval = unlocked([&] {
    return (joint ? guaranteed_joint_interval : guaranteed_interval)(ensemble, predictive, level, groups);
  });
  return nb::make_tuple(to_array(std::move(interval.lower)), to_array(std::move(interval.upper)));
}

/// F(y) of each calibration row [n x q].
NumpyArray distribution_values(const Ensemble& ensemble, std::size_t group) {
  Matrix values = ensemble.promise()->groups.at(group).scores;
  for (double& value : values.values()) value = math::normal_cdf(value);
  return to_array(std::move(values));
}

std::string groups_text(const Ensemble& ensemble) {
  return ensemble.promise() ? report::promise_groups_json(*ensemble.promise()).dump() : "null";
}

}  // namespace

void register_promise(nb::module_& module) {
  using namespace nb::literals;
  module.def("calibrate", &calibrated, "ensemble"_a, "predictive"_a, "inputs"_a.noconvert(), "targets"_a.noconvert(),
             "by"_a, "groups"_a, "level"_a, "training_inputs"_a.noconvert().none(),
             "training_targets"_a.noconvert().none());
  module.def("guaranteed_interval", &guaranteed, "ensemble"_a, "predictive"_a, "level"_a, "groups"_a, "joint"_a);
  module.def("distribution_values", &distribution_values, "ensemble"_a, "group"_a);
  module.def(
      "promise_column",
      [](const Ensemble& ensemble) -> std::optional<std::string> {
        return ensemble.promise() ? std::optional(ensemble.promise()->column) : std::nullopt;
      },
      "ensemble"_a, "Empty: no column divides the rows; none: no promise.");
  module.def("promise_groups", &groups_text, "ensemble"_a, "JSON; null: none.");
  module.def(
      "promise_coverages",
      [](const Ensemble& ensemble, double level) { return report::promise_json(ensemble, level).dump(); }, "ensemble"_a,
      "level"_a, "JSON.");
}

}  // namespace credens::python
