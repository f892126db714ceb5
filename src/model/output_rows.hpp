// SPDX-License-Identifier: Apache-2.0
//
// Views of a foreign ensemble's rows, and blocks of them.

#pragma once

#include <credens/output_rows.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "model/mlp.hpp"

namespace credens::model {

/// As those of base, with rows counted from `first_row`.
void check_finite(MatrixView values, std::string_view name, std::size_t first_row);
void check_positive(MatrixView values, std::string_view name, std::size_t first_row);

/// How sentences call an array of a member.
std::string of_member(std::string_view array, std::size_t member);

/// Rows of a variance with one column for each output, also where the outputs share their noise.
Matrix variance_block(MatrixView variance, std::size_t first, std::size_t count, std::size_t outputs);

}  // namespace credens::model
