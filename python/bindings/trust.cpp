// SPDX-License-Identifier: Apache-2.0
//
// Trust in rows and drift of tables, for credens._trust.

#include <credens/trust.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "arrays.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

using Trusts = nb::typed<nb::tuple, NumpyArray, NumpyArray, NumpyArray, NumpyArray>;
using Test = std::tuple<std::string, double, double, std::optional<std::size_t>>;

/// Trust, ignorance and distance [N] and inputs [N x d].
Trusts arrays_of(RowTrust trust) {
  return nb::make_tuple(to_array(std::move(trust.trust)), to_array(std::move(trust.ignorance)),
                        to_array(std::move(trust.together)), to_array(std::move(trust.inputs)));
}

Trusts trust(const Ensemble& ensemble, const Array2& inputs, int threads) {
  return arrays_of(unlocked([&] { return TrustJudge(ensemble).judge(view_of(inputs), threads); }));
}

/// The tests, the p value of all of them together, and the rows.
std::tuple<std::vector<Test>, double, Trusts> check(const Ensemble& ensemble, const Predictive* predictive,
                                                    const Array2& inputs, const std::optional<Array2>& targets) {
  TableCheck table;
  RowTrust rows = unlocked([&] {
    const TrustJudge judge(ensemble);
    RowTrust judged = judge.judge(view_of(inputs));
    table = check_inputs(ensemble, judge, view_of(inputs), judged);
    if (targets && predictive != nullptr) check_targets(ensemble, *predictive, view_of(targets), table);
    return judged;
  });
  std::vector<Test> tests;
  for (const DriftTest& test : table.tests) tests.emplace_back(test.name, test.statistic, test.p, test.row);
  return {std::move(tests), table.p(), arrays_of(std::move(rows))};
}

}  // namespace

void register_trust(nb::module_& module) {
  using namespace nb::literals;
  module.def("trust", &trust, "ensemble"_a, "inputs"_a.noconvert(), "threads"_a);
  module.def("check", &check, "ensemble"_a, "predictive"_a.none(), "inputs"_a.noconvert(),
             "targets"_a.noconvert().none());
}

}  // namespace credens::python
