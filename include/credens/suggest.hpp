// SPDX-License-Identifier: Apache-2.0
//
// The next measurements: which of the rows that could be measured are expected to teach the model most.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace credens {

/// The purpose of measurements.
enum class Goal {
  learn,     ///< the least mean epistemic variance
  maximise,  ///< the largest value of the regression function
  minimise,  ///< its smallest value
  value,     ///< a row where it has a given value
};

struct SuggestOptions {
  std::size_t count = 1;  ///< rows to suggest, at most those of the pool
  Goal goal = Goal::learn;
  std::size_t output = 0;        ///< which the other goals are about
  double value = 0;              ///< of Goal::value
  MatrixView at = {};            ///< [T x d]: rows whose ignorance counts; empty: those of the pool
  MatrixView pending = {};       ///< [P x d]: rows that are being measured already
  std::span<const double> cost = {};  ///< of each row of the pool, > 0; empty: all cost the same
  MatrixView noise_std = {};     ///< known noise of the pool, as in PredictOptions
  MatrixView pending_noise_std = {};
  std::uint64_t seed = 0;  ///< of the samples that are taken where there are too many rows
  int threads = 0;         ///< 0: all cores
};

/// A row of the pool to measure.
struct SuggestedRow {
  std::size_t row = 0;
  /// With Goal::learn the share of the mean epistemic variance at the start that is expected to go (mean over outputs);
  /// otherwise the expected improvement, in units of the output.
  double gain = 0;
  std::optional<std::size_t> repeats = {};     ///< place among the suggested rows of one with nearly the same inputs
  std::optional<std::size_t> repeats_pending = {};  ///< or row of `pending`
  std::vector<double> ignorance = {};          ///< [q]: as Suggestion::ignorance, once it has been measured
};

struct Suggestion {
  std::vector<SuggestedRow> rows = {};  ///< the first one first
  std::vector<double> ignorance = {};   ///< [q]: root mean epistemic variance at the rows that count, pending included
  std::vector<double> noise = {};       ///< [q]: root mean aleatoric variance of the pool
  std::size_t candidates = 0;           ///< rows of the pool that were weighed up
  std::size_t at = 0;                   ///< rows at which ignorance was averaged

  /// Noise is more than 95 % of the variance of a new observation, for every output: even without ignorance, the
  /// standard deviation of an observation would fall by less than 2.6 %.
  bool noise_dominates() const;
};

/// Rows of `pool` [N x d], one after the other: each is the one with the largest gain for its cost, given that those
/// before it, and the pending ones, will have been measured. Throws usage for a classification, for counts that are 0
/// or larger than the pool and for costs that are not above 0.
Suggestion suggest(const Ensemble& ensemble, MatrixView pool, const SuggestOptions& options = {});

/// The interval of an input; both ends may be equal.
struct InputBounds {
  double lower = 0;
  double upper = 0;
};

/// Rows [count x d] that fill a box evenly (a Latin hypercube): each input has one value in each of `count` slices of
/// its interval. Inputs of words take all of their words in turn, whatever their bounds.
Matrix rows_within(const Ensemble& ensemble, std::span<const InputBounds> bounds, std::size_t count,
                   std::uint64_t seed = 0);

}  // namespace credens
