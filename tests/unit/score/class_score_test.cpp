// SPDX-License-Identifier: Apache-2.0

#include <credens/class_score.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "score/class_score_fields.hpp"
#include "support/error_matchers.hpp"
#include "support/reference.hpp"
#include "unit/score/class_rows.hpp"
#include "unit/score/plain_class_scores.hpp"

namespace credens::scoring {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr RiskOrder all_orders[] = {RiskOrder::confidence, RiskOrder::epistemic};

void expect_close_classes(const ClassScores& found, const ClassScores& expected, double tolerance) {
  for (const ClassScoreField& field : class_score_fields()) {
    ASSERT_EQ(field.value(found).has_value(), field.value(expected).has_value()) << field.name;
    if (!field.value(expected)) continue;
    EXPECT_NEAR(*field.value(found), *field.value(expected), tolerance) << field.name;
  }
}

ClassScores scores_of(const ClassProblem& problem, const ClassScoreOptions& options = {}) {
  return score(problem.predictive, problem.targets, options);
}

std::vector<std::size_t> repeated_rows(const std::vector<std::size_t>& copies) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < copies.size(); ++i) rows.insert(rows.end(), copies[i], i);
  return rows;
}

TEST(ClassScore, AgreesWithPlainLoops) {
  for (const std::size_t classes : {2, 3, 7}) {
    for (const bool has_counts : {false, true}) {
      for (const RiskOrder order : all_orders) {
        const ClassProblem problem =
            random_class_problem({.rows = 60, .classes = classes, .seed = classes, .has_counts = has_counts});
        const std::vector<std::size_t> once(60, 1);
        expect_close_classes(scores_of(problem, {.risk_order = order}),
                             plain_class_scores(problem.predictive, problem.targets, once, order), 1e-13);
        EXPECT_EQ(confusion(problem.predictive, problem.targets),
                  plain_confusion(problem.predictive, problem.targets, once));
      }
    }
  }
}

TEST(ClassScore, CountsARowOfWeightTwoTwice) {
  const std::vector<std::size_t> copies = {1, 2, 1, 3, 0, 1, 2, 1, 2, 5, 1, 1};
  const std::vector<double> weights(copies.begin(), copies.end());
  for (const bool has_counts : {false, true}) {
    const ClassProblem problem = random_class_problem({.rows = copies.size(), .has_counts = has_counts});
    const ClassProblem repeated = select_rows(problem, repeated_rows(copies));
    for (const RiskOrder order : all_orders) {
      const ClassScores weighted = scores_of(problem, {.weights = weights, .risk_order = order});
      expect_close_classes(weighted, scores_of(repeated, {.risk_order = order}), 1e-14);
      expect_close_classes(weighted, plain_class_scores(problem.predictive, problem.targets, copies, order), 1e-13);
    }
    EXPECT_EQ(confusion(problem.predictive, problem.targets, {.weights = weights}),
              confusion(repeated.predictive, repeated.targets));
  }
}

TEST(ClassScore, TakesCountsAsThatManyRowsButForTheBrierScore) {
  const ClassProblem problem = random_class_problem({.rows = 30, .has_counts = true});
  std::vector<std::size_t> rows;
  std::vector<double> labels;
  double spread = 0;  // sum over observations of 1 - |t|^2
  for (std::size_t row = 0; row < 30; ++row) {
    const auto counts = problem.targets.row(row);
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      rows.insert(rows.end(), static_cast<std::size_t>(counts[k]), row);
      labels.insert(labels.end(), static_cast<std::size_t>(counts[k]), static_cast<double>(k));
      spread -= counts[k] * counts[k] / sum;
    }
    spread += sum;
  }
  const std::size_t observations = rows.size();
  ClassScores expected = score(select_rows(problem.predictive, rows), Matrix(observations, 1, labels));
  expected.brier -= spread / static_cast<double>(observations);
  expect_close_classes(scores_of(problem), expected, 1e-13);
}

