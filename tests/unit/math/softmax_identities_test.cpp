// SPDX-License-Identifier: Apache-2.0
//
// Properties that hold for every vector of logits and every variance, and the softmax and entropy themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/softmax_normal.hpp"
#include "math/statistics.hpp"
#include "plain_softmax_normal.hpp"
#include "softmax_cases.hpp"
#include "unit/math/each_target.hpp"

namespace credens::math {
namespace {

double exact_sum(const std::vector<double>& values) {
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

std::vector<double> softmax_of(const std::vector<double>& logits) {
  std::vector<double> probability(logits.size());
  softmax(logits, probability);
  return probability;
}

/// Calls check(logits, variance, found) for random logits at variances of all kinds.
template <class Check>
void for_many(const Check& check) {
  for (const std::size_t classes : {2U, 3U, 10U, 17U}) {
    for (const double spread : {0.5, 2.0, 6.0}) {
      for (const double variance : variances_of_all_kinds) {
        SCOPED_TRACE(testing::Message() << "C " << classes << " spread " << spread << " e " << variance);
        const std::vector<double> logits = random_logits(classes, spread, 11);
        check(logits, variance, found_moments(logits, variance));
      }
    }
  }
}

TEST(SoftmaxNormal, IsTheSoftmaxWithoutVariance) {
  for (const std::size_t classes : {1U, 2U, 7U, 8U, 33U, 1000U}) {
    const std::vector<double> logits = random_logits(classes, 3, 1);
    const FoundMoments found = found_moments(logits, 0);
    const std::vector<double> expected = softmax_of(logits);
    EXPECT_EQ(found.probability, expected);
    EXPECT_EQ(found.entropy, entropy(expected));
    for (std::size_t c = 0; c < classes; ++c) EXPECT_EQ(found.square[c], expected[c] * expected[c]);
  }
}

TEST(SoftmaxNormal, GivesEqualLogitsEqualProbabilities) {
  for (const std::size_t classes : {2U, 3U, 10U, 1000U}) {
    for (const double variance : variances_of_all_kinds) {
      const FoundMoments found = found_moments(std::vector(classes, -4.2), variance);
      for (const double p : found.probability) ASSERT_NEAR(p, 1.0 / static_cast<double>(classes), 1e-15);
      EXPECT_EQ(found.probability.front(), found.probability.back());
    }
  }
}

TEST(SoftmaxNormal, HasProbabilitiesOfSumOneAndPossibleSquares) {
  for_many([](const std::vector<double>&, double, const FoundMoments& found) {
    ASSERT_NEAR(exact_sum(found.probability), 1, 1e-15);
    for (std::size_t c = 0; c < found.probability.size(); ++c) {
      ASSERT_GE(found.square[c], found.probability[c] * found.probability[c]);
      ASSERT_LE(found.square[c], found.probability[c]);
    }
  });
}

TEST(SoftmaxNormal, HasInformationBetweenZeroAndTheLogarithmOfClasses) {
  for_many([](const std::vector<double>& logits, double, const FoundMoments& found) {
    ASSERT_GE(found.entropy, 0);
    ASSERT_GE(found.information(), 0);
    ASSERT_LE(found.information(), std::log(static_cast<double>(logits.size())));
  });
}

TEST(SoftmaxNormal, IgnoresAShiftOfAllLogits) {
  for_many([](const std::vector<double>& logits, double variance, const FoundMoments& found) {
    std::vector<double> shifted = logits;
    for (double& logit : shifted) logit += 123.75;
    const FoundMoments other = found_moments(shifted, variance);
    for (std::size_t c = 0; c < logits.size(); ++c) {
      ASSERT_NEAR(other.probability[c], found.probability[c], 1e-12);
      ASSERT_NEAR(other.square[c], found.square[c], 1e-12);
    }
    ASSERT_NEAR(other.entropy, found.entropy, 1e-12);
  });
}

TEST(SoftmaxNormal, FollowsAPermutationOfTheClasses) {
  for_many([](const std::vector<double>& logits, double variance, const FoundMoments& found) {
    base::RandomStream random({.seed = 9});
    const std::vector<std::uint32_t> order = base::permutation(logits.size(), random);
    std::vector<double> permuted;
    for (const std::uint32_t c : order) permuted.push_back(logits[c]);
    const FoundMoments other = found_moments(permuted, variance);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      ASSERT_NEAR(other.probability[i], found.probability[order[i]], 1e-12);
      ASSERT_NEAR(other.square[i], found.square[order[i]], 1e-12);
    }
    ASSERT_NEAR(other.entropy, found.entropy, 1e-12);
  });
}

TEST(SoftmaxNormal, KeepsTheOrderOfTheLogits) {
  for_many([](const std::vector<double>& logits, double, const FoundMoments& found) {
    for (std::size_t a = 0; a < logits.size(); ++a) {
      for (std::size_t b = 0; b < logits.size(); ++b) {
        if (logits[a] < logits[b]) continue;
        ASSERT_GE(found.probability[a], found.probability[b]);
      }
    }
  });
}

TEST(SoftmaxNormal, FollowsItsExpansionForSmallVariances) {
  const std::vector<double> logits = {2, 0, -1, 0.7};
  const std::vector<double> v = plain::softmax(logits);
  const double norm = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  for (const double variance : {1e-8, 1e-4, 1e-3, 1.001e-3, 0.003, 0.01}) {
    const FoundMoments found = found_moments(logits, variance);
    for (std::size_t c = 0; c < v.size(); ++c) {
      const double slope = v[c] * (norm - v[c]);
      EXPECT_NEAR((found.probability[c] - v[c]) / variance, slope, 2e-2 * std::abs(slope) + 1e-7) << variance;
      const double spread = v[c] * v[c] * (1 - 2 * v[c] + norm);
      const double square = found.square[c] - found.probability[c] * found.probability[c];
      EXPECT_NEAR(square / variance, spread, 5e-2 * spread + 1e-8) << variance;
    }
    EXPECT_NEAR(found.information() / variance, (1 - norm) / 2, 1e-2 * (1 - norm) / 2) << variance;
  }
}

TEST(SoftmaxNormal, IsSmoothWhereItsMethodChanges) {
  for (const std::size_t classes : {2U, 10U}) {
    const std::vector<double> logits = random_logits(classes, 1.5, 6);
    for (const double variance : {1e-3, 0.015, 0.07, 10.0}) {
      const FoundMoments below = found_moments(logits, variance);
      const FoundMoments above = found_moments(logits, std::nextafter(variance, 20.0));
      for (std::size_t c = 0; c < classes; ++c) ASSERT_NEAR(below.probability[c], above.probability[c], 1e-7);
      ASSERT_NEAR(below.entropy, above.entropy, 5e-7);
    }
  }
}

TEST(SoftmaxNormal, HasDerivativesThatItsSecondMomentsGive) {
  constexpr double step = 1e-3;
  for (const double variance : {0.05, 0.4, 1.0, 4.0}) {
    const std::vector<double> logits = {2, 0, -1, 0.5};
    const FoundMoments found = found_moments(logits, variance);
    for (std::size_t c = 0; c < logits.size(); ++c) {
      std::vector<double> up = logits;
      std::vector<double> down = logits;
      up[c] += step;
      down[c] -= step;
      const double rise =
          plain::softmax_normal(up, variance).probability[c] - plain::softmax_normal(down, variance).probability[c];
      EXPECT_NEAR(found.probability[c] - found.square[c], rise / (2 * step), 1e-5);
    }
    const double change = step * variance;
    const double rise =
        plain::softmax_normal(logits, variance + change).log_sum - plain::softmax_normal(logits, variance - change).log_sum;
    EXPECT_NEAR(1 - exact_sum(found.square), rise / change, 1e-5);
  }
}

/// E lse follows from what is returned by E H = E lse - sum z p - e sum (p - E v^2).
double log_sum_of(const FoundMoments& found, const std::vector<double>& logits, double variance) {
  double sum = found.entropy;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    sum += logits[c] * found.probability[c] + variance * (found.probability[c] - found.square[c]);
  }
  return sum;
}

TEST(SoftmaxNormal, KeepsTheMeanLogSumBelowTheImpurityBound) {
  for_many([](const std::vector<double>& logits, double variance, const FoundMoments& found) {
    if (variance == 0 || variance > 4) return;
    const auto classes = static_cast<double>(logits.size());
    const double log_sum = log_sum_of(found, logits, variance);
    ASSERT_NEAR(log_sum, plain::softmax_normal(logits, variance).log_sum, 5e-6);
    ASSERT_LE(log_sum, plain::log_sum_exp(logits) + variance * (classes - 1) / (2 * classes) + 5e-6);
  });
}

TEST(SoftmaxNormal, ForgetsWhatItComputedBefore) {
  SoftmaxNormal reused(10);
  for (const double variance : {5.0, 0.02, 10.0, 0.5, 0.0, 0.01, 90.0, 1.0}) {
    const std::vector<double> logits = random_logits(10, 2, 8);
    EXPECT_EQ(found_moments(reused, logits, variance), found_moments(logits, variance));
  }
}

std::vector<std::vector<double>> extreme_logits() {
  std::vector<std::vector<double>> all = {{1e4, -1e4}, {-1e4, -1e4},     {1e300, -1e300},         {0, -700},
                                          {0, -720},   {1e4, 1e4, -1e4}, {0, -40, -400, -800, 1}, {3}};
  all.push_back(random_logits(1000, 3000, 1));
  all.push_back(random_logits(1000, 1e-9, 2));
  std::vector<double> alternating(1000, -1e4);
  for (std::size_t c = 0; c < alternating.size(); c += 2) alternating[c] = 1e4;
  all.push_back(alternating);
  return all;
}

TEST(SoftmaxNormal, GivesProbabilitiesForExtremeInputs) {
  for (const std::vector<double>& logits : extreme_logits()) {
    for (const double variance : {0.0, 1e-300, 1e-3, 0.0011, 0.05, 0.08, 1.0, 9.999, 10.0, 10.001, 1e6, 1e300}) {
      SCOPED_TRACE(testing::Message() << "C " << logits.size() << " from " << logits[0] << ", e " << variance);
      const FoundMoments found = found_moments(logits, variance);
      ASSERT_NEAR(exact_sum(found.probability), 1, 1e-15);
      for (std::size_t c = 0; c < logits.size(); ++c) {
        ASSERT_TRUE(found.probability[c] >= 0 && found.probability[c] <= 1);
        ASSERT_TRUE(found.square[c] >= found.probability[c] * found.probability[c]);
        ASSERT_TRUE(found.square[c] <= found.probability[c]);
      }
      ASSERT_TRUE(found.entropy >= 0);
      ASSERT_TRUE(found.information() >= 0);
      ASSERT_LE(found.information(), std::log(static_cast<double>(logits.size())) + 1e-12);
    }
  }
}

TEST(SoftmaxNormal, TendsToEqualProbabilitiesWithTheVariance) {
  const FoundMoments found = found_moments(std::vector{5.0, 0.0, -3.0, 1.0}, 1e300);
  for (const double p : found.probability) EXPECT_NEAR(p, 0.25, 1e-12);
}

TEST(SoftmaxNormal, HasTheSameBitsOnTargetsThatRoundAlike) {
  for (const std::size_t classes : {2U, 5U, 10U, 33U}) {
    for (const double variance : variances_of_all_kinds) {
      const std::vector<double> logits = random_logits(classes, 2.5, 12);
      FoundMoments first[2];
      on_each_target([&](std::int64_t target) {
        const FoundMoments found = found_moments(logits, variance);
        FoundMoments& reference = first[fuses(target) ? 1 : 0];
        if (reference.probability.empty()) reference = found;
        EXPECT_EQ(found, reference) << "C " << classes << " e " << variance;
      });
    }
  }
}

TEST(SoftmaxNormal, AgreesOnAllTargets) {
  for (const double variance : variances_of_all_kinds) {
    const std::vector<double> logits = random_logits(10, 2.5, 13);
    const FoundMoments expected = found_moments(logits, variance);
    on_each_target([&](std::int64_t) {
      const FoundMoments found = found_moments(logits, variance);
      for (std::size_t c = 0; c < logits.size(); ++c) {
        EXPECT_NEAR(found.probability[c], expected.probability[c], 1e-13);
        EXPECT_NEAR(found.square[c], expected.square[c], 1e-13);
      }
      EXPECT_NEAR(found.entropy, expected.entropy, 1e-12);
    });
  }
}

TEST(Softmax, AgreesWithExtendedPrecisionOnEveryTarget) {
  for (const std::size_t classes : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 10U, 16U, 31U, 1000U}) {
    for (const double spread : {0.01, 1.0, 10.0, 200.0}) {
      const std::vector<double> logits = random_logits(classes, spread, 21);
      const std::vector<double> expected = plain::softmax(logits);
      on_each_target([&](std::int64_t target) {
        const std::vector<double> found = softmax_of(logits);
        for (std::size_t c = 0; c < classes; ++c) {
          ASSERT_NEAR(found[c], expected[c], 4e-15);
          // Below the largest logit by d, the exponent alone is known to d epsilon, twice where products round.
          const double below = *std::ranges::max_element(logits) - logits[c];
          if (below > 700) continue;
          const double relative = 4e-15 + (fuses(target) ? 4e-16 : 1e-15) * below;
          ASSERT_NEAR(found[c], expected[c], relative * expected[c]) << logits[c];
        }
      });
    }
  }
}

TEST(Entropy, AgreesWithItsFormulaOnEveryTarget) {
  for (const std::size_t classes : {1U, 2U, 3U, 8U, 10U, 17U, 1000U}) {
    for (const double spread : {0.01, 1.0, 10.0, 200.0}) {
      const std::vector<double> probability = softmax_of(random_logits(classes, spread, 22));
      const double expected = plain::entropy(probability);
      on_each_target([&](std::int64_t) { EXPECT_NEAR(entropy(probability), expected, 1e-14 * (1 + expected)); });
    }
  }
}

TEST(Entropy, HasItsExtremes) {
  EXPECT_EQ(entropy(std::vector{1.0}), 0);
  EXPECT_EQ(entropy(std::vector{0.0, 1.0, 0.0}), 0);
  EXPECT_NEAR(entropy(std::vector(1000, 1e-3)), std::log(1000.0), 1e-12);
  EXPECT_GE(entropy(std::vector{1 - std::numeric_limits<double>::epsilon(), 5e-324}), 0);
}

}  // namespace
}  // namespace credens::math
