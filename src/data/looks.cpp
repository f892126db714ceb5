// SPDX-License-Identifier: Apache-2.0

#include "data/looks.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "data/csv_line.hpp"
#include "data/date.hpp"

namespace credens::data {

namespace {

using namespace std::string_view_literals;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool reads_as_number(std::string_view text) {
  const CellKind kind = read_cell(base::trim(text)).kind;
  return kind == CellKind::number || kind == CellKind::decimal_comma || kind == CellKind::grouped;
}

bool is_percentage(std::string_view word) {
  return word.ends_with('%') && reads_as_number(word.substr(0, word.size() - 1));
}

bool has_currency(std::string_view word) {
  for (const std::string_view sign : {"$"sv, "€"sv, "£"sv, "¥"sv}) {
    if (word.starts_with(sign)) return reads_as_number(word.substr(sign.size()));
    if (word.ends_with(sign)) return reads_as_number(word.substr(0, word.size() - sign.size()));
  }
  return false;
}

/// `1 234.5`, also with blanks that do not break the line, or apostrophes.
bool has_blanks_for_thousands(std::string_view word) {
  std::string digits(word);
  for (const std::string_view blank : {" "sv, "\u00a0"sv, "\u202f"sv, "'"sv, "’"sv}) {
    for (std::size_t at = digits.find(blank); at != std::string::npos; at = digits.find(blank)) {
      const bool is_group = at > 0 && is_digit(digits[at - 1]) && at + blank.size() + 3 <= digits.size() &&
                            std::all_of(&digits[at + blank.size()], &digits[at + blank.size()] + 3, is_digit);
      if (!is_group) return false;
      digits.erase(at, blank.size());
    }
  }
  return digits.size() < word.size() && reads_as_number(digits);
}

/// The digits that `text` begins with are taken from it; their number.
std::size_t take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool take_one(std::string_view& text, std::string_view of) {
  const bool is_there = !text.empty() && of.find(text.front()) != std::string_view::npos;
  if (is_there) text.remove_prefix(1);
  return is_there;
}

/// `17.5.2024`, `5/17/24`, `2024/05/17 08:30`, `2024-05-17T08:30 Europe/Berlin`.
bool is_date(std::string_view word) {
  constexpr std::size_t length_of_day = 10;
  if (word.size() > length_of_day && read_date(word.substr(0, length_of_day))) return true;
  const std::size_t first = take_digits(word);
  if (first == 0 || first > 4 || !take_one(word, "./-")) return false;
  const std::size_t second = take_digits(word);
  if (second == 0 || second > 2 || !take_one(word, "./-")) return false;
  const std::size_t third = take_digits(word);
  const bool has_year = first == 4 || third == 4 || (third == 2 && first <= 2);
  return has_year && third > 0 && (word.empty() || word.front() == ' ' || word.front() == 'T');
}

bool is_time_of_day(std::string_view word) {
  const std::size_t hours = take_digits(word);
  if (hours == 0 || hours > 2 || !take_one(word, ":")) return false;
  return take_digits(word) == 2 && (word.empty() || word.front() == ':' || word.front() == ' ');
}

struct Look {
  bool (*fits)(std::string_view word);
  std::string_view like;
  std::string_view advice;
};

constexpr Look looks[] = {
    {is_percentage, "numbers with a percent sign", "which are words as long as it stands there"},
    {has_currency, "amounts with a currency sign", "which are words as long as it stands there"},
    {has_blanks_for_thousands, "numbers with separated thousands", "which are words: expected digits alone"},
    {is_time_of_day, "times of day", "which are words: times are read as 2024-05-17T08:30"},
    {is_date, "dates", "which are read as 2024-05-17 or 2024-05-17T08:30:00Z only"},
};

constexpr Look plain_numbers = {reads_as_number, "numbers", ""};

/// The first of the words that has the look, where more than half of them do.
const std::string* example_of(const Look& look, std::span<const std::string> words) {
  constexpr std::size_t enough = 1000;
  const std::span<const std::string> some = words.first(std::min(words.size(), enough));
  const auto count = static_cast<std::size_t>(std::ranges::count_if(some, look.fits));
  return 2 * count > some.size() ? &*std::ranges::find_if(some, look.fits) : nullptr;
}

}  // namespace

std::string look_of(std::span<const std::string> words) {
  for (const Look& look : looks) {
    const std::string* example = example_of(look, words);
    if (example != nullptr) {
      return fmt::format("look like {}, such as {}, {}", look.like, base::quoted(*example), look.advice);
    }
  }
  return {};
}

std::string measurement_of(std::span<const std::string> words) {
  const auto found = [&](const Look& look) {
    const std::string* example = example_of(look, words);
    return example == nullptr ? std::string() : fmt::format("{}, such as {}", look.like, base::quoted(*example));
  };
  for (const Look& look : looks) {
    if (std::string like = found(look); !like.empty()) return like;
  }
  return std::ranges::all_of(words, reads_as_number) ? std::string() : found(plain_numbers);
}

}  // namespace credens::data