TEST(ClassScore, TakesSharesForLabelsThatAreCertain) {
  const ClassProblem problem = random_class_problem({.rows = 25, .classes = 4});
  Matrix shares(25, 4);
  for (std::size_t row = 0; row < 25; ++row) shares(row, static_cast<std::size_t>(problem.targets(row, 0))) = 1;
  expect_close_classes(score(problem.predictive, shares), scores_of(problem), 0);
}

TEST(ClassScore, DoesNotDependOnTheScaleOfTheWeights) {
  const ClassProblem problem = random_class_problem({.rows = 5, .seed = 3});
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  for (const double factor : {0x1p1000, 0x1p-1040}) {
    std::vector<double> scaled = weights;
    for (double& weight : scaled) weight *= factor;
    expect_close_classes(scores_of(problem, {.weights = scaled}), scores_of(problem, {.weights = weights}), 0);
  }
}

RC_GTEST_PROP(ClassScoreLaw, PermutingRowsChangesNothing, ()) {
  const ClassProblem problem = random_class_problem({.rows = *rc::gen::inRange<std::size_t>(1, 60),
                                                     .classes = *rc::gen::inRange<std::size_t>(2, 6),
                                                     .seed = *rc::gen::arbitrary<std::uint32_t>(),
                                                     .has_counts = *rc::gen::arbitrary<bool>()});
  std::vector<std::size_t> order(problem.predictive.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::RandomStream random({.seed = *rc::gen::arbitrary<std::uint32_t>(), .purpose = base::Purpose::test});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform(0, 1) * static_cast<double>(i))]);
  }
  const ClassProblem permuted = select_rows(problem, order);
  expect_close_classes(scores_of(permuted), scores_of(problem), 1e-13);
  RC_ASSERT(confusion(permuted.predictive, permuted.targets) == confusion(problem.predictive, problem.targets));
}

RC_GTEST_PROP(ClassScoreLaw, WeightsAreCopies, ()) {
  const ClassProblem problem = random_class_problem({.rows = 15,
                                                     .classes = *rc::gen::inRange<std::size_t>(2, 5),
                                                     .seed = *rc::gen::arbitrary<std::uint32_t>(),
                                                     .has_ties = *rc::gen::arbitrary<bool>()});
  auto copies = *rc::gen::container<std::vector<std::size_t>>(15, rc::gen::inRange<std::size_t>(0, 4));
  copies.front() += 1;
  const std::vector<double> weights(copies.begin(), copies.end());
  const RiskOrder order = *rc::gen::elementOf(std::vector<RiskOrder>{all_orders[0], all_orders[1]});
  expect_close_classes(scores_of(problem, {.weights = weights, .risk_order = order}),
                       scores_of(select_rows(problem, repeated_rows(copies)), {.risk_order = order}), 1e-13);
}

RC_GTEST_PROP(ClassScoreLaw, PermutingClassesKeepsAllButTies, ()) {
  const ClassProblem problem =
      random_class_problem({.rows = 30, .classes = 4, .seed = *rc::gen::arbitrary<std::uint32_t>(), .has_ties = false});
  ClassProblem turned = problem;
  for (std::size_t row = 0; row < 30; ++row) {
    for (std::size_t k = 0; k < 4; ++k) {
      turned.predictive.probability(row, (k + 1) % 4) = problem.predictive.probability(row, k);
    }
    turned.targets(row, 0) = std::fmod(problem.targets(row, 0) + 1, 4);
  }
  expect_close_classes(scores_of(turned), scores_of(problem), 1e-13);
}

