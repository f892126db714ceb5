// SPDX-License-Identifier: Apache-2.0

#include "learn/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "learn/recipe.hpp"
#include "support/error_matchers.hpp"

namespace credens::learn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr DataSize some_rows{.rows = 300, .inputs = 8, .outputs = 1};
constexpr DataSize few_rows{.rows = 9, .inputs = 2, .outputs = 1};

FitOptions planned(const FitOptions& given, const DataSize& size = some_rows) {
  return make_plan(given, size).options;
}

/// Options that nobody has chosen.
std::vector<std::string> open_choices(const FitOptions& options) {
  std::vector<std::string> names;
  for (const auto& option : fit_options().options()) {
    if (!option.is_given(options)) names.push_back(option.name);
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<model::Decision>& decisions) {
  std::vector<std::string> names;
  for (const model::Decision& decision : decisions) names.push_back(decision.name);
  return names;
}

std::vector<DataSize> every_size() {
  std::vector<DataSize> sizes;
  for (const std::size_t rows : {2, 9, 10, 30, 300, 927, 10000, 19999, 20000, 1000000}) {
    for (const std::size_t inputs : {1, 8, 64, 65, 100}) {
      for (const std::size_t outputs : {1, 3}) sizes.push_back({.rows = rows, .inputs = inputs, .outputs = outputs});
    }
  }
  return sizes;
}

std::string text_of(const DataSize& size) {
  return fmt::format("{} rows, {} inputs, {} outputs", size.rows, size.inputs, size.outputs);
}

TEST(PaperPlan, IsTheSameForAllDataAndDecidesNothing) {
  const Plan plan = make_plan({.recipe = Recipe::paper, .epochs = 7}, few_rows);
  EXPECT_THAT(plan.decisions, IsEmpty());
  EXPECT_THAT(open_choices(plan.options), IsEmpty());
  EXPECT_EQ(*plan.options.epochs, 7U);
  EXPECT_EQ(*plan.options.members, 10U);
  EXPECT_EQ(*plan.options.folds, 0U);
  EXPECT_FALSE(plan.options.recalibrate || plan.options.weigh_members || plan.options.asinh_inputs);
  const Plan other = make_plan({.recipe = Recipe::paper, .epochs = 7}, {.rows = 100000, .inputs = 90, .outputs = 4});
  EXPECT_EQ(stored_options(plan.options), stored_options(other.options));
}

TEST(AutoPlan, MakesEveryChoiceWithinItsRangeForEverySize) {
  for (const DataSize& size : every_size()) {
    for (const Effort effort : {Effort::quick, Effort::normal, Effort::thorough}) {
      SCOPED_TRACE(text_of(size));
      const FitOptions options = planned({.effort = effort}, size);
      const std::vector<std::string> by_rows_held_out{"posterior"};
      EXPECT_EQ(open_choices(options), options.folds > 0 ? by_rows_held_out : std::vector<std::string>());
      EXPECT_NO_THROW(check_ranges(options));
      EXPECT_EQ(*options.members % configuration_count(options), 0U);
      EXPECT_EQ(*options.noise, size.outputs == 1 ? NoiseKind::shared : NoiseKind::per_output);
    }
  }
}

TEST(AutoPlan, HoldsOutRowsWhereThereAreEnough) {
  for (const DataSize& size : every_size()) {
    SCOPED_TRACE(text_of(size));
    const FitOptions options = planned({}, size);
    const bool holds_out = size.rows >= 10;
    if (size.rows >= 20000) {
      EXPECT_EQ(*options.folds, 1U);
    } else if (holds_out) {
      EXPECT_GE(*options.folds, 2U);
      EXPECT_LE(*options.folds, size.rows / 2);  // no member misses half of the rows
      EXPECT_EQ(*options.members % (configuration_count(options) * *options.folds), 0U);
    } else {
      EXPECT_EQ(*options.folds, 0U);
      EXPECT_EQ(*options.posterior, PosteriorKind::isotropic);
    }
    EXPECT_EQ(*options.recalibrate, holds_out);
    EXPECT_EQ(*options.correct_size, holds_out);
    EXPECT_EQ(*options.weigh_members, holds_out);
  }
}

TEST(AutoPlan, EmbedsUpTo64Inputs) {
  for (const DataSize& size : every_size()) {
    SCOPED_TRACE(text_of(size));
    const FitOptions options = planned({}, size);
    const bool embeds = std::ranges::any_of(*options.embedding, [](double bandwidth) { return bandwidth > 0; });
    EXPECT_EQ(embeds, size.inputs <= 64);
    EXPECT_LE(embeds ? size.inputs * (1 + 2 * *options.frequencies) : 0, 192U);
  }
}

TEST(AutoPlan, TakesAThousandStepsAtLeastAndSeesEveryRowTenTimes) {
  for (const DataSize& size : every_size()) {
    SCOPED_TRACE(text_of(size));
    const FitOptions options = planned({}, size);
    EXPECT_GE(*options.epochs, 10U);
    const std::size_t steps = *options.epochs * std::max<std::size_t>(1, size.rows / *options.batch);
    EXPECT_GE(steps, 1000U);
    EXPECT_LE(size.rows < 10000 ? steps : 0, 20000U);
  }
}

TEST(AutoPlan, IsThePlanOfItsOwnOptions) {
  for (const DataSize& size : every_size()) {
    SCOPED_TRACE(text_of(size));
    const FitOptions options = planned({.members = 12}, size);
    const Plan again = make_plan(options, size);
    EXPECT_EQ(stored_options(again.options), stored_options(options));
    EXPECT_THAT(again.decisions, IsEmpty());
  }
}

TEST(AutoPlan, NamesWhatItDecidedWithValueAndReason) {
  for (const FitOptions& given :
       {FitOptions{}, FitOptions{.embedding = {0}, .epochs = 3}, FitOptions{.folds = 0, .recalibrate = false}}) {
    const Plan plan = make_plan(given, some_rows);
    std::vector<std::string> expected = open_choices(given);
    if (plan.options.folds > 0) std::erase(expected, "posterior");
    EXPECT_THAT(names_of(plan.decisions), testing::UnorderedElementsAreArray(expected));
    for (const model::Decision& decision : plan.decisions) {
      EXPECT_EQ(decision.value, base::to_text(fit_options().find(decision.name)->get(plan.options))) << decision.name;
      EXPECT_FALSE(decision.reason.empty()) << decision.name;
    }
  }
}

TEST(AutoPlan, KeepsEveryValueThatIsGiven) {
  const FitOptions given{.members = 7,
                         .hidden = {{5}},
                         .activation = {Activation::tanh},
                         .embedding = {0.25},
                         .frequencies = 3,
                         .epochs = 11,
                         .batch = 17,
                         .learning_rate = {0.02},
                         .schedule = Schedule::constant,
                         .loss_beta = {0.25},
                         .prior_precision = 2,
                         .hidden_precision = {3},
                         .noise = NoiseKind::constant,
                         .noise_link = NoiseLink::softplus,
                         .posterior = PosteriorKind::full,
                         .asinh_inputs = false,
                         .folds = 2,
                         .recalibrate = false,
                         .correct_size = true,
                         .weigh_members = true,
                         .leave_out_slips = false};
  ASSERT_THAT(open_choices(given), IsEmpty());
  const Plan plan = make_plan(given, some_rows);
  EXPECT_EQ(stored_options(plan.options), stored_options(given));
  EXPECT_THAT(plan.decisions, IsEmpty());
}

TEST(AutoPlan, AdaptsKindsAndFoldsToTheNumberOfMembers) {
  struct Expected {
    std::size_t members;
    std::size_t kinds;
    std::size_t folds;
  };
  const std::size_t all = configuration_count(planned({}));
  for (const Expected& expected : {Expected{1, 1, 5}, {5, 1, 5}, {7, 1, 7}, {10, 2, 5}, {12, 2, 6}, {1000, all, 10}}) {
    SCOPED_TRACE(expected.members);
    const FitOptions options = planned({.members = expected.members});
    EXPECT_EQ(*options.members, expected.members);
    EXPECT_EQ(configuration_count(options), expected.kinds);
    EXPECT_EQ(*options.folds, expected.folds);
    EXPECT_EQ(*options.weigh_members, expected.kinds > 1);
  }
}

TEST(AutoPlan, LetsOtherSettingsDifferWhereOneIsGiven) {
  const FitOptions options = planned({.embedding = {0}});
  EXPECT_THAT(*options.embedding, ElementsAre(0));
  EXPECT_THAT(*options.activation, *planned({}).activation);
  EXPECT_EQ(*options.members, *planned({}).members);
}

TEST(AutoPlan, TakesAGivenLambdaForAllLayersOfAllMembers) {
  EXPECT_THAT(*planned({.prior_precision = 2}).hidden_precision, ElementsAre(2));
  EXPECT_THAT(*planned({.recipe = Recipe::paper, .prior_precision = 2}).hidden_precision, ElementsAre(2));
  const FitOptions both = planned({.prior_precision = 2, .hidden_precision = {5, 7}});
  EXPECT_THAT(*both.hidden_precision, ElementsAre(5, 7));
  EXPECT_EQ(configuration_count(both), 2U);
}

TEST(AutoPlan, LetsSomeKindsBeSmootherTheMoreRowsBearIt) {
  double before = 0;
  for (const std::size_t rows : {9, 30, 100, 240, 1000}) {
    const FitOptions options = planned({}, {.rows = rows, .inputs = 8, .outputs = 1});
    const auto [free, smooth] = std::ranges::minmax(*options.hidden_precision);
    EXPECT_EQ(free, *options.prior_precision);
    EXPECT_GT(smooth, before) << rows;
    before = smooth;
  }
  EXPECT_EQ(std::ranges::max(*planned({}, {.rows = 1000000, .inputs = 8, .outputs = 1}).hidden_precision), before);
}

TEST(AutoPlan, RecalibratesOnlyWhatRowsHeldOutAndALogarithmAllow) {
  const FitOptions none = planned({.folds = 0});
  EXPECT_FALSE(none.recalibrate || none.correct_size || none.weigh_members);
  EXPECT_EQ(*none.posterior, PosteriorKind::isotropic);
  const FitOptions known = planned({.noise = NoiseKind::known});
  EXPECT_FALSE(known.recalibrate || known.correct_size);
  EXPECT_TRUE(known.weigh_members);
  EXPECT_FALSE(*planned({.noise_link = NoiseLink::softplus}).recalibrate);
  EXPECT_FALSE(*planned({.recalibrate = false}).correct_size);
  EXPECT_TRUE(*planned({.correct_size = false}).recalibrate);
}

TEST(AutoPlan, BendsOnlyInputsThatItStandardises) {
  EXPECT_TRUE(*planned({}).asinh_inputs);
  EXPECT_FALSE(*planned({.standardise_inputs = false}).asinh_inputs);
}

/// One input that is uniform and one of which a single value lies far out.
Dataset two_inputs(double farthest) {
  Matrix inputs(100, 2);
  for (std::size_t i = 0; i < inputs.rows(); ++i) inputs(i, 0) = inputs(i, 1) = static_cast<double>(i);
  inputs(99, 1) = farthest;
  const Matrix targets(100, 1, std::vector<double>(inputs.values().begin(), inputs.values().begin() + 100));
  return Dataset({.inputs = inputs, .targets = targets, .input_names = {"flat", "far"}});
}

std::string asinh_reason(const Dataset& dataset, const FitOptions& given = {}) {
  for (const model::Decision& decision : make_plan(given, TrainingTable(dataset)).decisions) {
    if (decision.name == "asinh_inputs") return decision.reason;
  }
  return "";
}

TEST(AutoPlan, TellsOfTheAsinhTransformOnlyWhereItChangesAnInput) {
  EXPECT_EQ(asinh_reason(two_inputs(99)), "");
  EXPECT_EQ(asinh_reason(two_inputs(1e4)),
            "a few values of column \"far\" lie so far out that the others would hardly differ");
  EXPECT_EQ(asinh_reason(two_inputs(99), {.standardise_inputs = false}), "inputs are not standardised");
}

TEST(AutoPlan, HasAMemberForEachFoldThatIsGiven) {
  const FitOptions options = planned({.folds = 20});
  EXPECT_EQ(*options.members, 20 * configuration_count(options));
}

TEST(AutoPlan, HasFewerKindsWhereRowsAreFewOrMany) {
  const auto kinds = [](std::size_t rows) {
    return configuration_count(planned({}, {.rows = rows, .inputs = 9, .outputs = 1}));
  };
  EXPECT_EQ(kinds(249), 6U);
  EXPECT_EQ(kinds(250), 10U);
  EXPECT_EQ(kinds(19'999), 10U);
  EXPECT_EQ(kinds(20'000), 5U);
}

TEST(AutoPlan, HasTwoSmoothKindsAlsoWhereRowsAreFew) {
  const FitOptions options = planned({}, {.rows = 100, .inputs = 9, .outputs = 1});
  const auto is_smooth = [&](double precision) { return precision > *options.prior_precision; };
  EXPECT_EQ(std::ranges::count_if(*options.hidden_precision, is_smooth), 2);
}

TEST(AutoPlan, HasNoKindTwiceWhereInputsAreTooManyToEmbed) {
  const FitOptions options = planned({}, {.rows = 300, .inputs = 100, .outputs = 1});
  std::set<std::tuple<Activation, double, double, double>> kinds;
  for (std::size_t l = 0; l < configuration_count(options); ++l) {
    const MemberSettings settings = member_settings(options, l);
    kinds.emplace(settings.activation, settings.learning_rate, settings.loss_beta, settings.hidden_precision);
  }
  EXPECT_EQ(kinds.size(), configuration_count(options));
  EXPECT_GE(kinds.size(), 6U);
}

TEST(AutoPlan, PlansWithRowsThatMembersCanSee) {
  const std::vector<double> line(100, 0.5);
  std::vector<double> weights(100, 1);
  std::fill(weights.begin() + 60, weights.end(), 0);
  const Dataset data({.inputs = Matrix(100, 1, line), .targets = Matrix(100, 1, line), .weights = weights});
  const auto epochs = [](std::size_t rows) { return *planned({}, {.rows = rows, .inputs = 1, .outputs = 1}).epochs; };
  EXPECT_EQ(*make_plan({}, TrainingTable(data)).options.epochs, epochs(60));
  EXPECT_EQ(*make_plan({.validation_fraction = 0.5}, TrainingTable(data)).options.epochs, epochs(30));
}

TEST(AutoPlan, TakesAFewThousandStepsWithAnyBatchOfManyRows) {
  const FitOptions options = planned({.batch = 8192}, {.rows = 45'000, .inputs = 9, .outputs = 1});
  EXPECT_GE(*options.epochs * 45'000 / 8192, 3000U);
}

TEST(AutoPlan, TakesAsManyStepsWithAnyBatch) {
  const FitOptions small = planned({.batch = 10});
  const FitOptions large = planned({.batch = 100});
  EXPECT_EQ(*small.epochs * 30, *large.epochs * 3);
}

TEST(AutoPlan, DoesMoreWorkWithMoreEffort) {
  for (const DataSize& size : every_size()) {
    SCOPED_TRACE(text_of(size));
    const auto work = [&](Effort effort) {
      const FitOptions options = planned({.effort = effort}, size);
      return *options.members * *options.epochs;
    };
    EXPECT_LT(work(Effort::quick), work(Effort::normal));
    EXPECT_LT(work(Effort::normal), work(Effort::thorough));
  }
}

TEST(AutoPlan, RefusesWrongValuesBeforeItPlansWithThem) {
  EXPECT_THAT([] { planned({.members = 0}); }, test::Fails(ErrorCode::usage, "--members"));
  EXPECT_THAT([] { planned({.batch = 0}); }, test::Fails(ErrorCode::usage, "--batch"));
  EXPECT_THAT([] { planned({.embedding = {-1}}); }, test::Fails(ErrorCode::usage, "--embedding"));
  EXPECT_THAT([] { planned({.activation = std::vector<Activation>()}); },
              test::Fails(ErrorCode::usage, "--activation"));
}

}  // namespace
}  // namespace credens::learn
