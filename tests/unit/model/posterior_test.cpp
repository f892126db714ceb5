// SPDX-License-Identifier: Apache-2.0

#include "model/posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr PosteriorKind all_kinds[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                                       PosteriorKind::full};

/// Calls `test(posterior)` for every rung, with and without a random bias, with one factor and one per output.
template <class Test>
void for_every_posterior(std::size_t features, std::size_t outputs, const Test& test) {
  for (const PosteriorKind kind : all_kinds) {
    for (const bool random_bias : {false, true}) {
      for (const bool shared : {false, true}) {
        test(random_posterior(kind, random_bias, features, outputs, 17, shared));
      }
    }
  }
}

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(EpistemicVariance, IsTheQuadraticFormOfTheExplicitCovariance) {
  const Matrix phi = random_matrix(2, 20, 3);
  for_every_posterior(20, 2, [&](const MemberPosterior& posterior) {
    const std::vector<double> a = extended(posterior, phi.row(0));
    const std::vector<double> b = extended(posterior, phi.row(1));
    for (std::size_t k = 0; k < 2; ++k) {
      const Matrix sigma = covariance_of(posterior, 20, k);
      const double scale = std::sqrt(quadratic_form(sigma, a, a) * quadratic_form(sigma, b, b));
      EXPECT_NEAR(epistemic_variance(posterior, phi.row(0), k), quadratic_form(sigma, a, a), 1e-13 * scale);
      EXPECT_NEAR(inner_product(whitened(posterior, phi.row(0), k), whitened(posterior, phi.row(1), k)),
                  quadratic_form(sigma, a, b), 1e-13 * scale);
    }
  });
}

TEST(EpistemicVariances, AreThoseOfEachOutput) {
  const Matrix phi = random_matrix(1, 6, 4);
  for_every_posterior(6, 3, [&](const MemberPosterior& posterior) {
    std::vector<double> all(3);
    epistemic_variances(posterior, phi.row(0), all);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(all[k], epistemic_variance(posterior, phi.row(0), k));
  });
}

TEST(EpistemicVariance, IsZeroForThePointAndForNothingElse) {
  const Matrix phi = random_matrix(1, 6, 4);
  for_every_posterior(6, 1, [&](const MemberPosterior& posterior) {
    EXPECT_EQ(epistemic_variance(posterior, phi.row(0), 0) == 0, posterior.kind == PosteriorKind::delta);
  });
}

TEST(EpistemicVariance, FallsToZeroWithTheWidth) {
  const Matrix phi = random_matrix(1, 6, 4);
  MemberPosterior posterior{.kind = PosteriorKind::isotropic, .gamma = 1};
  const double at_one = epistemic_variance(posterior, phi.row(0), 0);
  posterior.gamma = 0x1p-40;
  EXPECT_EQ(epistemic_variance(posterior, phi.row(0), 0), at_one * 0x1p-40);
}

TEST(WeightDeviation, IsAFactorOfTheCovariance) {
  for_every_posterior(5, 2, [](const MemberPosterior& posterior) {
    const std::size_t size = random_weights(posterior, 5);
    for (std::size_t k = 0; k < 2; ++k) {
      const Matrix sigma = covariance_of(posterior, 5, k);
      Matrix product(size, size);  // sum over unit vectors e of (S e)(S e)^T = S S^T
      for (std::size_t unit = 0; unit < size; ++unit) {
        std::vector<double> z(size, 0.0);
        z[unit] = 1;
        const std::vector<double> deviation = weight_deviation(posterior, z, k);
        ASSERT_EQ(deviation.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
          for (std::size_t j = 0; j < size; ++j) product(i, j) += deviation[i] * deviation[j];
        }
      }
      for (std::size_t i = 0; i < size * size; ++i) EXPECT_NEAR(product.values()[i], sigma.values()[i], 1e-14);
    }
  });
}

TEST(ElboLadder, HasNoValueForThePoint) {
  const ElboLadder ladder{.isotropic = 1, .diagonal = 2, .full = 3};
  EXPECT_EQ(ladder.of(PosteriorKind::delta), std::nullopt);
  EXPECT_EQ(ladder.of(PosteriorKind::isotropic), 1);
  EXPECT_EQ(ladder.of(PosteriorKind::diagonal), 2);
  EXPECT_EQ(ladder.of(PosteriorKind::full), 3);
}

}  // namespace
}  // namespace credens::model
