// SPDX-License-Identifier: Apache-2.0

#include "cli/files.hpp"

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "cli/team.hpp"
#include "data/file_kind.hpp"

namespace credens::cli {

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout";
}

bool is_stream(const std::string& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return is_standard_output(path) || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                                      !std::filesystem::is_directory(status));
}

void check_writable(const std::filesystem::path& path) {
  const base::OutputFile probe(path);
}

void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<std::string> names;
  for (const auto& [name, path] : files) {
    const bool is_standard = path == "-" || path == "/dev/stdin";
    if (is_standard) names.push_back(name);
    base::require(team().is_alone() || !(is_standard || is_stream(path)), ErrorCode::usage,
                  "{} is standard input or a pipe, which only one rank can read, expected a file", name);
  }
  base::require(names.size() <= 1, ErrorCode::usage, "{} are both standard input, expected at most one of them",
                names.size() <= 1 ? "" : names[0] + " and " + names[1]);
}

void check_folder(std::string_view name, const std::string& path) {
  base::require(!is_stream(path), ErrorCode::usage, "{} is {}, expected the name of a folder", name,
                base::quoted(path));
}

void check_array(std::string_view name, const std::string& path) {
  base::require(std::filesystem::path(path).extension() == ".npy" || is_stream(path), ErrorCode::usage,
                "{} is {}, expected a name that ends with .npy", name, base::quoted(path));
}

void check_not_archive(std::string_view name, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const char* archive : {".gz", ".xz", ".zst", ".bz2", ".zip", ".lz4", ".7z"}) {
    base::require(ending != archive, ErrorCode::usage,
                  "{} is {}, but output is not compressed, expected a name without {}", name, base::quoted(path),
                  archive);
  }
}

void check_not_foreign(std::string_view name, const std::string& path) {
  const std::filesystem::path file(path);
  const std::string ending = base::lower_case(file.extension().string());
  for (const char* foreign : {".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow"}) {
    base::require(ending != foreign, ErrorCode::usage,
                  "{} is {}, but predictions are written as text, expected a name such as {}, or .npy for an array",
                  name, base::quoted(path), std::filesystem::path(file).replace_extension(".csv").string());
  }
}

void check_table_kind(const std::string& path, std::string_view python) {
  const auto kind = data::foreign_kind_of(path);
  if (!kind) return;
  const std::string advice = kind->reader.empty() ? "" : fmt::format("; Python reads it: {}", python);
  throw Error(ErrorCode::data, data::foreign_sentence(path, *kind) + advice);
}

void check_not_input(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code none;
    const bool is_same =
        std::filesystem::is_regular_file(output, none) && std::filesystem::equivalent(output, input, none);
    base::require(!is_same, ErrorCode::usage, "{} would be overwritten with the result, expected another name for -o",
                  input);
  }
}

void check_memory(double values, std::string_view what) {
  const double needed = values * sizeof(double);
  const auto memory = static_cast<double>(base::process_memory());
  constexpr double gigabyte = 1e9;
  base::require(needed <= memory, ErrorCode::failure, "{} needs {:.1f} GB of memory, this process may use {:.1f} GB",
                what, needed / gigabyte, memory / gigabyte);
}

}  // namespace credens::cli
