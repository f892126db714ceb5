// SPDX-License-Identifier: Apache-2.0
//
// Tells words that were most likely meant as numbers, dates or times.

#pragma once

#include <span>
#include <string>

namespace credens::data {

/// `look like dates, such as "17.5.2024", ...`, where most of the words do, and how they are read; empty: they look
/// like words.
std::string look_of(std::span<const std::string> words);

/// `dates, such as "17.5.2024"`, where most of the words look like these, or like plain numbers beside other words.
/// Empty: they look like words, or all are plain numbers, which somebody then meant as words.
std::string measurement_of(std::span<const std::string> words);

}  // namespace credens::data
