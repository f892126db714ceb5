// SPDX-License-Identifier: Apache-2.0

#include "score/class_scorer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "model/weights.hpp"
#include "score/foreign_scorer.hpp"
#include "support/error_matchers.hpp"
#include "unit/score/class_rows.hpp"

namespace credens::scoring {
namespace {

void expect_same_classes(const ClassScores& found, const ClassScores& expected) {
  for (const ClassScoreField& field : class_score_fields()) {
    EXPECT_EQ(field.value(found), field.value(expected)) << field.name;
  }
}

ClassProblem rows_of(const ClassProblem& problem, std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return select_rows(problem, rows);
}

std::vector<double> uneven_weights(std::size_t rows) {
  std::vector<double> weights(rows);
  for (std::size_t i = 0; i < rows; ++i) weights[i] = static_cast<double>(i * i % 17) / 3;
  weights.front() = 1;
  return weights;
}

/// Scores blocks of `size` rows elsewhere, and adds up what comes back as bytes.
ClassScorer scored_in_blocks(const ClassProblem& problem, std::span<const double> weights, std::size_t size) {
  model::RowWeights row_weights;
  row_weights.add(weights);
  ClassScorer scorer(problem.predictive.classes(), RiskOrder::confidence, row_weights.largest());
  const ClassScorer elsewhere = scorer;  // as in another process
  for (std::size_t first = 0; first < problem.targets.rows(); first += size) {
    const std::size_t count = std::min(size, problem.targets.rows() - first);
    const ClassProblem block = rows_of(problem, first, count);
    std::string bytes;
    append(elsewhere.score(
               {.predictive = block.predictive, .targets = block.targets, .weights = weights.subspan(first, count)}),
           bytes);
    base::ByteReader reader(bytes);
    scorer.add(read_class_block_scores(reader));
    EXPECT_TRUE(reader.at_end());
  }
  return scorer;
}

RC_GTEST_PROP(ClassScorerLaw, BlocksOfAnySizeGiveTheSameBits, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 120);
  const ClassProblem problem = random_class_problem({.rows = rows,
                                                     .classes = *rc::gen::inRange<std::size_t>(2, 6),
                                                     .seed = *rc::gen::arbitrary<std::uint32_t>(),
                                                     .has_ties = *rc::gen::arbitrary<bool>(),
                                                     .has_counts = *rc::gen::arbitrary<bool>()});
  const std::vector<double> weights = uneven_weights(rows);
  const ClassScorer scorer = scored_in_blocks(problem, weights, *rc::gen::inRange<std::size_t>(1, 130));
  RC_ASSERT(scorer.rows() == rows);
  expect_same_classes(scorer.scores(), score(problem.predictive, problem.targets, {.weights = weights}));
  RC_ASSERT(scorer.confusion() == confusion(problem.predictive, problem.targets, {.weights = weights}));
}

TEST(ClassScorer, RoundsTheOrderOfManyRowsAlikeForBlocksOfAnySize) {
  // More rows than 2^20 / 300 classes, so that AUROC is computed from rounded probabilities.
  const ClassProblem few = random_class_problem({.rows = 400, .classes = 300, .has_ties = false});
  std::vector<std::size_t> rows(4'000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 400;
  const ClassProblem many = select_rows(few, rows);
  const std::vector<double> weights(rows.size(), 1.0);
  const ClassScores whole = score(many.predictive, many.targets);
  expect_same_classes(scored_in_blocks(many, weights, 999).scores(), whole);
  const ClassScores exact = score(few.predictive, few.targets);
  EXPECT_NEAR(*whole.auroc, *exact.auroc, 1e-4);
  EXPECT_NE(*whole.auroc, *exact.auroc);
}

TEST(ClassScorer, RefusesBlocksThatEndTooEarly) {
  const ClassProblem problem = random_class_problem({.rows = 3});
  const ClassScorer scorer(3, RiskOrder::confidence, 1);
  std::string bytes;
  append(scorer.score({.predictive = problem.predictive, .targets = problem.targets}), bytes);
  bytes.pop_back();
  base::ByteReader reader(bytes);
  EXPECT_THAT([&] { read_class_block_scores(reader); }, test::Fails(ErrorCode::failure, "a message ends"));
}

TEST(ClassScorer, RefusesRowsOfOtherClasses) {
  const ClassProblem problem = random_class_problem({.rows = 3, .classes = 4});
  const ClassScorer scorer(3, RiskOrder::confidence, 1);
  EXPECT_THAT([&] { scorer.score({.predictive = problem.predictive, .targets = problem.targets}); },
              test::Fails(ErrorCode::data, "probability is 3 x 4, expected 3 x 3"));
}

TEST(ForeignScorer, CountsOwnRowsByTheirWeight) {
  const ClassProblem problem = random_class_problem({.rows = 5, .seed = 8});
  const ClassPredictive foreign = random_class_problem({.rows = 9, .seed = 9}).predictive;
  const std::vector<double> weights = {2, 0, 1, 3, 1};
  const ClassScorer scorer(3, RiskOrder::confidence, 3);
  const ClassBlockScores block =
      scorer.score({.predictive = problem.predictive, .targets = problem.targets, .weights = weights});
  ForeignScorer weighted;
  for (const ClassRowScore& row : block.rows) weighted.add_own(row);
  weighted.add_foreign(uncertainty_of(foreign));
  const ForeignScores expected = foreign_auroc(select_rows(problem.predictive, {0, 0, 2, 3, 3, 3, 4}), foreign);
  EXPECT_NEAR(weighted.scores().by_epistemic, expected.by_epistemic, 1e-15);
  EXPECT_NEAR(weighted.scores().by_entropy, expected.by_entropy, 1e-15);
  EXPECT_NEAR(weighted.scores().by_confidence, expected.by_confidence, 1e-15);
}

TEST(ClassScoreFields, ListEveryFieldOfClassScores) {
  std::size_t bytes = 0;
  for (const ClassScoreField& field : class_score_fields()) {
    bytes += std::visit([]<class T>(T ClassScores::*) { return sizeof(T); }, field.member);
  }
  EXPECT_EQ(bytes, sizeof(ClassScores));
}

}  // namespace
}  // namespace credens::scoring
