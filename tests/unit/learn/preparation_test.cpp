// SPDX-License-Identifier: Apache-2.0

#include "learn/preparation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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
  prepare(train, options);
  return warnings;
}

TEST(PartRows, HoldsBackTheAskedShareAndNoRowTwice) {
  const RowParts parts = part_rows(100, 0.2, 5);
  EXPECT_EQ(parts.validation.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(parts.train));
  std::vector<std::size_t> all = parts.train;
  all.insert(all.end(), parts.validation.begin(), parts.validation.end());
  std::ranges::sort(all);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(all.at(i), i);
}

TEST(PartRows, LeavesARowOnEitherSide) {
  EXPECT_EQ(part_rows(10, 1e-9, 1).validation.size(), 1U);
  EXPECT_EQ(part_rows(10, 0.999, 1).train.size(), 1U);
  EXPECT_EQ(part_rows(2, 0.5, 1).train.size(), 1U);
}

TEST(PartRows, DependsOnTheSeedAlone) {
  EXPECT_EQ(part_rows(50, 0.3, 1).validation, part_rows(50, 0.3, 1).validation);
  EXPECT_NE(part_rows(50, 0.3, 1).validation, part_rows(50, 0.3, 2).validation);
}

TEST(Prepare, ScalesAllPartsByAllRows) {
  const RandomRows data = random_rows({.rows = 40, .inputs = 2}, 3);
  const Scaling scaling = make_scaling(data.dataset(), true);
  const Preparation preparation = prepare(data.dataset(), paper({.validation_fraction = 0.25, .seed = 9}));
  ASSERT_TRUE(preparation.validation);
  EXPECT_EQ(preparation.train.rows, 30U);
  EXPECT_EQ(preparation.validation->rows, 10U);
  const std::size_t row = part_rows(40, 0.25, 9).validation[4];
  EXPECT_EQ(preparation.validation->targets[4], static_cast<float>(scaling.targets.apply(0, data.targets(row, 0))));
}

TEST(Prepare, TakesValidationRowsOfTheirOwn) {
  const RandomRows data = random_rows({.rows = 40, .inputs = 2}, 3);
  const Dataset validation = random_rows({.rows = 7, .inputs = 2}, 4).dataset();
  const Scaling scaling = make_scaling(data.dataset(), true);
  const Preparation preparation = prepare(data.dataset(), paper({.validation = &validation}));
  EXPECT_EQ(preparation.train.rows, 40U);
  ASSERT_TRUE(preparation.validation);
  EXPECT_EQ(preparation.validation->rows, 7U);
  EXPECT_EQ(preparation.validation->targets[2],
            static_cast<float>(scaling.targets.apply(0, validation.targets()(2, 0))));
  EXPECT_FALSE(prepare(data.dataset(), paper()).validation);
}

TEST(Prepare, WarnsOfConstantColumnsByName) {
  const Matrix inputs(2, 3, {1, 5, 7, 1, 6, 7});
  const Dataset named({.inputs = inputs,
                       .targets = Matrix(2, 2, {1, 4, 2, 4}),
                       .input_names = {"a", "b", "c"},
                       .target_names = {"y", "z"}});
  EXPECT_THAT(warnings_of(named), ElementsAre(HasSubstr(": a, c"), HasSubstr(": z")));
  const Dataset unnamed({.inputs = inputs, .targets = Matrix(2, 1, {1, 2})});
  EXPECT_THAT(warnings_of(unnamed), ElementsAre(HasSubstr(": 0, 2")));
}

TEST(Prepare, WarnsOfATargetThatOneValueDecides) {
  RandomRows data = random_rows({.rows = 100, .inputs = 1}, 5);
  EXPECT_THAT(warnings_of(data.dataset()), IsEmpty());
  data.targets(17, 0) = 1e6;
  EXPECT_THAT(warnings_of(data.dataset()), ElementsAre(HasSubstr("one value makes nearly all of the variance")));
  data.targets(18, 0) = -1e6;
  EXPECT_THAT(warnings_of(data.dataset()), IsEmpty()) << "two values are not one";
}

TEST(Prepare, WarnsOnceOfKnownNoiseBelowTheFloor) {
  const Dataset data({.inputs = Matrix(3, 1, {1, 2, 3}),
                      .targets = Matrix(3, 1, {-1, 0, 1}),
                      .noise_std = Matrix(3, 1, {1e-5, 0.1, 1e-9})});
  EXPECT_THAT(warnings_of(data, {.noise = NoiseKind::known}), ElementsAre(HasSubstr("2 of 3 rows")));
  EXPECT_THAT(warnings_of(data), IsEmpty());
}

TEST(Prepare, RefusesAPriorBeyondFloat) {
  RandomRows data = random_rows({.rows = 4, .inputs = 1}, 1);
  data.weights = {1e-8, 1e-8, 1e-8, 1e-8};
  EXPECT_THROW(prepare(data.dataset(), paper({.prior_precision = 1e6})), Error);
  EXPECT_THROW(prepare(data.dataset(), paper({.prior_precision = 1, .hidden_precision = {1, 1e6}})), Error);
  EXPECT_NO_THROW(prepare(data.dataset(), paper({.prior_precision = 1, .hidden_precision = {2}})));
}

}  // namespace
}  // namespace credens::learn
