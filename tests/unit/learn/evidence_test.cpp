// SPDX-License-Identifier: Apache-2.0

#include "learn/evidence.hpp"

#include <gtest/gtest.h>
#include <credens/error.hpp>

#include <rapidcheck/gtest.h>
#include <cmath>
#include <numbers>

#include "random_block.hpp"

namespace credens::learn {
namespace {

MemberStatistics statistics_of(const RandomMember& member, bool shared, bool random_bias = false) {
  return block_statistics(member.block, member.targets, {},
                          {.outputs = member.targets.cols(), .random_bias = random_bias, .shared_noise = shared});
}

/// E_q[log p(D | W)] - KL(q || prior) from its definition, for one covariance matrix per output, in plain loops.
double plain_elbo(const RandomMember& member, const std::vector<Matrix>& sigma, const std::vector<double>& log_det,
                  double lambda) {
  const Matrix& phi = member.block.features;
  const std::size_t p = phi.cols();
  double elbo = 0;
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    double trace = 0;
    for (std::size_t j = 0; j < p; ++j) trace += sigma[k](j, j);
    double norm = 0;
    for (std::size_t j = 0; j < p; ++j) norm += member.last_layer(k, j) * member.last_layer(k, j);
    const double dimension = static_cast<double>(p);
    elbo -= 0.5 * (lambda * trace + lambda * norm - dimension - dimension * std::log(lambda) - log_det[k]);
    for (std::size_t i = 0; i < phi.rows(); ++i) {
      double spread = 0;
      for (std::size_t a = 0; a < p; ++a) {
        for (std::size_t b = 0; b < p; ++b) spread += phi(i, a) * sigma[k](a, b) * phi(i, b);
      }
      const double v = member.block.variance(i, k);
      const double r = member.targets(i, k) - member.block.mean(i, k);
      elbo -= 0.5 * (std::log(2 * std::numbers::pi * v) + (r * r + spread) / v);
    }
  }
  return elbo;
}

/// Inverse by Gauss-Jordan elimination with pivoting, and the log determinant.
Matrix plain_inverse(Matrix a, double& log_det) {
  const std::size_t n = a.rows();
  Matrix inverse(n, n);
  for (std::size_t j = 0; j < n; ++j) inverse(j, j) = 1;
  log_det = 0;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) pivot = std::abs(a(r, c)) > std::abs(a(pivot, c)) ? r : pivot;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a(c, j), a(pivot, j));
      std::swap(inverse(c, j), inverse(pivot, j));
    }
    const double d = a(c, c);
    log_det += std::log(std::abs(d));
    for (std::size_t j = 0; j < n; ++j) {
      a(c, j) /= d;
      inverse(c, j) /= d;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double f = a(r, c);
      if (r == c || f == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a(r, j) -= f * a(c, j);
        inverse(r, j) -= f * inverse(c, j);
      }
    }
  }
  return inverse;
}

/// A_k from the rows, in plain loops.
Matrix plain_precision(const RandomMember& member, std::size_t k, double lambda) {
  const Matrix& phi = member.block.features;
  Matrix a(phi.cols(), phi.cols());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      a(r, c) = r == c ? lambda : 0;
      for (std::size_t i = 0; i < phi.rows(); ++i) a(r, c) += phi(i, r) * phi(i, c) / member.block.variance(i, k);
    }
  }
  return a;
}

double golden_maximum(double low, double high, const auto& f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  while (high - low > 1e-9) {
    const double a = high - ratio * (high - low);
    const double b = low + ratio * (high - low);
    (f(a) > f(b) ? high : low) = f(a) > f(b) ? b : a;
  }
  return (low + high) / 2;
}

TEST(IsotropicWidth, IsThePapersFormulaForSharedNoise) {
  const RandomMember member = random_member(100, 6, 2, true, 1);
  double sum = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 6; ++j) sum += std::pow(member.block.features(i, j), 2) / member.block.variance(i, 0);
  }
  EXPECT_NEAR(isotropic_width(statistics_of(member, true), 0.3), 6 / (sum + 6 * 0.3), 1e-15);
}

TEST(IsotropicWidth, MaximisesTheElboByValues) {
  for (const bool shared : {true, false}) {
    const RandomMember member = random_member(50, 4, 3, shared, 2);
    const auto statistics = statistics_of(member, shared);
    const double gamma = isotropic_width(statistics, 0.7);
    const double found = std::exp(golden_maximum(-20, 5, [&](double log_gamma) {
      const double g = std::exp(log_gamma);
      Matrix sigma(4, 4);
      for (std::size_t j = 0; j < 4; ++j) sigma(j, j) = g;
      return plain_elbo(member, {sigma, sigma, sigma}, std::vector<double>(3, 4 * log_gamma), 0.7);
    }));
    EXPECT_NEAR(found / gamma, 1, 1e-5);
  }
}

