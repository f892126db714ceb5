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
#include "base/subnormals.hpp"
#include "learn/adam.hpp"
#include "learn/gradient.hpp"
#include "learn/member_rows.hpp"
#include "learn/recipe.hpp"
#include "learn/unseen.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

/// The raw value whose variance is 1: softplus(log(e - 1)) = exp(0) = 1.
float raw_of_unit_variance(NoiseLink link) {
  return link == NoiseLink::softplus ? static_cast<float>(std::log(std::numbers::e - 1)) : 0.0F;
}

/// The first steps are small because Adam's moments do not know the gradients yet.
double warm_cosine(double rate, const StepPlace& place) {
  constexpr std::size_t longest_warm_up = 50;
  const std::size_t warm_up = std::min(longest_warm_up, place.steps / 10);
  if (place.step < warm_up) return rate * static_cast<double>(place.step + 1) / static_cast<double>(warm_up + 1);
  const double done = static_cast<double>(place.step - warm_up) / static_cast<double>(place.steps - warm_up);
  return rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

/// Words of a table that is wide enough begin with a direction each, others with random vectors.
void initialise_tables(base::RandomStream& random, model::Mlp& network) {
  float* value = network.tables().data();
  for (const auto& [rows, width] : network.shape().tables) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < width; ++j) {
        *value++ = rows <= width + 1 ? (row == j ? 1.0F : 0.0F) : static_cast<float>(random.normal());
      }
    }
  }
}

/// One way from random weights to the last epoch.
class Attempt {
 public:
  Attempt(const TrainingRows& train, const FitOptions& options, GradientPass& pass, model::Mlp network,
          std::size_t member, std::size_t attempt)
      : train_(train),
        options_(options),
        pass_(pass),
        network_(std::move(network)),
        transposed_(network_),
        member_(member),
        attempt_(attempt),
        settings_(member_settings(options, member)),
        adam_(network_.parameters().size()),
        rows_(train, options, member, attempt) {}

  /// The reason why the network is not sound, in words; nothing if it is.
  std::string run(const std::function<void(std::size_t)>& on_epoch);

  TrainedMember result() && {
    complete_tables(pass_.used_rows(), options_.seed, member_, network_);
    const std::size_t features = network_.shape().features();
    return {.member = {.index = member_,
                       .features = features,
                       .network = std::make_shared<const model::Mlp>(std::move(network_))},
            .attempt = attempt_,
            .final_loss = final_loss_};
  }

 private:
  std::size_t steps_in(std::size_t rows) const;
  bool run_epoch(std::size_t epoch);                                   ///< false where a loss was not finite
  bool run_window(const EpochRows::Window& window, StepPlace& place);  ///< the same
  bool validate();                                                     ///< the same
  std::string judge();

  const TrainingRows& train_;
  const FitOptions& options_;
  GradientPass& pass_;
  model::Mlp network_;
  BackwardWeights transposed_;
  std::size_t member_;
  std::size_t attempt_;
  MemberSettings settings_;
  Adam adam_;
  EpochRows rows_;
  double best_loss_ = std::numeric_limits<double>::infinity();  ///< this and the two below: with validation rows
  std::size_t epochs_since_best_ = 0;
  std::vector<float> best_parameters_;
  double final_loss_ = 0;
};

/// Steps never span windows. Each ends with the rows that are left. Where steps are many, a few rows are no good guide:
/// fewer than half a batch wait for another epoch's order.
std::size_t Attempt::steps_in(std::size_t rows) const {
  const std::size_t batch = options_.batch;
  const std::size_t full = rows / batch;
  const std::size_t left = rows % batch;
  const bool takes_left = full == 0 || options_.recipe == Recipe::paper || 2 * left >= batch;
  return full + (left > 0 && takes_left ? 1 : 0);
}

