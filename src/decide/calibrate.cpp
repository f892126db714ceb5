// SPDX-License-Identifier: Apache-2.0
//
// From calibration rows to the promise that a model keeps.

#include <credens/guarantee.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/complete_rows.hpp"
#include "data/row_sketch.hpp"
#include "data/row_summary.hpp"
#include "decide/ignorance.hpp"
#include "decide/promised_ends.hpp"
#include "math/mixture.hpp"
#include "model/ensemble_state.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

/// Edges between groups of equal size. Each is the ignorance of a row, and that row belongs to no group: a new row then
/// has the same chance of every place among the rows of its group.
std::vector<double> ignorance_edges(std::vector<double> ignorance, std::size_t groups) {
  std::ranges::sort(ignorance);
  std::vector<double> edges;
  for (std::size_t g = 1; g < groups; ++g) edges.push_back(ignorance[g * (ignorance.size() + 1) / groups - 1]);
  return edges;
}

PromiseGroup make_group(std::string name, std::span<const double> scores, std::size_t outputs,
                        const std::vector<std::size_t>& rows) {
  PromiseGroup group{.name = std::move(name), .scores = Matrix(rows.size(), outputs)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(scores.subspan(rows[i] * outputs, outputs), group.scores.row(i).begin());
  }
  return group;
}

constexpr const char* ignorance_names[] = {"low ignorance", "middle ignorance", "high ignorance"};

/// Rows by the name of their group, in the order of the names.
std::vector<std::pair<std::string, std::vector<std::size_t>>> rows_by_name(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  for (std::size_t row = 0; row < order.size(); ++row) order[row] = row;
  std::ranges::stable_sort(order, {}, [&](std::size_t row) -> const std::string& { return names[row]; });
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (const std::size_t row : order) {
    const bool is_first = groups.empty() || groups.back().first != names[row];
    if (is_first) groups.emplace_back(names[row], std::vector<std::size_t>());
    groups.back().second.push_back(row);
  }
  return groups;
}

std::vector<std::vector<std::size_t>> rows_between(const std::vector<double>& edges,
                                                   const std::vector<double>& ignorance) {
  std::vector<std::vector<std::size_t>> groups(edges.size() + 1);
  for (std::size_t row = 0; row < ignorance.size(); ++row) {
    const auto above = std::ranges::lower_bound(edges, ignorance[row]);
    const bool is_edge = above != edges.end() && *above == ignorance[row];
    if (!is_edge) groups[static_cast<std::size_t>(above - edges.begin())].push_back(row);
  }
  return groups;
}

/// Throws data unless groups of equal size can be large enough.
void check_enough_to_divide(std::size_t rows, double level) {
  const std::size_t groups = std::size(ignorance_names);
  const std::size_t needed = groups * rows_needed(level) + groups - 1;
  base::require(rows >= needed, ErrorCode::data,
                "level {} needs {} calibration rows in each of {} groups of ignorance, {} in all: {} are given", level,
                rows_needed(level), groups, needed, rows);
}

/// Throws data with all groups that are too small.
void check_sizes(const Promise& promise, double level) {
  const std::size_t needed = rows_needed(level);
  std::vector<std::string> small;
  for (const PromiseGroup& group : promise.groups) {
    if (group.rows() >= needed) continue;
    small.push_back(group.name.empty() ? fmt::format("{}", group.rows())
                                       : fmt::format("{} has {}", base::quoted(group.name), group.rows()));
  }
  const bool is_divided = !promise.groups.front().name.empty();
  base::require(small.empty(), ErrorCode::data, "level {} needs {} calibration rows{}: {}{}", level, needed,
                is_divided ? " in each group" : "", base::join(small, ", "), is_divided ? "" : " are given");
}

/// Throws data where an interval of this level has no end.
void check_finite_ends(const Ensemble& calibrated, double level) {
  for (const PromiseGroup& group : calibrated.promise()->groups) {
    decide::promised_ends(group, level, Guarantee::interval);
  }
}

}  // namespace

/// Samples of the inputs of training rows and of calibration rows.
struct Calibration::JudgingInputs {
  static constexpr std::size_t most = 2000;

  explicit JudgingInputs(const Ensemble& ensemble)
      : training(ensemble.inputs(), most),
        calibration(ensemble.inputs(), most),
        trained_on(ensemble.state().row_hashes) {}

  data::RowSample training;
  data::RowSample calibration;
  data::SharedRows trained_on;  ///< of the training rows that were given
};

Calibration::Calibration(Calibration&&) noexcept = default;
Calibration::~Calibration() = default;

Calibration::Calibration(Ensemble ensemble, CalibrateOptions options)
    : ensemble_(std::move(ensemble)),
      options_(std::move(options)),
      judging_(std::make_unique<JudgingInputs>(ensemble_)) {
  base::check_probability(options_.level, "level");
  base::require(ensemble_.task() == Task::regression, ErrorCode::usage,
                "the model predicts classes, for which there are no intervals to promise");
  base::require(options_.column.empty() || !options_.by_ignorance, ErrorCode::usage,
                "groups by a column and by ignorance are asked for, expected one of them");
}

