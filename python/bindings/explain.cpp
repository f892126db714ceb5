// SPDX-License-Identifier: Apache-2.0

#include <credens/explain.hpp>

#include "arrays.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

/// [N x d x q]
NumpyArray stacked(const std::vector<Matrix>& outputs) {
  const std::size_t rows = outputs.front().rows();
  const std::size_t inputs = outputs.front().cols();
  std::vector<double> values;
  values.reserve(rows * inputs * outputs.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < inputs; ++j) {
      for (const Matrix& output : outputs) values.push_back(output(i, j));
    }
  }
  return to_array(std::move(values), {rows, inputs, outputs.size()});
}

nb::dict to_dict(const Contributions& part) {
  std::vector<double> shares;
  std::vector<double> spreads;
  const std::size_t outputs = part.base.size();
  const std::size_t inputs = part.of_inputs.front().cols();
  std::vector<std::vector<InputShare>> found;
  for (std::size_t k = 0; k < outputs; ++k) found.push_back(input_shares(part, k));
  for (std::size_t j = 0; j < inputs; ++j) {
    for (std::size_t k = 0; k < outputs; ++k) {
      shares.push_back(found[k][j].share);
      spreads.push_back(found[k][j].spread);
    }
  }
  nb::dict result;
  result["base"] = to_array(part.base);
  result["value"] = to_array(part.value);
  result["of_inputs"] = stacked(part.of_inputs);
  result["standard_error"] = stacked(part.standard_error);
  result["share"] = to_array(std::move(shares), {inputs, outputs});
  result["spread"] = to_array(std::move(spreads), {inputs, outputs});
  return result;
}

nb::dict explain_rows(const Ensemble& ensemble, const Array2& inputs, const std::optional<Array2>& background,
                      std::size_t draws, std::uint64_t seed, int threads) {
  const ExplainOptions options{.background = view_of(background), .draws = draws, .seed = seed, .threads = threads};
  const Explanation explanation = unlocked([&] { return explain(ensemble, view_of(inputs), options); });
  nb::dict result;
  result["mean"] = to_dict(explanation.mean);
  result["noise"] = to_dict(explanation.noise);
  result["ignorance"] = to_dict(explanation.ignorance);
  return result;
}

}  // namespace

void register_explain(nb::module_& module) {
  using namespace nb::literals;
  module.def("explain", &explain_rows, "ensemble"_a, "inputs"_a.noconvert(), "background"_a.noconvert().none(),
             "draws"_a, "seed"_a, "threads"_a);
}

}  // namespace credens::python
