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

}  // namespace credens::data
