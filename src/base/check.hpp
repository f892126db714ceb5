// SPDX-License-Identifier: Apache-2.0
//
// Guards for the arguments of public functions: one line each, one sentence when they fail.

#pragma once

#include <credens/error.hpp>
#include <credens/matrix.hpp>

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace credens::base {

/// Throws `code` with the formatted sentence.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(code, fmt::format(sentence, std::forward<Args>(args)...));
}

template <class... Args>
void require(bool holds, ErrorCode code, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!holds) fail(code, sentence, std::forward<Args>(args)...);
}

/// `name` is what the caller calls the value.
void check_positive(double value, std::string_view name);                                  // finite and > 0
void check_not_negative(double value, std::string_view name);                              // finite and >= 0
void check_probability(double value, std::string_view name);                               // in (0, 1)
void check_finite(MatrixView values, std::string_view name, std::size_t first_row = 0);    // names row and column
void check_positive(MatrixView values, std::string_view name, std::size_t first_row = 0);  // names row and column
void check_finite(std::span<const double> values, std::string_view name);
void check_shape(MatrixView values, std::size_t rows, std::size_t cols, std::string_view name);

}  // namespace credens::base
