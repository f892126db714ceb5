// SPDX-License-Identifier: Apache-2.0

#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "support/error_matchers.hpp"

namespace credens::base {

enum class Fruit { apple, pear };

template <>
struct EnumNames<Fruit> {
  static constexpr std::string_view what = "fruit";
  static constexpr std::pair<Fruit, std::string_view> entries[] = {{Fruit::apple, "apple"}, {Fruit::pear, "pear"}};
};

namespace {

using Words = std::vector<std::string>;

/// The digits of the mantissa, without sign, point, zeros at the ends and exponent.
std::string significant_digits(const std::string& number) {
  std::string digits;
  for (const char c : number.substr(0, number.find_first_of("eE"))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.substr(0, digits.find_last_not_of('0') + 1);
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ToText, IsShort) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(3.0), "3");
  EXPECT_EQ(to_text(-2.5), "-2.5");
  EXPECT_EQ(to_text(1e22), "1e+22");
  EXPECT_EQ(to_text(5e-324), "5e-324");
  EXPECT_EQ(to_text(-0.0), "-0");
}

TEST(ToText, NamesWhatIsNotFinite) {
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(to_text(-std::nan("")), "nan");
}

RC_GTEST_PROP(ToText, RoundTripsWithTheFewestDigits, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const std::string text = to_text(value);
  const auto back = parse_double(text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*back) == bits);
  char shortest[64];
  const auto end = std::to_chars(shortest, std::end(shortest), value, std::chars_format::scientific).ptr;
  RC_ASSERT(significant_digits(text).size() == significant_digits(std::string(shortest, end)).size());
}

TEST(ParseDouble, ReadsAllOfAText) {
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_EQ(parse_double("+1.5"), 1.5);
  EXPECT_EQ(parse_double("-1e-3"), -1e-3);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("5."), 5);
  EXPECT_EQ(parse_double("1E5"), 1e5);
}

TEST(ParseDouble, TakesWhatIsTooSmallAsZero) {
  EXPECT_EQ(parse_double("1e-400"), 0);
}

