// SPDX-License-Identifier: Apache-2.0

#include "score/ranked_weights.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/check.hpp"
#include "math/statistics.hpp"

namespace credens::scoring {

namespace {

constexpr unsigned dropped_bits = 52 - 7;  ///< of the 52 that a double's fraction has

/// The bits of doubles that are not negative are ordered as their values are: exponent first, then the fraction.
constexpr std::uint64_t leading_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) >> dropped_bits;
}

constexpr std::uint64_t lowest_cell = leading_bits(0x1p-64);
constexpr std::uint64_t highest_cell = leading_bits(0x1p64);

std::size_t cell_of(double value) {
  const std::uint64_t bits = value > 0 ? leading_bits(value) : 0;
  return static_cast<std::size_t>(std::clamp(bits, lowest_cell, highest_cell) - lowest_cell);
}

/// The least value of a cell.
double value_of(std::size_t cell) {
  return std::bit_cast<double>((lowest_cell + cell) << dropped_bits);
}

}  // namespace

void RankedWeights::add(double value, double first, double second) {
  const RankedPair row{value, first, second};
  if (row.weight() == 0) return;
  if (!cells_.empty()) return count(row);
  held_.push_back(row);
  if (held_.size() <= most_held_) return;
  cells_.resize(highest_cell - lowest_cell + 1);
  for (const RankedPair& held : held_) count(held);
  held_ = {};
}

void RankedWeights::count(const RankedPair& row) {
  Cell& cell = cells_[cell_of(scale_ != nullptr ? scale_(row.value) : row.value)];
  cell.first += row.first;
  cell.second += row.second;
}

std::vector<RankedPair> RankedWeights::ascending() const {
  std::vector<RankedPair> rows = held_;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const RankedPair row{value_of(i), cells_[i].first, cells_[i].second};
    if (row.weight() > 0) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, &RankedPair::value);
  std::vector<RankedPair> merged;
  for (const RankedPair& row : rows) {
    if (merged.empty() || merged.back().value != row.value) {
      merged.push_back(row);
    } else {
      merged.back().first += row.first;
      merged.back().second += row.second;
    }
  }
  return merged;
}

double mann_whitney(const std::vector<RankedPair>& ascending) {
  math::CompensatedSum first;
  math::CompensatedSum below;  // weight of the second group under the current value
  math::CompensatedSum pairs;
  for (const RankedPair& row : ascending) {
    pairs.add(row.first * (below.value() + 0.5 * row.second));
    first.add(row.first);
    below.add(row.second);
  }
  return pairs.value() / first.value() / below.value();
}

RiskCurve risk_curve(const std::vector<RankedPair>& ascending) {
  math::CompensatedSum total;
  for (const RankedPair& row : ascending) total.add(row.weight());
  RiskCurve curve;
  math::CompensatedSum covered;
  math::CompensatedSum wrong;
  math::CompensatedSum area;
  for (const RankedPair& row : ascending) {
    covered.add(row.weight());
    wrong.add(row.first);
    curve.coverage.push_back(covered.value() / total.value());
    curve.risk.push_back(wrong.value() / covered.value());
    area.add(row.weight() * curve.risk.back());
  }
  curve.area = area.value() / total.value();
  return curve;
}

}  // namespace credens::scoring

namespace credens {

double RiskCurve::at(double share) const {
  base::require(share > 0 && share <= 1, ErrorCode::usage, "share is {}, expected a number above 0 and at most 1",
                share);
  base::require(!coverage.empty(), ErrorCode::usage, "the risk curve has no points, expected at least 1");
  const auto found = std::ranges::lower_bound(coverage, share);
  const auto edge = static_cast<std::size_t>(std::min(found, coverage.end() - 1) - coverage.begin());
  const double before = edge == 0 ? 0 : coverage[edge - 1];
  const double wrong_before = edge == 0 ? 0 : before * risk[edge - 1];
  const double part = (share - before) / (coverage[edge] - before);
  return (wrong_before + part * (coverage[edge] * risk[edge] - wrong_before)) / share;
}

}  // namespace credens
