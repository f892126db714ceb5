// SPDX-License-Identifier: Apache-2.0

#include "report/chart_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace credens::report {

namespace {

constexpr double two_sided_95 = 1.96;  // standard deviations of a normal distribution

/// Values of one sign that differ by more than a factor of ten are told apart on a logarithmic axis only.
bool needs_logarithm(const Range& range) {
  return range.first > 0 && range.second > 10 * range.first;
}

}  // namespace

std::vector<double> taken(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> result;
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

std::vector<double> times(double factor, std::span<const double> values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(factor * value);
  return result;
}

Range with_margin(const Range& range, bool logarithmic) {
  if (logarithmic) {
    const double factor = std::pow(range.second / range.first, 0.05);
    return {range.first / factor, range.second * factor};
  }
  const double width = range.second - range.first;
  const double margin = width > 0 ? 0.05 * width : std::max(0.1 * std::abs(range.first), 1e-6);
  return {range.first - margin, range.second + margin};
}

void set_common_axes(Chart& chart, const Range& values) {
  const bool logarithmic = needs_logarithm(values);
  Range range = with_margin(values, logarithmic);
  if (!logarithmic && values.first >= 0) range.first = 0;
  chart.x_logarithmic = chart.y_logarithmic = logarithmic;
  chart.x_range = chart.y_range = range;
}

std::string selection(std::size_t shown, std::size_t rows, std::string_view order) {
  return shown == rows ? "" : fmt::format(" Shown are {} of the {} rows, evenly spaced in {}.", shown, rows, order);
}

Figure one_chart(std::string caption, Chart chart) {
  return {.caption = std::move(caption), .charts = {std::move(chart)}};
}

Mark percent_bars(std::string label, std::span<const double> shares, Role role) {
  Mark bars{.kind = MarkKind::bars, .label = std::move(label), .role = role, .y = times(100, shares)};
  const double width = 100 / static_cast<double>(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    bars.x.push_back(width * static_cast<double>(i));
    bars.x_end.push_back(width * static_cast<double>(i + 1));
  }
  return bars;
}

std::size_t bars_for(std::size_t rows) {
  return std::clamp<std::size_t>(rows / 10, 5, 20);
}

Range expected_shares(double p, double rows) {
  const double spread = two_sided_95 * std::sqrt(p * (1 - p) / rows);
  return {std::max(0.0, p - spread), std::min(1.0, p + spread)};
}

Range wilson_interval(double p, double rows) {
  const double z2 = two_sided_95 * two_sided_95;
  const double middle = (p + z2 / (2 * rows)) / (1 + z2 / rows);
  const double half_width = two_sided_95 * std::sqrt(p * (1 - p) / rows + z2 / (4 * rows * rows)) / (1 + z2 / rows);
  return {std::max(0.0, std::min(p, middle - half_width)), std::min(1.0, std::max(p, middle + half_width))};
}

std::string level_text(double level) {
  return fmt::format("{:.6g} %", 100 * level);
}

}  // namespace credens::report
