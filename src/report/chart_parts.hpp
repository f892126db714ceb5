// SPDX-License-Identifier: Apache-2.0
//
// Parts that charts of predictions share.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.hpp"

namespace credens::report {

constexpr Range whole_percent = {0, 100};

std::vector<double> taken(std::span<const double> values, std::span<const std::size_t> rows);  ///< values of these rows
std::vector<double> times(double factor, std::span<const double> values);

/// The range with a margin of 5 %, also around a single value.
Range with_margin(const Range& range, bool logarithmic = false);

/// One range and scale for both axes of a chart that compares values of one kind.
void set_common_axes(Chart& chart, const Range& values);

/// A sentence for the caption where not every row is drawn; else nothing.
std::string selection(std::size_t shown, std::size_t rows, std::string_view order);

Figure one_chart(std::string caption, Chart chart);

/// Bars of equal width over [0, 100], as percents of the rows.
Mark percent_bars(std::string label, std::span<const double> shares, Role role = Role::estimate);

/// Bars of a histogram of this many rows: fewer for fewer rows, so that each holds some.
std::size_t bars_for(std::size_t rows);

/// The shares [low, high] of n rows that 95 % of calibrated models have in an event of probability p:
/// p +- 1.96 sqrt(p (1 - p) / n), at least 0 and at most 1.
Range expected_shares(double p, double rows);

/// The 95 % interval of Wilson for a probability, of which the share p of n rows was found.
Range wilson_interval(double p, double rows);

/// 0.95 -> "95 %"
std::string level_text(double level);

}  // namespace credens::report
