// SPDX-License-Identifier: Apache-2.0

#include "learn/training_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "data/fingerprint.hpp"
#include "data/row_checks.hpp"
#include "learn/divergence.hpp"
#include "learn/held_out_blocks.hpp"
#include "learn/memory.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

namespace {

void warn(const FitOptions& options, const std::string& sentence) {
  if (options.on_warning) options.on_warning(sentence);
}

/// By name, or by 0-based position where there are no names.
std::string column_list(const std::vector<std::size_t>& columns, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::size_t column : columns) words.push_back(names.empty() ? fmt::format("{}", column) : names[column]);
  return base::join(words, ", ");
}

void warn_of_constant_columns(const TrainingTable& table, const FitOptions& options) {
  if (const auto inputs = table.summary().inputs.constant_columns(); !inputs.empty()) {
    warn(options,
         fmt::format("{} and {} nothing: {}", inputs.size() == 1 ? "an input is constant" : "inputs are constant",
                     inputs.size() == 1 ? "explains" : "explain", column_list(inputs, table.schema().input_names())));
  }
  if (const auto targets = table.summary().targets.constant_columns(); !targets.empty()) {
    warn(options, fmt::format("{} constant: {}", targets.size() == 1 ? "a target is" : "targets are",
                              column_list(targets, table.schema().target_names())));
  }
}

/// One value z standard deviations from the mean makes z^2 / (n - 1) of the variance, to first order. The scale of the
/// target is then that of this value, and all others look the same.
void warn_of_lone_targets(const TrainingTable& table, const FitOptions& options) {
  constexpr std::size_t enough_rows = 20;
  constexpr double share = 0.9;
  const data::ColumnMoments& targets = table.summary().targets;
  if (targets.rows() < enough_rows) return;
  const double distance = std::sqrt(share * static_cast<double>(targets.rows() - 1));
  if (const auto lone = targets.columns_with_outliers(distance); !lone.empty()) {
    warn(options,
         fmt::format("one value causes nearly all of the variance of a target; if it is an error, leave its row "
                     "out: {}",
                     column_list(lone, table.schema().target_names())));
  }
}

/// Rows with a known variance that, in network units, lies below the floor that replaces it.
std::size_t rows_below_floor(MatrixView noise_std, const data::Scaler& targets) {
  const double least_std = std::sqrt(model::noise_floor);
  std::size_t count = 0;
  for (std::size_t row = 0; row < noise_std.rows(); ++row) {
    bool is_below = false;
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      is_below = is_below || noise_std(row, k) < least_std * targets.scale[k];
    }
    count += is_below ? 1 : 0;
  }
  return count;
}

void warn_of_small_noise(std::size_t below_floor, std::size_t rows, const FitOptions& options) {
  if (options.noise != NoiseKind::known || below_floor == 0) return;
  warn(options,
       fmt::format("the known noise of {} of {} rows is below 0.001 standard deviations of the target and is raised to "
                   "that",
                   below_floor, rows));
}

/// Adam squares the prior's part of the gradient in float.
void check_decay(const FitOptions& options, const TrainingSet& train) {
  constexpr double largest = 1e12;
  for (const auto& [name, precision] : {std::pair("lambda", *options.prior_precision),
                                        std::pair("hidden_precision", std::ranges::max(*options.hidden_precision))}) {
    base::require(precision / train.weight_total <= largest, ErrorCode::usage,
                  "{} is {} while the row weights have the sum {}, expected at most {} times that sum", name, precision,
                  train.weight_total, largest);
  }
}

/// Whether all rows are to be held in memory.
bool are_held(const TrainingTable& table, const FitOptions& options) {
  const std::uint64_t need = std::uint64_t{table.rows()} * table.row_bytes();
  const std::uint64_t allowed = memory_for_rows(options.memory);
  if (need <= allowed) return true;
  base::require(table.source().ranges() != nullptr, ErrorCode::usage,
                "the rows need {:.3g} GB of memory and may have {:.3g} GB (--memory), and only an array can be read in "
                "windows: make one of the table with `credens pack`",
                static_cast<double>(need) / 1e9, static_cast<double>(allowed) / 1e9);
  return false;
}

