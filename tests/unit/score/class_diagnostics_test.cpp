// SPDX-License-Identifier: Apache-2.0

#include "score/class_diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "score/foreign_scorer.hpp"
#include "unit/score/class_rows.hpp"

namespace credens::scoring {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<ClassRow> rows_of(const ClassProblem& problem, std::span<const double> weights = {}) {
  return class_rows(problem.predictive, problem.targets, weights, 0);
}

TEST(ClassRows, HoldWhatIsPredictedAndObserved) {
  ClassProblem problem{.predictive = {}, .targets = Matrix(2, 1, std::vector<double>{0, 2})};
  append_class_row(problem.predictive, {0.5, 0.3, 0.2}, 0.25);
  append_class_row(problem.predictive, {0.1, 0.6, 0.3}, 0);
  const std::vector<double> weights = {3, 0.5};
  const std::vector<ClassRow> rows = class_rows(problem.predictive, problem.targets, weights, 40);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].row, 40U);
  EXPECT_EQ(rows[1].row, 41U);
  EXPECT_EQ(rows[0].weight, 3);
  EXPECT_EQ(rows[0].predicted, 0U);
  EXPECT_TRUE(rows[0].is_right());
  EXPECT_EQ(rows[0].right, 1);
  EXPECT_EQ(rows[0].epistemic, problem.predictive.epistemic[0]);
  EXPECT_EQ(rows[1].observed, 2U);
  EXPECT_EQ(rows[1].observed_probability, 0.3);
  EXPECT_DOUBLE_EQ(rows[1].confidence, 0.6);
  EXPECT_FALSE(rows[1].is_right());
  EXPECT_EQ(rows[1].right, 0);
}

TEST(ClassRows, ObserveTheMostFrequentOfCounts) {
  ClassProblem problem{.predictive = {}, .targets = Matrix(1, 3, std::vector<double>{1, 6, 1})};
  append_class_row(problem.predictive, {0.5, 0.3, 0.2}, 0);
  const ClassRow row = class_rows(problem.predictive, problem.targets, std::vector<double>{0.5}, 0).front();
  EXPECT_EQ(row.observed, 1U);
  EXPECT_EQ(row.right, 0.125);
  EXPECT_EQ(row.weight, 4);
}

TEST(ClassRows, NeedNoTargets) {
  const ClassProblem problem = random_class_problem({.rows = 3});
  const std::vector<ClassRow> rows = class_rows(problem.predictive, {}, {}, 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[2].observed.has_value());
  EXPECT_EQ(rows[2].weight, 1);
}

TEST(EvenSample, HoldsEveryRowThatAPowerOfTwoDivides) {
  for (std::size_t most : {1U, 2U, 7U, 8U}) {
    for (std::size_t count = 0; count < 70; ++count) {
      EvenSample<ClassRow> sample(most);
      for (std::size_t row = 0; row < count; ++row) sample.add({.row = row});
      std::size_t step = 1;
      while ((count + step - 1) / step > most) step *= 2;
      std::vector<std::size_t> found;
      for (const ClassRow& row : sample.rows()) found.push_back(row.row);
      std::vector<std::size_t> expected;
      for (std::size_t row = 0; row < count; row += step) expected.push_back(row);
      EXPECT_EQ(found, expected) << count << " rows, at most " << most;
      EXPECT_EQ(sample.seen(), count);
    }
  }
}

RC_GTEST_PROP(LeastKnownLaw, HoldsTheFirstRowsOfAStableSort, ()) {
  const auto values = *rc::gen::container<std::vector<double>>(rc::gen::element(0.0, 0.1, 0.2, 0.3, 0.4));
  const auto most = *rc::gen::inRange<std::size_t>(1, 9);
  LeastKnown known(most);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t row : order) known.add({.row = row, .epistemic = values[row]});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t row) { return values[row]; });
  order.resize(std::min(most, order.size()));
  std::vector<std::size_t> found;
  for (const ClassRow& row : known.rows()) found.push_back(row.row);
  RC_ASSERT(found == order);
}

