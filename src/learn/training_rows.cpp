// SPDX-License-Identifier: Apache-2.0

#include "learn/training_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/complete_rows.hpp"
#include "data/fingerprint.hpp"
#include "data/row_checks.hpp"
#include "learn/divergence.hpp"
#include "learn/input_warnings.hpp"
#include "learn/member_rows.hpp"
#include "learn/table_warnings.hpp"
#include "learn/unseen.hpp"
#include "math/kernels.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

namespace {

/// (noise_std / scale)^2; beyond float's range the row says nothing anyway.
float known_variance(double noise_std, double scale) {
  const double std = noise_std / scale;
  return static_cast<float>(std::min(std * std, 1e30));
}

/// Targets with their mean, or the first class, in the place of those that are missing; numbers of classes in the place
/// of what stands for them.
Matrix complete_targets(const data::RowBlock& block, const Scaling& scaling) {
  const MatrixView targets = block.targets;
  const bool is_class = scaling.classes.count() > 0 && targets.cols() == 1;
  if (is_class) data::check_classes(scaling.classes, targets, block.first_row);
  Matrix complete(targets.rows(), targets.cols());
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    for (std::size_t k = 0; k < targets.cols(); ++k) {
      const double target = targets(row, k);
      const double given = is_class ? static_cast<double>(scaling.classes.class_of(target).value_or(0)) : target;
      complete(row, k) = std::isnan(target) ? scaling.targets.shift[k] : given;
    }
  }
  return complete;
}

}  // namespace

TrainingSet subset(const TrainingSet& data, std::span<const std::uint32_t> rows) {
  TrainingSet part{.rows = rows.size(),
                   .inputs = data.inputs,
                   .task = data.task,
                   .outputs = data.outputs,
                   .target_columns = data.target_columns};
  part.flags = data.flags;
  part.tables = data.tables;
  part.has_missing = data.has_missing;
  part.input_stride = data.input_stride;
  part.input_values.resize(part.rows * part.input_stride);
  math::gather_rows(data.input_values.data(), data.input_stride, rows.data(), rows.size(), part.input_values.data(),
                    part.input_stride);
  for (const std::uint32_t row : rows) {
    part.targets.insert(part.targets.end(), data.target_row(row).begin(), data.target_row(row).end());
    for (std::size_t k = 0; k < data.outputs && !data.known_variance.empty(); ++k) {
      part.known_variance.push_back(data.known(row, k));
    }
    if (!data.weights.empty()) part.weights.push_back(data.weight(row));
    part.weight_total += data.weight(row);
  }
  return part;
}

RowScaler::RowScaler(const data::Schema& schema, Scaling scaling, bool has_weights, double mean_weight)
    : scaling_(std::move(scaling)),
      input_labels_(data::labels_of(schema.inputs)),
      target_labels_(data::labels_of(schema.targets)),
      has_weights_(has_weights),
      has_noise_(schema.has_noise),
      mean_weight_(mean_weight) {}

TrainingSet RowScaler::set_of(std::size_t rows) const {
  TrainingSet set{.rows = rows,
                  .inputs = scaling_.inputs.numbers(),
                  .task = scaling_.classes.count() > 0 ? Task::classification : Task::regression,
                  .outputs = scaling_.outputs(),
                  .target_columns = scaling_.targets.cols()};
  set.flags = scaling_.inputs.flags();
  set.tables = scaling_.inputs.tables();
  set.input_stride = math::padded(scaling_.inputs.width());
  set.input_values.resize(rows * set.input_stride);
  set.targets.resize(rows * set.target_columns);
  set.weights.resize(has_weights_ ? rows : 0);
  set.known_variance.resize(has_noise_ ? rows * set.outputs : 0);
  return set;
}

void RowScaler::write_inputs(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set,
                             std::size_t at) const {
  const MatrixView rows = block.inputs.row_block(first, count);
  const data::Encoded encoded =
      data::encode(scaling_.inputs, rows, set.input_values.data() + at * set.input_stride, set.input_stride);
  set.has_missing = set.has_missing || encoded.has_missing;
  if (encoded.in_range) return;
  const auto [row, col] = data::refused_cell(scaling_.inputs, rows);
  base::fail(ErrorCode::data, "row {}, {}: {} is {} after scaling, expected at most {:g} in size",
             block.first_row + first + row, data::label_of(col, input_labels_), rows(row, col),
             scaling_.inputs.scaler.apply(col, rows(row, col)), data::largest_scaled);
}

