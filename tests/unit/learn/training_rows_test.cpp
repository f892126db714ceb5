// SPDX-License-Identifier: Apache-2.0

#include "learn/training_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(ValidationPart, HasTheAskedShareAndNoRowTwice) {
  const std::vector<std::uint32_t> part = validation_part(100, 0.2, 5);
  EXPECT_EQ(part.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(part));
  EXPECT_EQ(std::ranges::adjacent_find(part), part.end());
  EXPECT_LT(part.back(), 100U);
}

TEST(ValidationPart, LeavesARowOnEitherSide) {
  EXPECT_EQ(validation_part(10, 1e-9, 1).size(), 1U);
  EXPECT_EQ(validation_part(10, 0.999, 1).size(), 9U);
  EXPECT_EQ(validation_part(2, 0.5, 1).size(), 1U);
}

TEST(ValidationPart, DependsOnTheSeedAlone) {
  EXPECT_EQ(validation_part(50, 0.3, 1), validation_part(50, 0.3, 1));
  EXPECT_NE(validation_part(50, 0.3, 1), validation_part(50, 0.3, 2));
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
  const std::vector<std::uint32_t> held = validation_part(40, 0.25, 9);
  EXPECT_EQ(rows.validation_rows(), held);
  std::size_t validation = 0;
  std::size_t train = 0;
  for (std::size_t row = 0; row < 40; ++row) {
    const bool is_held = std::ranges::binary_search(held, row);
    const TrainingSet& set = is_held ? *rows.validation() : rows.train();
    const std::size_t at = is_held ? validation++ : train++;
    EXPECT_EQ(set.targets[at], static_cast<float>(scaling.targets.apply(0, data.targets(row, 0))));
    EXPECT_EQ(set.input_row(at)[1], static_cast<float>(scaling.inputs.apply(1, data.inputs(row, 1))));
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

}  // namespace
}  // namespace credens::learn