/// One bin as a slow loop over all rows.
ReliabilityBin plain_bin(const std::vector<ClassRow>& rows, double low, double high) {
  ReliabilityBin bin{.low = low, .high = high};
  double total = 0;
  double weight = 0;
  double square = 0;
  for (const ClassRow& row : rows) {
    total += row.weight;
    if (row.confidence < low || (row.confidence >= high && high < 1)) continue;
    weight += row.weight;
    square += row.weight * row.weight;
    bin.confidence += row.weight * row.confidence;
    bin.accuracy += row.weight * row.right;
  }
  bin.share = weight / total;
  bin.confidence /= weight;
  bin.accuracy /= weight;
  bin.effective_rows = weight * weight / square;
  return bin;
}

void expect_plain_bins(const std::vector<ClassRow>& rows) {
  Reliability reliability;
  for (const ClassRow& row : rows) reliability.add(row);
  double share = 0;
  for (const ReliabilityBin& bin : reliability.bins()) {
    const ReliabilityBin plain = plain_bin(rows, bin.low, bin.high);
    EXPECT_NEAR(bin.high - bin.low, 1.0 / 15, 1e-15);
    EXPECT_NEAR(bin.share, plain.share, 1e-14);
    EXPECT_NEAR(bin.confidence, plain.confidence, 1e-14);
    EXPECT_NEAR(bin.accuracy, plain.accuracy, 1e-14);
    EXPECT_NEAR(bin.effective_rows, plain.effective_rows, 1e-9);
    share += bin.share;
  }
  EXPECT_NEAR(share, 1, 1e-14);
}

TEST(Reliability, IsThatOfAPlainLoop) {
  const ClassProblem problem = random_class_problem({.rows = 300, .has_ties = false});
  expect_plain_bins(rows_of(problem));
  std::vector<double> weights(300);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.25 * static_cast<double>(1 + i % 5);
  expect_plain_bins(rows_of(problem, weights));
  expect_plain_bins(rows_of(random_class_problem({.rows = 200, .has_counts = true})));
}

TEST(Reliability, GapsAddUpToTheCalibrationError) {
  for (const bool has_counts : {false, true}) {
    const ClassProblem problem = random_class_problem({.rows = 150, .classes = 4, .has_counts = has_counts});
    Reliability reliability;
    for (const ClassRow& row : rows_of(problem)) reliability.add(row);
    double error = 0;
    for (const ReliabilityBin& bin : reliability.bins()) error += bin.share * std::abs(bin.accuracy - bin.confidence);
    EXPECT_NEAR(error, score(problem.predictive, problem.targets).ece, 1e-13);
  }
}

TEST(Reliability, CountsFullConfidenceInTheLastBin) {
  Reliability reliability;
  reliability.add({.confidence = 1, .right = 1});
  ASSERT_EQ(reliability.bins().size(), 1U);
  EXPECT_EQ(reliability.bins().front().high, 1);
  EXPECT_EQ(reliability.bins().front().accuracy, 1);
}

TEST(EntropyGroups, AreMeansOfRowsInOrder) {
  std::vector<ClassRow> rows;
  for (const double entropy : {0.5, 0.1, 0.3, 0.2, 0.4}) {
    rows.push_back({.entropy = entropy, .aleatoric = 0.75 * entropy, .epistemic = 0.25 * entropy});
  }
  const std::vector<EntropyGroup> groups = entropy_groups(rows, 2);  // two rows and three
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_DOUBLE_EQ(groups[0].share, 0.2);
  EXPECT_DOUBLE_EQ(groups[1].share, 0.7);
  EXPECT_DOUBLE_EQ(groups[0].aleatoric, 0.75 * 0.15);
  EXPECT_DOUBLE_EQ(groups[1].epistemic, 0.25 * 0.4);
  EXPECT_EQ(entropy_groups(rows, 100).size(), 5U);
  EXPECT_TRUE(entropy_groups({}, 10).empty());
}