TEST(IsotropicWidth, IsTheRootOfTheElbosDerivative) {
  // d ELBO / d gamma = 1/2 sum_k (P / gamma - lambda P - sum_i |phi_i|^2 / s_ik^2), bisected on neighbouring doubles.
  const RandomMember member = random_member(80, 5, 2, false, 3);
  const double lambda = 1.9;
  const auto derivative = [&](double gamma) {
    double sum = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      sum += 5 / gamma - lambda * 5;
      for (std::size_t i = 0; i < 80; ++i) {
        for (std::size_t j = 0; j < 5; ++j)
          sum -= std::pow(member.block.features(i, j), 2) / member.block.variance(i, k);
      }
    }
    return sum / 2;
  };
  double low = 1e-12;
  double high = 1e3;
  for (int step = 0; step < 200; ++step) {
    const double middle = std::sqrt(low * high);
    (derivative(middle) > 0 ? low : high) = middle;
  }
  EXPECT_NEAR(isotropic_width(statistics_of(member, false), lambda) / low, 1, 1e-10);
}

TEST(IsotropicWidth, IsThePriorWithoutData) {
  EXPECT_DOUBLE_EQ(isotropic_width(no_rows(7, {.outputs = 2}), 4.0), 0.25);
}

TEST(IsotropicWidth, NeedsDataOrAPrior) {
  EXPECT_THROW(isotropic_width(no_rows(7, {}), 0.0), Error);
  EXPECT_GT(isotropic_width(statistics_of(random_member(5, 3, 1, true, 4), true), 0.0), 0);
}

TEST(MakePosterior, HasTheElboOfItsDefinitionOnEveryRung) {
  for (const bool shared : {true, false}) {
    const RandomMember member = random_member(60, 5, 2, shared, 5);
    const double lambda = 0.8;
    const auto posterior =
        make_posterior(statistics_of(member, shared), squared_norm(member.last_layer), PosteriorKind::full, lambda);
    std::vector<Matrix> isotropic(2, Matrix(5, 5)), diagonal(2, Matrix(5, 5)), full;
    std::vector<double> log_det_isotropic(2, 5 * std::log(posterior.gamma)), log_det_diagonal(2, 0.0), log_det_full;
    for (std::size_t k = 0; k < 2; ++k) {
      const Matrix a = plain_precision(member, k, lambda);
      double log_det = 0;
      full.push_back(plain_inverse(a, log_det));
      log_det_full.push_back(-log_det);
      for (std::size_t j = 0; j < 5; ++j) {
        isotropic[k](j, j) = posterior.gamma;
        diagonal[k](j, j) = 1 / a(j, j);
        log_det_diagonal[k] -= std::log(a(j, j));
      }
    }
    EXPECT_NEAR(*posterior.elbo.isotropic, plain_elbo(member, isotropic, log_det_isotropic, lambda), 1e-8);
    EXPECT_NEAR(*posterior.elbo.diagonal, plain_elbo(member, diagonal, log_det_diagonal, lambda), 1e-8);
    EXPECT_NEAR(*posterior.elbo.full, plain_elbo(member, full, log_det_full, lambda), 1e-8);
  }
}

TEST(MakePosterior, FullRungSolvesTheNormalEquations) {
  for (const bool shared : {true, false}) {
    const RandomMember member = random_member(60, 8, 2, shared, 6);
    const auto posterior = make_posterior(statistics_of(member, shared), std::nullopt, PosteriorKind::full, 0.5);
    EXPECT_EQ(posterior.factor.size(), shared ? 1U : 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      double log_det = 0;
      const Matrix sigma = plain_inverse(plain_precision(member, k, 0.5), log_det);
      const Matrix& s = posterior.factor_of(k);
      for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < 8; ++b) {
          double product = 0;
          for (std::size_t j = 0; j < 8; ++j) product += s(a, j) * s(b, j);
          EXPECT_NEAR(product, sigma(a, b), 1e-9 * std::sqrt(sigma(a, a) * sigma(b, b)));
        }
      }
    }
  }
}

TEST(MakePosterior, HasNoElboWithoutLastLayer) {
  const auto posterior =
      make_posterior(statistics_of(random_member(9, 2, 1, true, 7), true), std::nullopt, PosteriorKind::isotropic, 1);
  EXPECT_FALSE(posterior.elbo.isotropic || posterior.elbo.diagonal || posterior.elbo.full);
}

TEST(MakePosterior, RefusesLambdaZeroWhereDeadUnitsWouldHaveNoWidth) {
  const auto statistics = statistics_of(random_member(9, 2, 1, true, 8), true);
  for (const auto kind : {PosteriorKind::diagonal, PosteriorKind::full}) {
    EXPECT_THROW(make_posterior(statistics, 1.0, kind, 0), Error);
  }
  EXPECT_GT(make_posterior(statistics, 1.0, PosteriorKind::isotropic, 0).gamma, 0);
  EXPECT_EQ(make_posterior(no_rows(3, {}), 1.0, PosteriorKind::delta, 0).gamma, 0);
}

