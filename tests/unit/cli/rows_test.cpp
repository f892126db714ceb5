// SPDX-License-Identifier: Apache-2.0

#include "cli/rows.hpp"

#include <credens/fit.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::cli {
namespace {

constexpr std::size_t rows = data::block_rows + 10;

Ensemble some_ensemble() {
  const Dataset train({.inputs = Matrix(4, 1, std::vector<double>{0, 1, 2, 3}),
                       .targets = Matrix(4, 1, std::vector<double>{1, 0, 1, 2}),
                       .input_names = {"x"},
                       .target_names = {"y"}});
  return fit(train, {.members = 1, .hidden = {{2}}, .epochs = 1});
}

class RowStreams : public testing::Test {
 protected:
  /// One row more than `rows` where `last` is given.
  RowArguments write(const std::string& last = "") const {
    std::string text = "name,x\n";
    for (std::size_t row = 0; row < rows; ++row) text += fmt::format("r{},{}\n", row, 0.25 * static_cast<double>(row));
    base::write_file(folder_ / "t.csv", text + last);
    return {.model = "model", .data = (folder_ / "t.csv").string(), .outputs = {}, .noise_std = {}, .format = {}};
  }

  Ensemble ensemble_ = some_ensemble();
  test::TemporaryFolder folder_;
};

TEST_F(RowStreams, GiveTheRowsOfTheWholeTableAgainAndAgain) {
  const RowArguments arguments = write();
  const std::string columns[] = {"x"};
  const Matrix whole = data::select_columns(data::read_table(arguments.data), columns);
  RowStream stream(ensemble_, arguments);
  EXPECT_EQ(stream.count_rows(), rows);
  for (int pass = 0; pass < 2; ++pass, stream.rewind()) {
    std::vector<double> inputs;
    while (const Rows* block = stream.next()) {
      EXPECT_LE(block->count(), data::block_rows);
      inputs.insert(inputs.end(), block->inputs.values().begin(), block->inputs.values().end());
    }
    EXPECT_TRUE(std::ranges::equal(inputs, whole.values()));
  }
}

TEST_F(RowStreams, NameThePlaceInTheFile) {
  RowStream stream(ensemble_, write("last,far\n"));
  EXPECT_NE(stream.next(), nullptr);
  EXPECT_THAT([&] { stream.next(); }, test::Fails(ErrorCode::data, fmt::format("t.csv:{}:2 (x)", rows + 2)));
  RowStream distant(ensemble_, write("last,1e60\n"));
  EXPECT_NE(distant.next(), nullptr);
  EXPECT_THAT([&] { distant.next(); }, test::Fails(ErrorCode::data, fmt::format("t.csv:{}:2 (x)", rows + 2)));
}

/// The end of a file, in its place: another file of its name would not be seen.
void overwrite_end(const std::string& path, const std::string& text) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-static_cast<std::streamoff>(text.size()), std::ios::end);
  file << text;
}

TEST_F(RowStreams, MustStayAsManyAsTheyWereCounted) {
  const std::string one = "n12345,7\n";
  const std::string two = "n,1\nm5,7\n";
  for (const auto& [before, after] : {std::pair{one, two}, std::pair{two, one}}) {
    const RowArguments arguments = write(before);
    RowStream stream(ensemble_, arguments);
    EXPECT_EQ(stream.count_rows(), before == one ? rows + 1 : rows + 2);
    overwrite_end(arguments.data, after);
    const auto read_all = [&] {
      while (stream.next() != nullptr) {
      }
    };
    EXPECT_THAT(read_all, test::Fails(ErrorCode::data, "t.csv: the number of rows changed"));
  }
}

}  // namespace
}  // namespace credens::cli