TEST(ParseDouble, RefusesTheRest) {
  for (const char* text : {"",    " ",    "+",   "-",   "x",    "1x",    " 1",     "1 ", "1,5",   "++1", "+-1",
                           "-+1", "0x10", "nan", "inf", "-inf", "1e400", "-1e999", "1e", "1.2.3", "NaN", "infinity"}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
}

TEST(ParseInteger, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<long long>::max());
  for (const char* text : {"", "1.0", "1e3", "x", "1 ", "9223372036854775808", "--1"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(Split, KeepsEmptyWords) {
  EXPECT_EQ(split("a,b", ','), (Words{"a", "b"}));
  EXPECT_EQ(split(",a,", ','), (Words{"", "a", ""}));
  EXPECT_EQ(split("", ','), (Words{""}));
}

RC_GTEST_PROP(Join, UndoesSplit, (const std::string& text)) {
  RC_ASSERT(join(split(text, ','), ",") == text);
}

TEST(Trim, TakesBlanksOffTheEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(CodePointSize, KnowsUtf8) {
  EXPECT_EQ(code_point_size("a"), 1U);
  EXPECT_EQ(code_point_size("ö"), 2U);
  EXPECT_EQ(code_point_size("€ and more"), 3U);
  EXPECT_EQ(code_point_size("😀"), 4U);
  EXPECT_EQ(code_point_size("\xf4\x8f\xbf\xbf"), 4U);
}

TEST(CodePointSize, IsZeroForEverythingElse) {
  for (const char* bytes : {"\x80", "\xc3", "\xc3(", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80",
                            "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(code_point_size(bytes), 0U) << testing::PrintToString(bytes);
  }
}

TEST(IsUtf8, LooksAtEveryCodePoint) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("größe 温度 😀"));
  EXPECT_FALSE(is_utf8("gr\xf6\xdf"));
  EXPECT_FALSE(is_utf8("ö\xc3"));
}

TEST(Quoted, LeavesLettersOfAllLanguagesAlone) {
  EXPECT_EQ(base::quoted("größe"), "\"größe\"");
  EXPECT_EQ(base::quoted("温度 °C"), "\"温度 °C\"");
  EXPECT_EQ(base::quoted(""), "\"\"");
}

TEST(Quoted, EscapesControlCharacters) {
  EXPECT_EQ(base::quoted("a\nb\x1b[1m\x7f"), R"("a\x0ab\x1b[1m\u007f")");
  EXPECT_EQ(base::quoted("\xc2\x85"), R"("\u0085")");
  EXPECT_EQ(base::quoted(std::string_view("a\0b", 3)), R"("a\x00b")");
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(base::printable("\x1b]0;title\x07 a\nb\tc"), R"(\x1b]0;title\x07 a\x0ab\x09c)");
  EXPECT_EQ(base::printable("a\nb\x1b", "\n"), "a\nb\\x1b");
  EXPECT_EQ(base::printable("\xc2\x9b"
                            "31m"),
            R"(\u009b31m)");
  EXPECT_EQ(base::printable("\x9b"
                            "31m \xff"),
            R"(\x9b31m \xff)");
  EXPECT_EQ(base::printable("a\u202eb\u2066c\u200fd\u061ce\u2028f"), R"(a\u202eb\u2066c\u200fd\u061ce\u2028f)");
}

TEST(Printable, LeavesAllOtherText) {
  const std::string text = "größe 1 °C ≤ 日本 🙂 \u00a0\u200d\u2027\u202f\u2065\u206a";
  EXPECT_EQ(base::printable(text), text);
}

TEST(Printable, IsIdempotent) {
  const std::string once = base::printable("\x1b[2J\\x1b\u202e\xff");
  EXPECT_EQ(base::printable(once), once);
}

TEST(Quoted, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(base::quoted("gr\xf6\xdf"
                         "e"),
            R"("gr\xf6\xdfe")");
  EXPECT_EQ(base::quoted("\xe2\x82"), R"("\xe2\x82")");
  EXPECT_EQ(base::quoted("\xc0\xafö"), "\"\\xc0\\xafö\"");
}

TEST(Quoted, CutsAtFortyCharactersAndNeverInsideOne) {
  EXPECT_EQ(base::quoted(std::string(40, 'a')), "\"" + std::string(40, 'a') + "\"");
  EXPECT_EQ(base::quoted(std::string(41, 'a')), "\"" + std::string(40, 'a') + "...\"");
  EXPECT_EQ(base::quoted(repeated("ö", 40)), "\"" + repeated("ö", 40) + "\"");
  EXPECT_EQ(base::quoted(repeated("ö", 41)), "\"" + repeated("ö", 40) + "...\"");
}

RC_GTEST_PROP(Quoted, IsAlwaysOneLineOfUtf8, (const std::string& bytes)) {
  const std::string text = base::quoted(bytes);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t size = code_point_size(rest);
    RC_ASSERT(size > 0U);
    RC_ASSERT(static_cast<unsigned char>(rest.front()) >= 0x20U);
    rest.remove_prefix(size);
  }
}

const Words flags = {"epochs", "batch", "learning_rate", "seed", "members"};

TEST(Nearest, FindsTheNameWithTheFewestEdits) {
  EXPECT_EQ(nearest("epoch", flags), "epochs");
  EXPECT_EQ(nearest("lerning_rat", flags), "learning_rate");
  EXPECT_EQ(nearest("sead", flags), "seed");
  EXPECT_EQ(nearest("members", flags), "members");
}

TEST(Nearest, PrefersTheFirstOfEquals) {
  EXPECT_EQ(nearest("ac", Words{"ab", "cc"}), "ab");
}

TEST(Nearest, AllowsAThirdOfTheLettersToDiffer) {
  EXPECT_EQ(nearest("mimbirs", flags), "members");     // 2 of 7
  EXPECT_EQ(nearest("mimbirx", flags), std::nullopt);  // 3 of 7
  EXPECT_EQ(nearest("ac", Words{"ab"}), "ab");         // at least one
  EXPECT_EQ(nearest("colour", flags), std::nullopt);
  EXPECT_EQ(nearest("epochs", {}), std::nullopt);
}

TEST(Nearest, NeedsALetterInCommon) {
  EXPECT_EQ(nearest("x", Words{"y", "xy"}), std::nullopt);
  EXPECT_EQ(nearest("xy", Words{"y"}), "y");
}

TEST(Nearest, LooksPastTheCaseOfLetters) {
  EXPECT_EQ(nearest("Y", Words{"x", "y"}), "y");
  EXPECT_EQ(nearest("EPOCH", flags), "epochs");
}

TEST(Suggestion, IsAClauseOrNothing) {
  EXPECT_EQ(suggestion("epoch", flags), "; did you mean epochs?");
  EXPECT_EQ(suggestion("colour", flags), "");
}

TEST(EnumNames, GoBothWays) {
  EXPECT_EQ(name_of(Fruit::pear), "pear");
  EXPECT_EQ(parse_enum<Fruit>("pear"), Fruit::pear);
  EXPECT_EQ(find_enum<Fruit>("plum"), std::nullopt);
  EXPECT_EQ(all_names<Fruit>(), (Words{"apple", "pear"}));
}

TEST(EnumNames, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT([] { parse_enum<Fruit>("plum"); },
              test::Fails(ErrorCode::usage, "fruit \"plum\" is unknown, expected one of apple, pear"));
}

}  // namespace
}  // namespace credens::base
