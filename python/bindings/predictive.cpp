// SPDX-License-Identifier: Apache-2.0

#include <credens/budget.hpp>
#include <credens/conformity.hpp>
#include <credens/predictive.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "decide/names.hpp"
#include "model/names.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

/// (lower, upper)
using Ends = nb::typed<nb::tuple, NumpyArray, NumpyArray>;

std::vector<double> values_of(const Array3& array) {
  return {array.data(), array.data() + array.size()};
}

/// Components [N x L x q] as they come from a pickle.
Predictive from_components(const Array1& weights, const Array3& mean, const Array3& aleatoric_variance,
                           const Array3& epistemic_variance, const std::vector<std::string>& names, std::size_t draws,
                           const std::vector<double>& slope_variance, const std::vector<double>& covariance,
                           const std::vector<double>& std) {
  return Predictive(
      {.rows = mean.shape(0),
       .outputs = mean.shape(2),
       .weights = copy_of(std::optional(weights)),
       .mean = values_of(mean),
       .aleatoric_variance = values_of(aleatoric_variance),
       .epistemic_variance = values_of(epistemic_variance),
       .inputs = {
           .names = names, .draws = draws, .slope_variance = slope_variance, .covariance = covariance, .std = std}});
}

nb::typed<nb::tuple, NumpyArray, NumpyArray, NumpyArray, NumpyArray> components_of(nb::handle_t<Predictive> self) {
  const auto& predictive = nb::cast<const Predictive&>(self);
  const MixtureComponents& components = predictive.components();
  const std::vector<std::size_t> shape = {components.rows, components.weights.size(), components.outputs};
  return nb::make_tuple(shared_array(components.weights.data(), {components.weights.size()}, self),
                        shared_array(components.mean.data(), shape, self),
                        shared_array(components.aleatoric_variance.data(), shape, self),
                        shared_array(components.epistemic_variance.data(), shape, self));
}

nb::tuple spread_of(const Predictive& predictive) {
  const InputSpread& inputs = predictive.components().inputs;
  return nb::make_tuple(inputs.names, inputs.draws, inputs.slope_variance, inputs.covariance, inputs.std);
}

/// A matrix that a method without arguments gives.
template <Matrix (Predictive::*method)() const>
NumpyArray moment(const Predictive& predictive) {
  return to_array(unlocked([&] { return (predictive.*method)(); }));
}

template <Matrix (Predictive::*method)(std::size_t) const>
NumpyArray covariance(const Predictive& predictive, std::size_t row) {
  return to_array((predictive.*method)(row));
}

template <Matrix (Predictive::*method)(double) const>
NumpyArray at_probability(const Predictive& predictive, double probability) {
  return to_array(unlocked([&] { return (predictive.*method)(probability); }));
}

template <Matrix (Predictive::*method)(MatrixView) const>
NumpyArray at_values(const Predictive& predictive, const Array2& values) {
  return to_array(unlocked([&] { return (predictive.*method)(view_of(values)); }));
}

Ends pair_of(Interval interval) {
  return nb::make_tuple(to_array(std::move(interval.lower)), to_array(std::move(interval.upper)));
}

template <Interval (Predictive::*method)(double, IntervalKind) const>
Ends interval(const Predictive& predictive, double level, const std::string& kind) {
  const auto parsed = base::parse_enum<IntervalKind>(kind);
  return pair_of(unlocked([&] { return (predictive.*method)(level, parsed); }));
}

template <Interval (Predictive::*method)(double) const>
Ends factor_interval(const Predictive& predictive, double factor) {
  return pair_of(unlocked([&] { return (predictive.*method)(factor); }));
}

/// (probability, guard_lower, guard_upper, numbers of statements)
using ConformityArrays = nb::typed<nb::tuple, NumpyArray, NumpyArray, NumpyArray, NumpyArray>;

ConformityArrays conformity_of(const Predictive& predictive, const std::vector<std::optional<double>>& lower,
                               const std::vector<std::optional<double>>& upper, const std::string& rule, double risk,
                               const std::string& of) {
  std::vector<ToleranceLimits> limits(lower.size());
  for (std::size_t k = 0; k < limits.size(); ++k) limits[k] = {.lower = lower[k], .upper = upper.at(k)};
  const ConformityOptions options{
      .rule = base::parse_enum<DecisionRule>(rule), .risk = risk, .of = base::parse_enum<Measurand>(of)};
  Conformity found = unlocked([&] { return conformity(predictive, limits, options); });
  Matrix statements(predictive.rows(), predictive.outputs());
  std::ranges::transform(found.statement, statements.values().begin(),
                         [](Statement statement) { return static_cast<double>(statement); });
  return nb::make_tuple(to_array(std::move(found.probability)), to_array(std::move(found.guard_lower)),
                        to_array(std::move(found.guard_upper)), to_array(std::move(statements)));
}

