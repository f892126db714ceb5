// SPDX-License-Identifier: Apache-2.0

#include "data/row_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/content_hash.hpp"
#include "data/complete_rows.hpp"
#include "data/date.hpp"
#include "data/fingerprint.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

std::size_t most_rows(std::size_t cols) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  return std::clamp<std::size_t>(most_values / std::max<std::size_t>(cols, 1) / 2 * 2, 1'000, 10'000);
}

/// Linear interpolation between the values, of which there is at least one and which are sorted.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  const double above = sorted[std::min(below + 1, sorted.size() - 1)];
  return (1 - part) * sorted[below] + part * above;
}

/// Width of a column that has half of its rows at its centre. A sample may miss the few that are elsewhere; then the
/// farthest of all rows tells.
double width_off_centre(const std::vector<double>& values, double centre, double farthest) {
  std::vector<double> distances;
  for (const double value : values) {
    if (value != centre) distances.push_back(std::abs(value - centre));
  }
  std::ranges::sort(distances);
  return distances.empty() ? farthest : quantile(distances, 0.5);
}

/// Moments of the heavy columns after their transform.
ColumnMoments transformed_moments(const Matrix& rows, std::span<const double> weights, const Scaler& transform,
                                  const std::vector<std::size_t>& heavy) {
  ColumnMoments moments(heavy.size());
  Matrix block;
  for (std::size_t first = 0; first < rows.rows(); first += math::statistics_block) {
    block.resize(std::min(math::statistics_block, rows.rows() - first), heavy.size());
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t i = 0; i < heavy.size(); ++i) {
        block(row, i) = transform.transformed(heavy[i], rows(first + row, heavy[i]));
      }
    }
    moments.add(block, weights.subspan(first, block.rows()));
  }
  return moments;
}

/// Distance from the mean, in standard deviations, beyond which a value makes its column heavy-tailed. No value of n
/// rows lies further than sqrt(n - 1), so with 20 rows or a few more nine tenths of that are enough.
double heavy_tail(std::size_t rows) {
  constexpr double distance = 6;
  constexpr std::size_t enough_rows = 20;  // fewer are far from their mean too easily
  return rows < enough_rows ? distance : std::min(distance, 0.9 * std::sqrt(static_cast<double>(rows - 1)));
}

/// -0 and 0 are the same input.
void add_keys(const RowBlock& block, RowKeys& keys) {
  std::vector<double> values(block.inputs.cols());
  for (std::size_t row = 0; row < block.rows(); ++row) {
    std::ranges::transform(block.inputs.row(row), values.begin(), [](double value) { return value + 0.0; });
    keys.inputs.push_back(base::hash_of(base::bytes_of(std::span<const double>(values))));
  }
  keys.groups.insert(keys.groups.end(), block.groups.begin(), block.groups.end());
  keys.times.insert(keys.times.end(), block.times.begin(), block.times.end());
  keys.weights.insert(keys.weights.end(), block.weights.begin(), block.weights.end());
  for (std::size_t row = 0; row < block.rows(); ++row) {
    keys.targets.insert(keys.targets.end(), block.targets.row(row).begin(), block.targets.row(row).end());
  }
}

}  // namespace

RowSample::RowSample(std::size_t cols) : RowSample(cols, most_rows(cols)) {}

RowSample::RowSample(std::size_t cols, std::size_t most)
    : cols_(cols), most_(most), random_({.seed = 0, .purpose = base::Purpose::row_sample}) {}

void RowSample::add(MatrixView rows, std::span<const double> weights) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Drawn drawn{.number = random_.word(), .row = seen_++, .weight = weights.empty() ? 1 : weights[row]};
    if (drawn_.size() == most_) {
      if (!(drawn < drawn_.front())) continue;
      std::pop_heap(drawn_.begin(), drawn_.end());
      drawn.values = std::move(drawn_.back().values);  // for its memory
      drawn_.pop_back();
    }
    drawn.values.assign(rows.row(row).begin(), rows.row(row).end());
    drawn_.push_back(std::move(drawn));
    std::push_heap(drawn_.begin(), drawn_.end());
  }
}

std::vector<const RowSample::Drawn*> RowSample::in_order() const {
  std::vector<const Drawn*> ordered;
  for (const Drawn& drawn : drawn_) ordered.push_back(&drawn);
  std::ranges::sort(ordered, {}, &Drawn::row);
  return ordered;
}

Matrix RowSample::values() const {
  Matrix values(drawn_.size(), cols_);
  std::size_t row = 0;
  for (const Drawn* drawn : in_order()) std::ranges::copy(drawn->values, values.row(row++).begin());
  return values;
}

