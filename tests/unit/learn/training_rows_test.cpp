// SPDX-License-Identifier: Apache-2.0

#include "learn/training_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/error_matchers.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings_of(const Dataset& train, FitOptions options = {}) {
  options = paper(options);
  std::vector<std::string> warnings;
  options.on_warning = [&](std::string_view sentence) { warnings.emplace_back(sentence); };
  TrainingRows(TrainingTable(train), options);
  return warnings;
}

std::vector<std::uint32_t> part_of_rows(std::size_t rows, double fraction, std::uint64_t seed) {
  const Dataset data = random_rows({.rows = rows, .inputs = 1}, 3).dataset();
  return validation_part(TrainingTable(data), paper({.validation_fraction = fraction, .seed = seed}));
}

TEST(ValidationPart, HasTheAskedShareAndNoRowTwice) {
  const std::vector<std::uint32_t> part = part_of_rows(100, 0.2, 5);
  EXPECT_EQ(part.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(part));
  EXPECT_EQ(std::ranges::adjacent_find(part), part.end());
  EXPECT_LT(part.back(), 100U);
}

TEST(ValidationPart, LeavesARowOnEitherSide) {
  EXPECT_EQ(part_of_rows(10, 1e-9, 1).size(), 1U);
  EXPECT_EQ(part_of_rows(10, 0.999, 1).size(), 9U);
  EXPECT_EQ(part_of_rows(2, 0.5, 1).size(), 1U);
}

TEST(ValidationPart, DependsOnTheSeedAlone) {
  EXPECT_EQ(part_of_rows(50, 0.3, 1), part_of_rows(50, 0.3, 1));
  EXPECT_NE(part_of_rows(50, 0.3, 1), part_of_rows(50, 0.3, 2));
}

TEST(ValidationPart, IsNoMoreThanAWindowHolds) {
  const Dataset data = random_rows({.rows = 200, .inputs = 2}, 3).dataset();
  const TrainingTable train(data, WindowSize{.window = 35 * 68, .block = 7 * 68});
  EXPECT_EQ(validation_part(train, paper({.validation_fraction = 0.1})).size(), 20U);
  EXPECT_EQ(validation_part(train, paper({.validation_fraction = 0.9})).size(), 35U);
  EXPECT_TRUE(validation_part(train, paper()).empty());
}

TEST(TrainingRows, AreScaledByAllRowsAndSplit) {
  const RandomRows data = random_rows({.rows = 40, .inputs = 2, .weights = true}, 3);
  const Dataset dataset = data.dataset();
  const TrainingTable table(dataset);
  const Scaling scaling = table.scaling(true, false);
  const TrainingRows rows(table, paper({.validation_fraction = 0.25, .seed = 9}));
  ASSERT_NE(rows.validation(), nullptr);
  EXPECT_EQ(rows.train().rows, 30U);
  EXPECT_EQ(rows.validation()->rows, 10U);
  const std::vector<std::uint32_t> held = part_of_rows(40, 0.25, 9);
  EXPECT_EQ(rows.validation_rows(), held);
  std::size_t validation = 0;
  std::size_t train = 0;
  for (std::size_t row = 0; row < 40; ++row) {
    const bool is_held = std::ranges::binary_search(held, row);
    const TrainingSet& set = is_held ? *rows.validation() : rows.train();
    const std::size_t at = is_held ? validation++ : train++;
    EXPECT_EQ(set.targets[at], static_cast<float>(scaling.targets.apply(0, data.targets(row, 0))));
    EXPECT_EQ(set.input_row(at)[1], static_cast<float>(scaling.inputs.scaler.apply(1, data.inputs(row, 1))));
    EXPECT_EQ(rows.exact().targets[row], scaling.targets.apply(0, data.targets(row, 0)));
    EXPECT_EQ(rows.exact().weights[row], data.weights[row]);
  }
  EXPECT_NEAR(rows.train().weight_total + rows.validation()->weight_total,
              std::accumulate(data.weights.begin(), data.weights.end(), 0.0), 1e-9);
}

TEST(TrainingRows, TakeValidationRowsOfTheirOwn) {
  const Dataset data = random_rows({.rows = 40, .inputs = 2}, 3).dataset();
  const Dataset validation = random_rows({.rows = 7, .inputs = 2}, 4).dataset();
  const TrainingTable table(data);
  const TrainingRows rows(table, paper(), make_training_set(validation, table.scaling(true, false)));
  EXPECT_EQ(rows.train().rows, 40U);
  ASSERT_NE(rows.validation(), nullptr);
  EXPECT_EQ(rows.validation()->rows, 7U);
  EXPECT_EQ(TrainingRows(table, paper()).validation(), nullptr);
}

/// A source whose rows are others when they are read again.
class ChangingRows : public data::RowSource {
 public:
  ChangingRows(const Dataset& first, const Dataset& second)
      : first_(data::rows_of(first)), second_(data::rows_of(second)) {}

