// SPDX-License-Identifier: Apache-2.0
//
// The worked example of docs/method.md, "Classes": three rows, two features, three classes.

#include <gtest/gtest.h>

#include <cmath>

#include "learn/evidence.hpp"
#include "learn/statistics.hpp"
#include "model/likelihood.hpp"
#include "unit/learn/random_block.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t classes = 3;
constexpr double lambda = 0.5;

const Matrix phi(3, 2, {1, 0, 1, 1, 0, 2});
const Matrix last_layer(3, 2, {1, 0, 0, 1, -1, -1});
const std::vector<double> weights{1, 2, 1};

StatisticsShape class_statistics() {
  return {.outputs = classes - 1, .task = Task::classification, .random_bias = false, .shared_noise = true};
}

model::MemberBlock block_of(const Matrix& features) {
  model::MemberBlock block{.features = features,
                           .mean = Matrix(features.rows(), classes),
                           .variance = Matrix(features.rows(), 1, static_cast<double>(classes))};
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t j = 0; j < features.cols(); ++j) block.mean(i, c) += last_layer(c, j) * features(i, j);
    }
  }
  return block;
}

MemberStatistics example() {
  return block_statistics(block_of(phi), Matrix(3, 1, {0, 1, 2}), weights, class_statistics());
}

/// sum_c |w_c - mean_k w_k|^2, which is |W|^2 here because the rows of W have the mean 0.
constexpr double squared_contrasts = 4;

TEST(ClassWidths, AreThoseOfTheWorkedExample) {
  const auto isotropic = make_posterior(example(), squared_contrasts, PosteriorKind::isotropic, lambda);
  EXPECT_DOUBLE_EQ(isotropic.gamma, 0.5);
  const auto diagonal = make_posterior(example(), squared_contrasts, PosteriorKind::diagonal, lambda);
  ASSERT_EQ(diagonal.variance.rows(), 1U);
  EXPECT_NEAR(diagonal.variance(0, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(diagonal.variance(0, 1), 0.4, 1e-15);
  const auto full = make_posterior(example(), squared_contrasts, PosteriorKind::full, lambda);
  ASSERT_EQ(full.factor.size(), 1U);
  EXPECT_NEAR(model::epistemic_variance(full, phi.row(0), 0), 0.7563025210, 1e-10);
  EXPECT_NEAR(model::epistemic_variance(full, phi.row(2), 0), 4 * 0.4537815126, 1e-9);
  EXPECT_NEAR(model::epistemic_variance(full, phi.row(1), 0), 0.8067226891, 1e-10);
}

TEST(ClassWidths, HaveTheBoundsOfTheWorkedExample) {
  const auto posterior = make_posterior(example(), squared_contrasts, PosteriorKind::full, lambda);
  EXPECT_NEAR(posterior.elbo.isotropic.value(), -9.7585981525, 1e-9);
  EXPECT_NEAR(posterior.elbo.diagonal.value(), -9.6940596314, 1e-9);
  EXPECT_NEAR(posterior.elbo.full.value(), -9.5679083461, 1e-9);
}

TEST(ClassWidths, OfARowTakenOutOfItsOwnSumsIsExact) {
  const auto with = make_posterior(example(), std::nullopt, PosteriorKind::full, lambda);
  const double e = model::epistemic_variance(with, phi.row(1), 0);
  const Matrix others(2, 2, {1, 0, 0, 2});
  const std::vector<double> other_weights{1, 1};
  const auto without = make_posterior(block_statistics(block_of(others), {}, other_weights, class_statistics()),
                                      std::nullopt, PosteriorKind::full, lambda);
  const double corrected = e / (1 - weights[1] * e / static_cast<double>(classes));
  EXPECT_NEAR(corrected, 1.7454545455, 1e-9);
  EXPECT_NEAR(corrected, model::epistemic_variance(without, phi.row(1), 0), 1e-12);
}

TEST(ClassWidths, AreThoseOfRegressionWithNoiseVarianceC) {
  const RandomMember member = random_member(40, 5, 2, true, 3);
  model::MemberBlock regression = member.block;
  for (double& variance : regression.variance.values()) variance = classes;
  const auto of_regression =
      make_posterior(block_statistics(regression, member.targets, {}, {.outputs = 2, .shared_noise = true}), 1.0,
                     PosteriorKind::full, 0.7);
  model::MemberBlock of_classes{.features = member.block.features,
                                .mean = Matrix(40, classes),
                                .variance = Matrix(40, 1, static_cast<double>(classes))};
  const auto posterior =
      make_posterior(block_statistics(of_classes, {}, {}, class_statistics()), std::nullopt, PosteriorKind::full, 0.7);
  EXPECT_EQ(posterior.gamma, of_regression.gamma);
  EXPECT_EQ(posterior.factor, of_regression.factor);
}

TEST(ClassWidths, CountRowsOfWeightTwoTwice) {
  const Matrix twice(4, 2, {1, 0, 1, 1, 1, 1, 0, 2});
  const auto doubled = block_statistics(block_of(twice), Matrix(4, 1, {0, 1, 1, 2}), {}, class_statistics());
  EXPECT_NEAR(isotropic_width(doubled, lambda), isotropic_width(example(), lambda), 1e-15);
  EXPECT_NEAR(doubled.log_likelihood, example().log_likelihood, 1e-12);
}

TEST(ClassWidths, WithoutRowsAreThePrior) {
  EXPECT_DOUBLE_EQ(isotropic_width(no_rows(2, class_statistics()), lambda), 1 / lambda);
}

TEST(ClassWidths, SumOverTrainingRowsToTheFormula) {
  // sum_i u_i e_i = C p (1 - gamma lambda) on the isotropic rung, C (p - lambda trace S) on the full one.
  const auto isotropic = make_posterior(example(), std::nullopt, PosteriorKind::isotropic, lambda);
  const auto full = make_posterior(example(), std::nullopt, PosteriorKind::full, lambda);
  double isotropic_sum = 0;
  double full_sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    isotropic_sum += weights[i] * model::epistemic_variance(isotropic, phi.row(i), 0);
    full_sum += weights[i] * model::epistemic_variance(full, phi.row(i), 0);
  }
  EXPECT_NEAR(isotropic_sum, classes * 2 * (1 - isotropic.gamma * lambda), 1e-12);
  EXPECT_NEAR(full_sum, classes * (2 - lambda * (0.7563025210 + 0.4537815126)), 1e-8);
}

TEST(ClassLikelihood, OfShareIsTheMeanOfItsClasses) {
  const std::vector<double> logits{0.3, -1, 2};
  const std::vector<double> shares{2.0 / 3, 1.0 / 3, 0};
  const double zero = model::class_log_likelihood<double>(logits, std::vector<double>{0});
  const double one = model::class_log_likelihood<double>(logits, std::vector<double>{1});
  EXPECT_NEAR(model::class_log_likelihood<double>(logits, shares), (2 * zero + one) / 3, 1e-15);
  EXPECT_NEAR(std::exp(zero), std::exp(0.3) / (std::exp(0.3) + std::exp(-1) + std::exp(2)), 1e-15);
}

}  // namespace
}  // namespace credens::learn