std::vector<double> RowSample::weights() const {
  std::vector<double> weights;
  for (const Drawn* drawn : in_order()) weights.push_back(drawn->weight);
  return weights;
}

namespace {

/// Counts the rows of each word, and looks whether dates have times.
void add_facts(const Schema& schema, const RowBlock& block, std::span<const double> weights, RowSummary& summary) {
  constexpr double day = 86400;
  for (std::size_t col = 0; col < schema.inputs.size(); ++col) {
    const ColumnKind kind = schema.inputs[col].kind;
    for (std::size_t row = 0; row < block.rows() && kind != ColumnKind::number; ++row) {
      const double value = block.inputs(row, col);
      if (std::isnan(value) || !(math::weight_at(weights, row) > 0)) continue;
      if (kind == ColumnKind::date) {
        summary.has_hours[col] = summary.has_hours[col] || std::fmod(value, day) != 0;
      }
      std::vector<std::size_t>& counts = summary.level_rows[col];
      const std::size_t level = kind == ColumnKind::date ? calendar_day(value) : static_cast<std::size_t>(value);
      if (level >= counts.size()) counts.resize(level + 1);
      ++counts[level];
    }
  }
}

constexpr std::size_t rows_to_learn = 5;

/// Gives a code to each of the first `levels` levels.
void set_codes(std::span<const std::size_t> level_rows, std::size_t levels, InputEncoding& encoding) {
  constexpr auto rare = std::uint32_t(-1);
  for (const std::size_t rows : level_rows) {
    encoding.codes.push_back(rows < rows_to_learn ? rare : static_cast<std::uint32_t>(encoding.learned));
    if (rows >= rows_to_learn) ++encoding.learned;
  }
  encoding.codes.resize(levels, rare);
  std::ranges::replace(encoding.codes, rare, encoding.rare_code());
}

/// Holidays and the like: days that differ from those beside them, year after year. In rows of fewer years a day of the
/// calendar is hardly more than a date.
void set_calendar(const RowSummary& summary, std::size_t col, double span, InputEncoding& encoding) {
  constexpr double years_to_learn = 3;
  const auto is_learned = [](std::size_t rows) { return rows >= rows_to_learn; };
  if (span < (years_to_learn - 0.5) * seconds_of(Cycle::year)) return;
  if (std::ranges::count_if(summary.level_rows[col], is_learned) < 2) return;
  set_codes(summary.level_rows[col], days_of_calendar, encoding);
}

InputEncoding encoding_of(const Column& column, const RowSummary& summary, std::size_t col) {
  InputEncoding encoding{.kind = column.kind};
  if (column.kind == ColumnKind::category) {
    set_codes(summary.level_rows[col], column.levels.size(), encoding);
    return encoding;
  }
  const std::size_t missing = summary.inputs.missing(col);
  encoding.flags_missing = missing >= rows_to_learn && summary.inputs.rows() - missing >= rows_to_learn;
  if (column.kind != ColumnKind::date) return encoding;
  const double span = summary.inputs.largest(col) - summary.inputs.least(col);
  for (const Cycle cycle : {Cycle::day, Cycle::week, Cycle::year}) {
    const bool is_told = cycle != Cycle::day || summary.has_hours[col];
    if (is_told && span >= 1.5 * seconds_of(cycle)) encoding.cycles.push_back(cycle);
  }
  set_calendar(summary, col, span, encoding);
  return encoding;
}

}  // namespace

std::vector<InputEncoding> encodings_of(const Schema& schema, const RowSummary& summary) {
  std::vector<InputEncoding> encodings;
  bool are_plain = true;
  for (std::size_t col = 0; col < schema.inputs.size(); ++col) {
    encodings.push_back(encoding_of(schema.inputs[col], summary, col));
    are_plain = are_plain && encodings.back() == InputEncoding{};
  }
  if (are_plain) encodings.clear();
  return encodings;
}

std::vector<std::size_t> unlearnable_inputs(const Schema& schema, const RowSummary& summary) {
  const auto is_learned = [](std::size_t rows) { return rows >= rows_to_learn; };
  std::vector<std::size_t> inputs;
  for (std::size_t col = 0; col < schema.inputs.size(); ++col) {
    const Column& input = schema.inputs[col];
    if (input.kind != ColumnKind::category || input.is_wanted || is_learned(summary.inputs.missing(col))) continue;
    const std::vector<std::size_t>& counts = summary.level_rows[col];
    const auto words = counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0U));
    const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (2 * words > rows && std::ranges::none_of(counts, is_learned)) inputs.push_back(col);
  }
  return inputs;
}

