// SPDX-License-Identifier: Apache-2.0
//
// What values of options must be, in words and as checks.

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cli/arguments.hpp"

namespace credens::cli {

inline bool is_probability(double value) {
  return value > 0 && value < 1;
}

inline Expected<double> probability() {
  return {.text = "a number between 0 and 1", .holds = [](const double& value) { return is_probability(value); }};
}

inline Expected<std::vector<double>> probabilities() {
  return {.text = "numbers between 0 and 1, separated by commas", .holds = [](const std::vector<double>& values) {
            return !values.empty() && std::all_of(values.begin(), values.end(), is_probability);
          }};
}

inline Expected<double> positive_number() {
  return {.text = "a number above 0", .holds = [](const double& value) { return value > 0; }};
}

template <class T>
Expected<T> whole_number(T least) {
  return {.text = fmt::format("a whole number from {}", least),
          .holds = [least](const T& value) { return value >= least; }};
}

template <class E>
Expected<E> one_of() {
  return {.text = "one of " + base::join(base::all_names<E>(), ", ")};
}

}  // namespace credens::cli
