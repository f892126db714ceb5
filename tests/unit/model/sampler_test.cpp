// SPDX-License-Identifier: Apache-2.0

#include "model/member_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "math/linalg.hpp"
#include "support/effort.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

const std::size_t many_draws = 1'000'000 / test::stride_of_cases(100);

double value_of(const Samples& samples, std::size_t draw, std::size_t row, std::size_t output) {
  return samples.values[(draw * samples.rows + row) * samples.outputs + output];
}

/// The mean of f over the draws, and its Monte Carlo standard error.
struct Estimate {
  double mean = 0;
  double error = 0;
};

template <class Function>
Estimate estimate(std::size_t draws, const Function& f) {
  double sum = 0;
  double squares = 0;
  for (std::size_t j = 0; j < draws; ++j) {
    const double value = f(j);
    sum += value;
    squares += value * value;
  }
  const double n = static_cast<double>(draws);
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(squares / n - mean * mean, 0.0) / n)};
}

/// The moments of the draws at each row agree with the exact ones within 5 Monte Carlo standard errors.
void expect_moments(const Samples& samples, const Matrix& mean, const std::function<Matrix(std::size_t)>& covariance) {
  for (std::size_t row = 0; row < samples.rows; ++row) {
    const Matrix exact = covariance(row);
    for (std::size_t a = 0; a < samples.outputs; ++a) {
      const auto deviation = [&](std::size_t j, std::size_t k) { return value_of(samples, j, row, k) - mean(row, k); };
      const Estimate first = estimate(samples.draws, [&](std::size_t j) { return deviation(j, a); });
      EXPECT_NEAR(first.mean, 0, 5 * first.error + 1e-12) << "row " << row << ", output " << a;
      for (std::size_t b = 0; b <= a; ++b) {
        const Estimate second =
            estimate(samples.draws, [&](std::size_t j) { return deviation(j, a) * deviation(j, b); });
        EXPECT_NEAR(second.mean, exact(a, b), 5 * second.error + 1e-12) << "row " << row << ", " << a << ' ' << b;
      }
    }
  }
}

class SampleOfRung : public testing::TestWithParam<std::tuple<PosteriorKind, bool>> {};

TEST_P(SampleOfRung, HasTheMomentsOfTheRegressionFunction) {
  const auto [kind, random_bias] = GetParam();
  const Ensemble ensemble = random_ensemble(
      {.hidden = {3}, .posterior = kind, .random_bias = random_bias, .weights = {0.5, 0.125, 0.375}, .seed = 4});
  const Matrix inputs = random_matrix(2, 3, 5);
  const Predictive exact = ensemble.predict(inputs);
  const Samples samples = ensemble.sample(inputs, {.draws = many_draws, .seed = 6});
  expect_moments(samples, exact.mean(), [&](std::size_t row) { return exact.epistemic_covariance(row); });

  const std::vector<Matrix> joint = ensemble.joint_epistemic_covariance(inputs);
  const Estimate across = estimate(many_draws, [&](std::size_t j) {
    return (value_of(samples, j, 0, 1) - exact.mean()(0, 1)) * (value_of(samples, j, 1, 1) - exact.mean()(1, 1));
  });
  EXPECT_NEAR(across.mean, joint[1](0, 1), 5 * across.error);
}

INSTANTIATE_TEST_SUITE_P(Ladder, SampleOfRung,
                         testing::Values(std::tuple(PosteriorKind::delta, false),
                                         std::tuple(PosteriorKind::isotropic, false),
                                         std::tuple(PosteriorKind::diagonal, true),
                                         std::tuple(PosteriorKind::full, false),
                                         std::tuple(PosteriorKind::full, true)));

TEST(Sample, OfObservationsHasTheTotalMoments) {
  const Ensemble ensemble = random_ensemble({.hidden = {3}, .seed = 4});
  const Matrix inputs = random_matrix(1, 3, 5);
  const Matrix noise_std(1, 2, {0.5, 2.0});
  const Predictive exact = ensemble.predict(inputs, {.noise_std = noise_std});
  const Samples samples =
      ensemble.sample(inputs, {.draws = many_draws, .of = Draw::observation, .seed = 6, .noise_std = noise_std});
  expect_moments(samples, exact.mean(), [&](std::size_t row) { return exact.total_covariance(row); });
}

TEST(Sample, OfAPointIsAMembersMean) {
  const Ensemble ensemble = random_ensemble({.posterior = PosteriorKind::delta, .weights = {0.5, 0.0, 0.5}});
  const Matrix inputs = random_matrix(4, 3, 5);
  const MixtureComponents components = ensemble.predict(inputs).components();
  const Samples samples = ensemble.sample(inputs, {.draws = 50});
  std::size_t first_member = 0;
  for (std::size_t j = 0; j < 50; ++j) {
    const std::size_t member = value_of(samples, j, 0, 0) == components.mean[0] ? 0 : 2;
    first_member += member == 0 ? 1 : 0;
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(value_of(samples, j, row, k), components.mean[(row * 3 + member) * 2 + k]);
      }
    }
  }
  EXPECT_GT(first_member, 0U);
  EXPECT_LT(first_member, 50U);
}

