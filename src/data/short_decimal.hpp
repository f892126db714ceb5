// SPDX-License-Identifier: Apache-2.0
//
// The numbers that fill most tables: few digits, no exponent.

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "the first digit is expected in the lowest byte");

/// Eight characters at once. `count` is how many digits they start with, `value` the number these make.
struct DigitRun {
  unsigned count;
  std::uint32_t value;
};

inline DigitRun read_digits(const char* eight) {
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

/// Reads [-]digits[.digits] of at most 7 + 7 digits. Such digits, taken as an integer, and the power of ten below them
/// are exact doubles, so that one division gives the nearest double. Returns where the number ends, or `first` for all
/// that is written otherwise. Characters up to `readable_end` >= last may be looked at.
inline const char* read_short_decimal(const char* first, const char* last, const char* readable_end, double& value) {
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
  if (*at == '.') {
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

}  // namespace credens::data
