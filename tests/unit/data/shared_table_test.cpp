// SPDX-License-Identifier: Apache-2.0

#include "data/shared_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "base/file.hpp"
#include "data/table_files.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_team.hpp"

namespace credens::data {
namespace {

std::vector<std::uint64_t> bits_of(const Table& table) {
  std::vector<std::uint64_t> bits;
  for (const double value : table.values.values()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

void expect_same(const Table& found, const Table& expected) {
  EXPECT_EQ(bits_of(found), bits_of(expected));
  EXPECT_EQ(found.names, expected.names);
  EXPECT_EQ(found.source, expected.source);
  EXPECT_EQ(found.first_line, expected.first_line);
  ASSERT_EQ(found.faults.size(), expected.faults.size());
  for (std::size_t col = 0; col < expected.faults.size(); ++col) {
    ASSERT_EQ(found.faults[col].has_value(), expected.faults[col].has_value());
    if (!expected.faults[col]) continue;
    EXPECT_EQ(found.faults[col]->row, expected.faults[col]->row);
    EXPECT_EQ(found.faults[col]->sentence, expected.faults[col]->sentence);
  }
}

TEST(SharedTable, IsWhatEachRankWouldRead) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.csv";
  std::string text = "name,a,b\n";
  for (int row = 0; row < 30000; ++row) text += fmt::format("n{},{},{}\n", row, 0.1 * row, row == 700 ? "none" : "7");
  base::write_file(path, text);
  const Table expected = read_table(path);
  for (const std::size_t size : {1U, 2U, 3U}) {
    test::run_team(size, [&](base::Team& team) {
      const std::unique_ptr<RowPortions> shared = open_shared_table(team, path, {});
      EXPECT_EQ(shared->count_rows(), expected.rows());
      expect_same(read_all(*shared), expected);
      shared->rewind();
      expect_same(read_all(*shared), expected);
    });
  }
}

TEST(SharedTable, IsTheFileItselfWhereThatIsAnArray) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.npy";
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size() + 1) + '\0' + head + "\n";
  for (const double value : {1.0, 2.0, 3.0, 4.0}) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  base::write_file(path, bytes);
  test::run_team(
      2, [&](base::Team& team) { expect_same(read_all(*open_shared_table(team, path, {})), read_table(path)); });
}

}  // namespace
}  // namespace credens::data