TEST(ClassScore, OfSureAndRightPredictionsIsPerfect) {
  ClassProblem problem{.predictive = {}, .targets = Matrix(3, 1, std::vector<double>{0, 1, 1})};
  for (const double first : {1, 0, 0}) append_class_row(problem.predictive, {first, 1 - first}, 0);
  const ClassScores scores = scores_of(problem);
  EXPECT_EQ(scores.log_loss, 0);
  EXPECT_EQ(scores.brier, 0);
  EXPECT_EQ(scores.accuracy, 1);
  EXPECT_EQ(scores.balanced_accuracy, 1);
  EXPECT_EQ(scores.auroc, 1);
  EXPECT_EQ(scores.ece, 0);
  EXPECT_EQ(scores.classwise_ece, 0);
  EXPECT_EQ(scores.aurc, 0);
}

TEST(ClassScore, OfSureAndWrongPredictionsIsBounded) {
  ClassProblem problem{.predictive = {}, .targets = Matrix(2, 1, std::vector<double>{0, 1})};
  for (const double first : {0, 1}) append_class_row(problem.predictive, {first, 1 - first}, 0);
  const ClassScores scores = scores_of(problem);
  EXPECT_DOUBLE_EQ(scores.log_loss, -std::log(1e-15));
  EXPECT_EQ(scores.brier, 2);
  EXPECT_EQ(scores.accuracy, 0);
  EXPECT_EQ(scores.auroc, 0);
  EXPECT_EQ(scores.ece, 1);
  EXPECT_EQ(scores.aurc, 1);
}

TEST(ClassScore, HasNoAurocWhereOneClassIsPresent) {
  ClassProblem problem = random_class_problem({.rows = 6, .classes = 3});
  problem.targets = Matrix(6, 1, 2.0);
  EXPECT_EQ(scores_of(problem).auroc, std::nullopt);
  problem.targets(0, 0) = 1;
  EXPECT_NE(scores_of(problem).auroc, std::nullopt);
  const std::vector<double> without_first = {0, 1, 1, 1, 1, 1};
  EXPECT_EQ(scores_of(problem, {.weights = without_first}).auroc, std::nullopt);
}

TEST(ClassScore, PutsBinEdgesIntoTheBinAbove) {
  // 3/15 is an edge: the two rows share a bin only if the second does not fall below it.
  ClassProblem problem{.predictive = {}, .targets = Matrix(2, 1, std::vector<double>{0, 1})};
  append_class_row(problem.predictive, {0.2, 0.8}, 0);
  append_class_row(problem.predictive, {0.25, 0.75}, 0);
  const ClassScores scores = scores_of(problem);
  // First class: gaps (1 - 0.2) and (0 - 0.25) in one bin. Second class: (0 - 0.8) in bin 12, (1 - 0.75) in bin 11.
  EXPECT_NEAR(scores.classwise_ece, (0.55 / 2 + (0.8 + 0.25) / 2) / 2, 1e-15);
}

TEST(ClassScore, TakesAProbabilityThatIsRoundedAboveOneForOne) {
  ClassProblem problem{.predictive = {}, .targets = Matrix(2, 1, std::vector<double>{1, 0})};
  append_class_row(problem.predictive, {0, 1}, 0);
  append_class_row(problem.predictive, {0.5, 0.5}, 0);
  const ClassScores before = scores_of(problem);
  problem.predictive.probability(0, 1) = 1 + 1e-15;
  expect_close_classes(scores_of(problem), before, 1e-14);
}

/// Inputs and scores that tests/reference/record_class_scores.py wrote: case, key, numbers.
std::map<std::string, std::map<std::string, std::vector<double>>> recorded_cases() {
  std::map<std::string, std::map<std::string, std::vector<double>>> cases;
  for (const auto& line : test::reference_lines("class_scores.csv")) cases[line[0]][line[1]] = test::numbers(line[2]);
  return cases;
}

