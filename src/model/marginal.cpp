// SPDX-License-Identifier: Apache-2.0

#include "model/marginal.hpp"

#include <algorithm>
#include <cmath>

namespace credens::model {

namespace {

std::size_t index_of(const MixtureComponents& components, std::size_t row, std::size_t member, std::size_t output) {
  return (row * components.weights.size() + member) * components.outputs + output;
}

/// sum_l w_l m_l as m_r + sum_l w_l (m_l - m_r) around the first member r that counts: members that agree have exactly
/// their common mean, however the weights were rounded.
double mean_at(const MixtureComponents& components, std::size_t row, std::size_t output) {
  const std::vector<double>& weights = components.weights;
  const auto first = std::find_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
  const auto reference = static_cast<std::size_t>(first - weights.begin());
  const double origin = components.mean[index_of(components, row, reference, output)];
  double sum = 0;
  for (std::size_t l = reference + 1; l < weights.size(); ++l) {
    if (weights[l] > 0) sum += weights[l] * (components.mean[index_of(components, row, l, output)] - origin);
  }
  return origin + sum;
}

}  // namespace

Moments moments_at(const MixtureComponents& components, std::size_t row, std::size_t output) {
  Moments moments{.mean = mean_at(components, row, output)};
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    const double weight = components.weights[l];
    if (weight == 0) continue;
    const std::size_t at = index_of(components, row, l, output);
    const double deviation = components.mean[at] - moments.mean;
    moments.aleatoric += weight * components.aleatoric_variance[at];
    moments.between += weight * deviation * deviation;
    moments.within += weight * components.epistemic_variance[at];
  }
  return moments;
}

double between_covariance(const MixtureComponents& components, std::size_t row, std::size_t a, std::size_t b) {
  const double mean_a = mean_at(components, row, a);
  const double mean_b = mean_at(components, row, b);
  double sum = 0;
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    const double weight = components.weights[l];
    if (weight == 0) continue;
    sum += weight * (components.mean[index_of(components, row, l, a)] - mean_a) *
           (components.mean[index_of(components, row, l, b)] - mean_b);
  }
  return sum;
}

MarginalReader::MarginalReader(const MixtureComponents& components) : components_(components) {
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    if (components.weights[l] == 0) continue;
    members_.push_back(l);
    weight_.push_back(components.weights[l]);
  }
  mean_.resize(members_.size());
  std_.resize(members_.size());
}

math::MixtureView MarginalReader::total(std::size_t row, std::size_t output) {
  return gather(row, output, true);
}

math::MixtureView MarginalReader::function(std::size_t row, std::size_t output) {
  return gather(row, output, false);
}

math::MixtureView MarginalReader::gather(std::size_t row, std::size_t output, bool with_noise) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t at = index_of(components_, row, members_[i], output);
    mean_[i] = components_.mean[at];
    const double noise = with_noise ? components_.aleatoric_variance[at] : 0;
    std_[i] = std::sqrt(noise + components_.epistemic_variance[at]);
  }
  return {weight_, mean_, std_};
}

}  // namespace credens::model