/// Mean of the row weights as given.
double mean_weight(const TrainingTable& table) {
  return table.summary().weight_total / static_cast<double>(table.rows());
}

/// Calls visit(block) for the blocks of the second pass, and throws data where its rows are not those of the first.
template <class Visit>
void read_again(const TrainingTable& table, const FitOptions& options, const data::Scaler& targets,
                const Visit& visit) {
  data::RowDigest digest;
  std::size_t rows = 0;
  std::size_t below_floor = 0;
  table.source().rewind();
  for (data::RowBlock block; table.source().next(block);) {
    rows += block.rows();
    base::require(rows <= table.rows(), ErrorCode::data, "the number of rows changed while they were read");
    digest.add(block);
    visit(block);
    below_floor += rows_below_floor(block.noise_std, targets);
  }
  base::require(rows == table.rows(), ErrorCode::data, "the number of rows changed while they were read");
  base::require(digest.digits() == table.summary().digest, ErrorCode::data, "the rows changed while they were read");
  warn_of_small_noise(below_floor, rows, options);
}

std::uint32_t row_after(const std::vector<std::uint32_t>& rows, std::size_t next, std::size_t otherwise) {
  return next < rows.size() ? rows[next] : static_cast<std::uint32_t>(otherwise);
}

}  // namespace

std::vector<std::uint32_t> validation_part(std::size_t rows, double fraction, std::uint64_t seed) {
  // Member 1 of the purpose, so that the rows do not follow those of Dataset::split with the same seed.
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::split, .member = 1});
  std::vector<std::uint32_t> order = base::permutation(rows, random);
  const double wanted = std::round(fraction * static_cast<double>(rows));
  order.resize(std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, rows - 1));
  std::ranges::sort(order);
  return order;
}

std::vector<std::uint32_t> validation_part(const TrainingTable& table, const FitOptions& options) {
  if (options.validation_fraction == 0) return {};
  const std::size_t rows = table.rows();
  const double wanted = std::round(options.validation_fraction * static_cast<double>(rows));
  const std::size_t most = std::min(rows - 1, table.windows().largest());
  const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most);
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::split, .member = 2});
  std::vector<std::uint32_t> part = drawn_rows(random, rows, {}, count);
  std::ranges::sort(part);
  return part;
}

TrainingRows::TrainingRows(const TrainingTable& table, const FitOptions& planned, std::optional<TrainingSet> validation)
    : table_(&table), scaling_(table.scaling(planned.standardise_inputs, planned.asinh_inputs)) {
  warn_of_constant_columns(table, planned);
  warn_of_lone_targets(table, planned);
  if (table.windows().is_one()) {
    read_one_window(planned);
  } else {
    read_windows(planned);
  }
  if (validation) validation_ = std::move(validation);
  check_decay(planned, train_);
}

void TrainingRows::read_one_window(const FitOptions& options) {
  if (options.validation_fraction > 0) {
    validation_rows_ = validation_part(table_->rows(), options.validation_fraction, options.seed);
  }
  const RowScaler scaler(table_->source(), scaling_, 1);
  exact_.targets.reserve(table_->rows() * table_->outputs());
  train_ = scaler.set_of(table_->rows() - validation_rows_.size());
  if (!validation_rows_.empty()) validation_ = scaler.set_of(validation_rows_.size());
  std::size_t next_held = 0;
  read_again(*table_, options, scaling_.targets, [&](const data::RowBlock& block) {
    split_block(block, scaler, next_held);
    add_exact(block);
  });
  set_part_weights();
}

