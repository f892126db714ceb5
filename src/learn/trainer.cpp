// SPDX-License-Identifier: Apache-2.0

#include "learn/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/subnormals.hpp"
#include "learn/adam.hpp"
#include "learn/epoch_rows.hpp"
#include "learn/gradient.hpp"
#include "learn/recipe.hpp"
#include "learn/schedule.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

/// The raw value whose variance is 1: softplus(log(e - 1)) = exp(0) = 1.
float raw_of_unit_variance(NoiseLink link) {
  return link == NoiseLink::softplus ? static_cast<float>(std::log(std::numbers::e - 1)) : 0.0F;
}

/// The weights of the epoch with the lowest validation loss.
class BestEpoch {
 public:
  /// Remembers the network if it is better than all before.
  void offer(const model::Mlp& network, double loss) {
    ++epochs_since_;
    if (!(loss < loss_)) return;
    loss_ = loss;
    epochs_since_ = 0;
    parameters_.assign(network.parameters().begin(), network.parameters().end());
  }

  std::size_t epochs_since() const { return epochs_since_; }
  void restore(model::Mlp& network) const { std::ranges::copy(parameters_, network.parameters().begin()); }

 private:
  double loss_ = std::numeric_limits<double>::infinity();
  std::size_t epochs_since_ = 0;
  std::vector<float> parameters_;
};

/// Where a member's random numbers come from.
struct Origin {
  std::size_t member;
  std::size_t attempt;
};

/// One way from random weights to the last epoch.
class Attempt {
 public:
  Attempt(const TrainerInput& input, GradientPass& pass, model::Mlp network, Origin origin)
      : input_(input),
        pass_(pass),
        network_(std::move(network)),
        transposed_(network_),
        origin_(origin),
        settings_(member_settings(input.options, origin.member)),
        adam_(network_.parameters().size()),
        rows_(input.train, input.options, origin.member, origin.attempt) {}

  /// What went wrong, in words; nothing if the network is sound.
  std::string run(const std::function<void(std::size_t)>& on_epoch);

  TrainedNetwork result() && {
    return {.network = std::move(network_), .attempt = origin_.attempt, .final_loss = final_loss_};
  }

 private:
  std::size_t steps_in(std::size_t rows) const;
  bool run_epoch(std::size_t epoch);                                   ///< false where a loss was not finite
  bool run_window(const EpochRows::Window& window, StepPlace& place);  ///< the same
  bool validate();                                                     ///< the same
  std::string judge();

  const TrainerInput& input_;
  GradientPass& pass_;
  model::Mlp network_;
  BackwardWeights transposed_;
  Origin origin_;
  MemberSettings settings_;
  Adam adam_;
  EpochRows rows_;
  BestEpoch best_;
  double final_loss_ = 0;
};

/// Steps never span windows. Each ends with the rows that are left. Where steps are many, a few rows are no good guide:
/// fewer than half a batch wait for another epoch's order.
std::size_t Attempt::steps_in(std::size_t rows) const {
  const std::size_t batch = input_.options.batch;
  const std::size_t full = rows / batch;
  const std::size_t left = rows % batch;
  const bool takes_left = full == 0 || input_.options.recipe == Recipe::paper || 2 * left >= batch;
  return full + (left > 0 && takes_left ? 1 : 0);
}

bool Attempt::run_epoch(std::size_t epoch) {
  const std::size_t epochs = input_.options.epochs;
  rows_.start(epoch);
  std::size_t steps = 0;
  for (std::size_t window = 0; window < rows_.windows(); ++window) steps += steps_in(rows_.rows_in(window));
  StepPlace place{.epoch = epoch, .epochs = epochs, .step = epoch * steps, .steps = epochs * steps};
  for (std::size_t window = 0; window < rows_.windows(); ++window) {
    if (!run_window(rows_.next(), place)) return false;
  }
  return true;
}