  const data::Schema& schema() const override { return first_->schema(); }
  std::size_t count_rows() override { return first_->count_rows(); }
  bool next(data::RowBlock& block) override { return (is_second_ ? second_ : first_)->next(block); }
  void rewind() override {
    is_second_ = has_begun_;
    has_begun_ = true;
    (is_second_ ? second_ : first_)->rewind();
  }
  void leave_out(std::span<const std::size_t> inputs) override { first_->leave_out(inputs); }

 private:
  std::unique_ptr<data::RowSource> first_;
  std::unique_ptr<data::RowSource> second_;
  bool has_begun_ = false;
  bool is_second_ = false;
};

TEST(TrainingRows, MustStayAsTheyWere) {
  const RandomRows made = random_rows({.rows = 9, .inputs = 1}, 3);
  RandomRows changed = made;
  changed.inputs(4, 0) += 1e-9;
  const Dataset before = made.dataset();
  for (const Dataset& after : {changed.dataset(), before.select(std::vector<std::size_t>{0, 1, 2})}) {
    const TrainingTable table(std::make_unique<ChangingRows>(before, after));
    EXPECT_THAT([&] { TrainingRows(table, paper()); }, test::Fails(ErrorCode::data, "changed while they were read"));
  }
}

TEST(TrainingRows, WarnsOfConstantColumnsByName) {
  const Matrix inputs(2, 3, {1, 5, 7, 1, 6, 7});
  const Dataset named({.inputs = inputs,
                       .targets = Matrix(2, 2, {1, 4, 2, 4}),
                       .input_names = {"a", "b", "c"},
                       .target_names = {"y", "z"}});
  EXPECT_THAT(warnings_of(named), ElementsAre(HasSubstr(": a, c"), HasSubstr(": z")));
  const Dataset unnamed({.inputs = inputs, .targets = Matrix(2, 1, {1, 2})});
  EXPECT_THAT(warnings_of(unnamed), ElementsAre(HasSubstr(": 0, 2")));
}

TEST(TrainingRows, WarnsOfATargetThatOneValueDecides) {
  RandomRows data = random_rows({.rows = 100, .inputs = 1}, 5);
  EXPECT_THAT(warnings_of(data.dataset()), IsEmpty());
  data.targets(17, 0) = 1e6;
  EXPECT_THAT(warnings_of(data.dataset()), ElementsAre(HasSubstr("one value causes nearly all of the variance")));
  data.targets(18, 0) = -1e6;
  EXPECT_THAT(warnings_of(data.dataset()), IsEmpty()) << "two values are not one";
}

TEST(TrainingRows, WarnsOnceOfKnownNoiseBelowTheFloor) {
  const Dataset data({.inputs = Matrix(3, 1, {1, 2, 3}),
                      .targets = Matrix(3, 1, {-1, 0, 1}),
                      .noise_std = Matrix(3, 1, {1e-5, 0.1, 1e-9})});
  EXPECT_THAT(warnings_of(data, {.noise = NoiseKind::known}), ElementsAre(HasSubstr("2 of 3 rows")));
  EXPECT_THAT(warnings_of(data), IsEmpty());
}

TEST(TrainingRows, RefusesAPriorBeyondFloat) {
  RandomRows data = random_rows({.rows = 4, .inputs = 1}, 1);
  data.weights = {1e-8, 1e-8, 1e-8, 1e-8};
  const Dataset refused = data.dataset();
  EXPECT_THROW(TrainingRows(TrainingTable(refused), paper({.prior_precision = 1e6})), Error);
  EXPECT_THROW(TrainingRows(TrainingTable(refused), paper({.prior_precision = 1, .hidden_precision = {1, 1e6}})),
               Error);
  EXPECT_NO_THROW(TrainingRows(TrainingTable(refused), paper({.prior_precision = 1, .hidden_precision = {2}})));
}

TEST(Scaling, StandardisesTargetsAlwaysAndInputsWhenAsked) {
  const Dataset data({.inputs = Matrix(2, 1, {1, 5}), .targets = Matrix(2, 1, {10, 30})});
  const Scaling both = TrainingTable(data).scaling(true, false);
  EXPECT_EQ(both.inputs, (data::Scaler{{3}, {2}}));
  EXPECT_EQ(both.targets, (data::Scaler{{20}, {10}}));
  EXPECT_EQ(TrainingTable(data).scaling(false, false).inputs, data::identity_scaler(1));
  EXPECT_EQ(TrainingTable(data).scaling(false, false).targets, both.targets);
}

TEST(Scaling, TransformsHeavyTailedInputsWhenAsked) {
  RandomRows rows = random_rows({.rows = 500, .inputs = 2}, 4);
  rows.inputs(7, 1) = 1e5;
  rows.targets(7, 0) = 1e5;
  const Dataset data = rows.dataset();
  const TrainingTable table(data);
  const Scaling scaling = table.scaling(true, true);
  EXPECT_FALSE(scaling.inputs.scaler.has_asinh(0));
  EXPECT_TRUE(scaling.inputs.scaler.has_asinh(1));
  EXPECT_TRUE(scaling.targets.width.empty());
  EXPECT_TRUE(table.scaling(true, false).inputs.scaler.width.empty());
  EXPECT_EQ(table.scaling(false, true).inputs, data::identity_scaler(2));
  const TrainingSet set = make_training_set(data, scaling);
  EXPECT_EQ(set.input_values[7 * set.input_stride + 1], static_cast<float>(scaling.inputs.scaler.apply(1, 1e5)));
}