void Calibration::add(MatrixView inputs, const Predictive& predictive, MatrixView targets,
                      std::span<const std::string> groups) {
  const std::size_t rows = predictive.rows();
  base::check_shape(targets, rows, predictive.outputs(), "targets");
  base::check_finite(targets, "targets", ignorance_.size());
  base::require(groups.size() == (options_.column.empty() ? 0 : rows), ErrorCode::usage,
                "{} names of groups are given, expected {}", groups.size(), options_.column.empty() ? 0 : rows);
  const auto nameless = std::ranges::find(groups, std::string());
  base::require(nameless == groups.end(), ErrorCode::data, "row {}: {} is missing",
                ignorance_.size() + static_cast<std::size_t>(nameless - groups.begin()), options_.column);
  recognise(inputs, targets);
  model::MarginalReader reader(predictive.components());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t output = 0; output < predictive.outputs(); ++output) {
      scores_.push_back(math::mixture_normal_score(reader.gather(row, output), targets(row, output)));
    }
  }
  std::ranges::copy(decide::standardised_ignorance(ensemble_, predictive), std::back_inserter(ignorance_));
  std::ranges::copy(groups, std::back_inserter(groups_));
}

void Calibration::add_training(MatrixView inputs, MatrixView targets) {
  judging_->training.add(inputs, {});
  judging_->trained_on.add({.inputs = inputs, .targets = targets});
}

void Calibration::recognise(MatrixView inputs, MatrixView targets) {
  if (inputs.empty()) return;
  judging_->calibration.add(inputs, {});
  data::SharedRows trained_on(ensemble_.state().row_hashes);
  trained_on.add({.inputs = inputs, .targets = targets});
  known_ += trained_on.known();
  shared_ += trained_on.shared();
}

/// A few rows that are also rows of training are repeats, of which new rows have as many.
void Calibration::check_new() const {
  constexpr std::size_t one_in = 5;
  base::require(shared_ * one_in <= known_, ErrorCode::data,
                "{} of {} rows that can be recognised are rows that the model was trained on; such rows promise "
                "nothing of new ones: give rows that it has not seen",
                shared_, known_);
}

/// Nine of ten recognisable rows at least: some may have been left out of training.
void Calibration::check_trained() const {
  const data::SharedRows& trained_on = judging_->trained_on;
  base::require(10 * trained_on.shared() >= 9 * trained_on.known(), ErrorCode::data,
                "{} of {} rows of the training table that can be recognised are rows that the model was trained on, "
                "expected all: give the table that it was made from",
                trained_on.shared(), trained_on.known());
}

Promise Calibration::promise() const {
  const std::size_t outputs = ensemble_.outputs();
  Promise promise{.column = options_.column, .groups = {}};
  if (!options_.column.empty()) {
    for (auto& [name, rows] : rows_by_name(groups_)) {
      promise.groups.push_back(make_group(name, scores_, outputs, rows));
    }
    return promise;
  }
  if (options_.by_ignorance) promise.edges = ignorance_edges(ignorance_, std::size(ignorance_names));
  const auto groups = rows_between(promise.edges, ignorance_);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    promise.groups.push_back(make_group(options_.by_ignorance ? ignorance_names[g] : "", scores_, outputs, groups[g]));
  }
  return promise;
}

Ensemble Calibration::finish() const {
  base::require(!ignorance_.empty(), ErrorCode::data, "there are no calibration rows, expected {}",
                rows_needed(options_.level));
  check_new();
  if (options_.by_ignorance) check_enough_to_divide(ignorance_.size(), options_.level);
  Promise found = promise();
  if (judging_->training.rows() > 0) {
    check_trained();
    found.training_inputs = judging_->training.values();
    found.calibration_inputs = judging_->calibration.values();
  }
  check_sizes(found, options_.level);
  const Ensemble calibrated = ensemble_.with_promise(std::move(found));
  check_finite_ends(calibrated, options_.level);
  return calibrated;
}

Ensemble calibrate(const Ensemble& ensemble, const Dataset& rows, const CalibrateOptions& options,
                   std::span<const std::string> groups) {
  base::require(groups.empty() || groups.size() == rows.rows(), ErrorCode::usage,
                "{} names of groups are given, expected one for each of {} rows", groups.size(), rows.rows());
  const std::vector<std::size_t> complete = data::rows_with_targets(rows.targets());
  const Dataset known = rows.select(complete);
  std::vector<std::string> names;
  for (const std::size_t row : complete) {
    if (!groups.empty()) names.push_back(groups[row]);
  }
  const Matrix inputs = ensemble.inputs_of(known);
  Calibration calibration(ensemble, options);
  calibration.add(inputs, ensemble.predict(inputs, {.noise_std = known.noise_std()}), known.targets(), names);
  return calibration.finish();
}

}  // namespace credens
