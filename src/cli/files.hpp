// SPDX-License-Identifier: Apache-2.0
//
// Mistakes with files that are better found before the work than after it.

#pragma once

#include <credens/error.hpp>

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credens::cli {

/// The result of `work`, whose errors of this kind are said with the name of the file they are about.
template <class Work>
auto naming(const std::string& file, ErrorCode kind, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != kind) throw;
    throw Error(kind, fmt::format("{}: {}", file == "-" ? "standard input" : file, error.what()));
  }
}

bool is_standard_output(const std::string& path);

/// Standard output, a device or a pipe: nothing that could be replaced or have a folder beside it.
bool is_stream(const std::string& path);

/// Throws io unless a file can be made there; leaves nothing behind.
void check_writable(const std::filesystem::path& path);

/// Throws usage where more than one of these (name, path) is standard input; in a team also where one is it or a pipe.
void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files);

/// Throws usage where a folder is asked for at a stream. `name` is the option.
void check_folder(std::string_view name, const std::string& path);

/// Throws usage unless `path` ends with .npy or is a stream.
void check_array(std::string_view name, const std::string& path);

/// Throws usage where `path` ends as compressed files do: what is written is plain.
void check_not_archive(std::string_view name, const std::string& path);

/// Throws usage where `path` ends as spreadsheets and other foreign tables do: text under such a name opens nowhere.
void check_not_foreign(std::string_view name, const std::string& path);

/// Throws data where `path` is a table that only the Python package reads; `python` is the line to type there.
void check_table_kind(const std::string& path, std::string_view python);

/// Throws usage where `output` is one of the files that are read.
void check_not_input(const std::string& output, const std::vector<std::string>& inputs);

/// Throws failure where `values` doubles need more memory than base::process_memory().
void check_memory(double values, std::string_view what);

}  // namespace credens::cli