bool Attempt::run_window(const EpochRows::Window& window, StepPlace& place) {
  const FitOptions& options = input_.options;
  const std::size_t batch = options.batch;
  const std::size_t steps = steps_in(window.order.size());
  const Decay decay{.hidden = settings_.hidden_precision / rows_.weight_total(),
                    .head = options.prior_precision / rows_.weight_total()};
  for (std::size_t step = 0; step < steps; ++step, ++place.step) {
    base::require(!options.stop.stop_requested(), ErrorCode::interrupted, "stopped while training member {}",
                  origin_.member);
    const std::size_t count = std::min(batch, window.order.size() - step * batch);
    const double loss = pass_.run(network_, transposed_, window.set, window.order.subspan(step * batch, count));
    if (!std::isfinite(loss)) return false;
    const double rate = scheduled_rate(options.schedule, settings_.learning_rate, place);
    adam_.step(rate, decay, pass_.gradient(), network_, transposed_);
  }
  return true;
}

bool Attempt::validate() {
  const double loss = mean_loss(network_, *input_.validation);
  best_.offer(network_, loss);
  return std::isfinite(loss);
}

std::string Attempt::judge() {
  final_loss_ = rows_.mean_loss(network_);
  const double limit = input_.train.divergence_limit(network_.shape().noise);
  if (!math::all_finite(network_.parameters()) || !std::isfinite(final_loss_))
    return "its final loss or weights are not finite";
  if (final_loss_ <= limit) return {};
  return fmt::format("its final loss is {:.4g}, expected at most {:.4g}, which a constant Gaussian passes", final_loss_,
                     limit);
}

std::string Attempt::run(const std::function<void(std::size_t)>& on_epoch) {
  for (std::size_t epoch = 0; epoch < input_.options.epochs; ++epoch) {
    if (!run_epoch(epoch)) return fmt::format("its loss is not finite in epoch {}", epoch);
    if (input_.validation != nullptr && !validate()) {
      return fmt::format("its validation loss is not finite after epoch {}", epoch);
    }
    on_epoch(epoch + 1);
    if (input_.validation != nullptr && best_.epochs_since() >= input_.options.patience) break;
  }
  if (input_.validation != nullptr) best_.restore(network_);
  return judge();
}

}  // namespace

model::Mlp initial_network(const model::MlpShape& shape, std::uint64_t seed, std::size_t member, std::size_t attempt,
                           double bandwidth) {
  base::RandomStream random(
      {.seed = seed, .purpose = base::Purpose::initial_weights, .member = member, .attempt = attempt});
  model::Mlp network(shape);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const math::PanelShape panel = shape.layer(layer);
    const double bound = 1 / std::sqrt(static_cast<double>(panel.in));
    const auto draw = [&] { return static_cast<float>(random.uniform(-bound, bound)); };
    BasicMatrix<float> weight(panel.out, panel.in);
    std::vector<float> bias(panel.out);
    std::ranges::generate(weight.values(), draw);
    std::ranges::generate(bias, draw);
    network.set_layer(layer, weight, bias);
  }
  std::ranges::fill(network.constant_noise(), raw_of_unit_variance(shape.noise_link));
  std::ranges::generate(network.frequencies(), [&] { return static_cast<float>(bandwidth * random.normal()); });
  return network;
}

TrainedNetwork train_member(const TrainerInput& input, std::size_t index,
                            const std::function<void(std::size_t)>& on_epoch) {
  constexpr std::size_t attempts = 4;
  const base::FlushSubnormals flush;
  const FitOptions& options = input.options;
  const model::MlpShape shape = member_shape(options, index, input.train.train().inputs, input.train.train().outputs);
  const MemberSettings settings = member_settings(options, index);
  GradientPass pass(shape, std::min(*options.batch, input.train.largest_window()), settings.loss_beta);
  std::string trouble;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    Attempt trial(input, pass, initial_network(shape, options.seed, index, attempt, settings.bandwidth),
                  {index, attempt});
    trouble = trial.run(on_epoch);
    if (trouble.empty()) return std::move(trial).result();
  }
  base::fail(ErrorCode::numerical,
             "member {} diverged in each of {} attempts: {}; a smaller learning rate or more epochs may help", index,
             attempts, trouble);
}

}  // namespace credens::learn
