// SPDX-License-Identifier: Apache-2.0

#include "data/table_files.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "data/csv_reader.hpp"
#include "data/npy.hpp"
#include "data/npy_reader.hpp"

namespace credens::data {

namespace {

/// `data.npy`, `data.npy.gz`, ....
bool is_named_npy(std::filesystem::path path) {
  const auto extension = path.extension();
  if (extension == ".gz" || extension == ".xz" || extension == ".zst") path.replace_extension();
  return path.extension() == ".npy";
}

bool is_array(const std::filesystem::path& path, ByteSource& bytes, FileKind kind) {
  constexpr std::size_t magic_size = 6;
  if (kind != FileKind::any) return kind == FileKind::npy;
  return is_named_npy(path) || is_npy(bytes.window(0, magic_size));
}

/// Room for values that are about to be written one after the other. Memory that is reserved and not used costs
/// nothing; huge pages, where the system grants them, save most of the time that the first touch of a page takes.
void make_room(std::vector<double>& values, std::size_t count) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  values.reserve(count);
  const auto first = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t aligned = (first + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = first + values.capacity() * sizeof(double);
  if (aligned < last) ::madvise(reinterpret_cast<void*>(aligned), last - aligned, MADV_HUGEPAGE);
}

}  // namespace

Table read_all(RowPortions& portions) {
  const std::size_t cols = portions.header().cols();
  std::vector<double> values;
  while (portions.append(values)) {
    const std::size_t guess = portions.guess_rows() / 64 * 65 * cols;  // one that is too low costs a copy
    if (guess > 2 * values.capacity()) make_room(values, guess);
  }
  Table table = portions.header();
  const std::size_t rows = values.size() / cols;
  table.values = Matrix(rows, cols, std::move(values));
  table.faults = portions.faults();
  return table;
}

std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, const TableFormat& format, FileKind kind,
                                        Passes passes) {
  auto bytes = std::make_unique<ByteSource>(path, passes);
  if (is_array(path, *bytes, kind)) return std::make_unique<NpyReader>(std::move(bytes), format);
  return std::make_unique<CsvReader>(std::move(bytes), format);
}

Table read_table(const std::filesystem::path& path, const TableFormat& format) {
  return read_all(*open_table(path, format));
}

Table parse_csv(std::string_view text, std::string source, const TableFormat& format) {
  CsvReader reader(std::make_unique<ByteSource>(text, std::move(source)), format);
  return read_all(reader);
}

}  // namespace credens::data
