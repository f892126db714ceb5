// SPDX-License-Identifier: Apache-2.0
//
// Moments of a softmax with normal noise against fine integrals, random samples, recorded numbers and identities.

#include "math/softmax_normal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plain_softmax_normal.hpp"
#include "softmax_cases.hpp"

namespace credens::math {
namespace {

double standard_deviation(const std::vector<double>& probability, const std::vector<double>& square, std::size_t c) {
  return std::sqrt(std::max(square[c] - probability[c] * probability[c], 0.0));
}

/// Largest errors that are admitted at a variance.
struct Tolerance {
  double variance;
  double probability;
  double information;
  double standard_deviation;
};

/// The standard deviation of a nearly certain class is the root of a difference of 1e-7, hence its errors.
const std::vector<Tolerance> tolerances = {
    {1e-3, 1e-7, 1e-6, 1e-4}, {2e-3, 1e-8, 2e-7, 5e-4}, {0.01, 2e-8, 2e-7, 3e-4}, {0.05, 5e-8, 2e-7, 3e-4},
    {0.1, 2e-8, 2e-7, 3e-4},  {0.25, 1e-7, 5e-7, 5e-4}, {0.5, 1e-7, 1e-6, 1e-3},  {1, 1e-7, 3e-6, 5e-4},
    {2, 2e-7, 5e-6, 5e-4},    {3, 2e-7, 1e-5, 5e-4},    {6, 5e-6, 1e-4, 5e-4},    {10, 2e-5, 1e-3, 5e-4}};

void expect_near(const FoundMoments& found, const plain::SoftmaxMoments& expected, const Tolerance& tolerance) {
  for (std::size_t c = 0; c < expected.probability.size(); ++c) {
    SCOPED_TRACE(c);
    ASSERT_NEAR(found.probability[c], expected.probability[c], tolerance.probability);
    ASSERT_NEAR(standard_deviation(found.probability, found.square, c),
                standard_deviation(expected.probability, expected.square, c), tolerance.standard_deviation);
  }
  ASSERT_NEAR(found.information(), expected.information(), tolerance.information);
}

TEST(SoftmaxNormal, AgreesWithFineIntegrals) {
  for (const Tolerance& tolerance : tolerances) {
    for (const std::size_t classes : {2U, 3U, 10U}) {
      for (const double spread : {0.5, 2.0, 5.0, 12.0}) {
        for (const std::uint64_t seed : {1U, 2U}) {
          SCOPED_TRACE(testing::Message() << "e " << tolerance.variance << " C " << classes << " spread " << spread);
          const std::vector<double> logits = random_logits(classes, spread, seed);
          expect_near(found_moments(logits, tolerance.variance), plain::softmax_normal(logits, tolerance.variance),
                      tolerance);
        }
      }
    }
  }
}

TEST(SoftmaxNormal, AgreesWithFineIntegralsOfManyClasses) {
  for (const Tolerance& tolerance : tolerances) {
    for (const std::size_t classes : {100U, 1000U}) {
      if (classes == 1000 && tolerance.variance != 0.05 && tolerance.variance != 1) continue;  // slow
      for (const double spread : {0.5, 4.0}) {
        SCOPED_TRACE(testing::Message() << "e " << tolerance.variance << " C " << classes << " spread " << spread);
        const std::vector<double> logits = random_logits(classes, spread, 3);
        expect_near(found_moments(logits, tolerance.variance), plain::softmax_normal(logits, tolerance.variance),
                    tolerance);
      }
    }
  }
}

TEST(SoftmaxNormal, KeepsTheRelativePrecisionOfSmallProbabilities) {
  const std::vector<double> logits = {0, -3, -8, -14, -20};
  for (const double variance : {0.01, 0.05, 0.3, 1.0}) {
    const FoundMoments found = found_moments(logits, variance);
    const plain::SoftmaxMoments expected = plain::softmax_normal(logits, variance);
    for (std::size_t c = 0; c < logits.size(); ++c) {
      EXPECT_NEAR(found.probability[c] / expected.probability[c], 1, 1e-4) << "class " << c << ", e " << variance;
      EXPECT_NEAR(found.square[c] / expected.square[c], 1, 1e-2) << "class " << c << ", e " << variance;
    }
  }
}

TEST(SoftmaxNormal, AgreesWithRandomSamples) {
  struct Case {
    std::vector<double> logits;
    double variance;
  };
  const std::vector<Case> cases = {
      {{1.5, 0}, 0.5}, {{2, 0, -1}, 1}, {{2, 0, -1}, 6}, {{3, 2, 1, 0, 0, 0, 0, 0, 0, 0}, 2}};
  for (const Case& given : cases) {
    const plain::SoftmaxSamples samples = plain::softmax_samples(given.logits, given.variance, 1'000'000, 7);
    const FoundMoments found = found_moments(given.logits, given.variance);
    for (std::size_t c = 0; c < given.logits.size(); ++c) {
      EXPECT_NEAR(found.probability[c], samples.mean.probability[c], 4.5 * samples.standard_error.probability[c]);
      EXPECT_NEAR(found.square[c], samples.mean.square[c], 4.5 * samples.standard_error.square[c]);
    }
    EXPECT_NEAR(found.entropy, samples.mean.entropy, 4.5 * samples.standard_error.entropy);
  }
}

TEST(SoftmaxNormal, IsAnIntegralOfTheSigmoidForTwoClasses) {
  for (const double difference : {0.0, 0.3, 1.5, 4.0, -2.5, 9.0}) {
    for (const Tolerance& tolerance : tolerances) {
      const FoundMoments found = found_moments(std::vector{difference, 0.0}, tolerance.variance);
      EXPECT_NEAR(found.probability[0], plain::sigmoid_normal(difference, tolerance.variance), tolerance.probability)
          << "d " << difference << ", e " << tolerance.variance;
    }
  }
}

/// Numbers of a separate computation in ten digits.
struct Recorded {
  std::vector<double> logits;
  double variance;
  std::vector<double> probability;
  std::vector<double> standard_deviation;
  double entropy;
  double information;
};

const std::vector<Recorded> recorded = {
    {{2, 0, -1}, 0, {0.8437947345, 0.1141951994, 0.0420100661}, {0, 0, 0}, 0.5242666167, 0},
    {{2, 0, -1},
     0.01,
     {0.8428088074, 0.1148933087, 0.0422978839},
     {0.0167930, 0.0140593, 0.0054320},
     0.5251529997,
     0.0013695995},
    {{2, 0, -1},
     0.25,
     {0.8200933273, 0.1306543016, 0.0492523711},
     {0.0915192, 0.0774607, 0.0326653},
     0.5412433315,
     0.0356082376},
    {{2, 0, -1},
     1,
     {0.7621166166, 0.1676613965, 0.0702219869},
     {0.1943267, 0.1657854, 0.0893734},
     0.5530946126,
     0.1398660937},
    {{2, 0, -1},
     4,
     {0.6406424936, 0.2315081653, 0.1278493411},
     {0.3314481, 0.2856833, 0.2122015},
     0.4866148844,
     0.4003553290},
    {{2, 0, -1},
     10,
     {0.5499217301, 0.2696537334, 0.1804245365},
     {0.3979829, 0.3508278, 0.2976489},
     0.3795912173,
     0.6116299421},
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
     0.8390406227},
    {{1.5, 0}, 0.25, {0.796130874095}, {}, NAN, NAN},
    {{1.5, 0}, 1, {0.751293746082}, {}, NAN, NAN},
    {{1.5, 0}, 4, {0.673980745316}, {}, NAN, NAN},
    {{1.5, 0}, 10, {0.622340008015}, {}, NAN, NAN}};

TEST(SoftmaxNormal, MeetsRecordedNumbers) {
  for (const Recorded& expected : recorded) {
    SCOPED_TRACE(testing::Message() << "C " << expected.logits.size() << ", e " << expected.variance);
    const bool far = expected.variance > 5;
    const FoundMoments found = found_moments(expected.logits, expected.variance);
    for (std::size_t c = 0; c < expected.probability.size(); ++c) {
      EXPECT_NEAR(found.probability[c], expected.probability[c], far ? 1e-5 : 5e-8);
    }
    for (std::size_t c = 0; c < expected.standard_deviation.size(); ++c) {
      EXPECT_NEAR(standard_deviation(found.probability, found.square, c), expected.standard_deviation[c],
                  far ? 2e-5 : 2e-6);
    }
    if (std::isnan(expected.entropy)) continue;
    EXPECT_NEAR(found.entropy, expected.entropy, far ? 5e-4 : 2e-6);
    EXPECT_NEAR(found.information(), expected.information, far ? 5e-4 : 2e-6);
  }
}

TEST(SoftmaxNormal, AgreesWithTheRuleOfExportedGraphs) {
  struct Case {
    double variance;
    double probability;
    double information;
  };
  for (const Case& given : {Case{0.01, 1e-7, 3e-6}, Case{0.3, 1e-7, 2e-6}, Case{1, 1e-6, 2e-6}, Case{3, 2e-6, 1e-5},
                            Case{10, 5e-4, 2e-3}, Case{40, 5e-4, 2e-3}, Case{1e4, 5e-4, 2e-3}}) {
    for (const std::size_t classes : {2U, 3U, 10U, 100U}) {
      for (const double spread : {0.5, 2.0, 5.0}) {
        SCOPED_TRACE(testing::Message() << "e " << given.variance << " C " << classes << " spread " << spread);
        const std::vector<double> logits = random_logits(classes, spread, 4);
        const FoundMoments found = found_moments(logits, given.variance);
        const plain::SoftmaxMoments rule = plain::softmax_rule(logits, given.variance);
        for (std::size_t c = 0; c < classes; ++c) {
          ASSERT_NEAR(found.probability[c], rule.probability[c], given.probability);
          ASSERT_NEAR(found.square[c], rule.square[c], 3 * given.probability + 1e-5);
        }
        ASSERT_NEAR(found.information(), rule.information(), given.information);
      }
    }
  }
}

TEST(SoftmaxNormal, StaysNearTheIntegralBeyondItsLargestVariance) {
  for (const double variance : {15.0, 30.0, 100.0}) {
    for (const std::size_t classes : {2U, 3U, 10U, 100U}) {
      for (const double spread : {0.5, 2.0, 5.0}) {
        if (classes == 100 && variance > 30) continue;  // slow
        const std::vector<double> logits = random_logits(classes, spread, 5);
        const FoundMoments found = found_moments(logits, variance);
        const plain::SoftmaxMoments expected = plain::softmax_normal(logits, variance);
        for (std::size_t c = 0; c < classes; ++c) {
          ASSERT_NEAR(found.probability[c], expected.probability[c], 0.02);
        }
        ASSERT_NEAR(found.information(), expected.information(), classes == 100 ? 0.2 : 0.035);
      }
    }
  }
}

}  // namespace
}  // namespace credens::math
