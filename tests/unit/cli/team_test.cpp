// SPDX-License-Identifier: Apache-2.0

#include "cli/team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/rows.hpp"

namespace credens::cli {
namespace {

/// Rank 0 of two, whose partner gave `other`; or that partner.
class Pair : public base::Team {
 public:
  explicit Pair(std::size_t rank, std::string other = "") : rank_(rank), other_(std::move(other)) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return 2; }
  void collect(std::string bytes, const Taker& take) override {
    given = bytes;
    if (rank_ > 0) return;
    take(bytes);
    take(other_);
  }

  std::string given;

 private:
  std::size_t rank_;
  std::string other_;
};

/// What rank 0, which finds the first, says of a rank 1 that finds the second.
std::string sentence(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  Pair other(1);
  check_agreement(other, "rows.csv", second);
  Pair team(0, other.given);
  try {
    check_agreement(team, "rows.csv", first);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "";
}

TEST(Agreement, NamesTheRankItsMachineAndTheFirstDifference) {
  EXPECT_EQ(sentence({"a = 1", "b = 2"}, {"a = 1", "b = 2"}), "");
  const std::string start = fmt::format("rows.csv: rank 1 on {} reads a different file than rank 0: ", host_name());
  EXPECT_EQ(sentence({"a = 1", "b = 2", "c = 3"}, {"a = 1", "b = 4", "c = 5"}), start + "b = 4, expected b = 2");
  EXPECT_EQ(sentence({"a = 1", "b = 2"}, {"a = 1"}), start + "less, expected b = 2");
  EXPECT_EQ(sentence({"a = 1"}, {"a = 1", "b = 2"}), start + "b = 2, expected less");
}

TEST(Agreement, AsksNobodyWhereThereIsOneProcess) {
  EXPECT_NO_THROW(check_agreement(base::alone(), "rows.csv", {"5 rows"}));
}

data::Table table_of(std::vector<double> values) {
  data::Table table;
  const std::size_t count = values.size() / 2;
  table.values = Matrix(count, 2, std::move(values));
  return table;
}

TEST(Digest, TellsTablesApart) {
  const auto digits = [](const std::vector<data::Table>& blocks) {
    std::string found;
    for (const data::Table& table : blocks) found = digest(Rows{.block = {.table = &table}}, std::move(found));
    return found;
  };
  const std::string usual = digits({table_of({1, 2, 3, 4}), table_of({5, 6})});
  EXPECT_EQ(usual, digits({table_of({1, 2, 3, 4}), table_of({5, 6})}));
  EXPECT_NE(usual, digits({table_of({0, 2, 3, 4}), table_of({5, 6})}));
  EXPECT_NE(usual, digits({table_of({1, 2, 3, 4}), table_of({5, 7})}));
  EXPECT_NE(usual, digits({table_of({5, 6}), table_of({1, 2, 3, 4})}));
}

}  // namespace
}  // namespace credens::cli
