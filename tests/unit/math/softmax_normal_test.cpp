// SPDX-License-Identifier: Apache-2.0

#include "math/softmax_normal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "each_target.hpp"
#include "plain_softmax_normal.hpp"

namespace credens::math {
namespace {

struct Moments {
  std::vector<double> probability;
  std::vector<double> square;
  double entropy = 0;

  double information() const { return math::entropy(probability) - entropy; }
};

Moments moments_of(const std::vector<double>& logits, double variance) {
  Moments moments{.probability = std::vector<double>(logits.size()), .square = std::vector<double>(logits.size())};
  moments.entropy = SoftmaxNormal(logits.size()).run(logits, variance, moments.probability, moments.square).expected;
  return moments;
}

std::vector<double> random_logits(std::size_t classes, double std, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  std::vector<double> logits(classes);
  for (double& z : logits) z = std * random.normal();
  return logits;
}

constexpr double variances[] = {1e-300, 1e-6, 2e-4, 0.0011, 0.01, 0.04, 0.08, 0.1, 0.3, 0.5, 0.72, 1, 2, 3, 4, 6, 10};

/// The errors that docs/method.md promises for a variance.
struct Errors {
  double probability;
  double information;
  double std;
};

Errors allowed(double variance) {
  if (variance <= 0.1) return {1e-8, 1e-6, 2e-5};
  if (variance <= 1) return {1e-8, 1e-6, 1e-6};
  if (variance <= 4) return {5e-7, 1e-5, 5e-6};
  if (variance <= 10) return {1e-5, 5e-4, 1e-4};
  return {6.5e-3, 0.04, 1e-2};
}

void expect_moments(const Moments& found, const plain::SoftmaxMoments& exact, const Errors& errors) {
  const auto std_of = [](double square, double mean) { return std::sqrt(std::max(0.0, square - mean * mean)); };
  for (std::size_t c = 0; c < exact.probability.size(); ++c) {
    const double p = exact.probability[c];
    EXPECT_NEAR(found.probability[c], p, errors.probability);
    EXPECT_NEAR(std_of(found.square[c], found.probability[c]), std_of(exact.square[c], p), errors.std);
  }
  EXPECT_NEAR(found.information(), exact.information(), errors.information);
}

TEST(Logarithms, AreThoseOfTheStandardLibraryOnEveryTarget) {
  std::vector<double> values;
  for (double x = 1e-300; x < 1e300; x *= 37.7) values.push_back(x);
  for (const double x : {0.5, 0.999999, 1.0, 1.000001, 2.0, 10.0}) values.push_back(x);
  on_each_target([&](std::int64_t) {
    std::vector<double> found = values;
    logarithms(found);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(found[i], std::log(values[i]), 4e-16 * std::abs(std::log(values[i]))) << values[i];
    }
  });
}

TEST(SoftmaxNormal, OfNoVarianceIsSoftmaxToTheBit) {
  for (const std::size_t classes : {2, 3, 10, 1000}) {
    const std::vector<double> logits = random_logits(classes, 3, classes);
    std::vector<double> expected(classes);
    softmax(logits, expected);
    const Moments moments = moments_of(logits, 0);
    EXPECT_EQ(moments.probability, expected);
    EXPECT_EQ(moments.entropy, entropy(expected));
    const std::vector<double> plain = plain::softmax(logits);
    for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(expected[c], plain[c], 1e-15);
  }
}

TEST(SoftmaxNormal, IsTheFineIntegral) {
  for (const std::size_t classes : {2, 3, 10, 100}) {
    for (const double std : {0.5, 2.0, 5.0}) {
      const std::vector<double> logits = random_logits(classes, std, 7 * classes);
      for (const double variance : variances) {
        if (variance < 1e-4) continue;  // where the oracle itself loses digits
        SCOPED_TRACE(testing::Message() << classes << " classes, std " << std << ", variance " << variance);
        expect_moments(moments_of(logits, variance), plain::softmax_normal(logits, variance), allowed(variance));
      }
    }
  }
}

TEST(SoftmaxNormal, IsScaledDownBeyondTheLargestVariance) {
  for (const std::size_t classes : {2, 3, 10}) {
    for (const double std : {0.5, 2.0, 5.0}) {
      const std::vector<double> logits = random_logits(classes, std, 7 * classes);
      for (const double variance : {12.0, 30.0}) {
        SCOPED_TRACE(testing::Message() << classes << " classes, std " << std << ", variance " << variance);
        expect_moments(moments_of(logits, variance), plain::softmax_normal(logits, variance), allowed(variance));
      }
    }
  }
}

/// Variances behind which the level of the grid is another one.
std::vector<double> last_variances_of_levels() {
  std::vector<double> found;
  SoftmaxGrid grid;
  grid.set(3e-4);
  for (double variance = 3e-4; variance < 10; variance *= 1.001) {
    const SoftmaxLevel* const before = grid.level;
    grid.set(variance);
    if (grid.level != before) found.push_back(before->largest_variance);
  }
  return found;
}

TEST(SoftmaxNormal, IsContinuousWhereLevelsMeet) {
  std::vector<double> ends = last_variances_of_levels();
  EXPECT_GT(ends.size(), 20);
  ends.insert(ends.end(), {3e-4, 10});
  for (const std::size_t classes : {2, 10}) {
    const std::vector<double> logits = random_logits(classes, 2, classes);
    for (const double end : ends) {
      SCOPED_TRACE(testing::Message() << classes << " classes, variance " << end);
      const Moments below = moments_of(logits, end);
      const Moments above = moments_of(logits, end * (1 + 1e-15));
      const Errors errors = end == 10 ? allowed(10) : allowed(end * (1 + 1e-15));
      for (std::size_t c = 0; c < classes; ++c) {
        EXPECT_NEAR(below.probability[c], above.probability[c], 2 * errors.probability);
      }
      EXPECT_NEAR(below.information(), above.information(), 2 * errors.information);
    }
  }
}

TEST(SoftmaxNormal, HasTheDerivativesOfTheExactMoments) {
  // d E v_c / d z_c = E v_c - E v_c^2 and 2 d E lse / d e = 1 - sum E v_c^2, by differences of the fine integral.
  constexpr double step = 1e-4;
  const std::vector<double> logits = random_logits(4, 1.5, 9);
  for (const double variance : {0.02, 0.3, 1.0, 3.0}) {
    const Moments found = moments_of(logits, variance);
    double squares = 0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      std::vector<double> above = logits;
      std::vector<double> below = logits;
      above[c] += step;
      below[c] -= step;
      const double slope = (plain::softmax_normal(above, variance).probability[c] -
                            plain::softmax_normal(below, variance).probability[c]) /
                           (2 * step);
      EXPECT_NEAR(found.probability[c] - found.square[c], slope, 1e-5);
      squares += found.square[c];
    }
    const double slope = (plain::softmax_normal(logits, variance + step).log_sum -
                          plain::softmax_normal(logits, variance - step).log_sum) /
                         (2 * step);
    EXPECT_NEAR(1 - squares, 2 * slope, 1e-5);
  }
}

