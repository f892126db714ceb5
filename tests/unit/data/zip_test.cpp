// SPDX-License-Identifier: Apache-2.0

#include "data/zip.hpp"

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"
#include "support/zip_archive.hpp"

namespace credens::data {
namespace {

const std::string long_text = [] {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * i) + "\n";
  return text;
}();

std::string only_content(const std::string& archive, std::size_t largest = 1 << 20) {
  return unzip(archive, zip_entries(archive, "a.zip").at(0), largest, "a.zip");
}

TEST(Zip, ListsItsEntries) {
  const std::string archive = test::make_zip({{"folder/first.txt", "one"}, {"second.txt", long_text}});
  const std::vector<ZipEntry> entries = zip_entries(archive, "a.zip");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "folder/first.txt");
  EXPECT_EQ(entries[1].name, "second.txt");
  EXPECT_EQ(entries[1].size, long_text.size());
  EXPECT_EQ(unzip(archive, entries[0], 100, "a.zip"), "one");
  EXPECT_EQ(unzip(archive, entries[1], long_text.size(), "a.zip"), long_text);
}

TEST(Zip, ReadsStoredAndDeflatedEntries) {
  for (const unsigned method : {0U, 8U}) {
    EXPECT_EQ(only_content(test::make_zip({{"x", long_text}}, method)), long_text);
    EXPECT_EQ(only_content(test::make_zip({{"x", ""}}, method)), "");
  }
}

TEST(Zip, ReadsPastAComment) {
  EXPECT_EQ(only_content(test::make_zip({{"x", "text"}}) + "a comment"), "text");
}

TEST(Zip, MayBeEmpty) {
  EXPECT_TRUE(zip_entries(test::make_zip({}), "a.zip").empty());
}

TEST(Zip, RefusesOtherFiles) {
  EXPECT_THAT([] { zip_entries("<html>Not here</html>", "a.zip"); },
              test::Fails(ErrorCode::data, "a.zip: starts with \"<html>Not here</\", expected a whole zip archive"));
  EXPECT_THAT([] { zip_entries("", "a.zip"); }, test::Fails(ErrorCode::data, "a.zip"));
}

TEST(Zip, RefusesEveryTruncation) {
  const std::string archive = test::make_zip({{"x", "some text to be packed"}});
  for (std::size_t size = 0; size < archive.size(); ++size) {
    EXPECT_THAT([&] { only_content(archive.substr(0, size)); }, test::Fails(ErrorCode::data, "a.zip")) << size;
  }
}

TEST(Zip, EndsInASentenceWhateverByteIsWrong) {
  const std::string text = "some text to be packed, some text to be packed";
  const std::string archive = test::make_zip({{"x", text}});
  for (std::size_t place = 0; place < archive.size(); ++place) {
    for (const int flipped : {1, 0x80, 0xff}) {
      std::string damaged = archive;
      damaged[place] = static_cast<char>(damaged[place] ^ flipped);
      try {
        EXPECT_EQ(only_content(damaged), text) << place;  // what is not looked at, such as dates, may change
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::data) << place;
      } catch (const std::out_of_range&) {  // of at(0): the number of entries was hit
      }
    }
  }
}

TEST(Zip, FindsChangedContent) {
  std::string archive = test::make_zip({{"x", "0.125"}}, 0);
  archive[archive.find("0.125")] = '1';
  EXPECT_THAT([&] { only_content(archive); }, test::Fails(ErrorCode::data, "a.zip: \"x\" is damaged"));
}

TEST(Zip, UnpacksNoMoreThanAllowed) {
  const std::string archive = test::make_zip({{"x", long_text}});
  EXPECT_THAT([&] { only_content(archive, long_text.size() - 1); },
              test::Fails(ErrorCode::data, "expected at most " + std::to_string(long_text.size() - 1)));
}

// An entry that says it is small and unpacks to much more stops at the size it promised.
TEST(Zip, DoesNotBelieveASizeThatIsTooSmall) {
  const std::string archive = test::make_zip({{"x", long_text}});
  ZipEntry entry = zip_entries(archive, "a.zip").at(0);
  entry.size = 10;
  EXPECT_THAT([&] { unzip(archive, entry, 100, "a.zip"); }, test::Fails(ErrorCode::data, "is damaged"));
}

TEST(Zip, RefusesOtherMethods) {
  EXPECT_THAT([] { only_content(test::make_zip({{"x", "text"}}, 12)); }, test::Fails(ErrorCode::data, "method 12"));
}

}  // namespace
}  // namespace credens::data
