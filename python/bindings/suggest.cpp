// SPDX-License-Identifier: Apache-2.0

#include <credens/suggest.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "decide/names.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

/// Rows that are suggested, with NaN where one repeats none.
nb::dict to_dict(const Suggestion& suggestion) {
  std::vector<double> rows;
  std::vector<double> gains;
  std::vector<double> repeats;
  std::vector<double> repeats_pending;
  std::vector<double> ignorance;
  const auto number = [](std::optional<std::size_t> place) { return place ? static_cast<double>(*place) : NAN; };
  for (const SuggestedRow& row : suggestion.rows) {
    rows.push_back(static_cast<double>(row.row));
    gains.push_back(row.gain);
    repeats.push_back(number(row.repeats));
    repeats_pending.push_back(number(row.repeats_pending));
    ignorance.insert(ignorance.end(), row.ignorance.begin(), row.ignorance.end());
  }
  nb::dict result;
  result["rows"] = to_array(std::move(rows));
  result["gain"] = to_array(std::move(gains));
  result["repeats"] = to_array(std::move(repeats));
  result["repeats_pending"] = to_array(std::move(repeats_pending));
  result["ignorance_after"] =
      to_array(std::move(ignorance), {suggestion.rows.size(), suggestion.ignorance.size()});
  result["ignorance"] = to_array(suggestion.ignorance);
  result["noise"] = to_array(suggestion.noise);
  result["noise_dominates"] = suggestion.noise_dominates();
  result["candidates"] = suggestion.candidates;
  result["at"] = suggestion.at;
  return result;
}

nb::dict suggest_rows(const Ensemble& ensemble, const Array2& pool, std::size_t count, const std::string& goal,
                      std::size_t output, double value, const std::optional<Array2>& at,
                      const std::optional<Array2>& pending, const std::optional<Array1>& cost,
                      const std::optional<Array2>& noise_std, const std::optional<Array2>& pending_noise_std,
                      std::uint64_t seed, int threads) {
  const SuggestOptions options{.count = count,
                               .goal = base::parse_enum<Goal>(goal),
                               .output = output,
                               .value = value,
                               .at = view_of(at),
                               .pending = view_of(pending),
                               .cost = span_of(cost),
                               .noise_std = view_of(noise_std),
                               .pending_noise_std = view_of(pending_noise_std),
                               .seed = seed,
                               .threads = threads};
  return to_dict(unlocked([&] { return suggest(ensemble, view_of(pool), options); }));
}

NumpyArray rows_in_box(const Ensemble& ensemble, const std::vector<double>& lower, const std::vector<double>& upper,
                       std::size_t count, std::uint64_t seed) {
  std::vector<InputBounds> bounds;
  for (std::size_t j = 0; j < lower.size(); ++j) bounds.push_back({lower[j], upper[j]});
  return to_array(rows_within(ensemble, bounds, count, seed));
}

}  // namespace

void register_suggest(nb::module_& module) {
  using namespace nb::literals;
  module.def("suggest", &suggest_rows, "ensemble"_a, "pool"_a.noconvert(), "count"_a, "goal"_a, "output"_a, "value"_a,
             "at"_a.noconvert().none(), "pending"_a.noconvert().none(), "cost"_a.noconvert().none(),
             "noise_std"_a.noconvert().none(), "pending_noise_std"_a.noconvert().none(), "seed"_a, "threads"_a);
  module.def("rows_within", &rows_in_box, "ensemble"_a, "lower"_a, "upper"_a, "count"_a, "seed"_a);
}

}  // namespace credens::python