bool Attempt::run_epoch(std::size_t epoch) {
  const std::size_t epochs = options_.epochs;
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
  const std::size_t batch = options_.batch;
  const std::size_t steps = steps_in(window.order.size());
  const Decay decay{.hidden = settings_.hidden_precision / rows_.weight_total(),
                    .head = options_.prior_precision / rows_.weight_total()};
  for (std::size_t step = 0; step < steps; ++step, ++place.step) {
    base::require(!options_.stop.stop_requested(), ErrorCode::interrupted, "stopped while training member {}", member_);
    const std::size_t count = std::min(batch, window.order.size() - step * batch);
    const double loss = pass_.run(network_, transposed_, window.set, window.order.subspan(step * batch, count));
    if (!std::isfinite(loss)) return false;
    const double rate = scheduled_rate(options_.schedule, settings_.learning_rate, place);
    adam_.step(rate, decay, pass_.gradient(), network_, transposed_);
  }
  return true;
}

bool Attempt::validate() {
  const double loss = mean_loss(network_, *train_.validation());
  ++epochs_since_best_;
  if (loss < best_loss_) {
    best_loss_ = loss;
    epochs_since_best_ = 0;
    best_parameters_.assign(network_.parameters().begin(), network_.parameters().end());
  }
  return std::isfinite(loss);
}

std::string Attempt::judge() {
  final_loss_ = rows_.mean_loss(network_);
  const double limit = train_.divergence_limit(network_.shape().noise);
  if (!math::all_finite(network_.parameters()) || !std::isfinite(final_loss_))
    return "its final loss or weights are not finite";
  if (final_loss_ <= limit) return {};
  return fmt::format("its final loss is {:.4g}, expected at most {:.4g}, which {} passes", final_loss_, limit,
                     network_.shape().has_classes() ? "guessing by the shares of the classes" : "a constant Gaussian");
}

std::string Attempt::run(const std::function<void(std::size_t)>& on_epoch) {
  for (std::size_t epoch = 0; epoch < options_.epochs; ++epoch) {
    if (!run_epoch(epoch)) return fmt::format("its loss is not finite in epoch {}", epoch);
    if (train_.validation() != nullptr && !validate()) {
      return fmt::format("its validation loss is not finite after epoch {}", epoch);
    }
    on_epoch(epoch + 1);
    if (train_.validation() != nullptr && epochs_since_best_ >= options_.patience) break;
  }
  if (train_.validation() != nullptr) std::ranges::copy(best_parameters_, network_.parameters().begin());
  return judge();
}

}  // namespace

double scheduled_rate(Schedule schedule, double rate, const StepPlace& place) {
  constexpr std::size_t last_epochs = 5;
  const std::size_t late_from = place.epochs - std::min(last_epochs, place.epochs);
  // 1 in the first of the last epochs.
  const std::size_t late = place.epoch < late_from ? 0 : place.epoch - late_from + 1;
  switch (schedule) {
    case Schedule::constant:
      return rate;
    case Schedule::drop_last_five:
      return late == 0 ? rate : 0.1 * rate;
    case Schedule::halve_last_five:
      return std::ldexp(rate, -static_cast<int>(late));
    case Schedule::cosine:
      return warm_cosine(rate, place);
  }
  return rate;
}

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
  initialise_tables(random, network);
  return network;
}

TrainedMember train_member(const TrainingRows& train, const FitOptions& options, std::size_t index,
                           const std::function<void(std::size_t)>& on_epoch) {
  constexpr std::size_t attempts = 4;
  const base::FlushSubnormals flush;
  model::MlpShape shape = member_shape(options, index, train.train().inputs, train.train().outputs);
  shape.task = train.train().task;
  shape.flags = train.train().flags;
  shape.tables = train.train().tables;
  const MemberSettings settings = member_settings(options, index);
  GradientPass pass(shape, std::min(*options.batch, train.largest_window()), settings.loss_beta);
  std::string trouble;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    model::Mlp network = initial_network(shape, options.seed, index, attempt, settings.bandwidth);
    network.set_substitutes(substitutes_for(train.number_values(), options.seed, index));
    Attempt trial(train, options, pass, std::move(network), index, attempt);
    trouble = trial.run(on_epoch);
    if (trouble.empty()) return std::move(trial).result();
  }
  base::fail(ErrorCode::numerical,
             "member {} diverged in each of {} attempts: {}; a smaller learning rate or more epochs may help", index,
             attempts, trouble);
}

}  // namespace credens::learn
