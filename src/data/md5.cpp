// SPDX-License-Identifier: Apache-2.0

#include "data/md5.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

namespace {

using State = std::array<std::uint32_t, 4>;
constexpr std::size_t block_size = 64;
constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// floor(2^32 |sin(i + 1)|).
std::array<std::uint32_t, 64> make_constants() {
  std::array<std::uint32_t, 64> constants{};
  for (std::size_t i = 0; i < constants.size(); ++i) {
    constants[i] = static_cast<std::uint32_t>(std::ldexp(std::abs(std::sin(static_cast<double>(i + 1))), 32));
  }
  return constants;
}

/// The function of a round.
template <int round>
std::uint32_t mixed(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (round == 0) return (b & c) | (~b & d);
  if constexpr (round == 1) return (d & b) | (~d & c);
  if constexpr (round == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

/// Sixteen steps, each of which takes one word of the block. A template, so that rotations and places are constants.
template <int round>
void add_round(State& state, const std::array<std::uint32_t, 16>& words) {
  static const std::array<std::uint32_t, 64> constants = make_constants();
  constexpr std::size_t step[] = {1, 5, 3, 7};
  constexpr std::size_t start[] = {0, 1, 5, 0};
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t word = words[(step[round] * i + start[round]) % 16];
    const std::uint32_t sum = a + mixed<round>(b, c, d) + constants[16 * round + i] + word;
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[round][i % 4]);
  }
  state = {a, b, c, d};
}

void add_block(State& state, const char* block) {
  std::array<std::uint32_t, 16> words{};
  std::memcpy(words.data(), block, block_size);
  State next = state;
  add_round<0>(next, words);
  add_round<1>(next, words);
  add_round<2>(next, words);
  add_round<3>(next, words);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += next[i];
}

}  // namespace

std::string md5(std::string_view bytes) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::size_t whole = bytes.size() / block_size * block_size;
  for (std::size_t start = 0; start < whole; start += block_size) add_block(state, bytes.data() + start);

  // The rest, a one bit, zeros, and the number of bits in the last eight bytes of a block.
  std::string end(bytes.substr(whole));
  end += '\x80';
  end.resize((end.size() + 8 + block_size - 1) / block_size * block_size);
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
  std::memcpy(end.data() + end.size() - sizeof bits, &bits, sizeof bits);
  for (std::size_t start = 0; start < end.size(); start += block_size) add_block(state, end.data() + start);

  std::string digits;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8) digits += fmt::format("{:02x}", (word >> shift) & 0xff);
  }
  return digits;
}

}  // namespace credens::data