TEST(Scaling, CountsRowsByTheirWeight) {
  const Dataset data({.inputs = Matrix(2, 1, {0, 4}), .targets = Matrix(2, 1, {0, 4}), .weights = {3, 1}});
  EXPECT_DOUBLE_EQ(TrainingTable(data).scaling(true, false).inputs.scaler.shift[0], 1);
  EXPECT_DOUBLE_EQ(TrainingTable(data).scaling(true, false).targets.scale[0], std::sqrt(3.0));
}

TEST(TrainingSet, ScalesRowsAndPadsThem) {
  const Dataset data({.inputs = Matrix(2, 3, {1, 2, 3, 4, 5, 6}), .targets = Matrix(2, 2, {10, 20, 30, 40})});
  const data::Scaler inputs{{1, 0, 0}, {1, 2, 3}};
  const data::Scaler targets{{10, 0}, {10, 40}};
  const TrainingSet set = make_training_set(data, {inputs, targets});
  EXPECT_EQ(set.rows, 2U);
  EXPECT_EQ(set.inputs, 3U);
  EXPECT_EQ(set.outputs, 2U);
  EXPECT_EQ(set.input_stride, 16U);
  ASSERT_EQ(set.input_values.size(), 32U);
  EXPECT_EQ(set.input_values[16], 3.0F);
  EXPECT_EQ(set.input_values[17], 2.5F);
  EXPECT_EQ(set.input_values[18], 2.0F);
  for (std::size_t pad = 19; pad < 32; ++pad) EXPECT_EQ(set.input_values[pad], 0.0F);
  EXPECT_EQ(set.targets, (std::vector<float>{0, 0.5, 2, 1}));
  EXPECT_EQ(set.weight_total, 2);
  EXPECT_TRUE(set.weights.empty());
  EXPECT_TRUE(set.known_variance.empty());
}

TEST(TrainingSet, HasWeightsOfMeanOneAndRemembersTheirSum) {
  const Dataset data({.inputs = Matrix(3, 1), .targets = Matrix(3, 1), .weights = {2, 4, 6}});
  const TrainingSet set = make_training_set(data, {data::identity_scaler(1), data::identity_scaler(1)});
  EXPECT_EQ(set.weights, (std::vector<float>{0.5, 1, 1.5}));
  EXPECT_EQ(set.weight_total, 12);
}

TEST(TrainingSet, HasKnownVariancesInNetworkUnits) {
  const Dataset data({.inputs = Matrix(1, 1), .targets = Matrix(1, 2), .noise_std = Matrix(1, 2, {3, 8})});
  const TrainingSet set = make_training_set(data, {data::identity_scaler(1), {{0, 0}, {2, 4}}});
  EXPECT_EQ(set.known_variance, (std::vector<float>{2.25, 4}));
}

TEST(TrainingSet, RefusesValuesBeyondFloat) {
  const Dataset data({.inputs = Matrix(2, 1, {1, 1e39}), .targets = Matrix(2, 1)});
  try {
    make_training_set(data, {data::identity_scaler(1), data::identity_scaler(1)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(std::string(error.what()).find("row 1, column 0"), std::string::npos) << error.what();
  }
}

TEST(Subset, CopiesRowsAndKeepsTheSizeOfTheirWeights) {
  const RandomRows rows = random_rows({.rows = 5, .inputs = 3, .outputs = 2, .noise = true, .weights = true}, 2);
  const TrainingSet all = rows.training_set();
  const std::vector<std::uint32_t> chosen{3, 1};
  const TrainingSet part = subset(all, chosen);
  EXPECT_EQ(part.rows, 2U);
  EXPECT_EQ(part.inputs, 3U);
  EXPECT_EQ(part.outputs, 2U);
  EXPECT_EQ(part.input_stride, all.input_stride);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < all.input_stride; ++j) {
      EXPECT_EQ(part.input_values[i * part.input_stride + j], all.input_values[chosen[i] * all.input_stride + j]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(part.targets[i * 2 + k], all.targets[chosen[i] * 2 + k]);
      EXPECT_EQ(part.known(i, k), all.known(chosen[i], k));
    }
    EXPECT_EQ(part.weight(i), all.weight(chosen[i]));
  }
  EXPECT_FLOAT_EQ(static_cast<float>(part.weight_total), all.weight(3) + all.weight(1));
}

TEST(Subset, HasNoWeightsOrNoiseWhereTheWholeHasNone) {
  const std::vector<std::uint32_t> chosen{0, 4, 2};
  const TrainingSet part = subset(random_rows({.rows = 5, .inputs = 1}, 2).training_set(), chosen);
  EXPECT_TRUE(part.weights.empty());
  EXPECT_TRUE(part.known_variance.empty());
  EXPECT_EQ(part.weight_total, 3);
}

}  // namespace
}  // namespace credens::learn
