// SPDX-License-Identifier: Apache-2.0

#include "learn/trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/divergence.hpp"
#include "learn/gradient.hpp"
#include "learn/training_rows.hpp"

#include "math/linalg.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/plain_loss.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using testing::HasSubstr;

const auto ignore_epochs = [](std::size_t) {};

TrainedMember train(const TrainingSet& rows, const FitOptions& options, std::size_t member = 0,
                    std::optional<TrainingSet> validation = {}) {
  return train_member({rows, std::move(validation)}, paper(options), member, ignore_epochs);
}

bool same_parameters(const model::Mlp& a, const model::Mlp& b) {
  return std::ranges::equal(a.parameters(), b.parameters());
}

/// y = sin(2 x0) + x1 / 2 plus noise that grows with x0, standardised.
TrainingSet wavy_rows(std::size_t rows, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  RandomRows data{.inputs = random_floats(random, rows, 2, -1.5, 1.5), .targets = Matrix(rows, 1)};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = data.inputs(i, 0);
    data.targets(i, 0) = std::sin(2 * x) + data.inputs(i, 1) / 2 + (0.1 + 0.1 * (x + 1.5)) * random.normal();
  }
  const Dataset dataset = data.dataset();
  return make_training_set(dataset, TrainingTable(dataset).scaling(true, false));
}

TEST(InitialNetwork, DrawsRowMajorWeightsThenBiasesWhateverThePanels) {
  const model::MlpShape shape{.inputs = 5, .hidden = {18, 3}, .outputs = 2};
  const model::Mlp network = initial_network(shape, 11, 4, 2);
  base::RandomStream random({.seed = 11, .purpose = base::Purpose::initial_weights, .member = 4, .attempt = 2});
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const double bound = 1 / std::sqrt(static_cast<double>(shape.layer(layer).in));
    const auto weight = network.weight(layer);
    for (const float value : weight.values()) EXPECT_EQ(value, static_cast<float>(random.uniform(-bound, bound)));
    for (const float value : network.bias(layer)) EXPECT_EQ(value, static_cast<float>(random.uniform(-bound, bound)));
  }
}

