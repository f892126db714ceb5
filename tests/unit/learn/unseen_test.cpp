// SPDX-License-Identifier: Apache-2.0

#include "learn/unseen.hpp"

#include <credens/fit.hpp>
#include <credens/widen.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "data/schema.hpp"
#include "learn/gradient.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/plain_loss.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

TEST(DrawnValue, SpreadsMembersEvenly) {
  for (const std::size_t count : {2, 3, 7}) {
    std::vector<std::size_t> drawn(count);
    for (std::size_t member = 0; member < 100; ++member) {
      ++drawn[drawn_value({.seed = 5, .member = member, .column = 2, .code = 1}, count)];
    }
    const double expected = 100.0 / static_cast<double>(count);
    for (const std::size_t times : drawn) EXPECT_NEAR(static_cast<double>(times), expected, 3) << count;
  }
}

TEST(CompleteTables, CopiesRowsThatWereTrained) {
  model::Mlp network({.inputs = 1, .hidden = {4}, .tables = {{.rows = 6, .width = 2}}});
  std::iota(network.tables().begin(), network.tables().end(), 0.0F);
  const std::vector<float> before(network.tables().begin(), network.tables().end());
  complete_tables({true, false, true, true, false, false}, 1, 3, network);
  const std::set<float> trained = {0, 4, 6};  // what the rows that were used begin with
  for (std::size_t row = 0; row < 6; ++row) {
    const float first = network.tables()[2 * row];
    EXPECT_TRUE(trained.contains(first)) << row;
    EXPECT_EQ(network.tables()[2 * row + 1], first + 1);
    if (row == 0 || row == 2 || row == 3) {
      EXPECT_EQ(first, before[2 * row]);
    }
  }
}

/// A table is a first layer that sees each word as an input of its own, in two factors: with E [codes x w] the table
/// and V [units x w] the weights of its vector, the layer has V E^T there. So its gradient G gives G E for V and G^T V
/// for E.
TEST(GradientPass, EqualsThatOfOneInputForEachWord) {
  constexpr std::size_t codes = 5;
  constexpr std::size_t numbers = 2;
  const model::MlpShape shape{.inputs = numbers,
                              .hidden = {9, 6},
                              .activation = Activation::silu,
                              .flags = 1,
                              .tables = {{.rows = codes, .width = 3}}};
  const model::MlpShape plain_shape{.inputs = numbers + 1 + codes, .hidden = {9, 6}, .activation = Activation::silu};
  const model::Mlp network = initial_network(shape, 4, 0, 0, 1);

  RandomRows rows = random_rows({.rows = 12, .inputs = numbers + 1 + codes}, 3);
  TrainingSet set = rows.training_set();
  set.inputs = numbers;
  set.flags = 1;
  set.tables = shape.tables;
  for (std::size_t i = 0; i < set.rows; ++i) {
    const std::size_t code = i * 7 % codes;
    float* const row = set.input_values.data() + i * set.input_stride;
    std::fill(row + numbers + 1, row + set.input_stride, 0.0F);
    row[numbers + 1] = static_cast<float>(code);
    for (std::size_t c = 0; c < codes; ++c) rows.inputs(i, numbers + 1 + c) = c == code ? 1 : 0;
  }

  PlainNetwork plain = plain_network(model::Mlp(plain_shape));
  const PlainNetwork own = plain_network(network);
  plain.weight[1] = own.weight[1];
  plain.weight[2] = own.weight[2];
  plain.bias = own.bias;
  const auto table = [&](std::size_t code, std::size_t j) {
    return static_cast<double>(network.tables()[3 * code + j]);
  };
  for (std::size_t out = 0; out < 9; ++out) {
    for (std::size_t in = 0; in <= numbers; ++in) plain.weight[0](out, in) = own.weight[0](out, in);
    for (std::size_t c = 0; c < codes; ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += own.weight[0](out, numbers + 1 + j) * table(c, j);
      plain.weight[0](out, numbers + 1 + c) = sum;
    }
  }

  std::vector<std::uint32_t> order(set.rows);
  std::iota(order.begin(), order.end(), 0U);
  GradientPass pass(shape, set.rows);
  const double loss = pass.run(network, BackwardWeights(network), set, order);
  const Matrix no_noise;
  const PlainRows view{.inputs = rows.inputs, .targets = rows.targets, .known_variance = no_noise, .weights = {}};
  EXPECT_NEAR(loss, plain_loss(plain, view, 0), 1e-5);
  EXPECT_NEAR(mean_loss(network, set), plain_loss(plain, view, 0), 1e-5);

  const PlainNetwork expected = plain_gradient(plain, view, 0);
  model::Mlp fast(shape);
  std::ranges::copy(pass.gradient(), fast.parameters().begin());
  const auto weight = fast.weight(0);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t out = 0; out < 9; ++out) {
      double sum = 0;
      for (std::size_t c = 0; c < codes; ++c) sum += expected.weight[0](out, numbers + 1 + c) * table(c, j);
      EXPECT_NEAR(weight(out, numbers + 1 + j), sum, 1e-6);
    }
    for (std::size_t c = 0; c < codes; ++c) {
      double sum = 0;
      for (std::size_t out = 0; out < 9; ++out) {
        sum += expected.weight[0](out, numbers + 1 + c) * own.weight[0](out, numbers + 1 + j);
      }
      EXPECT_NEAR(fast.tables()[3 * c + j], sum, 1e-6);
    }
  }
  EXPECT_EQ(std::ranges::count(pass.used_rows(), true), 5);
}

