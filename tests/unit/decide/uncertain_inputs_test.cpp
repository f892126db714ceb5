// SPDX-License-Identifier: Apache-2.0

#include <credens/uncertain_inputs.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "math/linalg.hpp"
#include "model/ensemble_state.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using model::random_ensemble;
using model::random_matrix;
using test::Fails;

/// Three inputs, two of them uncertain, with a correlation of -0.6.
UncertainInputs correlated(double scale = 1) {
  const double a = 0.3 * scale;
  const double b = 0.5 * scale;
  return {.columns = {2, 0}, .covariance = Matrix(2, 2, {a * a, -0.6 * a * b, -0.6 * a * b, b * b})};
}

/// Members without hidden layers: their means are linear in the inputs.
Ensemble linear_ensemble() {
  return random_ensemble({.hidden = {}, .noise = NoiseKind::constant});
}

/// Mean of output k of a linear member is b + sum_j slope_j x_j in the units of the data.
std::vector<double> linear_slopes(const Ensemble& ensemble, std::size_t l, std::size_t k) {
  const model::EnsembleState& state = ensemble.state();
  const Matrix weight = state.members[l].network->mean_weight();
  std::vector<double> slopes;
  for (std::size_t j = 0; j < 3; ++j) {
    slopes.push_back(weight(k, j) * state.target_scaler.scale[k] / state.encoder.scaler.scale[j]);
  }
  return slopes;
}

constexpr InputMethod both_methods[] = {InputMethod::draws, InputMethod::first_order};

// Var g^T x = g^T C g, for the mixture's mean and for its spread between members.
TEST(UncertainInputs, OfLinearMembersAddTheirExactVariance) {
  const Ensemble ensemble = linear_ensemble();
  const Matrix inputs = random_matrix(5, 3, 3);
  const UncertainInputs uncertain = correlated();
  const PredictiveMoments exact = ensemble.predict(inputs).moments();
  for (const InputMethod method : both_methods) {
    const Predictive p = predict(ensemble, inputs, uncertain, {.method = method});
    const PredictiveMoments moments = p.moments();
    for (std::size_t i = 0; i < 5; ++i) {
      const Matrix covariance = p.input_covariance(i);
      for (std::size_t a = 0; a < 2; ++a) {
        std::vector<std::vector<double>> mean(2, {0, 0});
        double own = 0;  // mean over members of g_l^T C g_l
        for (std::size_t l = 0; l < 3; ++l) {
          for (std::size_t k = 0; k < 2; ++k) {
            const std::vector<double> g = linear_slopes(ensemble, l, k);
            mean[k][0] += g[2] / 3;
            mean[k][1] += g[0] / 3;
          }
          const std::vector<double> g = linear_slopes(ensemble, l, a);
          own += model::quadratic_form(uncertain.covariance, std::vector{g[2], g[0]}, std::vector{g[2], g[0]}) / 3;
        }
        for (std::size_t b = 0; b < 2; ++b) {
          const double expected = model::quadratic_form(uncertain.covariance, mean[a], mean[b]);
          EXPECT_NEAR(covariance(a, b), expected, 1e-5 * std::abs(expected));
        }
        const double common = model::quadratic_form(uncertain.covariance, mean[a], mean[a]);
        EXPECT_NEAR(moments.input_variance(i, a), common, 1e-5 * common);
        EXPECT_NEAR(moments.mean(i, a), exact.mean(i, a), 1e-5);
        EXPECT_NEAR(moments.aleatoric_variance(i, a), exact.aleatoric_variance(i, a), 1e-9);
        for (std::size_t j = 0; j < 2; ++j) {
          EXPECT_NEAR(p.input_std(j)(i, a), std::abs(mean[a][j]) * std::sqrt(uncertain.covariance(j, j)), 1e-5);
        }
        // What the slopes differ by is ignorance; draws also widen the members' own posterior.
        const double epistemic = exact.epistemic_variance(i, a) + own - common;
        EXPECT_GE(moments.epistemic_variance(i, a), epistemic * (1 - 1e-5));
        if (method == InputMethod::first_order) {
          EXPECT_NEAR(moments.epistemic_variance(i, a), epistemic, 1e-5 * epistemic);
        }
      }
    }
  }
}

double function_at(const Ensemble& ensemble, double x) {
  const Matrix inputs(1, 1, std::vector<double>{x});
  return ensemble.predict(inputs).mean()(0, 0);
}

