// SPDX-License-Identifier: Apache-2.0
//
// One line of delimited text, cut into fields (RFC 4180 quotes, but no line ends within quotes: a line is a row), and
// what a field holds: a number, or which kind of something else.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace credens::data {

// Bounds on what a line may cost, far above what tables have; docs/cli.md names them.
constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr std::size_t longest_field = std::size_t{1} << 20;
constexpr std::size_t most_fields = 1'000'000;
constexpr std::string_view too_long = "a field of more than 1 MiB, expected shorter ones";

/// Characters around a field that do not belong to it.
inline bool is_blank(char c, char delimiter) {
  return c == ' ' || (c == '\t' && delimiter != '\t');
}

struct Field {
  std::string_view text;  ///< without surrounding blanks and quotes; doubled quotes still doubled
  bool quoted = false;
  std::string_view fault = {};  ///< what is wrong with its quotes or size, for a sentence; empty: nothing
};

/// The characters that a field stands for.
std::string unescaped(const Field& field);

/// Cuts a line, given without its end. The delimiter ' ' stands for runs of blanks, which also may surround the line.
class LineFields {
 public:
  LineFields(std::string_view line, char delimiter);

  /// False after the last field. A field with a fault is the last one.
  bool next(Field& field);

 private:
  void skip_blanks();
  Field quoted_field();
  Field plain_field();
  bool at_field_end() const;

  std::string_view rest_;
  char delimiter_;
  bool more_ = true;
};

/// The next line of `text`, without its LF or CRLF; `text` is left with what follows.
std::string_view take_line(std::string_view& text);

bool is_blank_line(std::string_view line, char delimiter);

std::string_view without_trailing_blank_lines(std::string_view text, char delimiter);

/// The size of whole lines without the blank ones at their end and without the last line end; 0: all are blank.
std::size_t rows_size(std::string_view lines, char delimiter);

enum class CellKind {
  number,
  missing,        ///< empty, NA, null, ...
  not_finite,     ///< nan, inf
  overflow,       ///< a number beyond the largest double
  hexadecimal,    ///< 0x1p3
  decimal_comma,  ///< 1,5 in a table with decimal points
  decimal_point,  ///< 1.5 in a table with decimal commas
  grouped,        ///< 1,234,567.5: thousands are separated
  text,
  no_date,     ///< in a column of dates
  mixed_zone,  ///< a time with a zone among times without, or the other way round
  other_zone,  ///< the same, where the times of training are those others
};

struct Cell {
  CellKind kind = CellKind::text;
  double value = 0;
};

/// Reads a number at `first`, with an optional '+'. Returns where it ends, or `first` if there is no finite one.
/// `decimal` is the mark before the fraction.
const char* read_number(const char* first, const char* last, double& value, char decimal = '.');

// The numbers that fill most tables: few digits, no exponent. Calls would take a fifth of the time.

static_assert(std::endian::native == std::endian::little, "the first digit is expected in the lowest byte");

/// Eight characters at once. `count` is how many digits they start with, `value` the number these make.
struct DigitRun {
  unsigned count;
  std::uint32_t value;
};

[[gnu::always_inline]] inline DigitRun read_digits(const char* eight) {
  std::uint64_t bytes;
  std::memcpy(&bytes, eight, sizeof bytes);
  // The highest bit of a byte is set for the first that is no digit: below '0' by the difference, above '9' by the sum.
  const std::uint64_t other = ((bytes + 0x4646464646464646U) | (bytes - 0x3030303030303030U)) & 0x8080808080808080U;
  const unsigned count = other == 0 ? 8 : static_cast<unsigned>(std::countr_zero(other)) / 8;
  if (count == 0) return {0, 0};
  // Leading zeros in place of what follows, then pairs, fours and all eight digits are joined.
  bytes = (bytes - 0x3030303030303030U) << (64 - 8 * count);
  bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffU;
  bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffU;
  bytes = bytes * 10000 + (bytes >> 32);
  return {count, static_cast<std::uint32_t>(bytes)};
}

/// Reads [-]digits[.digits], or with another mark, of at most 7 + 7 digits. Such digits, taken as an integer, and the
/// power of ten below them are exact doubles, so that one division gives the nearest double. Returns where the number
/// ends, or `first` for all that is written otherwise. Characters up to `readable_end` >= last may be looked at.
template <char decimal = '.'>
[[gnu::always_inline]] inline const char* read_short_decimal(const char* first, const char* last,
                                                             const char* readable_end, double& value) {
  constexpr std::ptrdiff_t most_characters = 1 + 8 + 1 + 8;
  constexpr std::array<double, 8> powers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  constexpr std::array<std::uint32_t, 8> factors = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  if (readable_end - first < most_characters) return first;
  const bool negative = *first == '-';
  const char* at = first + static_cast<int>(negative);
  const DigitRun whole = read_digits(at);
  if (whole.count > 7) return first;
  at += whole.count;
  DigitRun fraction{0, 0};
  if (*at == decimal) {
    fraction = read_digits(++at);
    if (fraction.count > 7) return first;
    at += fraction.count;
  }
  const bool has_exponent = (*at | 0x20) == 'e';
  if (whole.count + fraction.count == 0 || has_exponent || at > last) return first;
  const auto digits = static_cast<std::int64_t>(std::uint64_t{whole.value} * factors[fraction.count] + fraction.value);
  const double size = static_cast<double>(digits) / powers[fraction.count];
  // No branch: signs are hard to guess.
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | std::uint64_t{negative} << 63);
  return at;
}

/// `text` has no surrounding blanks.
Cell read_cell(std::string_view text, char decimal = '.');

/// Whether a cell says that its value is missing: empty, NA, N/A, NaN, null, None, ? in any case, or one of `more`.
bool is_missing(std::string_view text, std::span<const std::string> more);

/// `"abc" is not a number`, `missing value, expected a number`, ...
std::string complaint(CellKind kind, std::string_view text);

}  // namespace credens::data
