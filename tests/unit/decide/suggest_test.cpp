// SPDX-License-Identifier: Apache-2.0

#include <credens/suggest.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "decide/goal.hpp"
#include "support/error_matchers.hpp"
#include "unit/decide/plain_suggest.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using decide::plain_suggest;
using model::random_ensemble;
using model::random_matrix;
using test::Fails;

constexpr PosteriorKind all_kinds[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                                       PosteriorKind::full};

Matrix pool() {
  return random_matrix(40, 3, 7);
}

void expect_same(const Suggestion& fast, const decide::PlainSuggestion& plain) {
  ASSERT_EQ(fast.rows.size(), plain.rows.size());
  for (std::size_t k = 0; k < plain.start.size(); ++k) EXPECT_NEAR(fast.ignorance[k] / plain.start[k], 1, 1e-5);
  for (std::size_t i = 0; i < plain.rows.size(); ++i) {
    EXPECT_EQ(fast.rows[i].row, plain.rows[i]) << "pick " << i;
    EXPECT_NEAR(fast.rows[i].gain, plain.gains[i], 1e-5);
    for (std::size_t k = 0; k < plain.start.size(); ++k) {
      EXPECT_NEAR(fast.rows[i].ignorance[k] / plain.ignorance[i][k], 1, 1e-4);
    }
  }
}

TEST(Suggest, ChoosesAsDenseConditioningOfTheJointCovarianceDoes) {
  for (const PosteriorKind kind : all_kinds) {
    for (const bool random_bias : {false, true}) {
      const Ensemble ensemble = random_ensemble(
          {.members = 4, .posterior = kind, .random_bias = random_bias, .weights = {0.4, 0.0, 0.35, 0.25}});
      expect_same(suggest(ensemble, pool(), {.count = 6}), plain_suggest(ensemble, pool(), {.count = 6}));
    }
  }
}

TEST(Suggest, CountsTheRowsAskedForThoseBeingMeasuredAndCosts) {
  const Ensemble ensemble = random_ensemble({.outputs = 1, .posterior = PosteriorKind::full});
  const Matrix at = random_matrix(15, 3, 8);
  const Matrix pending = random_matrix(5, 3, 9);
  std::vector<double> cost;
  for (std::size_t i = 0; i < 40; ++i) cost.push_back(1 + 0.1 * static_cast<double>(i % 7));
  const SuggestOptions options{.count = 8, .at = at, .pending = pending, .cost = cost};
  expect_same(suggest(ensemble, pool(), options), plain_suggest(ensemble, pool(), options));
}

TEST(Suggest, UsesTheKnownNoiseOfRows) {
  const Ensemble ensemble = random_ensemble({.outputs = 1, .noise = NoiseKind::known});
  const Matrix noise = random_matrix(40, 1, 4, 0.1, 2);
  const Matrix pending = random_matrix(2, 3, 9);
  const Matrix pending_noise = random_matrix(2, 1, 5, 0.1, 2);
  const SuggestOptions options{
      .count = 5, .pending = pending, .noise_std = noise, .pending_noise_std = pending_noise};
  expect_same(suggest(ensemble, pool(), options), plain_suggest(ensemble, pool(), options));
  EXPECT_THAT([&] { suggest(ensemble, pool(), {.count = 5}); }, Fails(ErrorCode::usage, "noise_std is needed"));
}

TEST(Suggest, IgnoranceFallsByWhatWasExpected) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  const Suggestion suggestion = suggest(ensemble, pool(), {.count = 40});
  const double start = suggestion.ignorance[0] * suggestion.ignorance[0];
  double before = start;
  std::set<std::size_t> rows;
  for (const SuggestedRow& next : suggestion.rows) {
    const double after = next.ignorance[0] * next.ignorance[0];
    EXPECT_GE(next.gain, 0);
    EXPECT_NEAR((before - after) / start, next.gain, 1e-5);
    EXPECT_LE(after, before);
    before = after;
    EXPECT_TRUE(rows.insert(next.row).second) << "row " << next.row << " is suggested twice";
  }
}

/// The pool three times over: measured precisely, one of three equal rows says all.
TEST(Suggest, TakesNoCopiesOfPreciseMeasurements) {
  const Ensemble ensemble = random_ensemble({.hidden = {12, 9}, .outputs = 1, .noise = NoiseKind::known});
  Matrix copies(120, 3);
  for (std::size_t i = 0; i < 120; ++i) std::ranges::copy(pool().row(i % 40), copies.row(i).begin());
  const Matrix precise(120, 1, 1e-3);
  const Suggestion suggestion = suggest(ensemble, copies, {.count = 8, .noise_std = precise});
  std::set<std::size_t> places;
  for (const SuggestedRow& next : suggestion.rows) {
    EXPECT_FALSE(next.repeats) << "row " << next.row;
    EXPECT_TRUE(places.insert(next.row % 40).second);
  }
}

TEST(Suggest, RepeatsAndSaysSoWhereNoiseIsLarge) {
  const Ensemble ensemble = random_ensemble({.outputs = 1, .noise = NoiseKind::known});
  const Matrix one = random_matrix(1, 3, 7);
  Matrix same(5, 3);
  for (std::size_t i = 0; i < 5; ++i) std::ranges::copy(one.row(0), same.row(i).begin());
  const Matrix noise(5, 1, 100.0);
  const Suggestion suggestion = suggest(ensemble, same, {.count = 3, .noise_std = noise});
  EXPECT_FALSE(suggestion.rows[0].repeats);
  EXPECT_EQ(suggestion.rows[1].repeats, 0U);
  EXPECT_EQ(suggestion.rows[2].repeats, 0U);
  EXPECT_TRUE(suggestion.noise_dominates());
  const Matrix pending_noise(1, 1, 1.0);
  const SuggestOptions options{.count = 1, .pending = one, .noise_std = noise, .pending_noise_std = pending_noise};
  EXPECT_EQ(suggest(ensemble, same, options).rows[0].repeats_pending, 0U);
}

