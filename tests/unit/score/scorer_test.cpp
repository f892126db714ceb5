// SPDX-License-Identifier: Apache-2.0

#include "score/scorer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "model/weights.hpp"
#include "score/score_fields.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_components.hpp"

namespace credens::scoring {
namespace {

/// Rows [first, first + count) of a prediction.
Predictive block_of(const Predictive& all, std::size_t first, std::size_t count) {
  const MixtureComponents& from = all.components();
  const std::size_t per_row = from.weights.size() * from.outputs;
  MixtureComponents block{.rows = count, .outputs = from.outputs, .weights = from.weights};
  const auto take = [&](const std::vector<double>& values) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(first * per_row);
    return std::vector<double>(at, at + static_cast<std::ptrdiff_t>(count * per_row));
  };
  block.mean = take(from.mean);
  block.aleatoric_variance = take(from.aleatoric_variance);
  block.epistemic_variance = take(from.epistemic_variance);
  return Predictive(std::move(block));
}

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = 3 + 1.5 * random.normal();
  return matrix;
}

void expect_same(const Scores& found, const Scores& expected) {
  for (const ScoreField& field : score_fields()) EXPECT_EQ(field.value(found), field.value(expected)) << field.name;
  ASSERT_EQ(found.per_output.size(), expected.per_output.size());
  for (std::size_t k = 0; k < found.per_output.size(); ++k) expect_same(found.per_output[k], expected.per_output[k]);
}

TEST(Scorer, GivesTheSameBitsForBlocksOfAnySizeThatOthersScored) {
  constexpr std::size_t rows = 301;
  for (const std::size_t outputs : {1, 3}) {
    const Predictive all(model::random_components({.rows = rows, .outputs = outputs, .seed = 5}));
    const Matrix targets = random_matrix(rows, outputs, 6);
    const Matrix truth = random_matrix(rows, outputs, 7);
    std::vector<double> weights(rows);
    for (std::size_t i = 0; i < rows; ++i) weights[i] = static_cast<double>(i * i % 17) / 3;
    const std::vector<double> target_std(outputs, 1.7);
    const ScoreOptions options{
        .level = 0.8, .interval = IntervalKind::mixture, .weights = weights, .truth = truth, .target_std = target_std};
    const Scores whole = score(all, targets, options);
    for (const std::size_t size : {1, 7, 64, 1000}) {
      model::RowWeights row_weights;
      row_weights.add(weights);
      const IntervalOptions interval{.level = 0.8, .kind = IntervalKind::mixture};
      Scorer scorer(outputs, interval, target_std, row_weights.largest());
      const Scorer elsewhere(outputs, interval, target_std, row_weights.largest());  // as in another process
      for (std::size_t first = 0; first < rows; first += size) {
        const std::size_t count = std::min(size, rows - first);
        const BlockScores block = elsewhere.score({.predictive = block_of(all, first, count),
                                                   .targets = MatrixView(targets).row_block(first, count),
                                                   .weights = std::span(weights).subspan(first, count),
                                                   .truth = MatrixView(truth).row_block(first, count)});
        std::string bytes;
        append(block, bytes);
        base::ByteReader reader(bytes);
        scorer.add(read_block_scores(reader));
      }
      EXPECT_EQ(scorer.rows(), rows);
      expect_same(scorer.scores(), whole);
    }
  }
}

TEST(ScoreFields, ListEveryFieldOfScores) {
  std::size_t bytes = sizeof(Scores::per_output);
  for (const ScoreField& field : score_fields()) {
    bytes += std::visit([]<class T>(T Scores::*) { return sizeof(T); }, field.member);
  }
  EXPECT_EQ(bytes, sizeof(Scores));
}

}  // namespace
}  // namespace credens::scoring
