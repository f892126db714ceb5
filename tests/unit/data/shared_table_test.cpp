// SPDX-License-Identifier: Apache-2.0

#include "data/shared_table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/descriptor.hpp"
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

void write_table(const std::filesystem::path& path) {
  std::string text = "name,a,b\n";
  for (int row = 0; row < 30000; ++row) text += fmt::format("n{},{},{}\n", row, 0.1 * row, row == 700 ? "none" : "7");
  base::write_file(path, text);
}

/// Whether this process has some table mapped.
bool is_mapped() {
  std::ifstream file("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  return maps.find("credens table") != std::string::npos;
}

/// Forwards to another team; tests change some of it.
class OtherTeam : public base::Team {
 public:
  explicit OtherTeam(base::Team& team) : team_(team) {}

  std::size_t rank() const override { return team_.rank(); }
  std::size_t size() const override { return team_.size(); }
  std::vector<std::string> gather(std::string bytes) override { return team_.gather(std::move(bytes)); }
  std::string broadcast(std::string bytes) override { return team_.broadcast(std::move(bytes)); }

 private:
  base::Team& team_;
};

class OneRankPerMachine : public OtherTeam {
 public:
  using OtherTeam::OtherTeam;
  std::size_t node_leader() const override { return rank(); }
};

/// Where the descriptor of the table is that of another file before any rank opens it.
class WrongDescriptor : public OtherTeam {
 public:
  using OtherTeam::OtherTeam;

  std::string broadcast(std::string bytes) override {
    if (leads()) replace();
    return OtherTeam::broadcast(std::move(bytes));
  }

 private:
  static void replace() {
    const base::Descriptor other(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
      if (target.find("credens table") == std::string::npos) continue;
      ASSERT_GE(::dup2(other.number(), std::stoi(entry.path().filename().string())), 0);
    }
  }
};

TEST(SharedTable, IsMappedOnlyWhereAMachineHasSeveralRanks) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.csv";
  write_table(path);
  const Table expected = read_table(path);
  test::run_team(2, [&](base::Team& team) {
    const std::unique_ptr<RowPortions> shared = open_shared_table(team, path, {});
    EXPECT_TRUE(is_mapped());
    team.gather({});
  });
  test::run_team(2, [&](base::Team& team) {
    OneRankPerMachine apart(team);
    const std::unique_ptr<RowPortions> rows = open_shared_table(apart, path, {});
    EXPECT_FALSE(is_mapped());
    expect_same(read_all(*rows), expected);
  });
}

TEST(SharedTable, IsReadByEachRankWhereItIsTooLarge) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.csv";
  write_table(path);
  const Table expected = read_table(path);
  constexpr std::uint64_t bytes = 30000 * 3 * sizeof(double);
  for (const std::uint64_t most : {bytes, bytes + 1}) {
    test::run_team(3, [&](base::Team& team) {
      const std::unique_ptr<RowPortions> rows = open_shared_table(team, path, {}, most);
      EXPECT_EQ(is_mapped(), most > bytes);
      expect_same(read_all(*rows), expected);
      team.gather({});
    });
  }
}

TEST(SharedTable, IsReadByEachRankWhereItsMemoryIsNotFound) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.csv";
  write_table(path);
  const Table expected = read_table(path);
  test::run_team(3, [&](base::Team& team) {
    WrongDescriptor wrong(team);
    expect_same(read_all(*open_shared_table(wrong, path, {})), expected);
    EXPECT_FALSE(is_mapped());
  });
}

TEST(SharedTable, IsWhatEachRankWouldRead) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "t.csv";
  write_table(path);
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
