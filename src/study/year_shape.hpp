// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for Year, whose file few have at hand: synthetic rows in its shape, trained with its settings, to see what
// a set of half a million rows takes of time and memory. Its scores say nothing about Year.

#pragma once

#include <cstddef>

#include "study/real_data.hpp"
#include "study/run.hpp"

namespace credens::study {

inline constexpr std::size_t year_rows = 515'345;  ///< of which 463,715 are for training
inline constexpr std::size_t year_inputs = 90;
inline constexpr const char* year_synthetic = "year-synthetic";  ///< its name in results

/// Random inputs, and a target that depends on few of them, with noise. The share of training rows is that of Year, but
/// at least two rows stand on each side.
Parts make_year_shape(std::size_t rows);

/// The measurements of Table 2 with a prior precision of N lambda, which takes as long as the other reading, and of
/// training: `seconds`, `rows_per_second` (of all members and epochs), `peak_megabytes` (of the whole process so far).
Run year_shape_run(std::size_t rows);

}  // namespace credens::study