TEST(Suggest, GivesTheSameForAnyThreads) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix large = random_matrix(3000, 3, 5);
  const Suggestion one = suggest(ensemble, large, {.count = 12, .threads = 1});
  const Suggestion three = suggest(ensemble, large, {.count = 12, .threads = 3});
  EXPECT_EQ(one.at, 1000U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(one.rows[i].row, three.rows[i].row);
    EXPECT_EQ(one.rows[i].gain, three.rows[i].gain);
    EXPECT_EQ(one.rows[i].ignorance, three.rows[i].ignorance);
  }
}

/// Row with the largest of the values, and that value.
std::pair<std::size_t, double> largest(const std::vector<double>& values) {
  const auto found = std::ranges::max_element(values);
  return {static_cast<std::size_t>(found - values.begin()), *found};
}

TEST(Suggest, LooksForLargeSmallAndGivenValues) {
  const Ensemble ensemble = random_ensemble({});
  const PredictiveMoments moments = ensemble.predict(pool()).moments();
  constexpr std::size_t k = 1;
  const double value = moments.mean(0, k) + 0.1;
  double high = -INFINITY;
  double low = INFINITY;
  double nearest = INFINITY;
  for (std::size_t i = 0; i < 40; ++i) {
    high = std::max(high, moments.mean(i, k));
    low = std::min(low, moments.mean(i, k));
    const double std = std::sqrt(moments.epistemic_variance(i, k));
    nearest = std::min(nearest, decide::expected_distance(moments.mean(i, k) - value, std));
  }
  std::vector<double> up;
  std::vector<double> down;
  std::vector<double> close;
  for (std::size_t i = 0; i < 40; ++i) {
    const double mean = moments.mean(i, k);
    const double std = decide::learnable_std(moments.epistemic_variance(i, k), moments.aleatoric_variance(i, k));
    up.push_back(decide::expected_excess(mean - high, std));
    down.push_back(decide::expected_excess(low - mean, std));
    close.push_back(decide::expected_closeness(mean - value, std, nearest));
  }
  for (const auto& [goal, gains] : {std::pair(Goal::maximise, up), {Goal::minimise, down}, {Goal::value, close}}) {
    const SuggestOptions options{.count = 40, .goal = goal, .output = k, .value = value};
    const Suggestion suggestion = suggest(ensemble, pool(), options);
    EXPECT_EQ(suggestion.rows[0].row, largest(gains).first);
    EXPECT_NEAR(suggestion.rows[0].gain, largest(gains).second, 1e-5);
    for (const SuggestedRow& next : suggestion.rows) EXPECT_GE(next.gain, 0);
  }
}

TEST(Suggest, RefusesWhatMakesNoSense) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  const auto with = [&](const SuggestOptions& options) { return [&, options] { suggest(ensemble, pool(), options); }; };
  EXPECT_THAT(with({.count = 0}), Fails(ErrorCode::usage, "0 rows are asked for, expected 1 to 40"));
  EXPECT_THAT(with({.count = 41}), Fails(ErrorCode::usage, "41 rows are asked for, expected 1 to 40"));
  EXPECT_THAT(with({.output = 1}), Fails(ErrorCode::usage, "output 1 is asked for, but the model has 1"));
  const std::vector<double> few(3, 1.0);
  EXPECT_THAT(with({.cost = few}), Fails(ErrorCode::data, "cost has 3 values, expected 40"));
  std::vector<double> negative(40, 1.0);
  negative[2] = -4;
  EXPECT_THAT(with({.cost = negative}), Fails(ErrorCode::data, "cost: row 2 is -4, expected a number above 0"));
  const Ensemble single = random_ensemble({.members = 1, .posterior = PosteriorKind::delta});
  EXPECT_THAT([&] { suggest(single, pool()); }, Fails(ErrorCode::usage, "the model has no ignorance at these rows"));
}

TEST(RowsWithin, FillEachIntervalEvenly) {
  const Ensemble ensemble = random_ensemble({.inputs = 2});
  const InputBounds bounds[] = {{-1, 3}, {5, 5}};
  const Matrix rows = rows_within(ensemble, bounds, 100, 2);
  std::set<int> slices;
  for (std::size_t i = 0; i < 100; ++i) {
    slices.insert(static_cast<int>((rows(i, 0) + 1) / 4 * 100));
    EXPECT_EQ(rows(i, 1), 5);
  }
  EXPECT_EQ(slices.size(), 100U);
  EXPECT_EQ(rows, rows_within(ensemble, bounds, 100, 2));
  EXPECT_NE(rows, rows_within(ensemble, bounds, 100, 3));
}

TEST(RowsWithin, RefusesBoundsThatCross) {
  const Ensemble ensemble = random_ensemble({.inputs = 1});
  const InputBounds crossing[] = {{3, 2}};
  EXPECT_THAT([&] { rows_within(ensemble, crossing, 10); },
              Fails(ErrorCode::usage, "the bounds of 0 cross: 3 is above 2"));
  const InputBounds infinite[] = {{0, INFINITY}};
  EXPECT_THAT([&] { rows_within(ensemble, infinite, 10); }, Fails(ErrorCode::usage, "expected finite numbers"));
}

}  // namespace
}  // namespace credens
