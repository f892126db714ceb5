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
  moments.entropy = SoftmaxNormal(logits.size()).run(logits, variance, moments.probability, moments.square);
  return moments;
}

std::vector<double> random_logits(std::size_t classes, double std, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  std::vector<double> logits(classes);
  for (double& z : logits) z = std * random.normal();
  return logits;
}

constexpr double variances[] = {1e-300, 1e-6, 5e-4, 0.0011, 0.01, 0.1, 0.5, 1, 2, 3, 6, 10};

/// The error that docs/onnx.md and docs/method.md promise for a probability.
double allowed(double variance) {
  return variance <= 1 ? 1e-6 : variance <= 3 ? 5e-6 : 6e-4;
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
        if (variance < 1e-3) continue;  // where the oracle itself loses digits
        const Moments found = moments_of(logits, variance);
        const plain::SoftmaxMoments exact = plain::softmax_normal(logits, variance);
        for (std::size_t c = 0; c < classes; ++c) {
          EXPECT_NEAR(found.probability[c], exact.probability[c], allowed(variance)) << classes << " " << variance;
          EXPECT_NEAR(found.square[c], exact.square[c], allowed(variance));
        }
        EXPECT_NEAR(found.information(), exact.information(), 3 * allowed(variance));
      }
    }
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

TEST(SoftmaxNormal, IsTheMeanOfSamples) {
  // A million draws; the error allowed is five standard errors and that of the rule.
  for (const std::size_t classes : {2, 5}) {
    const std::vector<double> logits = random_logits(classes, 2, 11);
    for (const double variance : {0.1, 1.0, 6.0}) {
      const Moments found = moments_of(logits, variance);
      const plain::SoftmaxSamples samples = plain::softmax_samples(logits, variance, 1'000'000, 5);
      for (std::size_t c = 0; c < classes; ++c) {
        EXPECT_NEAR(found.probability[c], samples.mean.probability[c],
                    5 * samples.standard_error.probability[c] + allowed(variance));
      }
      EXPECT_NEAR(found.entropy, samples.mean.entropy, 5 * samples.standard_error.entropy + 3 * allowed(variance));
    }
  }
}

TEST(SoftmaxNormal, OfTwoClassesIsTheSigmoid) {
  for (const double difference : {-4.0, -1.5, 0.0, 0.3, 2.0}) {
    for (const double variance : {0.01, 0.25, 1.0, 4.0, 10.0}) {
      EXPECT_NEAR(moments_of({difference, 0}, variance).probability[0], plain::sigmoid_normal(difference, variance),
                  allowed(variance));
    }
  }
}

TEST(SoftmaxNormal, HasTheMomentsOfTheSpecification) {
  struct Case {
    double variance;
    std::vector<double> probability;
    double entropy;
    double information;
  };
  const Case cases[] = {{0.01, {0.8428088074, 0.1148933087, 0.0422978839}, 0.5251529997, 0.0013695995},
                        {0.25, {0.8200933273, 0.1306543016, 0.0492523711}, 0.5412433315, 0.0356082376},
                        {1, {0.7621166166, 0.1676613965, 0.0702219869}, 0.5530946126, 0.1398660937},
                        {4, {0.6406424936, 0.2315081653, 0.1278493411}, 0.4866148844, 0.4003553290},
                        {10, {0.5499217301, 0.2696537334, 0.1804245365}, 0.3795912173, 0.6116299421}};
  for (const Case& expected : cases) {
    const Moments found = moments_of({2, 0, -1}, expected.variance);
    const double error = allowed(expected.variance);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found.probability[c], expected.probability[c], error);
    EXPECT_NEAR(found.entropy, expected.entropy, 3 * error);
    EXPECT_NEAR(found.information(), expected.information, 3 * error);
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
    for (const double variance : {0.0, 0.0005, 0.3, 4.0, 20.0}) {
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
