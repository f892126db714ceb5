// SPDX-License-Identifier: Apache-2.0

#include "learn/class_calibration.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "learn/held_out_classes.hpp"
#include "learn/recipe.hpp"
#include "learn/rung.hpp"
#include "math/minimiser.hpp"

namespace credens::learn {

namespace {

constexpr double least_log_temperature = -1.2;
constexpr double largest_log_temperature = 3;

/// Temperatures and weights for one rung, found step by step.
class ClassCalibrator {
 public:
  ClassCalibrator(const HeldOutClasses& held_out, const FitOptions& options)
      : held_out_(held_out),
        options_(options),
        log_temperature_(held_out.configurations()),
        weights_(held_out.configurations(), 1 / static_cast<double>(held_out.configurations())) {}

  void run() {
    if (options_.recalibrate) find_temperatures();
    likelihoods_ = held_out_.likelihoods(log_temperature_, options_.threads);
    if (options_.weigh_members) weigh_configurations();
    row_log_loss_ = held_out_.log_losses(likelihoods_, weights_);
    if (options_.recalibrate && options_.correct_size) correct_size();
  }

  const std::vector<double>& log_temperature() const { return log_temperature_; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& row_log_loss() const { return row_log_loss_; }  ///< before the correction of size

 private:
  /// Each configuration alone. A label counts as if one further row had any label (Platt's smoothing): all rows right
  /// would otherwise ask for T = 0.
  void find_temperatures() {
    base::parallel_for(log_temperature_.size(), options_.threads, [&](std::size_t configuration) {
      log_temperature_[configuration] = math::minimiser(
          [&](double log_temperature) { return held_out_.smoothed_log_loss(configuration, log_temperature); },
          least_log_temperature, largest_log_temperature);
    });
  }

  /// Expectation maximisation of the held-out likelihood, with one further row of which every configuration knows as
  /// much. A log probability cannot be bought by width as a density can, so no second term is needed.
  void weigh_configurations() {
    constexpr int steps = 500;
    constexpr double converged = 1e-7;
    for (int step = 0; step < steps; ++step) {
      const std::vector<double> better = held_out_.reweighted(likelihoods_, weights_);
      double change = 0;
      for (std::size_t j = 0; j < better.size(); ++j) change = std::max(change, std::abs(better[j] - weights_[j]));
      weights_ = better;
      if (change < converged) break;
    }
  }

  /// Held-out rows are predicted by R members, new rows by all. The best common shift of log T is linear in 1 / members
  /// to first order: it is measured with all R members and with few of them, and continued to the effective number of
  /// all, 1 / sum w^2.
  void correct_size() {
    const double held = held_out_.members_per_row();
    const std::size_t few = held >= 4 ? 2 : 1;
    if (held < 2 || held >= static_cast<double>(held_out_.members())) return;
    constexpr double reach = 1;
    const auto best_shift = [&](const PairFilter& filter) {
      return math::minimiser(
          [&](double shift) {
            return held_out_.mixture_log_loss({log_temperature_, weights_, shift}, filter, options_.threads);
          },
          -reach, reach);
    };
    const double with_held = best_shift({});
    const double with_few = best_shift(held_out_.few_members(few, options_.seed));
    const double slope = std::max(0.0, (with_few - with_held) / (1 / static_cast<double>(few) - 1 / held));
    const double shift = with_held - slope * std::max(0.0, 1 / held - held_out_.inverse_size(weights_));
    constexpr double furthest = -0.5;  // few rows measure a slope badly
    for (double& log_temperature : log_temperature_) log_temperature += std::max(furthest, shift);
  }

  const HeldOutClasses& held_out_;
  const FitOptions& options_;
  std::vector<double> log_temperature_;  ///< by configuration
  std::vector<double> weights_;          ///< by configuration
  std::vector<double> likelihoods_;      ///< [rows x configurations]
  std::vector<double> row_log_loss_;
};

/// The highest rung first.
std::vector<PosteriorKind> rungs_of(const FitOptions& options, std::span<const model::Member> members) {
  if (options.posterior.is_given()) return {*options.posterior};
  std::vector<PosteriorKind> rungs = candidate_rungs(members, options.prior_precision);
  std::ranges::reverse(rungs);
  return rungs;
}

std::string reason_for(PosteriorKind first, const FitOptions& options) {
  if (options.posterior.is_given()) return "given";
  return first == PosteriorKind::full ? "it knows which directions rows have shown, and no other rung predicts better"
                                      : "the highest rung that is not too large to try";
}

}  // namespace

ClassCalibration calibrate_classes(const JudgingRows& rows, const FitOptions& options,
                                   std::span<const model::Member> members, std::span<const MemberSums> sums) {
  const std::vector<PosteriorKind> rungs = rungs_of(options, members);
  HeldOutClasses held_out(rows, options, members);
  ClassCalibration found;
  std::vector<double> best;
  for (const PosteriorKind rung : rungs) {
    held_out.set_posterior(rung, options, sums);
    ClassCalibrator calibrator(held_out, options);
    calibrator.run();
    const std::vector<double> log_loss = calibrator.row_log_loss();
    const bool is_first = best.empty();
    const Gain gain = is_first ? Gain{} : held_out.gain(best, log_loss);
    if (!is_first && !(gain.mean > 2 * gain.standard_error)) continue;
    if (is_first) found.log_loss_before = held_out.plain_log_loss(options.threads);
    found.posterior = rung;
    found.reason = is_first ? reason_for(rung, options)
                            : fmt::format("its log loss of held-out rows is smaller by {:.2g} +- {:.1g} nats per row",
                                          gain.mean, gain.standard_error);
    found.temperature.clear();
    for (const double log_temperature : calibrator.log_temperature()) {
      found.temperature.push_back(std::exp(log_temperature));
    }
    found.configuration_weights = calibrator.weights();
    found.log_loss_after = held_out.mean(log_loss);
    best = log_loss;
  }
  found.centre = held_out.centre();
  found.rows = held_out.rows();
  return found;
}

model::Mlp with_temperature(const model::Mlp& network, double temperature, std::span<const double> centre) {
  if (temperature == 1) return network;
  model::Mlp mapped = network;
  const std::size_t head = network.shape().layers() - 1;
  BasicMatrix<float> weight = mapped.weight(head);
  std::vector<float> bias = mapped.bias(head);
  const auto cooled = [&](float value) { return static_cast<float>(static_cast<double>(value) / temperature); };
  std::ranges::transform(weight.values(), weight.values().begin(), cooled);
  std::ranges::transform(bias, centre, bias.begin(), [&](float value, double middle) {
    return static_cast<float>(middle + (static_cast<double>(value) - middle) / temperature);
  });
  mapped.set_layer(head, weight, bias);
  return mapped;
}

}  // namespace credens::learn
