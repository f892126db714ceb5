// SPDX-License-Identifier: Apache-2.0

#include "data/npy_rows.hpp"

#include <sys/stat.h>

#include <array>
#include <fstream>

#include "base/check.hpp"
#include "data/make_dataset.hpp"
#include "data/npy_slices.hpp"

namespace credens::data {

namespace {

void check_same(bool is_same, const std::string& source) {
  base::require(is_same, ErrorCode::data, "{} changed while it was read", source);
}

class NpyRows : public RowRanges {
 public:
  NpyRows(const std::filesystem::path& path, const Schema& schema, const Table& table)
      : slices_(path, NpyRest::another_array), schema_(schema) {
    table_.source = table.source;
    const std::size_t cols = slices_.shape().size() == 1 ? 1 : slices_.shape().back();
    base::require(slices_.shape().size() <= 2 && cols == table.cols(), ErrorCode::data, "{} changed while it was read",
                  table.source);
  }

  RowBlock read(std::size_t first, std::size_t count) override {
    check_same(first + count <= slices_.shape().front(), table_.source);
    slices_.read(0, first, count, table_.values);
    table_.first_row = first;
    take_rows(table_, schema_, {}, rows_);
    return {.first_row = first,
            .inputs = rows_.inputs,
            .targets = rows_.targets,
            .weights = rows_.weights,
            .noise_std = rows_.noise_std,
            .table = &table_};
  }

 private:
  NpySlices slices_;
  const Schema& schema_;
  Table table_;
  DatasetParts rows_;
};

/// Archives begin otherwise.
bool is_plain_npy(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 6> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return is_npy({start.data(), static_cast<std::size_t>(file.gcount())});
}

}  // namespace

std::uint64_t file_number(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

std::unique_ptr<RowRanges> open_npy_rows(const std::filesystem::path& path, const Schema& schema, const Table& table,
                                         std::uint64_t number) {
  if (table.first_line != 0 || !is_plain_npy(path)) return nullptr;
  check_same(file_number(path) == number, table.source);
  return std::make_unique<NpyRows>(path, schema, table);
}

}  // namespace credens::data
