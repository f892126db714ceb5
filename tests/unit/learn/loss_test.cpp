// SPDX-License-Identifier: Apache-2.0

#include "learn/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/train_members.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t rows = 6;
constexpr std::size_t outputs = 2;

/// The loss by its formula, of head values [n x (q + units)] followed by q raw values of constant noise.
struct PlainBetaLoss {
  const TrainingSet& data;
  model::MlpShape shape;
  double beta;

  double variance(const std::vector<double>& values, std::size_t i, std::size_t k) const {
    const auto known = static_cast<double>(data.known(i, k));
    if (shape.noise == NoiseKind::known) return std::max(known, model::noise_floor);
    const std::size_t units = shape.head_units();
    const std::size_t at = shape.noise == NoiseKind::constant ? rows * units + k
                           : shape.noise == NoiseKind::shared ? i * units + outputs
                                                              : i * units + outputs + k;
    const double learned = shape.noise_link == NoiseLink::exp ? std::exp(values[at]) : std::log1p(std::exp(values[at]));
    return learned + model::noise_floor + known;
  }

  /// (1 / n) sum_i u_i sum_k v(fixed)^beta l_ik(values).
  double operator()(const std::vector<double>& values, const std::vector<double>& fixed) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < outputs; ++k) {
        const double v = variance(values, i, k);
        const double residual = values[i * shape.head_units() + k] - static_cast<double>(data.targets[i * outputs + k]);
        sum += static_cast<double>(data.weight(i)) * std::pow(variance(fixed, i, k), beta) * 0.5 *
               (residual * residual / v + std::log(v));
      }
    }
    return sum / rows;
  }
};

struct LossRun {
  double loss = 0;
  std::vector<float> delta;  ///< [n x stride]
  std::vector<float> constant;
};

LossRun run(const model::Mlp& network, const TrainingSet& data, const std::vector<double>& values, double beta) {
  const std::size_t units = network.shape().head_units();
  const std::size_t stride = math::row_stride(units);
  base::AlignedVector<float> head(rows * stride);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < units; ++j) head[i * stride + j] = static_cast<float>(values[i * units + j]);
  }
  LossRun result{.delta = std::vector<float>(rows * stride), .constant = std::vector<float>(outputs)};
  const std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5};
  const std::size_t constants = network.constant_noise().size();
  result.loss = GaussianBatchLoss(network.shape(), rows, beta)
                    .run(network, data, order, head.data(), stride, result.delta.data(),
                         std::span(result.constant).first(constants));
  return result;
}

void expect_formula(const model::MlpShape& shape, const TrainingSet& data, double beta) {
  const std::size_t units = shape.head_units();
  base::RandomStream random({.seed = 7, .purpose = base::Purpose::test});
  model::Mlp network(shape);
  std::vector<double> values(rows * units);
  for (double& value : values) value = static_cast<float>(random.uniform(-1.5, 1.5));
  for (float& raw : network.constant_noise()) values.push_back(raw = static_cast<float>(random.uniform(-1, 1)));

  const LossRun fast = run(network, data, values, beta);
  const PlainBetaLoss plain{data, shape, beta};
  EXPECT_NEAR(fast.loss, plain(values, values), 1e-5);
  for (std::size_t j = 0; j < values.size(); ++j) {
    constexpr double step = 1e-4;
    std::vector<double> above = values;
    std::vector<double> below = values;
    above[j] += step;
    below[j] -= step;
    const double slope = (plain(above, values) - plain(below, values)) / (2 * step);
    const bool is_constant = j >= rows * units;
    const float delta =
        is_constant ? fast.constant[j - rows * units] : fast.delta[j / units * math::row_stride(units) + j % units];
    EXPECT_NEAR(delta, slope, 1e-5) << "value " << j;
  }
}

TEST(BatchLoss, WeighsRowsByAPowerOfTheirNoiseHeldFixed) {
  for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
    for (const NoiseLink link : {NoiseLink::exp, NoiseLink::softplus}) {
      for (const double beta : {0.0, 0.5, 1.0}) {
        const model::MlpShape shape{.inputs = 2, .hidden = {3}, .outputs = outputs, .noise = noise, .noise_link = link};
        SCOPED_TRACE(NetworkCase{.shape = shape}.text() + fmt::format(", beta {}", beta));
        const RowsShape with_noise{.rows = rows, .inputs = 2, .outputs = outputs, .noise = true, .weights = true};
        expect_formula(shape, random_rows(with_noise, 2).training_set(), beta);
      }
    }
  }
}

TEST(BatchLoss, ShowsTheMeanPlainSquaredErrorsWithBetaOne) {
  const model::MlpShape shape{.inputs = 2, .hidden = {3}, .outputs = outputs, .noise_link = NoiseLink::exp};
  const TrainingSet data = random_rows({.rows = rows, .inputs = 2, .outputs = outputs}, 3).training_set();
  const std::vector<double> values{0, 0, -3, 0, 0, 2, 0, 0, -3, 0, 0, 2, 0, 0, -3, 0, 0, 2};
  const LossRun fast = run(model::Mlp(shape), data, values, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_NEAR(fast.delta[i * math::row_stride(3)], -data.targets[i * outputs] / rows, 1e-6);
  }
}

TEST(TrainMembers, CyclesTheLossesPowerOverMembers) {
  const Dataset data = random_rows({.rows = 30, .inputs = 2}, 1).dataset();
  const std::vector<std::size_t> both{0, 1};
  const FitOptions plain = paper({.members = 2, .hidden = {{4}}, .epochs = 2});
  FitOptions mixed = plain;
  mixed.loss_beta = {0, 0.5};
  const TrainingTable table(data);
  const auto expected = train_members(TrainingRows(table, plain), plain, both);
  const auto members = train_members(TrainingRows(table, mixed), mixed, both);
  const auto same = [&](std::size_t l) {
    return std::ranges::equal(members[l].network->parameters(), expected[l].network->parameters());
  };
  EXPECT_TRUE(same(0));
  EXPECT_FALSE(same(1));
}

}  // namespace
}  // namespace credens::learn
