// SPDX-License-Identifier: Apache-2.0

#include "learn/widen.hpp"

#include <credens/fit.hpp>
#include <credens/widen.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "learn/fit.hpp"
#include "learn/trainer.hpp"
#include "model/ensemble_state.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_team.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t rows = 3 * data::block_rows + 100;  // waves of two blocks are not all full
const DatasetOptions all_parts{.targets = {"y"}, .weight = "w", .noise_std = {"s"}};
const FitOptions small = paper({.members = 2, .hidden = {{4}}, .epochs = 1, .batch = 512, .seed = 3});

class RowsOfAFile : public testing::Test {
 protected:
  RowsOfAFile() {
    const RandomRows made = random_rows({.rows = rows, .inputs = 2, .noise = true, .weights = true}, 8);
    std::string text = "a,b,w,s,y\n";
    for (std::size_t row = 0; row < rows; ++row) {
      text += fmt::format("{},{},{},{},{}\n", made.inputs(row, 0), made.inputs(row, 1), made.weights[row],
                          made.noise_std(row, 0), made.targets(row, 0));
    }
    base::write_file(path_, text);
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "t.csv";
};

std::vector<float> parameters_of(const Ensemble& ensemble) {
  std::vector<float> all;
  for (const model::Member& member : ensemble.state().members) {
    all.insert(all.end(), member.network->parameters().begin(), member.network->parameters().end());
  }
  return all;
}

TEST_F(RowsOfAFile, TrainTheSameBitsAsADataset) {
  for (const double validation_fraction : {0.0, 0.3}) {
    FitOptions options = small;
    options.validation_fraction = validation_fraction;
    Fit from_file(data::open_rows(path_, all_parts), options);
    const std::vector<std::size_t> which{0, 1};
    const Ensemble streamed = from_file.wide(from_file.train(from_file.plan().options, which));
    const Dataset dataset = Dataset::from_file(path_, all_parts);
    const Ensemble held = fit(dataset, options);
    const Ensemble widened = credens::widen(fit_members(dataset, options), dataset);
    for (const Ensemble& other : {held, widened}) {
      EXPECT_EQ(streamed.gamma(), other.gamma());
      EXPECT_EQ(streamed.elbo(PosteriorKind::full), other.elbo(PosteriorKind::full));
    }
    EXPECT_EQ(parameters_of(streamed), parameters_of(held));
    EXPECT_EQ(streamed.state().data, held.state().data);
    EXPECT_EQ(streamed.state().encoder.scaler, held.state().encoder.scaler);
    EXPECT_EQ(streamed.state().schema, held.state().schema);
  }
}

/// Counts how often rows are read from the first to the last.
class CountingRows : public data::RowSource {
 public:
  explicit CountingRows(std::unique_ptr<data::RowSource> source) : rows_(std::move(source)) {}

  const data::Schema& schema() const override { return rows_->schema(); }
  std::size_t count_rows() override { return rows_->count_rows(); }
  void rewind() override { rows_->rewind(); }
  void leave_out(std::span<const std::size_t> inputs) override { rows_->leave_out(inputs); }
  bool next(data::RowBlock& block) override {
    const bool has_more = rows_->next(block);
    if (!has_more) ++passes;
    return has_more;
  }

  std::size_t passes = 0;

 private:
  std::unique_ptr<data::RowSource> rows_;
};

TEST_F(RowsOfAFile, AreParsedTwiceByAFit) {
  for (const Recipe recipe : {Recipe::paper, Recipe::automatic}) {
    for (const double validation_fraction : {0.0, 0.2}) {
      auto rows_of_file = std::make_unique<CountingRows>(data::open_rows(path_, all_parts));
      const CountingRows& counted = *rows_of_file;
      Fit fit(std::move(rows_of_file), {.recipe = recipe,
                                        .members = 2,
                                        .hidden = {{4}},
                                        .epochs = 1,
                                        .batch = 512,
                                        .validation_fraction = validation_fraction});
      const std::vector<std::size_t> which{0, 1};
      const Ensemble wide = fit.wide(fit.train(fit.plan().options, which));
      EXPECT_GT(fit.median_ratio(wide), 0);
      EXPECT_EQ(counted.passes, 2U);
    }
  }
}

TEST_F(RowsOfAFile, WidenToTheSameBitsByAnyNumberOfRanks) {
  const Dataset held = Dataset::from_file(path_, all_parts);
  const Ensemble narrow = fit_members(held, small);
  const Ensemble expected = credens::widen(narrow, held, {.posterior = PosteriorKind::full, .threads = 1});
  const auto epistemic = [&](const Ensemble& wide) {
    return wide.predict(held.inputs(), {.noise_std = held.noise_std()}).epistemic_variance();
  };
  for (const std::size_t ranks : {2U, 3U, 5U}) {
    test::run_team(ranks, [&](base::Team& team) {
      const int threads = team.leads() ? 2 : 1;
      const auto source = data::open_rows(path_, all_parts);
      const Ensemble wide = widen(narrow, *source, {.posterior = PosteriorKind::full, .threads = threads}, team);
      EXPECT_TRUE(std::ranges::equal(epistemic(wide).values(), epistemic(expected).values())) << ranks << " ranks";
      EXPECT_EQ(wide.elbo(PosteriorKind::full), expected.elbo(PosteriorKind::full));
      EXPECT_EQ(wide.state().data, expected.state().data);
    });
  }
}

/// A rank that notes the most bytes that it takes at once.
class NotingTeam : public base::Team {
 public:
  explicit NotingTeam(base::Team& team) : team_(team) {}