TEST(MakePosterior, GivesDeadUnitsThePrior) {
  RandomMember member = random_member(20, 3, 1, true, 9);
  for (std::size_t i = 0; i < 20; ++i) member.block.features(i, 1) = 0;
  const auto posterior = make_posterior(statistics_of(member, true), 1.0, PosteriorKind::diagonal, 4);
  EXPECT_DOUBLE_EQ(posterior.variance(0, 1), 0.25);
}

TEST(MakePosterior, ManyUnitsSkipTheFullRung) {
  const RandomMember member = random_member(20, 3, 1, true, 10);
  const auto statistics =
      block_statistics(member.block, member.targets, {}, {.shared_noise = true, .with_gram = false});
  const auto posterior = make_posterior(statistics, 1.0, PosteriorKind::isotropic, 1);
  EXPECT_TRUE(posterior.elbo.diagonal);
  EXPECT_FALSE(posterior.elbo.full);
}

TEST(EvidencePrecision, MaximisesTheFullElboOnAGrid) {
  std::vector<MemberStatistics> statistics;
  std::vector<double> norms;
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    const bool shared = seed == 12;
    const RandomMember member = random_member(40, 3 + seed % 2, 2, shared, seed);
    statistics.push_back(statistics_of(member, shared));
    norms.push_back(squared_norm(member.last_layer));
  }
  const auto total_elbo = [&](double lambda) {
    double sum = 0;
    for (std::size_t l = 0; l < 3; ++l)
      sum += *make_posterior(statistics[l], norms[l], PosteriorKind::full, lambda).elbo.full;
    return sum;
  };
  const double found = evidence_precision(statistics, norms);
  double best = 0;
  double best_elbo = -1e300;
  for (double log_lambda = std::log(found) - 3; log_lambda <= std::log(found) + 3; log_lambda += 1e-3) {
    const double elbo = total_elbo(std::exp(log_lambda));
    if (elbo > best_elbo) {
      best_elbo = elbo;
      best = std::exp(log_lambda);
    }
  }
  EXPECT_NEAR(found / best, 1, 1e-3);
  EXPECT_GE(total_elbo(found), best_elbo - 1e-12 * std::abs(best_elbo));
}

TEST(EvidencePrecision, SaysWhenThereIsNone) {
  const std::vector<MemberStatistics> nothing = {no_rows(3, {})};
  EXPECT_THROW(evidence_precision(nothing, std::vector<double>{1.0}), Error);
  const std::vector<MemberStatistics> some = {statistics_of(random_member(5, 3, 1, true, 14), true)};
  EXPECT_THROW(evidence_precision(some, std::vector<double>{0.0}), Error);
}

RC_GTEST_PROP(PosteriorLadder, ElboNeverFalls, (std::uint64_t seed)) {
  const std::size_t features = 1 + seed % 9;
  const std::size_t outputs = 1 + seed % 3;
  const bool shared = seed % 2 == 0;
  const RandomMember member = random_member(1 + seed % 50, features, outputs, shared, seed);
  const double lambda = std::exp(static_cast<double>(seed % 19) - 9);
  const auto elbo =
      make_posterior(statistics_of(member, shared, seed % 5 == 0), 3.0, PosteriorKind::isotropic, lambda).elbo;
  const double slack = 1e-9 * std::abs(*elbo.full);
  RC_ASSERT(*elbo.isotropic <= *elbo.diagonal + slack);
  RC_ASSERT(*elbo.diagonal <= *elbo.full + slack);
}

RC_GTEST_PROP(IsotropicWidth, GivesTheTrainingRowsTheirKnownShare, (std::uint64_t seed)) {
  // Mean over rows and outputs of gamma |phi|^2 / s^2 is p / N (1 - gamma lambda), exactly.
  const std::size_t rows = 1 + seed % 200;
  const std::size_t features = 1 + seed % 11;
  const std::size_t outputs = 1 + seed % 3;
  const RandomMember member = random_member(rows, features, outputs, false, seed);
  const double lambda = std::exp(static_cast<double>(seed % 15) - 7);
  const double gamma = isotropic_width(statistics_of(member, false), lambda);
  double mean = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      for (const double value : member.block.features.row(i))
        mean += gamma * value * value / member.block.variance(i, k);
    }
  }
  mean /= static_cast<double>(rows * outputs);
  const double expected = static_cast<double>(features) / static_cast<double>(rows) * (1 - gamma * lambda);
  RC_ASSERT(std::abs(mean - expected) <= 1e-9 * (expected + 1e-3));
}

}  // namespace
}  // namespace credens::learn