// cosh: (e^z + e^-z) / 2 of Z normal with standard deviation u has mean e^(u^2 / 2) and variance (e^(2 u^2) + 1) / 2 -
// e^(u^2).
TEST(UncertainInputs, AgreeWithAFunctionThatIsKnown) {
  model::EnsembleState state = model::random_state({.members = 1,
                                                    .inputs = 1,
                                                    .hidden = {2},
                                                    .activation = Activation::elu,
                                                    .outputs = 1,
                                                    .noise = NoiseKind::constant,
                                                    .posterior = PosteriorKind::delta});
  model::Mlp network = *state.members[0].network;
  // elu(z - 5) = e^(z - 5) - 1 wherever z stays below 5.
  network.set_layer(0, BasicMatrix<float>(2, 1, std::vector<float>{1, -1}), std::vector<float>{-5, -5});
  const auto half = static_cast<float>(std::exp(5.0) / 2);
  network.set_layer(1, BasicMatrix<float>(1, 2, std::vector<float>{half, half}), std::vector<float>{2 * half});
  state.members[0].network = std::make_shared<const model::Mlp>(network);
  state.encoder.scaler.shift = {0};
  state.encoder.scaler.scale = {1};
  state.target_scaler.shift = {0};
  state.target_scaler.scale = {1};
  const Ensemble ensemble = model::ensemble_of(std::move(state));
  ASSERT_NEAR(function_at(ensemble, 0.7), std::cosh(0.7), 1e-4);  // what floats leave of it

  const double u = 0.6;
  const Matrix at(1, 1, std::vector<double>{0});
  const UncertainInputs uncertain{.columns = {0}, .std = Matrix(1, 1, u)};
  const Predictive p = predict(ensemble, at, uncertain);
  const double mean = std::exp(u * u / 2);
  const double variance = (std::exp(2 * u * u) + 1) / 2 - std::exp(u * u);
  EXPECT_NEAR(p.mean()(0, 0), mean, 0.002 * mean);
  EXPECT_NEAR(std::sqrt(p.input_variance()(0, 0)), std::sqrt(variance), 0.05 * std::sqrt(variance));
  // At the minimum a first-order propagation sees nothing.
  EXPECT_NEAR(predict(ensemble, at, uncertain, {.method = InputMethod::first_order}).input_variance()(0, 0), 0, 1e-3);
}

/// Mean and standard deviation of what observations and means are, by plain random draws.
struct BruteForce {
  double mean = 0;
  double input_std = 0;
  double total_std = 0;
};

BruteForce brute_force(const Ensemble& ensemble, std::span<const double> row, const UncertainInputs& uncertain,
                       std::size_t draws) {
  const auto lower = math::cholesky(uncertain.covariance);
  base::RandomStream random({.seed = 99});
  Matrix points(draws, row.size());
  for (std::size_t d = 0; d < draws; ++d) {
    std::ranges::copy(row, points.row(d).begin());
    const double z[] = {random.normal(), random.normal()};
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t m = 0; m <= j; ++m) points(d, uncertain.columns[j]) += (*lower)(j, m) * z[m];
    }
  }
  const PredictiveMoments moments = ensemble.predict(points).moments();
  BruteForce result;
  double square = 0;
  double own = 0;
  for (std::size_t d = 0; d < draws; ++d) {
    result.mean += moments.mean(d, 0) / static_cast<double>(draws);
    square += moments.mean(d, 0) * moments.mean(d, 0) / static_cast<double>(draws);
    own += moments.total_variance(d, 0) / static_cast<double>(draws);
  }
  result.input_std = std::sqrt(square - result.mean * result.mean);
  result.total_std = std::sqrt(own + square - result.mean * result.mean);
  return result;
}

// 40,000 draws have an error of 0.4 % of a standard deviation; bench/uncertain_inputs.py has 10^6 for fitted models.
TEST(UncertainInputs, AgreeWithManyRandomDraws) {
  const Ensemble ensemble = random_ensemble({.outputs = 1, .frequencies = 1});
  const Matrix inputs = random_matrix(20, 3, 8, -1, 1);
  const UncertainInputs uncertain = correlated();
  const Predictive p = predict(ensemble, inputs, uncertain);
  const PredictiveMoments moments = p.moments();
  double worst = 0;
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    const BruteForce expected = brute_force(ensemble, inputs.row(i), uncertain, 40000);
    EXPECT_NEAR(moments.mean(i, 0), expected.mean, 0.02 * expected.total_std) << i;
    EXPECT_NEAR(std::sqrt(moments.input_variance(i, 0)), expected.input_std, 0.1 * expected.input_std) << i;
    worst = std::max(worst, std::abs(std::sqrt(moments.total_variance(i, 0)) / expected.total_std - 1));
  }
  EXPECT_LT(worst, 0.02);
}