/// Runs of rows go to the training set, up to the next row of validation.
void TrainingRows::split_block(const data::RowBlock& block, const RowScaler& scaler, std::size_t& next_held) {
  const std::size_t end = block.first_row + block.rows();
  for (std::size_t row = block.first_row; row < end;) {
    const std::size_t stop = std::min<std::size_t>(end, row_after(validation_rows_, next_held, end));
    if (stop > row) scaler.write(block, row - block.first_row, stop - row, train_, row - next_held);
    row = stop;
    if (row == end) break;
    scaler.write(block, row - block.first_row, 1, *validation_, next_held++);
    ++row;
  }
}

void TrainingRows::add_exact(const data::RowBlock& block) {
  const Matrix targets = data::scaled(scaling_.targets, block.targets);
  data::check_noise(block.noise_std, scaling_.targets.scale, [&](std::size_t row, std::size_t column) {
    return fmt::format("noise_std: row {}, column {}", block.first_row + row, column);
  });
  Matrix variance;
  model::fill_known_variance(scaling_.targets, block.noise_std, variance);
  exact_.targets.insert(exact_.targets.end(), targets.values().begin(), targets.values().end());
  exact_.known_variance.insert(exact_.known_variance.end(), variance.values().begin(), variance.values().end());
  exact_.weights.insert(exact_.weights.end(), block.weights.begin(), block.weights.end());
}

/// Weights of training and of validation have the mean 1 each.
void TrainingRows::set_part_weights() {
  std::vector<double> train;
  std::vector<double> validation;
  std::size_t next_held = 0;
  for (std::size_t row = 0; row < exact_.weights.size(); ++row) {
    const bool is_held = row_after(validation_rows_, next_held, exact_.weights.size()) == row;
    (is_held ? validation : train).push_back(exact_.weights[row]);
    if (is_held) ++next_held;
  }
  set_weights(train_, train);
  if (validation_) set_weights(*validation_, validation);
}

/// Rows that are more than a window holds.
void TrainingRows::read_windows(const FitOptions& options) {
  const bool held = are_held(*table_, options);
  windows_ = table_->windows();
  validation_rows_ = validation_part(*table_, options);
  const RowScaler scaler(table_->source(), scaling_, mean_weight(*table_));
  train_ = scaler.set_of(held ? table_->rows() : data::block_rows);
  if (!validation_rows_.empty()) validation_ = scaler.set_of(validation_rows_.size());
  if (held) exact_.targets.reserve(table_->rows() * table_->outputs());
  DivergenceSums divergence(table_->outputs(), options.noise);
  std::size_t next_held = 0;
  read_again(*table_, options, scaling_.targets, [&](const data::RowBlock& block) {
    const std::size_t at = held ? block.first_row : 0;
    scaler.write(block, 0, block.rows(), train_, at);
    divergence.add(train_, at, block.rows());
    for (; next_held < validation_rows_.size() && validation_rows_[next_held] < block.first_row + block.rows();
         ++next_held) {
      scaler.write(block, validation_rows_[next_held] - block.first_row, 1, *validation_, next_held);
    }
    if (held) add_exact(block);
  });
  divergence_limit_ = divergence.limit();
  if (!held) {
    stored_ = scaler;
    train_ = scaler.set_of(0);
    train_.rows = table_->rows();
  }
  train_.weight_total = table_->summary().weight_total;
}

double TrainingRows::divergence_limit(NoiseKind noise) const {
  return divergence_limit_ ? *divergence_limit_ : learn::divergence_limit(train_, noise);
}

std::unique_ptr<data::RowRanges> TrainingRows::ranges() const {
  return are_stored() ? table_->source().ranges() : nullptr;
}

TrainingSet TrainingRows::pick(const std::vector<std::uint32_t>& rows) const {
  TrainingSet set;
  if (are_stored()) {
    const std::unique_ptr<data::RowRanges> stored = ranges();
    set = stored_->set_of(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) stored_->write(stored->read(rows[i], 1), 0, 1, set, i);
  } else {
    set = subset(train_, rows);
  }
  set.weight_total = table_->summary().weight_total;
  return set;
}

}  // namespace credens::learn
