// SPDX-License-Identifier: Apache-2.0
//
// Letters: row r, configuration j of K, output k of q, u_r the row's weight, E_rj the mean density of the replicates
// that row r was held out of, M_rjk their mean, W_r the sum of the weights of configurations with such a replicate.

#include "learn/configuration_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/mixture.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

void HeldOutMixture::keep(std::size_t count, base::RandomStream& random) {
  std::fill(is_used_.begin(), is_used_.end(), false);
  for (std::size_t r = 0; r < held_out_.rows(); ++r) {
    const std::size_t pairs = held_out_.members_of(r).size();
    const std::vector<std::uint32_t> order = base::permutation(pairs, random);
    for (std::size_t i = 0; i < std::min(count, pairs); ++i) is_used_[held_out_.first_pair[r] + order[i]] = true;
  }
}

double HeldOutMixture::weigh(std::size_t row, std::span<const double> log_density, std::vector<double>& terms) const {
  const std::size_t first = held_out_.first_pair[row];
  const auto members = held_out_.members_of(row);
  std::vector<std::size_t> replicates(configuration_weights_.size());
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (is_used_[first + c]) ++replicates[held_out_.members[members[c]].configuration];
  }
  double total = 0;
  terms.assign(members.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (!is_used_[first + c]) continue;
    const std::size_t configuration = held_out_.members[members[c]].configuration;
    const double weight = configuration_weights_[configuration] / static_cast<double>(replicates[configuration]);
    total += weight;
    terms[c] = std::log(weight) + log_density[first + c];
  }
  return std::log(total);
}

double HeldOutMixture::mean_nll(std::span<const double> log_density) const {
  double sum = 0;
  double weights = 0;
  std::vector<double> terms;
  for (std::size_t r = 0; r < held_out_.rows(); ++r) {
    const double log_total = weigh(r, log_density, terms);
    sum -= held_out_.weights[r] * (math::log_sum_exp(terms) - log_total);
    weights += held_out_.weights[r];
  }
  return sum / weights;
}

namespace {

class Objective {
 public:
  Objective(const HeldOut& held_out, std::span<const double> log_density, std::size_t configurations)
      : held_out_(held_out),
        configurations_(configurations),
        outputs_(held_out.outputs()),
        count_(held_out.rows() * configurations),
        density_(held_out.rows() * configurations),
        mean_(held_out.rows() * configurations * outputs_) {
    for (std::size_t r = 0; r < held_out.rows(); ++r) read_row(r, log_density);
  }

  /// J up to a constant, and its gradient.
  double at(std::span<const double> weights, std::span<double> gradient) const {
    std::ranges::fill(gradient, 0);
    std::vector<double> squared_error(outputs_);
    std::vector<double> slope(configurations_ * outputs_);
    double sum = 0;
    for (std::size_t r = 0; r < held_out_.rows(); ++r) sum += add_row(r, weights, gradient, squared_error, slope);
    const double total = std::accumulate(held_out_.weights.begin(), held_out_.weights.end(), 0.0);
    double value = sum / total;
    for (std::size_t k = 0; k < outputs_; ++k) {
      const double mse = squared_error[k] / total + model::noise_floor;  // the floor of any noise
      value += std::log(mse) / 2;
      for (std::size_t j = 0; j < configurations_; ++j) gradient[j] += slope[j * outputs_ + k] / (2 * mse);
    }
    const double prior = held_out_.rows_per_unit();
    for (std::size_t j = 0; j < configurations_; ++j) {
      value -= prior * std::log(weights[j]) / total;
      gradient[j] = (gradient[j] - prior / weights[j]) / total;
    }
    return value;
  }

 private:
  void read_row(std::size_t r, std::span<const double> log_density) {
    const auto members = held_out_.members_of(r);
    const auto densities = log_density.subspan(held_out_.first_pair[r], members.size());
    const double largest = std::ranges::max(densities);
    for (std::size_t c = 0; c < members.size(); ++c) {
      const MemberAtRows& member = held_out_.members[members[c]];
      const std::size_t at = r * configurations_ + member.configuration;
      count_[at] += 1;
      density_[at] += std::exp(densities[c] - largest);
      for (std::size_t k = 0; k < outputs_; ++k) mean_[at * outputs_ + k] += member.mean(r, k);
    }
    for (std::size_t at = r * configurations_; at < (r + 1) * configurations_; ++at) {
      if (count_[at] == 0) continue;
      density_[at] /= count_[at];
      for (std::size_t k = 0; k < outputs_; ++k) mean_[at * outputs_ + k] /= count_[at];
    }
  }

  /// Returns the row's -u log p. Adds its derivatives to `gradient`, the squared errors of the mixture's mean to
  /// `squared_error`, and their derivatives to `slope`.
  double add_row(std::size_t r, std::span<const double> weights, std::span<double> gradient,
                 std::span<double> squared_error, std::span<double> slope) const {
    const double u = held_out_.weights[r];
    double present = 0;
    double density = 0;
    for (std::size_t j = 0; j < configurations_; ++j) {
      present += count_[r * configurations_ + j] > 0 ? weights[j] : 0;
      density += weights[j] * density_[r * configurations_ + j];
    }
    for (std::size_t j = 0; j < configurations_; ++j) {
      if (count_[r * configurations_ + j] > 0)
        gradient[j] -= u * (density_[r * configurations_ + j] / density - 1 / present);
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
      double mean = 0;
      for (std::size_t j = 0; j < configurations_; ++j)
        mean += weights[j] * mean_[(r * configurations_ + j) * outputs_ + k] / present;
      const double error = held_out_.targets(r, k) - mean;
      squared_error[k] += u * error * error;
      for (std::size_t j = 0; j < configurations_; ++j) {
        if (count_[r * configurations_ + j] == 0) continue;
        slope[j * outputs_ + k] -= 2 * u * error * (mean_[(r * configurations_ + j) * outputs_ + k] - mean) / present;
      }
    }
    return -u * std::log(density / present);
  }

  const HeldOut& held_out_;
  std::size_t configurations_;
  std::size_t outputs_;
  std::vector<double> count_;    ///< [row][configuration] replicates that the row was held out of
  std::vector<double> density_;  ///< E, in units of the row's largest
  std::vector<double> mean_;     ///< M
};

/// w_j exp(-step g_j), with sum 1. No weight changes by more than a factor of e at once.
std::vector<double> stepped(std::vector<double> weights, std::span<const double> gradient, double step) {
  const double mean = std::inner_product(weights.begin(), weights.end(), gradient.begin(), 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    weights[j] *= std::exp(std::clamp(-step * (gradient[j] - mean), -1.0, 1.0));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<double> best_configuration_weights(const HeldOut& held_out, std::span<const double> log_density,
                                               std::vector<double> start) {
  constexpr int rounds = 500;
  constexpr double smallest_step = 1e-4;
  const Objective objective(held_out, log_density, start.size());
  std::vector<double> weights = std::move(start);
  std::vector<double> gradient(weights.size());
  std::vector<double> tried_gradient(weights.size());
  double value = objective.at(weights, gradient);
  double step = 1;
  for (int round = 0; round < rounds && step > smallest_step; ++round) {
    std::vector<double> tried = stepped(weights, gradient, step);
    const double tried_value = objective.at(tried, tried_gradient);
    step *= tried_value < value ? 1.2 : 0.5;
    if (tried_value >= value) continue;
    weights = std::move(tried);
    gradient.swap(tried_gradient);
    value = tried_value;
  }
  return weights;
}

}  // namespace credens::learn
