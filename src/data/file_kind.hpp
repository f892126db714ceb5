// SPDX-License-Identifier: Apache-2.0
//
// Files that hold tables in forms which only the Python package reads.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace credens::data {

struct ForeignKind {
  std::string_view name;         ///< "a Parquet file"
  std::string_view reader = {};  ///< how the Python package calls what reads it; empty: nothing does
};

/// How many first bytes tell.
constexpr std::size_t foreign_magic_size = 96;

/// The kind of a file that starts with `bytes`; none for text, arrays and archives that are read here.
std::optional<ForeignKind> foreign_kind(std::string_view bytes);

/// The kind of a regular file. None where it cannot be read, too: whoever opens it says why.
std::optional<ForeignKind> foreign_kind_of(const std::filesystem::path& path);

/// `t.parquet: a Parquet file, expected text or .npy`.
std::string foreign_sentence(const std::string& source, const ForeignKind& kind);

}  // namespace credens::data
