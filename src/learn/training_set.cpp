// SPDX-License-Identifier: Apache-2.0

#include "learn/training_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "data/names.hpp"
#include "math/kernels.hpp"

namespace credens::learn {

namespace {

/// Scaled values of which float can hold every one; `name` is what the sentence calls them.
void check_float_range(MatrixView values, const data::Scaler& scaler, std::string_view name) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.cols(); ++j) {
      base::require(std::abs(scaler.apply(j, values(i, j))) <= largest, ErrorCode::data,
                    "{}: row {}, column {} is {}, expected a number that still fits into a float after scaling", name,
                    i, j, values(i, j));
    }
  }
}

/// u_i N / U.
std::vector<float> normalised_weights(std::span<const double> weights, double total) {
  std::vector<float> normalised(weights.size());
  const double mean = total / static_cast<double>(weights.size());
  std::ranges::transform(weights, normalised.begin(), [mean](double u) { return static_cast<float>(u / mean); });
  return normalised;
}

/// (noise_std / scale)^2; beyond float's range the row says nothing anyway.
std::vector<float> known_variances(MatrixView noise_std, const data::Scaler& targets) {
  std::vector<float> variances;
  variances.reserve(noise_std.rows() * noise_std.cols());
  for (std::size_t i = 0; i < noise_std.rows(); ++i) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const double std = noise_std(i, k) / targets.scale[k];
      variances.push_back(static_cast<float>(std::min(std * std, 1e30)));
    }
  }
  return variances;
}

}  // namespace

Scaling make_scaling(const Dataset& train, bool standardise_inputs) {
  const auto input_labels = data::column_labels(train.input_names(), train.input_columns());
  const auto target_labels = data::column_labels(train.target_names(), {});
  return {.inputs = standardise_inputs ? data::standardising_scaler(train.inputs(), train.weights(), input_labels)
                                       : data::identity_scaler(train.inputs().cols()),
          .targets = data::standardising_scaler(train.targets(), train.weights(), target_labels)};
}

TrainingSet make_training_set(const Dataset& data, const data::Scaler& inputs, const data::Scaler& targets) {
  check_float_range(data.inputs(), inputs, "inputs");
  check_float_range(data.targets(), targets, "targets");
  TrainingSet set{.rows = data.rows(), .inputs = inputs.cols(), .outputs = targets.cols()};
  set.input_stride = math::padded(set.inputs);
  set.input_values.resize(set.rows * set.input_stride);
  data::scale_rows(inputs, data.inputs(), set.input_values.data(), set.input_stride);
  set.targets.resize(set.rows * set.outputs);
  data::scale_rows(targets, data.targets(), set.targets.data(), set.outputs);

  const auto weights = data.weights();
  set.weight_total =
      weights.empty() ? static_cast<double>(set.rows) : std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!weights.empty()) set.weights = normalised_weights(weights, set.weight_total);
  set.known_variance = known_variances(data.noise_std(), targets);
  return set;
}

}  // namespace credens::learn