TEST(SoftmaxNormal, BeginsWithTheSecondOrder) {
  // (E v - v) / e and MI / e tend to v (|v|^2 - v) and (1 - |v|^2) / 2.
  const std::vector<double> logits = {2, 0, -1};
  const std::vector<double> v = plain::softmax(logits);
  double norm = 0;
  for (const double share : v) norm += share * share;
  for (const double variance : {2e-4, 4e-4, 0.01}) {
    const Moments found = moments_of(logits, variance);
    for (std::size_t c = 0; c < 3; ++c) {
      const double slope = v[c] * (norm - v[c]);
      EXPECT_NEAR((found.probability[c] - v[c]) / variance, slope, 0.02 * std::abs(slope));
    }
    EXPECT_NEAR(found.information() / variance, (1 - norm) / 2, 0.01 * (1 - norm) / 2);
  }
}

TEST(SoftmaxNormal, IsTheRuleOfExportedGraphsWithinItsErrors) {
  const std::vector<double> logits = random_logits(6, 2, 3);
  for (const double variance : {0.01, 0.5, 3.0, 10.0, 30.0}) {
    const Moments found = moments_of(logits, variance);
    const plain::SoftmaxMoments rule = plain::softmax_rule(logits, variance);
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(found.probability[c], rule.probability[c], 1e-3);
  }
}

