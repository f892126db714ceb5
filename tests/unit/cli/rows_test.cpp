// SPDX-License-Identifier: Apache-2.0

#include "cli/rows.hpp"

#include <credens/fit.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"
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
    return {.model = "model", .data = (folder_ / "t.csv").string()};
  }

  Ensemble ensemble_ = some_ensemble();
  test::TemporaryFolder folder_;
};

TEST_F(RowStreams, GiveTheRowsOfTheWholeTableAgainAndAgain) {
  const RowArguments arguments = write();
  const std::string columns[] = {"x"};
  const Matrix whole = data::select_columns(test::read_table(arguments.data), columns);
  RowStream stream(ensemble_, arguments, data::Targets::unused);
  EXPECT_EQ(stream.count_rows(), rows);
  for (int pass = 0; pass < 2; ++pass, stream.rewind()) {
    std::vector<double> inputs;
    while (const Rows* block = stream.next()) {
      EXPECT_LE(block->count(), data::block_rows);
      for (std::size_t row = 0; row < block->count(); ++row) inputs.push_back(block->block.inputs(row, 0));
    }
    EXPECT_TRUE(std::ranges::equal(inputs, whole.values()));
  }
}

TEST_F(RowStreams, NameThePlaceInTheFile) {
  const std::string place = fmt::format("t.csv:{}:2 (x)", rows + 2);
  RowStream stream(ensemble_, write("last,far\n"), data::Targets::unused);
  EXPECT_NE(stream.next(), nullptr);
  EXPECT_THAT([&] { stream.next(); }, test::Fails(ErrorCode::data, place));
  RowStream distant(ensemble_, write("last,1e60\n"), data::Targets::unused);
  EXPECT_NE(distant.next(), nullptr);
  EXPECT_NO_THROW(distant.predict());
  EXPECT_NE(distant.next(), nullptr);
  EXPECT_THAT([&] { distant.predict(); }, test::Fails(ErrorCode::data, place + ": 1e+60 is too far"));
}

TEST_F(RowStreams, AreReadAgainToNameACell) {
  const auto table = open_rows(ensemble_, write("last,1e60\n"), data::Targets::unused);
  const auto work = [&] {
    for (data::RowBlock block; table->next(block);) ensemble_.predict(block.inputs);
  };
  EXPECT_THAT([&] { naming_cells(ensemble_, *table, work); },
              test::Fails(ErrorCode::data, fmt::format("t.csv:{}:2 (x): 1e+60 is too far", rows + 2)));
}

}  // namespace
}  // namespace credens::cli
