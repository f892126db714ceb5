// SPDX-License-Identifier: Apache-2.0
//
// The numbers printed in the paper and, for the UCI benchmark, elsewhere.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/result.hpp"

namespace credens::study {

/// A line of the paper's Table 2: one metric of one data set, for 5 and 10 members.
struct PublishedLine {
  const char* data;
  const char* metric;
  double classical_5;
  double classical_10;
  double extended_5;
  double extended_10;
};

/// Table 2 from top to bottom, with coverages as fractions; all have three decimals.
const std::vector<PublishedLine>& published_table2();

/// What the paper prints for this, if it does: Table 2, and what its text says of Figures 1 and 2 in numbers. For the
/// UCI benchmark the best that is published.
std::optional<double> published(const std::string& experiment, const MeasurementKey& key);

/// Whether what the paper prints lies between the least and the largest of our values, up to its own rounding. Nothing
/// where the paper prints nothing.
std::optional<bool> published_is_in_range(const Result& result);

/// Gives each result what the paper prints for it.
void add_published(std::vector<Result>& results);

}  // namespace credens::study
