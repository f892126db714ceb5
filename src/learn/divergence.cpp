// SPDX-License-Identifier: Apache-2.0

#include "learn/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/mlp.hpp"

namespace credens::learn {

namespace {

/// sum u (y - m)^2 / v for the best constant m, from sum u / v, sum u y / v and sum u y^2 / v.
double squared_error(double precision, double first, double second) {
  return precision > 0 ? std::max(0.0, second - first * first / precision) : 0;
}

void add_label(std::span<const float> target, double weight, std::vector<double>& class_weights) {
  if (target.size() == 1) {
    class_weights[static_cast<std::size_t>(target.front())] += weight;
    return;
  }
  for (std::size_t c = 0; c < target.size(); ++c) class_weights[c] += weight * static_cast<double>(target[c]);
}

/// -sum_c s_c log s_c for the shares s of the weights.
double entropy_of_shares(const std::vector<double>& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double entropy = 0;
  for (const double weight : weights) {
    if (weight > 0) entropy -= weight / total * std::log(weight / total);
  }
  return entropy;
}

double target_variance(const TrainingSet& data, std::size_t k) {
  double weights = 0;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double u = data.weight(i);
    const double y = data.targets[i * data.outputs + k];
    weights += u;
    first += u * y;
    second += u * y * y;
  }
  return squared_error(weights, first, second) / weights;
}

}  // namespace

void DivergenceSums::add(const TrainingSet& data, std::size_t first, std::size_t count) {
  if (data.task == Task::classification) {
    class_weights_.resize(data.outputs);
    for (std::size_t i = first; i < first + count; ++i) {
      add_label(data.target_row(i), static_cast<double>(data.weight(i)), class_weights_);
    }
    return;
  }
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const double u = data.weight(i);
      const double y = data.targets[i * data.outputs + k];
      const double known = data.known(i, k);
      const double v = noise_ == NoiseKind::known ? std::max(known, model::noise_floor) : variances_[k] + known;
      outputs_[k].precision += u / v;
      outputs_[k].first += u * y / v;
      outputs_[k].second += u * y * y / v;
      outputs_[k].logs += u * std::log(v);
      outputs_[k].weights += u;
    }
  }
}

double DivergenceSums::limit() const {
  if (!class_weights_.empty()) return entropy_of_shares(class_weights_) + 1;
  double square_part = 0;  // 1/2 sum_k (m - y)^2 / v
  double log_part = 0;     // 1/2 sum_k log v
  for (const Sums& sums : outputs_) {
    square_part += 0.5 * squared_error(sums.precision, sums.first, sums.second) / sums.weights;
    log_part += 0.5 * sums.logs / sums.weights;
  }
  return square_part + log_part + std::max(static_cast<double>(outputs_.size()), square_part);
}

double divergence_limit(const TrainingSet& data, NoiseKind noise) {
  std::vector<double> variances;
  const bool has_classes = data.task == Task::classification;
  for (std::size_t k = 0; k < data.outputs && !has_classes; ++k)
    variances.push_back(std::max(target_variance(data, k), 1.0));
  DivergenceSums sums(std::move(variances), noise);
  sums.add(data, 0, data.rows);
  return sums.limit();
}

}  // namespace credens::learn