TEST(PairHistogram, SharesAreThoseOfEachGroup) {
  const std::vector<RankedPair> pairs = {{0, 0, 2}, {0.3, 1, 0}, {0.5, 0, 2}, {1, 3, 4}};
  const PairHistogram histogram = pair_histogram(pairs, 4);
  EXPECT_EQ(histogram.high, 1);
  EXPECT_THAT(histogram.first, ElementsAre(0, 0.25, 0, 0.75));
  EXPECT_THAT(histogram.second, ElementsAre(0.25, 0, 0.25, 0.5));
}

TEST(PairHistogram, HoldsRowsWithoutUncertaintyInItsFirstPart) {
  const PairHistogram histogram = pair_histogram(std::vector<RankedPair>{{0, 1, 3}}, 2);
  EXPECT_THAT(histogram.first, ElementsAre(1, 0));
  EXPECT_THAT(histogram.second, ElementsAre(1, 0));
}

/// Shares of single values, as a slow loop.
std::vector<double> plain_shares(const std::vector<double>& values, double high, std::size_t bins) {
  std::vector<double> shares(bins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double low = high * static_cast<double>(bin) / static_cast<double>(bins);
    const double end = high * static_cast<double>(bin + 1) / static_cast<double>(bins);
    for (const double value : values) {
      const bool is_inside = value >= low && (value < end || bin + 1 == bins);
      shares[bin] += is_inside ? 1 / static_cast<double>(values.size()) : 0;
    }
  }
  return shares;
}

TEST(PairHistogram, OfForeignRowsIsThatOfTheirUncertainties) {
  const ClassPredictive own = random_class_problem({.rows = 200, .seed = 5, .has_ties = false}).predictive;
  const ClassPredictive foreign = random_class_problem({.rows = 90, .seed = 6, .has_ties = false}).predictive;
  ForeignScorer scorer;
  scorer.add_own(uncertainty_of(own));
  scorer.add_foreign(uncertainty_of(foreign));
  const PairHistogram histogram = pair_histogram(scorer.by_entropy(), 13);
  EXPECT_EQ(histogram.high, std::max(std::ranges::max(own.entropy), std::ranges::max(foreign.entropy)));
  const std::vector<double> first = plain_shares(foreign.entropy, histogram.high, 13);
  const std::vector<double> second = plain_shares(own.entropy, histogram.high, 13);
  for (std::size_t bin = 0; bin < 13; ++bin) {
    EXPECT_THAT(histogram.first[bin], DoubleNear(first[bin], 1e-12));
    EXPECT_THAT(histogram.second[bin], DoubleNear(second[bin], 1e-12));
  }
  EXPECT_NEAR(scorer.by_epistemic().back().value,
              std::max(std::ranges::max(own.epistemic), std::ranges::max(foreign.epistemic)), 0);
}

TEST(ForeignScorer, CountsOwnRowsByTheirWeights) {
  const ClassPredictive own = random_class_problem({.rows = 20, .seed = 7}).predictive;
  const ClassPredictive foreign = random_class_problem({.rows = 10, .seed = 8}).predictive;
  std::vector<double> weights(20, 1.0);
  weights[3] = 3;
  std::vector<std::size_t> repeated(20);
  std::iota(repeated.begin(), repeated.end(), std::size_t{0});
  repeated.insert(repeated.end(), {3, 3});
  ForeignScorer weighted;
  weighted.add_own(uncertainty_of(own), weights);
  weighted.add_foreign(uncertainty_of(foreign));
  const ForeignScores expected = foreign_auroc(select_rows(own, repeated), foreign);
  EXPECT_NEAR(weighted.scores().by_epistemic, expected.by_epistemic, 1e-14);
  EXPECT_NEAR(weighted.scores().by_entropy, expected.by_entropy, 1e-14);
}

}  // namespace
}  // namespace credens::scoring