TEST(InitialNetwork, FillsItsRangeEvenly) {
  const model::Mlp network = initial_network({.inputs = 100, .hidden = {200}}, 1, 0, 0);
  constexpr std::size_t bins = 20;
  std::vector<double> counts(bins);
  const auto weight = network.weight(0);
  for (const float value : weight.values()) {
    ASSERT_LE(std::abs(value), 0.1F);
    counts.at(std::min(bins - 1, static_cast<std::size_t>((static_cast<double>(value) / 0.1 + 1) / 2 * bins))) += 1;
  }
  const double expected = 20000.0 / bins;
  for (const double count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
}

TEST(InitialNetwork, DiffersBetweenSeedsMembersAndAttempts) {
  const model::MlpShape shape{.inputs = 2, .hidden = {4}};
  const model::Mlp network = initial_network(shape, 1, 0, 0);
  EXPECT_TRUE(same_parameters(network, initial_network(shape, 1, 0, 0)));
  EXPECT_FALSE(same_parameters(network, initial_network(shape, 2, 0, 0)));
  EXPECT_FALSE(same_parameters(network, initial_network(shape, 1, 1, 0)));
  EXPECT_FALSE(same_parameters(network, initial_network(shape, 1, 0, 1)));
}

TEST(InitialNetwork, StartsConstantNoiseAtVarianceOne) {
  for (const NoiseLink link : {NoiseLink::softplus, NoiseLink::exp}) {
    const model::MlpShape shape{.inputs = 1, .outputs = 2, .noise = NoiseKind::constant, .noise_link = link};
    const model::Mlp network = initial_network(shape, 1, 0, 0);
    ASSERT_EQ(network.constant_noise().size(), 2U);
    for (const float raw : network.constant_noise())
      EXPECT_NEAR(link == NoiseLink::exp ? std::exp(raw) : std::log1p(std::exp(raw)), 1, 1e-6);
  }
}

TEST(InitialNetwork, DrawsFrequenciesAfterAllElse) {
  const model::MlpShape shape{.inputs = 3, .hidden = {4}, .noise = NoiseKind::constant, .frequencies = 2};
  const model::Mlp network = initial_network(shape, 7, 1, 0, 0.5);
  base::RandomStream random({.seed = 7, .purpose = base::Purpose::initial_weights, .member = 1});
  const std::size_t drawn = (15 * 4 + 4) + (4 + 1);
  for (std::size_t i = 0; i < drawn; ++i) random.uniform(-1, 1);
  for (const float value : network.frequencies()) EXPECT_EQ(value, static_cast<float>(0.5 * random.normal()));
  const model::Mlp unscaled = initial_network(shape, 7, 1, 0);
  EXPECT_TRUE(std::ranges::equal(network.parameters().first(network.prior_size()),
                                 unscaled.parameters().first(network.prior_size())));
  for (const float value : unscaled.frequencies()) EXPECT_EQ(value, 0);
}

TEST(InitialNetwork, SpreadsFrequenciesByTheBandwidth) {
  const model::Mlp network = initial_network({.inputs = 500, .hidden = {1}, .frequencies = 8}, 1, 0, 0, 2);
  double squares = 0;
  for (const float value : network.frequencies()) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(std::sqrt(squares / 4000), 2, 5 * 2 / std::sqrt(2 * 4000.0));
}

TEST(TrainMember, ExplainsDataBetterThanAConstant) {
  const TrainingSet rows = wavy_rows(300, 1);
  const TrainedMember trained = train(rows, {.hidden = {{32, 16}}, .epochs = 60, .batch = 32, .learning_rate = 3e-3});
  EXPECT_EQ(trained.attempt, 0U);
  EXPECT_LT(trained.final_loss, -0.2);  // the constant has 0.5, the truth about -0.7
  EXPECT_EQ(trained.final_loss, mean_loss(*trained.member.network, rows));
}

TEST(TrainMember, DependsOnItsNameAlone) {
  const TrainingSet rows = wavy_rows(50, 1);
  const FitOptions options{.hidden = {{8}}, .epochs = 3, .batch = 16, .seed = 5};
  const TrainedMember trained = train(rows, options, 2);
  EXPECT_TRUE(same_parameters(*trained.member.network, *train(rows, options, 2).member.network));
  EXPECT_FALSE(same_parameters(*trained.member.network, *train(rows, options, 3).member.network));
}

TEST(TrainMember, TakesABatchBeyondTheRowsAsAllRows) {
  const TrainingSet rows = wavy_rows(50, 1);
  const TrainedMember exact = train(rows, {.hidden = {{8}}, .epochs = 3, .batch = 50});
  const TrainedMember beyond = train(rows, {.hidden = {{8}}, .epochs = 3, .batch = 5000000});
  EXPECT_TRUE(same_parameters(*exact.member.network, *beyond.member.network));
}

TEST(TrainMember, ReportsEveryEpoch) {
  const TrainingSet rows = wavy_rows(20, 1);
  const FitOptions options = paper({.hidden = {{4}}, .epochs = 4});
  std::vector<std::size_t> seen;
  train_member(rows, options, 0, [&](std::size_t done) { seen.push_back(done); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3, 4}));
}

