// SPDX-License-Identifier: Apache-2.0

#include "data/file_kind.hpp"

#include <fmt/core.h>

#include <fstream>

namespace credens::data {

namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  ForeignKind kind;
};

constexpr std::size_t zip_name_at = 30;  // of the first file in a zip archive

/// The first that fits counts: Excel and OpenDocument files are zip archives.
constexpr Magic magics[] = {
    {0, "PAR1"sv, {"a Parquet file", "parquet"}},
    {0, "ARROW1"sv, {"an Arrow (Feather) file", "arrow"}},
    {0, "FEA1"sv, {"a Feather file", "arrow"}},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, {"an Excel file of the old form (.xls)", "xls"}},
    {zip_name_at, "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"sv, {"an OpenDocument spreadsheet", "ods"}},
    {zip_name_at, "[Content_Types].xml"sv, {"an Excel file", "xlsx"}},
    {zip_name_at, "_rels/"sv, {"an Excel file", "xlsx"}},
    {zip_name_at, "docProps/"sv, {"an Excel file", "xlsx"}},
    {zip_name_at, "xl/"sv, {"an Excel file", "xlsx"}},
    {0, "PK\x03\x04"sv, {"a zip archive"}},
    {0, "\x89HDF\r\n\x1a\n"sv, {"an HDF5 file"}},
};

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04"sv);
}

}  // namespace

std::optional<ForeignKind> foreign_kind(std::string_view bytes) {
  for (const Magic& magic : magics) {
    if (magic.at == zip_name_at && !is_zip(bytes)) continue;
    if (bytes.size() > magic.at && bytes.substr(magic.at).starts_with(magic.bytes)) return magic.kind;
  }
  return std::nullopt;
}

std::optional<ForeignKind> foreign_kind_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::string start(foreign_magic_size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return foreign_kind(start);
}

std::string foreign_sentence(const std::string& source, const ForeignKind& kind) {
  return fmt::format("{}: {}, expected text, also as .gz, .xz or .zst, or .npy", source, kind.name);
}

}  // namespace credens::data