void RowScaler::write(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set,
                      std::size_t at) const {
  write_inputs(block, first, count, set, at);
  const Matrix targets = complete_targets(data::part_of(block, first, count), scaling_);
  data::scale_rows(scaling_.targets, targets, set.targets.data() + at * set.target_columns, set.target_columns,
                   block.first_row + first, target_labels_);
  if (has_weights_) {
    std::vector<double> room;
    const std::span<const double> weights = data::effective_weights(data::part_of(block, first, count), room);
    for (std::size_t i = 0; i < count; ++i) {
      set.weights[at + i] = static_cast<float>(math::weight_at(weights, i) / mean_weight_);
    }
  }
  for (std::size_t i = 0; i < count && has_noise_; ++i) {
    for (std::size_t k = 0; k < set.outputs; ++k) {
      set.known_variance[(at + i) * set.outputs + k] =
          known_variance(block.noise_std(first + i, k), scaling_.targets.scale[k]);
    }
  }
}

void set_weights(TrainingSet& set, std::span<const double> given) {
  set.weight_total = given.empty() ? static_cast<double>(set.rows) : std::accumulate(given.begin(), given.end(), 0.0);
  const double mean = set.weight_total / static_cast<double>(set.rows);
  set.weights.resize(given.size());
  std::ranges::transform(given, set.weights.begin(), [mean](double u) { return static_cast<float>(u / mean); });
}

TrainingSet make_training_set(const Dataset& data, const Scaling& scaling) {
  const auto source = data::rows_of(data);
  std::vector<double> weights;
  for (data::RowBlock block; source->next(block);) {
    std::vector<double> room;
    for (const double weight : data::effective_weights(block, room)) weights.push_back(weight);
  }
  const RowScaler scaler(source->schema(), scaling, !weights.empty(), 1);
  TrainingSet set = scaler.set_of(data.rows());
  source->rewind();
  for (data::RowBlock block; source->next(block);) scaler.write(block, 0, block.rows(), set, block.first_row);
  set_weights(set, weights);
  return set;
}

void append(const data::RowBlock& block, const Scaling& scaling, bool has_weights, ExactRows& rows) {
  const data::Scaler& targets = scaling.targets;
  data::check_noise(block.noise_std, targets.scale, [&](std::size_t row, std::size_t column) {
    return fmt::format("noise_std: row {}, column {}", block.first_row + row, column);
  });
  Matrix variance;
  model::fill_known_variance(targets, block.noise_std, variance);
  const Matrix scaled = data::scaled(targets, complete_targets(block, scaling));
  rows.targets.insert(rows.targets.end(), scaled.values().begin(), scaled.values().end());
  rows.known_variance.insert(rows.known_variance.end(), variance.values().begin(), variance.values().end());
  std::vector<double> room;
  const std::span<const double> weights = data::effective_weights(block, room);
  for (std::size_t row = 0; row < block.rows() && has_weights; ++row) {
    rows.weights.push_back(math::weight_at(weights, row));
  }
}