TEST(UncertainInputs, OfFirstOrderAndByDrawsAgreeWhereErrorsAreSmall) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  const Matrix inputs = random_matrix(20, 3, 8);
  const Matrix draws = predict(ensemble, inputs, correlated(0.02)).input_variance();
  const Matrix slopes =
      predict(ensemble, inputs, correlated(0.02), {.method = InputMethod::first_order}).input_variance();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(draws(i, 0), slopes(i, 0), 0.02 * slopes(i, 0) + 1e-7);
}

TEST(UncertainInputs, WithoutUncertaintyChangeNoBit) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(7, 3, 3);
  const Predictive exact = ensemble.predict(inputs);
  for (const InputMethod method : both_methods) {
    const UncertainInputs none{.columns = {1}, .std = Matrix(1, 1, 0.0)};
    const Predictive p = predict(ensemble, inputs, none, {.method = method});
    EXPECT_EQ(p.components().mean, exact.components().mean);
    EXPECT_EQ(p.total_variance(), exact.total_variance());
    EXPECT_EQ(p.quantile(0.9), exact.quantile(0.9));
    EXPECT_EQ(p.function_interval(0.95).upper, exact.function_interval(0.95).upper);
    EXPECT_EQ(p.input_variance(), Matrix(7, 2));
    EXPECT_EQ(p.input_std(0), Matrix(7, 2));
  }
}

TEST(UncertainInputs, KeepTheLawsOfAMixture) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(4, 3, 3);
  for (const InputMethod method : both_methods) {
    const Predictive p = predict(ensemble, inputs, correlated(), {.method = method});
    EXPECT_EQ(p.members(), 3U);
    const PredictiveMoments m = p.moments();
    const Matrix median = p.quantile(0.5);
    const Matrix cdf = p.cdf(median);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(cdf(i, k), 0.5, 1e-9);
        const double sum = m.aleatoric_variance(i, k) + m.epistemic_variance(i, k) + m.input_variance(i, k);
        EXPECT_NEAR(m.total_variance(i, k), sum, 1e-12 * sum);
        EXPECT_NEAR(p.total_covariance(i)(k, k), sum, 1e-12 * sum);
      }
      EXPECT_TRUE(math::cholesky(p.total_covariance(i)).has_value());
    }
  }
}

TEST(UncertainInputs, DependOnTheSeedAndNotOnRowsOrThreads) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(9, 3, 3);
  const Matrix all = predict(ensemble, inputs, correlated(), {}, {.threads = 1}).total_variance();
  EXPECT_EQ(predict(ensemble, inputs, correlated(), {}, {.threads = 3}).total_variance(), all);
  const Matrix one = predict(ensemble, inputs.view().row_block(4, 1), correlated()).total_variance();
  EXPECT_EQ(one(0, 1), all(4, 1));
  EXPECT_NE(predict(ensemble, inputs, correlated(), {.seed = 1}).total_variance(), all);
}

TEST(UncertainInputs, LeaveMissingCellsAlone) {
  const Ensemble ensemble = [] {
    model::EnsembleState state = model::random_state({});
    for (model::Member& member : state.members) {
      auto network = std::make_shared<model::Mlp>(*member.network);
      network->set_substitutes({0, 0, 0});
      member.network = network;
    }
    return model::ensemble_of(std::move(state));
  }();
  Matrix inputs = random_matrix(1, 3, 3);
  inputs(0, 1) = std::numeric_limits<double>::quiet_NaN();
  const UncertainInputs uncertain{.columns = {1}, .std = Matrix(1, 1, 5.0)};
  for (const InputMethod method : both_methods) {
    EXPECT_NEAR(predict(ensemble, inputs, uncertain, {.method = method}).input_variance()(0, 0), 0, 1e-20);
  }
}