void expect_mean_of_samples(std::size_t classes, double variance, std::size_t count) {
  SCOPED_TRACE(testing::Message() << classes << " classes, variance " << variance);
  const std::vector<double> logits = random_logits(classes, 2, 11);
  const Moments found = moments_of(logits, variance);
  const plain::SoftmaxSamples samples = plain::softmax_samples(logits, variance, count, 5);
  const Errors errors = allowed(variance);
  for (std::size_t c = 0; c < classes; ++c) {
    EXPECT_NEAR(found.probability[c], samples.mean.probability[c],
                5 * samples.standard_error.probability[c] + errors.probability);
    EXPECT_NEAR(found.square[c], samples.mean.square[c], 5 * samples.standard_error.square[c] + errors.probability);
  }
  EXPECT_NEAR(found.entropy, samples.mean.entropy, 5 * samples.standard_error.entropy + errors.information);
}

TEST(SoftmaxNormal, IsTheMeanOfSamples) {
  for (const std::size_t classes : {2, 5}) {
    for (const double variance : {0.1, 1.0, 6.0}) expect_mean_of_samples(classes, variance, 200'000);
  }
}

TEST(SoftmaxNormal, IsTheMeanOfTenMillionSamples) {
  expect_mean_of_samples(3, 0.5, 10'000'000);  // standard errors of the probabilities are about 5e-5
}

TEST(SoftmaxNormal, OfTwoClassesIsTheSigmoid) {
  for (const double difference : {-4.0, -1.5, 0.0, 0.3, 2.0}) {
    for (const double variance : {0.01, 0.25, 1.0, 4.0, 10.0}) {
      EXPECT_NEAR(moments_of({difference, 0}, variance).probability[0], plain::sigmoid_normal(difference, variance),
                  allowed(variance).probability);
    }
  }
}

TEST(SoftmaxNormal, HasTheMomentsOfTheSpecification) {
  struct Case {
    std::vector<double> logits;
    double variance;
    std::vector<double> probability;
    std::vector<double> std;
    double entropy;
    double information;
  };
  const std::vector<double> three = {2, 0, -1};
  const Case cases[] = {{three,
                         0.01,
                         {0.8428088074, 0.1148933087, 0.0422978839},
                         {0.0167930, 0.0140593, 0.0054320},
                         0.5251529997,
                         0.0013695995},
                        {three,
                         0.25,
                         {0.8200933273, 0.1306543016, 0.0492523711},
                         {0.0915192, 0.0774607, 0.0326653},
                         0.5412433315,
                         0.0356082376},
                        {three,
                         1,
                         {0.7621166166, 0.1676613965, 0.0702219869},
                         {0.1943267, 0.1657854, 0.0893734},
                         0.5530946126,
                         0.1398660937},
                        {three,
                         4,
                         {0.6406424936, 0.2315081653, 0.1278493411},
                         {0.3314481, 0.2856833, 0.2122015},
                         0.4866148844,
                         0.4003553290},
                        {three,
                         10,
                         {0.5499217301, 0.2696537334, 0.1804245365},
                         {0.3979829, 0.3508278, 0.2976489},
                         0.3795912173,
                         0.6116299421},
                        {{1.5, 0}, 0.25, {0.796130874095}, {}, -1, -1},
                        {{1.5, 0}, 1, {0.751293746082}, {}, -1, -1},
                        {{1.5, 0}, 4, {0.673980745316}, {}, -1, -1},
                        {{1.5, 0}, 10, {0.622340008015}, {}, -1, -1},
                        {{3, 2, 1, 0, 0, 0, 0, 0, 0, 0},
                         1,
                         {0.4593389422, 0.2087600284, 0.0878716151, 0.0348613449},
                         {},
                         1.4262084924,
                         0.2909268924},
                        {{3, 2, 1, 0, 0, 0, 0, 0, 0, 0},
                         4,
                         {0.3446107979, 0.1947220928, 0.1031248908, 0.0510774598},
                         {},
                         1.1444461575,
                         0.8390406227}};
  for (const Case& expected : cases) {
    SCOPED_TRACE(testing::Message() << expected.logits.size() << " classes, variance " << expected.variance);
    const Moments found = moments_of(expected.logits, expected.variance);
    const Errors errors = allowed(expected.variance);
    for (std::size_t c = 0; c < expected.probability.size(); ++c) {
      EXPECT_NEAR(found.probability[c], expected.probability[c], errors.probability);
    }
    for (std::size_t c = 0; c < expected.std.size(); ++c) {
      const double variance = found.square[c] - found.probability[c] * found.probability[c];
      EXPECT_NEAR(std::sqrt(variance), expected.std[c], errors.std + 1e-7);
    }
    if (expected.entropy < 0) continue;
    EXPECT_NEAR(found.entropy, expected.entropy, errors.information);
    EXPECT_NEAR(found.information(), expected.information, errors.information);
  }
}

TEST(SoftmaxNormal, DoesNotDependOnAShiftOrTheOrderOfClasses) {
  const std::vector<double> logits = random_logits(7, 2, 5);
  for (const double variance : variances) {
    const Moments found = moments_of(logits, variance);
    std::vector<double> shifted = logits;
    for (double& z : shifted) z += 3.25;
    const std::vector<double> reversed(logits.rbegin(), logits.rend());
    const Moments of_shifted = moments_of(shifted, variance);
    const Moments of_reversed = moments_of(reversed, variance);
    for (std::size_t c = 0; c < 7; ++c) {
      EXPECT_NEAR(found.probability[c], of_shifted.probability[c], 1e-12);
      EXPECT_NEAR(found.probability[c], of_reversed.probability[6 - c], 1e-12);
    }
  }
}

TEST(SoftmaxNormal, KeepsTheOrderAndTheLimitsOfProbabilities) {
  for (const std::size_t classes : {2, 3, 10, 100}) {
    const std::vector<double> logits = random_logits(classes, 3, 2 * classes);
    for (const double variance : variances) {
      const Moments found = moments_of(logits, variance);
      EXPECT_NEAR(std::accumulate(found.probability.begin(), found.probability.end(), 0.0), 1, 1e-13);
      EXPECT_GE(found.information(), 0);
      EXPECT_LE(found.information(), std::log(static_cast<double>(classes)));
      for (std::size_t a = 0; a < classes; ++a) {
        EXPECT_GE(found.square[a] - found.probability[a] * found.probability[a], -1e-15);
        for (std::size_t b = 0; b < classes; ++b) {
          if (logits[a] < logits[b]) continue;
          EXPECT_GE(found.probability[a], found.probability[b] - 1e-15);
        }
      }
    }
  }
}

TEST(SoftmaxNormal, OfEqualLogitsIsUniform) {
  for (const double variance : variances) {
    for (const double p : moments_of(std::vector<double>(4, -7), variance).probability) EXPECT_NEAR(p, 0.25, 1e-8);
  }
}

TEST(SoftmaxNormal, IsFiniteForAnyLogitsAndVariances) {
  for (const std::size_t classes : {2, 1000}) {
    for (const double size : {0.0, 1.0, 700.0, 1e4}) {
      std::vector<double> logits = random_logits(classes, 1, 3);
      for (double& z : logits) z *= size;
      for (const double variance : {0.0, 1e-300, 1e-3, 1.0, 10.0, 1e6, 1e300}) {
        const Moments found = moments_of(logits, variance);
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) {
          ASSERT_TRUE(std::isfinite(found.probability[c]) && found.probability[c] >= 0) << size << " " << variance;
          ASSERT_TRUE(std::isfinite(found.square[c]));
          sum += found.probability[c];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_GE(found.entropy, 0);
        EXPECT_TRUE(std::isfinite(found.entropy));
      }
    }
  }
}

TEST(SoftmaxNormal, HasTheSameBitsOnEveryTarget) {
  for (const std::size_t classes : {2, 10, 37}) {
    const std::vector<double> logits = random_logits(classes, 2, 3);
    for (const double variance : {0.0, 2e-4, 0.005, 0.03, 0.08, 0.15, 0.3, 0.5, 1.7, 4.0, 20.0}) {
      std::vector<Moments> found;
      on_each_target([&](std::int64_t target) {
        if (fuses(target)) found.push_back(moments_of(logits, variance));
      });
      for (const Moments& moments : found) {
        EXPECT_EQ(moments.probability, found.front().probability);
        EXPECT_EQ(moments.square, found.front().square);
        EXPECT_EQ(moments.entropy, found.front().entropy);
      }
    }
  }
}

}  // namespace
}  // namespace credens::math