TEST(ClassScore, AgreesWithScikitLearn) {
  const auto cases = recorded_cases();
  EXPECT_GE(cases.size(), 4U);
  for (const auto& [name, recorded] : cases) {
    SCOPED_TRACE(name);
    const std::vector<double>& labels = recorded.at("labels");
    const std::vector<double>& values = recorded.at("probability");
    const std::size_t classes = values.size() / labels.size();
    ClassPredictive predictive;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * classes);
      append_class_row(predictive, {first, first + static_cast<std::ptrdiff_t>(classes)}, 0);
    }
    const Matrix targets(labels.size(), 1, labels);
    const ClassScoreOptions options{.weights = recorded.at("weights")};
    const ClassScores scores = score(predictive, targets, options);
    for (const ClassScoreField& field : class_score_fields()) {
      const auto found = recorded.find(std::string(field.name));
      if (found == recorded.end()) continue;
      EXPECT_NEAR(field.value(scores).value(), found->second.front(), 1e-12) << field.name;
    }
    const Matrix counts = confusion(predictive, targets, options);
    for (std::size_t i = 0; i < counts.values().size(); ++i) {
      EXPECT_NEAR(counts.values()[i], recorded.at("confusion")[i], 1e-12) << i;
    }
  }
}

TEST(RiskCoverage, IsTheAurcOfTheScores) {
  const ClassProblem problem = random_class_problem({.rows = 50});
  for (const RiskOrder order : all_orders) {
    const RiskCurve curve = risk_coverage(problem.predictive, problem.targets, {.risk_order = order});
    const ClassScores scores = scores_of(problem, {.risk_order = order});
    EXPECT_EQ(curve.area, scores.aurc);
    EXPECT_EQ(curve.coverage.back(), 1);
    EXPECT_NEAR(curve.risk.back(), 1 - scores.accuracy, 1e-15);
  }
  EXPECT_NE(scores_of(problem, {.risk_order = RiskOrder::epistemic}).aurc, scores_of(problem).aurc);
}

TEST(ForeignAuroc, CountsPairsOfOwnAndForeignRows) {
  const ClassPredictive own = random_class_problem({.rows = 40, .seed = 5}).predictive;
  const ClassPredictive foreign = random_class_problem({.rows = 25, .seed = 6}).predictive;
  const auto doubts = [](const ClassPredictive& predictive) {
    std::vector<double> values;
    for (std::size_t row = 0; row < predictive.rows(); ++row) {
      values.push_back(1 - predictive.probability(row, predictive.predicted(row)));
    }
    return values;
  };
  const ForeignScores scores = foreign_auroc(own, foreign);
  EXPECT_NEAR(scores.by_epistemic, plain_auroc(foreign.epistemic, own.epistemic), 1e-14);
  EXPECT_NEAR(scores.by_entropy, plain_auroc(foreign.entropy, own.entropy), 1e-14);
  EXPECT_NEAR(scores.by_confidence, plain_auroc(doubts(foreign), doubts(own)), 1e-14);
  EXPECT_NEAR(foreign_auroc(foreign, own).by_entropy, 1 - scores.by_entropy, 1e-14);
  EXPECT_EQ(foreign_auroc(own, own).by_epistemic, 0.5);
}

TEST(ForeignAuroc, RefusesTablesWithoutRows) {
  const ClassPredictive some = random_class_problem({.rows = 4}).predictive;
  const ClassPredictive none{.probability = Matrix(0, 3)};
  EXPECT_THAT([&] { foreign_auroc(none, some); }, test::Fails(ErrorCode::data, "no own rows"));
  EXPECT_THAT([&] { foreign_auroc(some, none); }, test::Fails(ErrorCode::data, "no foreign rows"));
}

std::function<void()> class_scoring(const ClassProblem& problem, const ClassScoreOptions& options = {}) {
  return [problem, options] { scores_of(problem, options); };
}

std::function<void()> with_target(ClassProblem problem, std::size_t row, std::size_t col, double value) {
  problem.targets(row, col) = value;
  return class_scoring(problem);
}

