// SPDX-License-Identifier: Apache-2.0

#include "data/encoding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <codecvt>
#include <locale>
#include <string>

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/csv_reader.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using namespace std::string_view_literals;

std::string utf16(std::u16string_view text, bool is_big_endian) {
  std::string bytes = is_big_endian ? "\xfe\xff" : "\xff\xfe";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8U);
    const char low = static_cast<char>(unit & 0xffU);
    bytes += is_big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

std::string decoded(std::string_view bytes, std::size_t piece = 1) {
  Utf16Decoder decoder("t.csv");
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) decoder.add(bytes.substr(0, piece), text);
  decoder.finish();
  return text;
}

TEST(Utf16, IsKnownByItsMark) {
  EXPECT_TRUE(has_utf16_mark("\xff\xfe"sv));
  EXPECT_TRUE(has_utf16_mark("\xfe\xff"sv));
  EXPECT_FALSE(has_utf16_mark("\xef\xbb\xbf"sv));
  EXPECT_FALSE(has_utf16_mark("\xff"sv));
}

TEST(Utf16, BecomesUtf8) {
  for (const bool is_big_endian : {false, true}) {
    EXPECT_EQ(decoded(utf16(u"a;Länge [µm];€;\U0001F600\n", is_big_endian)), "a;Länge [µm];€;\U0001F600\n");
  }
}

/// The standard library's own conversion is the oracle.
RC_GTEST_PROP(Utf16, BecomesWhatTheStandardLibraryMakesOfIt, (bool is_big_endian)) {
  const auto points = *rc::gen::container<std::u32string>(
      rc::gen::suchThat(rc::gen::inRange<char32_t>(1, 0x110000), [](char32_t c) { return c < 0xd800 || c >= 0xe000; }));
  std::wstring_convert<std::codecvt_utf8<char32_t>, char32_t> to_utf8;
  std::u16string units;
  for (const char32_t point : points) {
    if (point < 0x10000) {
      units += static_cast<char16_t>(point);
    } else {
      units += static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10U));
      units += static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ffU));
    }
  }
  const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
  RC_ASSERT(decoded(utf16(units, is_big_endian), piece) == to_utf8.to_bytes(points));
}

TEST(Utf16, RefusesHalfCharacters) {
  EXPECT_THAT([] { decoded(utf16(u"a\nb\xd83d;", false)); },
              test::Fails(ErrorCode::data, "t.csv:2: half a character (0xD83D), expected whole characters of UTF-16"));
  EXPECT_THAT([] { decoded(utf16(u"a\xde00;", true)); },
              test::Fails(ErrorCode::data, "t.csv:1: half a character (0xDE00), expected whole characters of UTF-16"));
  EXPECT_THAT([] { decoded(utf16(u"a\xd83d\xd83d\xde00", true)); },
              test::Fails(ErrorCode::data, "t.csv:1: half a character (0xD83D), expected whole characters of UTF-16"));
}

TEST(Utf16, RefusesTextThatIsCutOff) {
  EXPECT_THAT([] { decoded(utf16(u"a\nb", false) + "x"); },
              test::Fails(ErrorCode::data, "t.csv:2: the text ends within a character of UTF-16: it is cut off"));
  EXPECT_THAT([] { decoded(utf16(u"a\xd83d", false)); },
              test::Fails(ErrorCode::data, "t.csv:1: the text ends within a character of UTF-16: it is cut off"));
}

TEST(Utf16, IsNotUtf32) {
  EXPECT_THAT([] { decoded("\xff\xfe\0\0a\0\0\0"sv); },
              test::Fails(ErrorCode::data, "t.csv: UTF-32 text, expected UTF-8 or UTF-16"));
}

TEST(Latin1, BecomesUtf8) {
  EXPECT_EQ(utf8_from_latin1("L\xe4nge [\xb5m]"), "Länge [µm]");
  EXPECT_EQ(utf8_from_latin1("\x80 \x93x\x94"), "€ “x”");
  EXPECT_EQ(utf8_from_latin1("plain"), "plain");
  EXPECT_EQ(utf8_from_latin1("\x81"), std::nullopt);
}

TEST(Latin1, GivesUtf8ForEveryByteOrNothing) {
  int unknown = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const auto text = utf8_from_latin1(std::string(1, static_cast<char>(byte)));
    unknown += text ? 0 : 1;
    EXPECT_TRUE(base::is_utf8(text.value_or(""))) << byte;
  }
  EXPECT_EQ(unknown, 5);
}

