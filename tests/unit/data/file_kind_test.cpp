// SPDX-License-Identifier: Apache-2.0

#include "data/file_kind.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/file.hpp"
#include "data/table.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using namespace std::string_literals;

std::string zip_with(const std::string& first_name) {
  return "PK\x03\x04"s + std::string(26, '\0') + first_name + std::string(80, 'x');
}

std::string_view reader_of(const std::string& bytes) {
  const auto kind = foreign_kind(bytes);
  return kind ? kind->reader : "none";
}

TEST(ForeignKind, IsKnownByTheFirstBytes) {
  EXPECT_EQ(reader_of("PAR1\x15\x04"), "parquet");
  EXPECT_EQ(reader_of("ARROW1\0\0"s), "arrow");
  EXPECT_EQ(reader_of("FEA1...."), "arrow");
  EXPECT_EQ(reader_of("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "xls");
  EXPECT_EQ(reader_of(zip_with("[Content_Types].xml")), "xlsx");
  EXPECT_EQ(reader_of(zip_with("xl/workbook.xml")), "xlsx");
  EXPECT_EQ(reader_of(zip_with("mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK")), "ods");
  EXPECT_EQ(reader_of(zip_with("train.csv")), "") << "a zip archive";
}

TEST(ForeignKind, IsNoneForText) {
  for (const char* text : {"", "P", "PAR,y\n1,2\n", "a,b\n", "PK,b\n"}) EXPECT_FALSE(foreign_kind(text)) << text;
}

TEST(OpenTable, NamesForeignKinds) {
  const test::TemporaryFolder folder;
  const auto path = folder / "t.csv";
  base::write_file(path, zip_with("xl/workbook.xml"));
  EXPECT_THAT([&] { open_table(path, {}); },
              test::Fails(ErrorCode::data,
                          path.string() + ": an Excel file, expected text, also as .gz, .xz or .zst, or .npy"));
}

}  // namespace
}  // namespace credens::data