TEST(ClassScore, RefusesTargetsThatAreNoClasses) {
  const ClassProblem labels = random_class_problem({.rows = 3, .classes = 3});
  for (const double label : {-1.0, 3.0, 0.5, not_a_number, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(with_target(labels, 2, 0, label),
                test::Fails(ErrorCode::data, "targets: row 2 is ", "a whole number from 0 to 2"));
  }
  const ClassProblem counts = random_class_problem({.rows = 3, .classes = 3, .has_counts = true});
  for (const double count : {-1.0, not_a_number, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(with_target(counts, 1, 2, count), test::Fails(ErrorCode::data, "targets: row 1, column 2 is "));
  }
  EXPECT_THAT(with_target(counts, 1, 2, 1e16), test::Fails(ErrorCode::data, "targets: row 1 has the sum 1e+16"));
  ClassProblem zeros = counts;
  std::ranges::fill(zeros.targets.row(1), 0.0);
  EXPECT_THAT(class_scoring(zeros), test::Fails(ErrorCode::data, "targets: row 1 has the sum 0"));
}

TEST(ClassScore, RefusesOtherShapes) {
  const ClassProblem problem = random_class_problem({.rows = 3, .classes = 3});
  const auto with_targets = [&](const Matrix& targets) { return class_scoring({problem.predictive, targets}); };
  EXPECT_THAT(with_targets(Matrix(3, 2)),
              test::Fails(ErrorCode::data, "targets is 3 x 2, expected 3 x 1 with class indices or 3 x 3"));
  EXPECT_THAT(with_targets(Matrix(2, 1)), test::Fails(ErrorCode::data, "targets is 2 x 1, expected 3 x 1"));
  ClassProblem one{.predictive = {}, .targets = Matrix(1, 1)};
  append_class_row(one.predictive, {1}, 0);
  EXPECT_THAT(class_scoring(one), test::Fails(ErrorCode::data, "there are 1 classes to score"));
  const ClassProblem none{.predictive = {.probability = Matrix(0, 3)}, .targets = Matrix(0, 1)};
  EXPECT_THAT(class_scoring(none), test::Fails(ErrorCode::data, "no rows to score"));
  EXPECT_THAT([&] { confusion(none.predictive, none.targets); }, test::Fails(ErrorCode::data, "no rows to score"));
  EXPECT_THAT([&] { risk_coverage(none.predictive, none.targets); }, test::Fails(ErrorCode::data, "no rows to score"));
}

TEST(ClassScore, RefusesPredictionsAndWeightsThatAreNoNumbers) {
  const ClassProblem problem = random_class_problem({.rows = 3, .classes = 3});
  for (const double value : {not_a_number, -0.1, 1.1}) {
    ClassProblem spoiled = problem;
    spoiled.predictive.probability(1, 2) = value;
    EXPECT_THAT(class_scoring(spoiled), test::Fails(ErrorCode::data, "probability: row 1, column 2 is "));
  }
  ClassProblem spoiled = problem;
  spoiled.predictive.epistemic[1] = not_a_number;
  EXPECT_THAT(class_scoring(spoiled), test::Fails(ErrorCode::data, "epistemic: value 1 is nan"));
  spoiled.predictive.epistemic.pop_back();
  EXPECT_THAT(class_scoring(spoiled), test::Fails(ErrorCode::data, "epistemic has 2 values, expected 3"));
  const std::vector<double> negative = {1, -1, 1};
  EXPECT_THAT(class_scoring(problem, {.weights = negative}), test::Fails(ErrorCode::data, "weights: value 1 is -1"));
  const std::vector<double> zero = {0, 0, 0};
  EXPECT_THAT(class_scoring(problem, {.weights = zero}), test::Fails(ErrorCode::data, "weights has the sum 0"));
  const std::vector<double> two = {1, 1};
  EXPECT_THAT(class_scoring(problem, {.weights = two}), test::Fails(ErrorCode::data, "weights has 2 values"));
}

}  // namespace
}  // namespace credens::scoring