// 4,000 draws of observations have the mixture's mean and variance: standard errors of 1.6 and 2.2 % of the variance.
TEST(UncertainInputs, OfDrawnFunctionsGiveTheSameMoments) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  const Matrix inputs = random_matrix(3, 3, 3);
  const PredictiveMoments expected = predict(ensemble, inputs, correlated()).moments();
  const Samples samples = sample(ensemble, inputs, correlated(), {.draws = 4000, .of = Draw::observation, .seed = 4});
  for (std::size_t i = 0; i < 3; ++i) {
    double mean = 0;
    double square = 0;
    for (std::size_t d = 0; d < 4000; ++d) {
      mean += samples.values[d * 3 + i] / 4000;
      square += samples.values[d * 3 + i] * samples.values[d * 3 + i] / 4000;
    }
    const double variance = expected.total_variance(i, 0);
    EXPECT_NEAR(mean, expected.mean(i, 0), 4 * std::sqrt(variance / 4000));
    EXPECT_NEAR((square - mean * mean) / variance, 1, 0.12);
  }
}

TEST(UncertainInputs, OfDrawsDoNotDependOnHowRowsAreCut) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(5, 3, 3);
  const SampleOptions options{.draws = 6, .of = Draw::observation, .seed = 4};
  const Samples all = sample(ensemble, inputs, correlated(), options);
  const Samples last = sample(ensemble, inputs.view().row_block(3, 2), correlated(), options, 3);
  for (std::size_t d = 0; d < 6; ++d) {
    for (std::size_t at = 0; at < 4; ++at) EXPECT_EQ(last.values[d * 4 + at], all.values[(d * 5 + 3) * 2 + at]);
  }
  const UncertainInputs none{.columns = {1}, .std = Matrix(1, 1, 0.0)};
  EXPECT_EQ(sample(ensemble, inputs, none, options).values, ensemble.sample(inputs, options).values);
}

TEST(UncertainInputs, RefuseWhatIsNone) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(2, 3, 3);
  const auto refuse = [&](UncertainInputs uncertain, ErrorCode code, const char* words,
                          const InputOptions& options = {}) {
    EXPECT_THAT([&] { predict(ensemble, inputs, uncertain, options); }, Fails(code, words));
  };
  refuse({}, ErrorCode::usage, "no input is uncertain, expected at least one");
  refuse({.columns = {3}, .std = Matrix(1, 1)}, ErrorCode::usage, "uncertain input 3 was named, expected one below 3");
  refuse({.columns = {1, 1}, .std = Matrix(1, 2)}, ErrorCode::usage, "is given two uncertainties");
  refuse({.columns = {1}}, ErrorCode::usage,
         "uncertain inputs need standard uncertainties or a covariance, and not both");
  refuse({.columns = {1}, .std = Matrix(3, 1)}, ErrorCode::usage,
         "standard uncertainties are 3 x 1, expected 2 x 1 or 1 x 1");
  refuse({.columns = {1}, .std = Matrix(1, 1, -0.5)}, ErrorCode::data,
         "in row 0, column 0 is -0.5, expected a number from 0");
  refuse({.columns = {1}, .covariance = Matrix(2, 2)}, ErrorCode::usage,
         "the covariance of the inputs is 2 x 2, expected 1 x 1");
  refuse({.columns = {1, 2}, .covariance = Matrix(2, 2, {1, 0.5, 0.4, 1})}, ErrorCode::data,
         "expected a symmetric one");
  refuse({.columns = {1, 2}, .covariance = Matrix(2, 2, {1, 2, 2, 1})}, ErrorCode::data,
         "has the eigenvalue -1: no errors have it");
  refuse({.columns = {1, 2}, .covariance = Matrix(2, 2, {-1, 0, 0, 1})}, ErrorCode::data,
         "has the variance -1 in row 0, expected one from 0");
  refuse({.columns = {1}, .std = Matrix(1, 1, 0.5)}, ErrorCode::usage,
         "3 draws of 1 uncertain inputs, expected at least 4", {.draws = 3});
}

// Of perfectly correlated errors one is the other.
TEST(UncertainInputs, MayHaveASingularCovariance) {
  const Ensemble ensemble = linear_ensemble();
  const Matrix inputs = random_matrix(2, 3, 3);
  const UncertainInputs both{.columns = {0, 1}, .covariance = Matrix(2, 2, {1, 2, 2, 4})};
  const Matrix draws = predict(ensemble, inputs, both).input_variance();
  const Matrix slopes = predict(ensemble, inputs, both, {.method = InputMethod::first_order}).input_variance();
  EXPECT_NEAR(draws(0, 0), slopes(0, 0), 1e-5 * slopes(0, 0));
}

}  // namespace
}  // namespace credens
