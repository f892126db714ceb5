// SPDX-License-Identifier: Apache-2.0

#include "learn/statistics.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "random_block.hpp"

namespace credens::learn {
namespace {

double plain_gram(const RandomMember& member, std::span<const double> weights, std::size_t k, std::size_t a,
                  std::size_t b) {
  const Matrix& phi = member.block.features;
  const auto value = [&](std::size_t i, std::size_t j) { return j == phi.cols() ? 1.0 : phi(i, j); };
  double sum = 0;
  for (std::size_t i = 0; i < phi.rows(); ++i)
    sum += weights[i] * value(i, a) * value(i, b) / member.block.variance(i, k);
  return sum;
}

TEST(BlockStatistics, AreTheSumsOfTheirDefinition) {
  const RandomMember member = random_member(57, 5, 3, false, 1);
  std::vector<double> weights(57);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5 + static_cast<double>(i % 4);
  const auto sums = block_statistics(member.block, member.targets, weights, {.outputs = 3, .random_bias = true});

  ASSERT_EQ(sums.gram.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = 0; b < 6; ++b) {
        EXPECT_NEAR(sums.gram[k](a, b), plain_gram(member, weights, k, a, b), 1e-10);
      }
      EXPECT_DOUBLE_EQ(sums.diagonal[k][a], sums.gram[k](a, a));
    }
  }
  double likelihood = 0;
  for (std::size_t i = 0; i < 57; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double v = member.block.variance(i, k);
      const double r = member.targets(i, k) - member.block.mean(i, k);
      likelihood -= weights[i] * 0.5 * (std::log(2 * std::numbers::pi * v) + r * r / v);
    }
  }
  EXPECT_NEAR(sums.log_likelihood, likelihood, 1e-9);
}

TEST(BlockStatistics, WithoutGramHaveTheSameDiagonals) {
  const RandomMember member = random_member(40, 7, 2, false, 2);
  const auto with = block_statistics(member.block, {}, {}, {.outputs = 2});
  const auto without = block_statistics(member.block, {}, {}, {.outputs = 2, .with_gram = false});
  EXPECT_TRUE(without.gram.empty());
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(with.diagonal[k][j], without.diagonal[k][j], 1e-11);
  }
}

TEST(BlockStatistics, OfOtherNoiseFollowByItsFactor) {
  RandomMember member = random_member(30, 4, 2, false, 5);
  MemberStatistics scaled = block_statistics(member.block, {}, {}, {.outputs = 2});
  scale(scaled, 1 / 2.5);
  for (double& variance : member.block.variance.values()) variance *= 2.5;
  const MemberStatistics found = block_statistics(member.block, {}, {}, {.outputs = 2});
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(scaled.diagonal[k][j], found.diagonal[k][j], 1e-11);
    for (std::size_t j = 0; j < 16; ++j) {
      EXPECT_NEAR(scaled.gram[k].values()[j], found.gram[k].values()[j], 1e-11);
    }
  }
}

TEST(BlockStatistics, CountARowOfWeightTwoLikeTheRowTwice) {
  const RandomMember once = random_member(10, 4, 1, true, 3);
  std::vector<double> weights(10, 1.0);
  weights[3] = 2;
  RandomMember twice{
      .block = {Matrix(11, 4), Matrix(11, 1), Matrix(11, 1)}, .targets = Matrix(11, 1), .last_layer = {}};
  for (std::size_t i = 0; i < 11; ++i) {
    const std::size_t from = i < 10 ? i : 3;
    std::ranges::copy(once.block.features.row(from), twice.block.features.row(i).begin());
    twice.block.mean(i, 0) = once.block.mean(from, 0);
    twice.block.variance(i, 0) = once.block.variance(from, 0);
    twice.targets(i, 0) = once.targets(from, 0);
  }
  const auto a = block_statistics(once.block, once.targets, weights, {.outputs = 1, .shared_noise = true});
  const auto b = block_statistics(twice.block, twice.targets, {}, {.outputs = 1, .shared_noise = true});
  EXPECT_NEAR(a.log_likelihood, b.log_likelihood, 1e-11);
  for (std::size_t j = 0; j < 16; ++j) EXPECT_NEAR(a.gram[0].values()[j], b.gram[0].values()[j], 1e-11);
}

TEST(Add, OfTheBlocksIsTheWhole) {
  const RandomMember member = random_member(30, 3, 2, false, 4);
  const auto part = [&](std::size_t first, std::size_t count) {
    const auto cut = [&](const Matrix& m) {
      const auto view = m.view().row_block(first, count);
      return Matrix(count, m.cols(), std::vector<double>(view.data(), view.data() + count * m.cols()));
    };
    return block_statistics({cut(member.block.features), cut(member.block.mean), cut(member.block.variance)},
                            member.targets.view().row_block(first, count), {}, {.outputs = 2});
  };
  MemberStatistics total = no_rows(3, {.outputs = 2});
  add(total, part(0, 11));
  add(total, part(11, 19));
  const auto whole = block_statistics(member.block, member.targets, {}, {.outputs = 2});
  EXPECT_NEAR(total.log_likelihood, whole.log_likelihood, 1e-11);
  EXPECT_NEAR(total.trace(1), whole.trace(1), 1e-10);
  EXPECT_NEAR(total.gram[0](1, 2), whole.gram[0](1, 2), 1e-11);
}

}  // namespace
}  // namespace credens::learn
