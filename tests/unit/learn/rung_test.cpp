// SPDX-License-Identifier: Apache-2.0

#include "learn/rung.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/finish.hpp"
#include "learn/member_rows.hpp"
#include "learn/recipe.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using testing::HasSubstr;

/// Linear members on rows with known noise; the rung is not given.
FitOptions linear_options(double lambda = 0.01) {
  FitOptions options = paper({.members = 4,
                              .hidden = std::vector<std::vector<std::size_t>>(1),
                              .prior_precision = lambda,
                              .noise = NoiseKind::known,
                              .standardise_inputs = false,
                              .folds = 2,
                              .seed = 6});
  options.posterior = {};
  return options;
}

/// Row i is in one group, which has an input of its own: `scale` in the group, 0 elsewhere. No two rows have equal
/// inputs, by less than a float can tell, so that they are held out one by one.
struct Grouped {
  std::vector<std::size_t> group;
  std::vector<double> scale;

  Dataset dataset(std::uint64_t seed) const {
    base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
    std::vector<double> effect;
    for (std::size_t j = 0; j < scale.size(); ++j) effect.push_back(2 * random.normal());
    Matrix inputs(group.size(), scale.size());
    Matrix targets(group.size(), 1);
    for (std::size_t i = 0; i < group.size(); ++i) {
      inputs(i, group[i]) = scale[group[i]] * (1 + 1e-12 * static_cast<double>(i));
      targets(i, 0) = effect[group[i]] + random.normal();
    }
    return Dataset({.inputs = inputs, .targets = targets, .noise_std = Matrix(group.size(), 1, 1.0)});
  }

  /// Least squares: the mean target of each group's rows that the member sees.
  model::Member member(std::size_t index, const TrainingSet& rows, const FitOptions& options) const {
    std::vector<double> sum(scale.size());
    std::vector<double> count(scale.size());
    for (const std::uint32_t row : seen_rows(options, index, rows.rows)) {
      sum[group[row]] += static_cast<double>(rows.targets[row]);
      count[group[row]] += 1;
    }
    model::Mlp network(member_shape(options, index, scale.size(), 1));
    BasicMatrix<float> weight(1, scale.size());
    for (std::size_t j = 0; j < scale.size(); ++j) {
      weight(0, j) = static_cast<float>(sum[j] / std::max(count[j], 1.0) / scale[j]);
    }
    network.set_layer(0, weight, std::vector<float>{0});
    return {.index = index,
            .features = scale.size(),
            .network = std::make_shared<const model::Mlp>(std::move(network)),
            .posterior = {}};
  }

  RungChoice choice(const FitOptions& options) const {
    const Dataset data = dataset(3);
    const TrainingTable table(data);
    const TrainingRows rows(table, options);
    std::vector<model::Member> members;
    for (std::size_t l = 0; l < options.members; ++l) members.push_back(member(l, rows.train(), options));
    const PosteriorKind highest = candidate_rungs(members, options.prior_precision).back();
    return choose_rung(judging_rows(rows, options, members, rows.train().rows), options, members,
                       std::vector<double>(members.size(), 0.25), sum_rows(rows, members, options, highest));
  }
};

/// A large group whose input is large, and groups of two rows: one width for all weights is too small for theirs.
Grouped uneven() {
  Grouped grouped{.group = std::vector<std::size_t>(100, 0), .scale = {10}};
  for (std::size_t j = 1; j <= 100; ++j) {
    grouped.group.insert(grouped.group.end(), 2, j);
    grouped.scale.push_back(1);
  }
  return grouped;
}

TEST(ChooseRung, TakesAWidthPerWeightWhereThatPredictsBetter) {
  const RungChoice choice = uneven().choice(linear_options());
  EXPECT_NE(choice.posterior, PosteriorKind::isotropic);
  EXPECT_NE(choice.posterior, PosteriorKind::delta);
  EXPECT_THAT(choice.reason, HasSubstr("better than isotropic's by"));
}

TEST(ChooseRung, IsTheSameForAnyNumberOfThreads) {
  FitOptions options = linear_options();
  options.threads = 1;
  const RungChoice alone = uneven().choice(options);
  options.threads = 3;
  EXPECT_EQ(uneven().choice(options).reason, alone.reason);
}

TEST(ChooseRung, TakesThePapersWhereAllAreTheSame) {
  const Grouped one{.group = std::vector<std::size_t>(40, 0), .scale = {1}};
  EXPECT_EQ(one.choice(linear_options()).posterior, PosteriorKind::isotropic);
}

TEST(ChooseRung, TakesThePapersWithoutPrior) {
  EXPECT_EQ(uneven().choice(linear_options(0)).posterior, PosteriorKind::isotropic);
}

}  // namespace
}  // namespace credens::learn