TEST(TrainMember, StopsWhenAsked) {
  const TrainingSet rows = wavy_rows(20, 1);
  std::stop_source stop;
  const FitOptions options = paper({.hidden = {{4}}, .epochs = 1000000, .stop = stop.get_token()});
  const auto stop_in_third_epoch = [&](std::size_t done) {
    if (done == 3) stop.request_stop();
  };
  try {
    train_member(rows, options, 7, stop_in_third_epoch);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

TEST(TrainMember, KeepsTheEpochWithTheLowestValidationLoss) {
  const TrainingSet rows = wavy_rows(24, 1);
  const TrainingSet validation = wavy_rows(200, 2);
  FitOptions options{
      .hidden = {{64, 64}}, .epochs = 60, .batch = 8, .learning_rate = 5e-3, .schedule = Schedule::constant};
  options.patience = 8;
  const FitOptions planned = paper(options);
  std::size_t epochs_run = 0;
  const TrainedMember stopped =
      train_member({rows, validation}, planned, 0, [&](std::size_t done) { epochs_run = done; });

  // With a constant rate the first epochs of a long training are a short training.
  std::size_t best_epoch = 0;
  double best_loss = 1e300;
  std::optional<model::Mlp> best;
  for (std::size_t epoch = 1; epoch <= epochs_run; ++epoch) {
    options.epochs = epoch;
    const model::Mlp network = *train(rows, options).member.network;
    const double loss = mean_loss(network, validation);
    if (loss >= best_loss) continue;
    best_loss = loss;
    best_epoch = epoch;
    best = network;
  }
  EXPECT_TRUE(same_parameters(*stopped.member.network, *best));
  EXPECT_EQ(epochs_run, best_epoch + 8);
  EXPECT_LT(epochs_run, 60U);
  EXPECT_EQ(stopped.final_loss, mean_loss(*best, rows));
}

TEST(TrainMember, NamesTheMemberThatDivergesInEveryAttempt) {
  const TrainingSet rows = wavy_rows(64, 1);
  try {
    train(rows, {.hidden = {{16, 16}}, .epochs = 5, .learning_rate = 1e6}, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::numerical);
    EXPECT_THAT(error.what(), HasSubstr("member 3 diverged in each of 4 attempts"));
  }
}

TEST(TrainMember, TrainsAgainWhatDivergedOnce) {
  const TrainingSet rows = wavy_rows(64, 1);
  const FitOptions options{
      .hidden = {{8}}, .epochs = 3, .batch = 8, .learning_rate = 1.0, .schedule = Schedule::constant};
  std::size_t retried = 0;
  for (std::size_t member = 0; member < 30; ++member) {
    try {
      const TrainedMember trained = train(rows, options, member);
      EXPECT_LE(trained.final_loss, divergence_limit(rows, NoiseKind::shared));
      if (trained.attempt == 0) continue;
      ++retried;
      const model::Mlp first = initial_network(trained.member.network->shape(), options.seed, member, 0);
      EXPECT_FALSE(same_parameters(*trained.member.network, first));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::numerical);
    }
  }
  EXPECT_GT(retried, 0U);
}

/// Minimises sum_i u_i (y_i - w^T x_i)^2 / v_i + lambda |w|^2 over w, x with a last component 1: w = A^-1 b.
std::vector<double> ridge(const RandomRows& data, double lambda) {
  const std::size_t p = data.inputs.cols() + 1;
  Matrix a(p, p);
  std::vector<double> b(p);
  for (std::size_t i = 0; i < data.inputs.rows(); ++i) {
    std::vector<double> x(data.inputs.row(i).begin(), data.inputs.row(i).end());
    x.push_back(1);
    const double precision = data.weights[i] / (data.noise_std(i, 0) * data.noise_std(i, 0));
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) a(j, k) += precision * x[j] * x[k];
      b[j] += precision * x[j] * data.targets(i, 0);
    }
  }
  for (std::size_t j = 0; j < p; ++j) a(j, j) += lambda;
  const Matrix s = math::inverse_transpose(*math::cholesky(a));  // A^-1 = S S^T
  std::vector<double> half(p);
  std::vector<double> w(p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) half[j] += s(k, j) * b[k];
  }
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) w[j] += s(j, k) * half[k];
  }
  return w;
}

TEST(TrainMember, IsWeightedRidgeRegressionWithoutHiddenLayersUnderKnownNoise) {
  constexpr double lambda = 20;
  RandomRows data = random_rows({.rows = 60, .inputs = 3, .noise = true, .weights = true}, 12);
  for (std::size_t i = 0; i < 60; ++i) {
    data.targets(i, 0) = static_cast<float>(data.inputs(i, 0) - 2 * data.inputs(i, 1) + 0.5 + 0.1 * data.targets(i, 0));
  }
  const TrainedMember trained = train(data.training_set(), {.hidden = {{}},
                                                            .epochs = 3000,
                                                            .batch = 60,
                                                            .learning_rate = 0.05,
                                                            .schedule = Schedule::cosine,
                                                            .prior_precision = lambda,
                                                            .noise = NoiseKind::known});
  const std::vector<double> expected = ridge(data, lambda);
  const Matrix weight = trained.member.network->mean_weight();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weight(0, j), expected[j], 1e-4);
  EXPECT_NEAR(trained.member.network->mean_bias()[0], expected[3], 1e-4);
}

