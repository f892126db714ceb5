// SPDX-License-Identifier: Apache-2.0

#include "learn/slips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::size_t fewest_targets = 20;
constexpr double farthest_believed = 20;
constexpr double gap = 10;

/// Whether a row and its target count; `value` is the place of the target.
bool counts(const data::RowKeys& keys, std::size_t row, std::size_t value) {
  return !std::isnan(keys.targets[value]) && (keys.weights.empty() || keys.weights[row] > 0);
}

/// The value that `share` of the values lie below.
double quantile(std::vector<double>& values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, place);
  return *place;
}

/// The distance from which on values are doubted; infinite where none is. `distances` ascend.
double least_doubted(const std::vector<double>& distances) {
  const std::size_t most = std::max<std::size_t>(distances.size() / 50, 1);
  for (std::size_t i = distances.size() - most; i < distances.size(); ++i) {
    if (distances[i] > farthest_believed && distances[i] >= gap * distances[i - 1]) return distances[i];
  }
  return std::numeric_limits<double>::infinity();
}

void doubt_targets(const data::RowKeys& keys, std::size_t target, std::size_t targets, std::vector<bool>& doubted) {
  std::vector<double> values;
  for (std::size_t row = 0; row < doubted.size(); ++row) {
    if (counts(keys, row, row * targets + target)) values.push_back(keys.targets[row * targets + target]);
  }
  if (values.size() < fewest_targets) return;
  constexpr double normal_range = 1.349;  // interquartile range of the standard normal
  const double median = quantile(values, 0.5);
  const double scale = (quantile(values, 0.75) - quantile(values, 0.25)) / normal_range;
  if (!(scale > 0)) return;
  for (double& value : values) value = std::abs(value - median) / scale;
  std::ranges::sort(values);
  const double least = least_doubted(values);
  for (std::size_t row = 0; row < doubted.size(); ++row) {
    if (counts(keys, row, row * targets + target) &&
        std::abs(keys.targets[row * targets + target] - median) / scale >= least) {
      doubted[row] = true;
    }
  }
}

/// How many of the five rows nearest to `row` are doubted.
std::size_t doubted_neighbours(const Matrix& rows, std::size_t row, const std::vector<bool>& doubted) {
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t other = 0; other < rows.rows(); ++other) {
    if (other == row) continue;
    double sum = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      const double difference = rows(other, j) - rows(row, j);
      if (!std::isnan(difference)) sum += difference * difference;
    }
    distances.emplace_back(sum, other);
  }
  const std::size_t count = std::min<std::size_t>(5, distances.size());
  std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(count));
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) found += doubted[distances[i].second] ? 1 : 0;
  return found;
}

/// Whether rows near the doubted ones are doubted too. A sample of the rows tells.
bool are_foretold(const data::RowSummary& summary, const std::vector<bool>& doubted) {
  constexpr std::size_t enough = 200;
  const std::vector<std::size_t> drawn = summary.sample.source_rows();
  if (drawn.empty()) return false;
  const Matrix rows = data::scaled(summary.inputs.scaler(), summary.sample.values());
  std::vector<bool> doubted_in_sample;
  for (const std::size_t row : drawn) doubted_in_sample.push_back(doubted[row]);
  std::size_t asked = 0;
  std::size_t found = 0;
  for (std::size_t row = 0; row < drawn.size() && asked < enough; ++row) {
    if (!doubted_in_sample[row]) continue;
    ++asked;
    found += doubted_neighbours(rows, row, doubted_in_sample);
  }
  return found >= 3 && 4 * found >= 5 * asked;
}

}  // namespace

std::vector<std::uint32_t> find_slips(const data::RowSummary& summary) {
  if (summary.keys.targets.empty()) return {};
  const std::size_t targets = summary.keys.targets.size() / summary.rows;
  std::vector<bool> doubted(summary.rows);
  for (std::size_t target = 0; target < targets; ++target) doubt_targets(summary.keys, target, targets, doubted);
  Rows rows;
  for (std::uint32_t row = 0; row < doubted.size(); ++row) {
    if (doubted[row]) rows.push_back(row);
  }
  return rows.empty() || are_foretold(summary, doubted) ? Rows() : rows;
}

data::ColumnMoments moments_without(const data::RowKeys& keys, std::size_t targets,
                                    const std::vector<std::uint32_t>& rows) {
  const std::size_t count = keys.targets.size() / targets;
  std::vector<double> weights = keys.weights.empty() ? std::vector<double>(count, 1) : keys.weights;
  for (const std::uint32_t row : rows) weights[row] = 0;
  data::ColumnMoments moments(targets);
  for (std::size_t first = 0; first < count; first += math::statistics_block) {
    const std::size_t size = std::min(math::statistics_block, count - first);
    moments.add({keys.targets.data() + first * targets, size, targets}, std::span(weights).subspan(first, size));
  }
  return moments;
}

std::string places_of(const std::vector<std::uint32_t>& rows, std::size_t first_line) {
  constexpr std::size_t most = 10;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i)
    places.push_back(fmt::format("{}", rows[i] + first_line));
  const std::string rest = rows.size() > most ? fmt::format(" and {} more", rows.size() - most) : "";
  return fmt::format("{}{} {}{}", first_line > 0 ? "line" : "row", rows.size() == 1 ? "" : "s",
                     base::join(places, ", "), rest);
}

}  // namespace credens::learn