namespace {

/// Rows of weight 0, which no sum counts.
void leave_out(const std::vector<std::uint32_t>& rows, std::size_t all, ExactRows& exact) {
  if (!rows.empty() && exact.weights.empty()) exact.weights.assign(all, 1);
  for (const std::uint32_t row : rows) exact.weights[row] = 0;
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
  if (!options.on_warning) return;
  options.on_warning(
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

/// Weights of training and of validation have the mean 1 each. `weights` are those of all rows as given, or none.
TrainingSet part_of(const TrainingSet& all, const std::vector<std::uint32_t>& rows,
                    const std::vector<double>& weights) {
  TrainingSet part = subset(all, rows);
  std::vector<double> given;
  for (std::size_t i = 0; i < rows.size() && !weights.empty(); ++i) given.push_back(weights[rows[i]]);
  set_weights(part, given);
  return part;
}

}  // namespace

std::vector<std::uint32_t> validation_part(const TrainingTable& table, const FitOptions& options) {
  if (options.validation_fraction == 0) return {};
  const std::size_t rows = table.rows();
  const Windows windows = table.windows();
  const double wanted = std::round(options.validation_fraction * static_cast<double>(rows));
  const std::size_t most = std::min(rows - 1, windows.largest());
  const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most);
  // Not member 0 of the purpose, so that the rows do not follow those of Dataset::split with the same seed.
  base::RandomStream random(
      {.seed = options.seed, .purpose = base::Purpose::split, .member = windows.is_one() ? 1U : 2U});
  if (!table.fold_units().are_rows()) return rows_of_part(table.fold_units(), count, 1, random);
  std::vector<std::uint32_t> part =
      windows.is_one() ? base::permutation(rows, random) : drawn_rows(random, rows, {}, count);
  part.resize(count);
  std::ranges::sort(part);
  return part;
}

TrainingRows::TrainingRows(const TrainingTable& table, const FitOptions& planned, std::optional<TrainingSet> validation)
    : table_(&table),
      scaling_(table.scaling(planned.standardise_inputs, planned.asinh_inputs)),
      number_values_(learn::number_values(table.summary().sample, scaling_.inputs)),
      validation_rows_(validation_part(table, planned)) {
  warn_of_table(table, planned);
  warn_of_inputs(table, scaling_.inputs, planned);
  if (table.windows().is_one()) {
    read_one_window(planned);
  } else {
    read_windows(planned);
  }
  if (validation) validation_ = std::move(validation);
  check_decay(planned, train_);
}

void TrainingRows::read_one_window(const FitOptions& options) {
  const RowScaler scaler(table_->schema(), scaling_, table_->has_weights(), 1);
  exact_.targets.reserve(table_->rows() * table_->target_columns());
  train_ = scaler.set_of(table_->rows());
  read_again(*table_, options, scaling_.targets, [&](const data::RowBlock& block) {
    scaler.write(block, 0, block.rows(), train_, block.first_row);
    append(block, scaling_, table_->has_weights(), exact_);
  });
  leave_out(table_->slips(), table_->rows(), exact_);
  units_ = table_->fold_units();
  if (validation_rows_.empty()) return set_weights(train_, exact_.weights);
  const std::vector<std::uint32_t> others = other_rows(table_->rows(), validation_rows_);
  validation_ = part_of(train_, validation_rows_, exact_.weights);
  train_ = part_of(train_, others, exact_.weights);
  units_ = units_.subset(others);
}

/// Rows that are more than a window holds.
void TrainingRows::read_windows(const FitOptions& options) {
  const bool held = are_held(*table_, options);
  windows_ = table_->windows();
  const double mean_weight = table_->summary().weight_total / static_cast<double>(table_->rows());
  const RowScaler scaler(table_->schema(), scaling_, table_->has_weights(), mean_weight);
  train_ = scaler.set_of(held ? table_->rows() : data::block_rows);
  if (!validation_rows_.empty()) validation_ = scaler.set_of(validation_rows_.size());
  if (held) exact_.targets.reserve(table_->rows() * table_->target_columns());
  DivergenceSums divergence(std::vector<double>(table_->outputs(), 1), options.noise);
  std::size_t next_held = 0;
  read_again(*table_, options, scaling_.targets, [&](const data::RowBlock& block) {
    const std::size_t at = held ? block.first_row : 0;
    scaler.write(block, 0, block.rows(), train_, at);
    divergence.add(train_, at, block.rows());
    for (; next_held < validation_rows_.size() && validation_rows_[next_held] < block.first_row + block.rows();
         ++next_held) {
      scaler.write(block, validation_rows_[next_held] - block.first_row, 1, *validation_, next_held);
    }
    if (held) append(block, scaling_, table_->has_weights(), exact_);
  });
  divergence_limit_ = divergence.limit();
  if (!held) {
    stored_ = scaler;
    train_ = scaler.set_of(0);
    train_.rows = table_->rows();
  }
  train_.weight_total = table_->summary().weight_total;
  units_ = train_.rows;
}

double TrainingRows::divergence_limit(NoiseKind noise) const {
  return divergence_limit_ ? *divergence_limit_ : learn::divergence_limit(train_, noise);
}

TrainingSet TrainingRows::pick(const std::vector<std::uint32_t>& rows) const {
  TrainingSet set;
  if (are_stored()) {
    const data::RowRanges stored = table_->source().ranges();
    set = stored_->set_of(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) stored_->write(stored(rows[i], 1), 0, 1, set, i);
  } else {
    set = subset(train_, rows);
  }
  set.weight_total = table_->summary().weight_total;
  return set;
}

}  // namespace credens::learn
