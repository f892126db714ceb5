// SPDX-License-Identifier: Apache-2.0

#include "base/random.hpp"

#include <Random123/philox.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace credens::base {

RandomStream::RandomStream(const StreamName& name)
    : key_{name.seed, static_cast<std::uint64_t>(name.purpose)}, counter_{0, name.member, name.attempt, name.epoch} {}

// numpy adds 1 to the counter before each block; so do we, to have the same words.
void RandomStream::refill() {
  ++counter_[0];
  const r123::Philox4x64 philox;
  const auto block = philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{key_[0], key_[1]}});
  words_ = {block[0], block[1], block[2], block[3]};
  used_ = 0;
}

std::uint64_t RandomStream::word() {
  if (used_ == words_.size()) refill();
  return words_[used_++];
}

double RandomStream::uniform() {
  return static_cast<double>(word() >> 11) * 0x1p-53;
}

double RandomStream::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double RandomStream::normal() {
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const double u = (static_cast<double>(word() >> 12) + 0.5) * 0x1p-52;
  return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * u, InDouble());
}

// The high half of a 128-bit product: biased by less than bound / 2^64.
std::uint64_t RandomStream::below(std::uint64_t bound) {
  __extension__ using uint128 = unsigned __int128;
  return static_cast<std::uint64_t>((uint128{word()} * bound) >> 64);
}

void shuffle(std::span<std::uint32_t> values, RandomStream& random) {
  for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[random.below(left)]);
}

std::vector<std::uint32_t> permutation(std::size_t count, RandomStream& random) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0U);
  shuffle(values, random);
  return values;
}

}  // namespace credens::base