/// 300 rows: a word that moves the target by up to 2, a word that does not, and a number that does.
Dataset words(std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  DatasetParts parts{.inputs = Matrix(300, 3),
                     .targets = Matrix(300, 1),
                     .input_kinds = {ColumnKind::category, ColumnKind::category, ColumnKind::number},
                     .input_levels = {{"a", "b", "c", "d"}, {"e", "f", "g"}, {}}};
  for (std::size_t i = 0; i < 300; ++i) {
    const double shifts[] = {2, -2, 0, 1};
    const std::size_t word = random.below(4);
    parts.inputs(i, 0) = static_cast<double>(word);
    parts.inputs(i, 1) = static_cast<double>(random.below(3));
    parts.inputs(i, 2) = random.normal();
    parts.targets(i, 0) = shifts[word] + parts.inputs(i, 2) + 0.2 * random.normal();
  }
  return Dataset(std::move(parts));
}

struct Uncertainty {
  double noise = 0;
  double ignorance = 0;
};

/// Root means over rows whose column `col` is `value`; the others as in `rows`.
Uncertainty with(const Ensemble& ensemble, const Dataset& rows, std::size_t col, double value) {
  Matrix inputs(rows.rows(), 3);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::ranges::copy(rows.inputs().row(i), inputs.row(i).begin());
    inputs(i, col) = value;
  }
  const Predictive predictive = ensemble.predict(inputs);
  const Matrix noise = predictive.aleatoric_variance();
  const Matrix ignorance = predictive.epistemic_variance();
  Uncertainty mean;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    mean.noise += noise(i, 0) / static_cast<double>(rows.rows());
    mean.ignorance += ignorance(i, 0) / static_cast<double>(rows.rows());
  }
  return {std::sqrt(mean.noise), std::sqrt(mean.ignorance)};
}

FitOptions quick(int threads = 2) {
  return {.members = 20,
          .hidden = {{32, 16}},
          .epochs = 60,
          .batch = 32,
          .learning_rate = {0.005},
          .seed = 3,
          .threads = threads};
}

TEST(UnseenWords, RaiseIgnoranceAndNotNoise) {
  const Dataset train = words(1);
  const Ensemble ensemble = fit(train, quick());
  const double levels[] = {4, 3};
  for (const std::size_t col : {0, 1}) {
    std::vector<Uncertainty> seen;
    for (double level = 0; level < levels[col]; ++level) seen.push_back(with(ensemble, train, col, level));
    double noise = 0;
    double ignorance = 0;
    for (const Uncertainty& one : seen) {
      noise += one.noise / levels[col];
      ignorance = std::max(ignorance, one.ignorance);
    }
    for (const double unseen : {levels[col], gap}) {
      const Uncertainty found = with(ensemble, train, col, unseen);
      EXPECT_NEAR(found.noise, noise, 0.1 * noise) << col;
      if (col == 0) {
        EXPECT_GT(found.ignorance, 3 * ignorance);
        EXPECT_NEAR(found.ignorance, 1.48, 0.4);  // the standard deviation of 2, -2, 0, 1
      } else {
        EXPECT_LT(found.ignorance, 0.15);
      }
    }
  }
}

TEST(MissingNumbers, RaiseIgnoranceWhereNoneWasMissing) {
  const Dataset train = words(1);
  const Ensemble ensemble = fit(train, quick());
  const Uncertainty known = with(ensemble, train, 2, 0.3);
  const Uncertainty missing = with(ensemble, train, 2, gap);
  EXPECT_GT(missing.ignorance, 3 * known.ignorance);
  EXPECT_NEAR(missing.ignorance, 1, 0.35);  // the standard deviation of the number
  EXPECT_NEAR(missing.noise, known.noise, 0.1 * known.noise);
}

TEST(Words, GiveTheSameForAnyNumberOfThreads) {
  const Dataset train = words(2);
  const Predictive one = fit(train, quick(1)).predict(train.inputs());
  const Predictive two = fit(train, quick(2)).predict(train.inputs());
  const Matrix first = one.mean();
  const Matrix second = two.mean();
  for (std::size_t i = 0; i < train.rows(); ++i) EXPECT_EQ(first(i, 0), second(i, 0));
}

/// The rows of `data` with the levels of its first column in another order.
Dataset with_other_codes(const Dataset& data) {
  DatasetParts parts{.inputs = Matrix(data.rows(), 3), .targets = Matrix(data.rows(), 1)};
  for (const data::Column& input : data.schema().inputs) {
    parts.input_kinds.push_back(input.kind);
    parts.input_levels.push_back(input.levels);
  }
  std::ranges::reverse(parts.input_levels[0]);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (std::size_t col = 0; col < 3; ++col) parts.inputs(row, col) = data.inputs()(row, col);
    parts.inputs(row, 0) = 3 - parts.inputs(row, 0);
    parts.targets(row, 0) = data.targets()(row, 0);
  }
  return Dataset(std::move(parts));
}

TEST(OtherCodes, GiveTheSameWidth) {
  const Dataset train = words(5);
  const Dataset other = with_other_codes(train);
  const Ensemble model = fit(train, {.members = 2, .hidden = {{8}}, .epochs = 5});
  const WidenOptions full{.posterior = PosteriorKind::full};
  EXPECT_EQ(widen(model, other, full).gamma(), widen(model, train, full).gamma());
  EXPECT_EQ(model.inputs_of(other), model.inputs_of(train));
}

TEST(OtherCodes, StopTrainingAlike) {
  const Dataset train = words(5);
  const Dataset validation = words(6);
  const Dataset other = with_other_codes(validation);
  FitOptions options{.recipe = Recipe::paper, .members = 1, .hidden = {{8}}, .epochs = 30};
  options.validation = &validation;
  const Ensemble one = fit(train, options);
  options.validation = &other;
  EXPECT_EQ(fit(train, options).gamma(), one.gamma());
}

}  // namespace
}  // namespace credens::learn