Ends shortest_ends(const Predictive& predictive, double level, const std::string& of) {
  const auto measurand = base::parse_enum<Measurand>(of);
  return pair_of(unlocked([&] { return shortest_interval(predictive, level, measurand); }));
}

/// Names, standard uncertainties and whether they add up; then total, k, U and both intervals.
nb::dict budget_of(const Predictive& predictive, double level, const std::string& of) {
  const BudgetOptions options{.level = level, .of = base::parse_enum<Measurand>(of)};
  Budget found = unlocked([&] { return budget(predictive, options); });
  nb::list parts;
  for (Contribution& part : found.contributions) {
    parts.append(nb::make_tuple(part.name, to_array(std::move(part.std)), part.adds_up));
  }
  nb::dict result;
  result["parts"] = parts;
  result["total"] = to_array(std::move(found.total_std));
  result["coverage_factor"] = to_array(std::move(found.coverage_factor));
  result["expanded"] = to_array(std::move(found.expanded));
  result["symmetric"] = pair_of(std::move(found.symmetric));
  result["shortest"] = pair_of(std::move(found.shortest));
  return result;
}

}  // namespace

void register_predictive(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Predictive>(module, "Predictive", "Mixtures of Gaussians, one per row and output.")
      .def_static("from_components", &from_components, "weights"_a, "mean"_a, "aleatoric_variance"_a,
                  "epistemic_variance"_a, "names"_a = std::vector<std::string>(), "draws"_a = 1,
                  "slope_variance"_a = std::vector<double>(), "covariance"_a = std::vector<double>(),
                  "std"_a = std::vector<double>())
      .def("spread", &spread_of, "Of uncertain inputs: names, draws, slope variance, covariance and stds.")
      .def_prop_ro("uncertain_inputs",
                   [](const Predictive& predictive) { return predictive.components().inputs.names; })
      .def("input_variance", &moment<&Predictive::input_variance>)
      .def("input_std", &covariance<&Predictive::input_std>, "input"_a)
      .def("input_covariance", &covariance<&Predictive::input_covariance>, "row"_a)
      .def("components", &components_of)
      .def_prop_ro("rows", &Predictive::rows)
      .def_prop_ro("outputs", &Predictive::outputs)
      .def_prop_ro("members", &Predictive::members)
      .def("mean", &moment<&Predictive::mean>)
      .def("aleatoric_variance", &moment<&Predictive::aleatoric_variance>)
      .def("epistemic_variance", &moment<&Predictive::epistemic_variance>)
      .def("total_variance", &moment<&Predictive::total_variance>)
      .def("aleatoric_covariance", &covariance<&Predictive::aleatoric_covariance>, "row"_a)
      .def("epistemic_covariance", &covariance<&Predictive::epistemic_covariance>, "row"_a)
      .def("total_covariance", &covariance<&Predictive::total_covariance>, "row"_a)
      .def("interval", &interval<&Predictive::interval>, "level"_a, "kind"_a)
      .def("function_interval", &interval<&Predictive::function_interval>, "level"_a, "kind"_a)
      .def("coverage_factor_interval", &factor_interval<&Predictive::coverage_factor_interval>, "factor"_a)
      .def("function_coverage_factor_interval", &factor_interval<&Predictive::function_coverage_factor_interval>,
           "factor"_a)
      .def("quantile", &at_probability<&Predictive::quantile>, "probability"_a)
      .def("function_quantile", &at_probability<&Predictive::function_quantile>, "probability"_a)
      .def("cdf", &at_values<&Predictive::cdf>, "values"_a.noconvert())
      .def("function_cdf", &at_values<&Predictive::function_cdf>, "values"_a.noconvert())
      .def("density", &at_values<&Predictive::density>, "values"_a.noconvert())
      .def(
          "log_density",
          [](const Predictive& predictive, const Array2& values) {
            return to_array(unlocked([&] { return predictive.log_density(view_of(values)); }));
          },
          "values"_a.noconvert())
      .def("shortest_interval", &shortest_ends, "level"_a, "of"_a)
      .def("budget", &budget_of, "level"_a, "of"_a)
      .def("conformity", &conformity_of, "lower"_a, "upper"_a, "rule"_a, "risk"_a, "of"_a)
      .def("classical", &Predictive::classical, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace credens::python
