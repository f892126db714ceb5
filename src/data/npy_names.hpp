// SPDX-License-Identifier: Apache-2.0
//
// The names of an array's columns: a second array in the same file, of text, [cols]. NumPy reads one array after the
// other from an open file, and the first alone by the file's name.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

/// The bytes of the second array; names are UTF-8 and there is at least one.
std::string npy_names(const std::vector<std::string>& names);

/// What stands behind the values of an array of `cols` columns. Anything but that many different names throws data.
std::vector<std::string> parse_npy_names(std::string_view bytes, std::size_t cols, const std::string& source);

}  // namespace credens::data