/// The largest component of the gradient of the plain reference with a prior of one precision per layer.
double steepest(const PlainNetwork& network, const PlainRows& rows, std::span<const double> precision, double total) {
  const PlainNetwork likelihood = plain_gradient(network, rows, 0);
  double largest = 0;
  for (std::size_t layer = 0; layer < network.weight.size(); ++layer) {
    for (std::size_t i = 0; i < network.weight[layer].values().size(); ++i) {
      const double prior = precision[layer] / total * network.weight[layer].values()[i];
      largest = std::max(largest, std::abs(likelihood.weight[layer].values()[i] + prior));
    }
  }
  return largest;
}

TEST(TrainMember, EndsWhereTheLikelihoodBalancesThePriorOfEachLayer) {
  RandomRows data = random_rows({.rows = 40, .inputs = 2, .noise = true}, 3);
  for (std::size_t i = 0; i < 40; ++i) data.targets(i, 0) = std::sin(2.0 * data.inputs(i, 0)) + data.inputs(i, 1);
  const TrainedMember trained = train(data.training_set(), {.hidden = {{4}},
                                                            .activation = {Activation::tanh},
                                                            .epochs = 20000,
                                                            .batch = 40,
                                                            .learning_rate = 0.02,
                                                            .schedule = Schedule::cosine,
                                                            .prior_precision = 0.5,
                                                            .hidden_precision = {4},
                                                            .noise = NoiseKind::known});
  const PlainNetwork network = plain_network(*trained.member.network);
  const Matrix known = data.known_variance();
  const PlainRows rows{.inputs = data.inputs, .targets = data.targets, .known_variance = known, .weights = {}};
  EXPECT_LT(steepest(network, rows, std::array{4.0, 0.5}, 40), 1e-4);
  EXPECT_GT(steepest(network, rows, std::array{0.5, 0.5}, 40), 1e-2);
}

std::vector<double> all_rates(Schedule schedule, std::size_t epochs) {
  std::vector<double> rates;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    rates.push_back(scheduled_rate(schedule, 8, {.epoch = epoch, .epochs = epochs, .step = epoch, .steps = epochs}));
  }
  return rates;
}

TEST(ScheduledRate, StaysConstant) {
  EXPECT_EQ(all_rates(Schedule::constant, 3), (std::vector<double>{8, 8, 8}));
}

TEST(ScheduledRate, DropsToATenthInTheLastFiveEpochs) {
  const std::vector<double> expected{8, 8, 0.8, 0.8, 0.8, 0.8, 0.8};
  const auto rates = all_rates(Schedule::drop_last_five, 7);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_DOUBLE_EQ(rates[i], expected[i]);
}

TEST(ScheduledRate, HalvesInEachOfTheLastFiveEpochs) {
  EXPECT_EQ(all_rates(Schedule::halve_last_five, 7), (std::vector<double>{8, 8, 4, 2, 1, 0.5, 0.25}));
}

TEST(ScheduledRate, TakesAllEpochsForTheLastFiveIfThereAreFewer) {
  EXPECT_EQ(all_rates(Schedule::halve_last_five, 2), (std::vector<double>{4, 2}));
  EXPECT_DOUBLE_EQ(all_rates(Schedule::drop_last_five, 1).front(), 0.8);
}

TEST(ScheduledRate, RisesWithinFiftyStepsAndThenFollowsHalfACosineToZero) {
  const auto rates = all_rates(Schedule::cosine, 1050);
  EXPECT_DOUBLE_EQ(rates[0], 8.0 / 51);
  EXPECT_DOUBLE_EQ(rates[49], 8.0 * 50 / 51);
  EXPECT_DOUBLE_EQ(rates[50], 8);
  EXPECT_DOUBLE_EQ(rates[300], 4 + 4 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rates[550], 4);
  EXPECT_NEAR(rates[1049], 0, 1e-4);
}

TEST(ScheduledRate, HasNoRiseWhereStepsAreFew) {
  const auto rates = all_rates(Schedule::cosine, 4);
  EXPECT_DOUBLE_EQ(rates[0], 8);
  EXPECT_DOUBLE_EQ(rates[1], 4 + 4 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rates[2], 4);
  EXPECT_DOUBLE_EQ(rates[3], 4 - 4 * std::sqrt(0.5));
}

}  // namespace
}  // namespace credens::learn