// Functions of one member are m + dW phi: over any number of rows their deviations have rank at most P.
TEST(Sample, OfFunctionsLiesInTheSpanOfTheFeatures) {
  const Ensemble ensemble = random_ensemble({.members = 1, .hidden = {4}, .outputs = 1, .random_bias = true});
  const Matrix inputs = random_matrix(12, 3, 5);
  const Matrix mean = ensemble.predict(inputs).mean();
  const Samples samples = ensemble.sample(inputs, {.draws = 30});
  Matrix gram(12, 12);
  for (std::size_t j = 0; j < 30; ++j) {
    for (std::size_t a = 0; a < 12; ++a) {
      for (std::size_t b = 0; b < 12; ++b) {
        gram(a, b) += (value_of(samples, j, a, 0) - mean(a, 0)) * (value_of(samples, j, b, 0) - mean(b, 0));
      }
    }
  }
  const std::vector<double> eigenvalues = math::symmetric_eigenvalues(gram);
  EXPECT_LT(eigenvalues[12 - 6], 1e-10 * eigenvalues.back());
  EXPECT_GT(eigenvalues[12 - 5], 1e-6 * eigenvalues.back());
}

TEST(Sample, DependsOnSeedDrawAndRowAlone) {
  const Ensemble ensemble = random_ensemble({.hidden = {3}, .posterior = PosteriorKind::full});
  const Matrix inputs = random_matrix(1500, 3, 5);
  for (const Draw of : {Draw::function, Draw::observation}) {
    const Samples whole = ensemble.sample(inputs, {.draws = 70, .of = of, .seed = 9, .threads = 1});
    EXPECT_EQ(whole.values, ensemble.sample(inputs, {.draws = 70, .of = of, .seed = 9, .threads = 4}).values);
    EXPECT_NE(whole.values, ensemble.sample(inputs, {.draws = 70, .of = of, .seed = 10}).values);
    const Samples fewer_draws = ensemble.sample(inputs, {.draws = 20, .of = of, .seed = 9});
    EXPECT_TRUE(std::ranges::equal(fewer_draws.values, std::span(whole.values).first(fewer_draws.values.size())));
    const Samples fewer_rows = ensemble.sample(inputs.view().row_block(0, 3), {.draws = 70, .of = of, .seed = 9});
    for (std::size_t j = 0; j < 70; ++j) {
      for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_EQ(value_of(fewer_rows, j, row, 1), value_of(whole, j, row, 1));
      }
    }
  }
}

TEST(Sample, OfSomeRowsAtATimeEqualsThatOfAll) {
  const Ensemble ensemble = random_ensemble({.hidden = {3}, .posterior = PosteriorKind::full});
  const Matrix inputs = random_matrix(1500, 3, 5);
  const SampleOptions options{.draws = 40, .of = Draw::observation, .seed = 9};
  const Samples whole = ensemble.sample(inputs, options);
  for (std::size_t first = 0; first < 1500; first += 700) {
    const std::size_t count = std::min<std::size_t>(700, 1500 - first);
    const MatrixView some = inputs.view().row_block(first, count);
    const Samples part = draw_samples(ensemble.state(), networks_at(ensemble.state(), some, {}), options, first);
    for (std::size_t j = 0; j < 40; ++j) {
      const auto expected = std::span(whole.values).subspan((j * 1500 + first) * whole.outputs, count * whole.outputs);
      const auto found = std::span(part.values).subspan(j * count * whole.outputs, count * whole.outputs);
      EXPECT_TRUE(std::ranges::equal(found, expected)) << first;
    }
  }
}

TEST(Sample, FromArraysEqualsSampleFromNetworks) {
  const Ensemble ensemble = random_ensemble({.posterior = PosteriorKind::diagonal, .random_bias = true});
  const Matrix inputs = random_matrix(7, 3, 5);
  const MemberOutputs outputs = ensemble.member_outputs(inputs);
  const SampleOptions options{.draws = 40, .of = Draw::observation, .seed = 2};
  EXPECT_EQ(without_networks(ensemble).sample(outputs, options).values, ensemble.sample(inputs, options).values);
}

TEST(Sample, ScalesExactlyWithThePowerOfTwoOfTheTarget) {
  EnsembleState state = random_state({.outputs = 1});
  const Matrix inputs = random_matrix(7, 3, 5);
  const SampleOptions options{.draws = 40, .of = Draw::observation};
  const Samples before = ensemble_of(state).sample(inputs, options);
  state.target_scaler.scale[0] *= 1024;
  state.target_scaler.shift[0] *= 1024;
  const Samples after = ensemble_of(state).sample(inputs, options);
  for (std::size_t i = 0; i < before.values.size(); ++i) EXPECT_EQ(after.values[i], 1024 * before.values[i]);
}

TEST(Sample, OfNoRowsIsEmpty) {
  EXPECT_TRUE(random_ensemble({}).sample(Matrix(0, 3)).values.empty());
}

TEST(Sample, StopsWhereItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT([&] { random_ensemble({}).sample(random_matrix(7, 3, 5), {.stop = stop.get_token()}); },
              test::Fails(ErrorCode::interrupted, "stopped while drawing"));
}

TEST(Sample, RefusesWhatMakesNoSense) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(7, 3, 5);
  EXPECT_THAT([&] { ensemble.sample(inputs, {.draws = 0}); }, test::Fails(ErrorCode::usage, "draws is 0"));
  EXPECT_THAT([&] { ensemble.sample(inputs, {.draws = std::size_t{1} << 60}); },
              test::Fails(ErrorCode::usage, "values, expected at most"));
  EXPECT_THAT([&] { ensemble.sample(inputs, {.threads = -2}); }, test::Fails(ErrorCode::usage, "threads"));
  const MemberOutputs outputs = ensemble.member_outputs(inputs);
  EXPECT_THAT([&] { ensemble.sample(outputs, {.noise_std = Matrix(7, 2, 1.0)}); },
              test::Fails(ErrorCode::usage, "holds all noise already"));
}

}  // namespace
}  // namespace credens::model