std::vector<double> RowSample::sorted_column(std::size_t col) const {
  std::vector<double> values;
  values.reserve(drawn_.size());
  for (const Drawn& drawn : drawn_) {
    if (drawn.weight > 0 && !std::isnan(drawn.values[col])) values.push_back(drawn.values[col]);
  }
  std::ranges::sort(values);
  return values;
}

std::vector<std::size_t> RowSample::source_rows() const {
  std::vector<std::size_t> rows;
  for (const Drawn* drawn : in_order()) rows.push_back(drawn->row);
  return rows;
}

RowSummary summarise(RowSource& source, bool with_sample, std::size_t most_keys) {
  const Schema& schema = source.schema();
  RowSummary summary{.rows = source.count_rows(),
                     .first_line = 0,
                     .weight_total = 0,
                     .fingerprint = {},
                     .digest = {},
                     .sketch = {},
                     .inputs = ColumnMoments(schema.inputs.size()),
                     .targets = ColumnMoments(schema.targets.size()),
                     .classes = {},
                     .level_rows = std::vector<std::vector<std::size_t>>(schema.inputs.size()),
                     .has_hours = std::vector<bool>(schema.inputs.size()),
                     .sample = RowSample(schema.inputs.size()),
                     .keys = {}};
  const bool with_keys = summary.rows <= most_keys;
  if (with_keys) {
    summary.keys.inputs.reserve(summary.rows);
    summary.keys.targets.reserve(summary.rows * schema.targets.size());
  }
  RowFingerprint fingerprint(schema, summary.rows);
  RowDigest digest;
  source.rewind();
  std::vector<double> room;
  for (RowBlock block; source.next(block);) {
    const std::span<const double> weights = effective_weights(block, room);
    digest.add(block);
    if (block.table != nullptr) summary.first_line = block.table->first_line;
    summary.sketch.add(block);
    summary.inputs.add(block.inputs, weights);
    summary.targets.add(block.targets, weights);
    if (schema.is_classification() && !schema.has_counts()) summary.classes.add(block.targets, weights);
    if (with_sample) summary.sample.add(block.inputs, weights);
    add_facts(schema, block, weights, summary);
    if (with_keys) add_keys(block, summary.keys);
    fingerprint.add(block);
    for (std::size_t row = 0; row < block.rows(); ++row) summary.weight_total += math::weight_at(weights, row);
    summary.rows_without_target += block.targets.rows() - rows_with_targets(block.targets).size();
  }
  base::require(summary.rows_without_target < summary.rows, ErrorCode::data,
                "no row has a target, expected at least one");
  summary.fingerprint = fingerprint.digits();
  summary.digest = digest.digits();
  source.rewind();
  return summary;
}

std::vector<std::size_t> heavy_tailed_columns(const ColumnMoments& moments, std::span<const std::size_t> without) {
  std::vector<std::size_t> heavy = moments.columns_with_outliers(heavy_tail(moments.rows()));
  std::erase_if(heavy, [&](std::size_t col) { return std::ranges::binary_search(without, col); });
  return heavy;
}

Scaler asinh_scaler(const RowSample& sample, const ColumnMoments& moments, std::span<const std::string> labels,
                    std::span<const std::size_t> without) {
  constexpr double normal_range = 1.349;  // interquartile range of the standard normal
  const std::vector<std::size_t> heavy = heavy_tailed_columns(moments, without);
  if (heavy.empty()) return moments.scaler(labels);
  const Matrix rows = sample.values();
  const std::vector<double> weights = sample.weights();
  Scaler transform;
  transform.centre.resize(rows.cols());
  transform.width.resize(rows.cols());
  for (const std::size_t col : heavy) {
    const std::vector<double> values = sample.sorted_column(col);
    const double centre = quantile(values, 0.5);
    const double width = (quantile(values, 0.75) - quantile(values, 0.25)) / normal_range;
    transform.centre[col] = centre;
    transform.width[col] = width > 0 ? width : width_off_centre(values, centre, moments.farthest_from(col, centre));
    // A few far values are no reason to refuse a column whose other values have a variance.
    check_variance(transform.width[col] * transform.width[col], label_of(col, labels));
  }
  std::vector<std::string> heavy_labels;
  for (const std::size_t col : heavy) heavy_labels.push_back(label_of(col, labels));
  const Scaler transformed = transformed_moments(rows, weights, transform, heavy).scaler(heavy_labels);
  Scaler scaler = moments.scaler(labels, heavy);
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    scaler.shift[heavy[i]] = transformed.shift[i];
    scaler.scale[heavy[i]] = transformed.scale[i];
  }
  scaler.centre = std::move(transform.centre);
  scaler.width = std::move(transform.width);
  return scaler;
}

}  // namespace credens::data