  std::size_t rank() const override { return team_.rank(); }
  std::size_t size() const override { return team_.size(); }
  std::string broadcast(std::string bytes) override { return team_.broadcast(std::move(bytes)); }
  void collect(std::string bytes, const Taker& take) override {
    team_.collect(std::move(bytes), [&](std::string_view of_rank) {
      most = std::max(most, of_rank.size());
      take(of_rank);
    });
  }

  std::size_t most = 0;

 private:
  base::Team& team_;
};

TEST_F(RowsOfAFile, WidenToTheSameBitsInLittleMemory) {
  const Dataset held = Dataset::from_file(path_, all_parts);
  const Ensemble narrow = fit_members(held, small);
  const WidenOptions options{.posterior = PosteriorKind::full, .threads = 2};
  const Ensemble expected = credens::widen(narrow, held, options);
  base::share_memory(std::numeric_limits<std::size_t>::max());  // none is left
  const Ensemble alone = credens::widen(narrow, held, options);
  EXPECT_EQ(alone.elbo(PosteriorKind::full), expected.elbo(PosteriorKind::full));
  test::run_team(3, [&](base::Team& all) {
    NotingTeam team(all);
    const auto source = data::open_rows(path_, all_parts);
    const Ensemble wide = widen(narrow, *source, options, team);
    EXPECT_EQ(wide.elbo(PosteriorKind::full), expected.elbo(PosteriorKind::full));
    constexpr std::size_t block = 2 * (1 + 4 + 16) * sizeof(double);
    EXPECT_LE(team.most, block) << "of one block and one rank";
  });
  base::share_memory(1);
}

TEST_F(RowsOfAFile, WidenToTheSameBitsAsADatasetForAnyNumberOfThreads) {
  const Dataset held = Dataset::from_file(path_, all_parts);
  const Ensemble narrow = fit_members(held, small);
  for (const PosteriorKind posterior : {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    const Ensemble expected = credens::widen(narrow, held, {.posterior = posterior, .threads = 1});
    const auto epistemic = [&](const Ensemble& wide) {
      return wide.predict(held.inputs(), {.noise_std = held.noise_std()}).epistemic_variance();
    };
    for (const int threads : {1, 2, 3}) {
      const auto source = data::open_rows(path_, all_parts);
      const Ensemble wide = widen(narrow, *source, {.posterior = posterior, .threads = threads});
      EXPECT_EQ(wide.gamma(), expected.gamma());
      EXPECT_EQ(wide.elbo(posterior), expected.elbo(posterior));
      EXPECT_EQ(wide.state().data, expected.state().data);
      EXPECT_TRUE(std::ranges::equal(epistemic(wide).values(), epistemic(expected).values()));
    }
  }
}

/// p / (sum_i |phi_i|^2 / v_i + p lambda) of one output.
double isotropic_gamma(const MemberOutputs& outputs, std::size_t l, double prior_precision) {
  const Matrix& features = outputs.features[l];
  double trace = 0;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (const double phi : features.row(i)) trace += phi * phi / outputs.variance[l](i, 0);
  }
  const auto p = static_cast<double>(features.cols());
  return p / (trace + p * prior_precision);
}

TEST(EmbeddedMembers, AreWidenedByTheFeaturesOfTheirLastHiddenLayer) {
  const RandomRows made = random_rows({.rows = 200, .inputs = 2}, 8);
  const Dataset data = made.dataset();
  model::EnsembleState state = fit_members(data, small).state();
  const std::vector<std::vector<std::size_t>> hidden = {{6, 4}, {}};
  for (std::size_t l = 0; l < 2; ++l) {
    const model::MlpShape shape{.inputs = 2, .hidden = hidden[l], .activation = Activation::silu, .frequencies = 3};
    state.members[l].network = std::make_shared<model::Mlp>(initial_network(shape, 1, l, 0, 0.5));
    state.members[l].features = shape.features();
  }
  state.posterior = PosteriorKind::delta;
  for (model::Member& member : state.members) member.posterior = {};
  const Ensemble narrow(std::make_shared<const model::EnsembleState>(state));
  const Ensemble wide = credens::widen(narrow, data, {.posterior = PosteriorKind::isotropic, .prior_precision = 2});
  const MemberOutputs outputs = wide.member_outputs(data.inputs(), {});
  EXPECT_EQ(outputs.features[0].cols(), 4U);
  EXPECT_EQ(outputs.features[1].cols(), 2U * (1 + 2 * 3));
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_NEAR(wide.gamma()[l], isotropic_gamma(outputs, l, 2), 1e-9 * wide.gamma()[l]);
  }
}

TEST(BlocksAtOnce, AreOneForEachThreadWhereMemorySuffices) {
  EXPECT_EQ(blocks_at_once(1'000'000, 100, 10, 8), 8);
}

TEST(BlocksAtOnce, HoldNoMoreThanTheyMay) {
  EXPECT_EQ(blocks_at_once(1000, 300, 10, 8), 3);
  EXPECT_EQ(blocks_at_once(1000, 10, 300, 8), 3);
  EXPECT_EQ(blocks_at_once(1000, 10, 300, 1), 1);
}

TEST(BlocksAtOnce, AreOneAtLeast) {
  EXPECT_EQ(blocks_at_once(0, 100, 10, 8), 1);
  EXPECT_EQ(blocks_at_once(5, 100, 10, 8), 1);
}

}  // namespace
}  // namespace credens::learn