TEST(Encodings, GiveTheSameTable) {
  const test::TemporaryFolder folder;
  const std::u16string text = u"Länge [µm];y\r\n1,5;2\r\n2,5;3\r\n";
  const Table expected = test::parse_csv("Länge [µm];y\r\n1,5;2\r\n2,5;3\r\n", "t.csv");
  for (const std::string& bytes :
       {utf16(text, false), utf16(text, true), std::string("\xef\xbb\xbfLänge [µm];y\n1,5;2\n2,5;3\n"),
        std::string("L\xe4nge [\xb5m];y\n1,5;2\n2,5;3\n")}) {
    const auto path = folder / "t.csv";
    base::write_file(path, bytes);
    for (const Passes passes : {Passes::many, Passes::one}) {
      const auto portions = open_table(path, {}, FileKind::any, passes);
      const Table table = test::read_all(*portions);
      EXPECT_EQ(table.names, expected.names);
      EXPECT_EQ(table.units, expected.units);
      EXPECT_TRUE(std::ranges::equal(table.values.values(), expected.values.values()));
    }
  }
}

TEST(Encodings, WarnOfLatin1) {
  const Table table = test::parse_csv("L\xe4nge;y\n1;2\n", "t.csv");
  EXPECT_EQ(table.warnings, std::vector<std::string>{"t.csv: names are not UTF-8, taken for Latin-1: \"Länge\""});
  EXPECT_TRUE(test::parse_csv("Länge;y\n1;2\n", "t.csv").warnings.empty());
}

/// The words of the first column, which is read as words.
struct FirstColumn {
  std::vector<std::string> words;
  std::vector<std::string> warnings;
};

FirstColumn read_words(std::string_view text) {
  CsvReader reader(std::make_unique<ByteSource>(text, "t.csv"), {});
  std::vector<ColumnReading> readings(reader.header().cols());
  readings[0].kind = ColumnKind::category;
  reader.read_as(std::move(readings));
  for (int pass = 0; pass < 2; ++pass) {
    for (std::vector<double> values; reader.append(values);) {
    }
    reader.rewind();
  }
  return {reader.levels(0), reader.header().warnings};
}

TEST(Encodings, OfWordsAreToldByTheFirstBeyondAscii) {
  const FirstColumn latin1 = read_words("name,y\nMeier,1\nM\xfcller,2\nMeier,3\nB\xe4r,4\n");
  EXPECT_EQ(latin1.words, (std::vector<std::string>{"Meier", "Müller", "Bär"}));
  EXPECT_EQ(latin1.warnings, std::vector<std::string>{"t.csv: words are not UTF-8, taken for Latin-1: \"Müller\""});
  const FirstColumn utf8 = read_words("name,y\nMeier,1\nMüller,2\n");
  EXPECT_EQ(utf8.words, (std::vector<std::string>{"Meier", "Müller"}));
  EXPECT_TRUE(utf8.warnings.empty());
  EXPECT_EQ(read_words("n\xe4me,y\nM\xfcller,1\n").warnings.size(), 1U);
}

TEST(Encodings, OfOneFileAreOne) {
  const auto refused = [](std::string_view text, std::string_view sentence) {
    EXPECT_THAT([&] { read_words(text); }, test::Fails(ErrorCode::data, std::string(sentence)));
  };
  refused("name,y\nMüller,1\nMeier,2\nB\xe4r,3\n",
          "t.csv:4:1 (name): \"B\\xe4r\" is not UTF-8, the text before it is UTF-8, expected one encoding");
  refused("name,y\nMeier,1\nB\xe4r,2\nMüller,3\n",
          "t.csv:4:1 (name): \"Müller\" is UTF-8, the text before it is not, expected one encoding");
  refused("näme,y\nMeier,1\nB\xe4r,2\n", "t.csv:3:1 (näme): \"B\\xe4r\" is not UTF-8");
  refused("name,y\nMeier,1\nB\x81r,2\n", "t.csv:3:1 (name): \"B\\x81r\" is neither UTF-8 nor Latin-1");
  refused("name,y\nMeier,1\nB\x01r,2\n", "t.csv:3:1 (name): the word \"B\\x01r\" holds a control character");
}

}  // namespace
}  // namespace credens::data
