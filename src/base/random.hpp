// SPDX-License-Identifier: Apache-2.0
//
// Counter-based random numbers (Philox4x64-10): a stream is named, not seeded, so every result depends on its name
// alone and never on the order in which threads ran. The words are those of numpy.random.Philox with the same key and
// counter.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credens::base {

/// The purpose of a stream. The values are part of every model's bytes: never renumber.
enum class Purpose : std::uint64_t {
  initial_weights = 1,
  shuffle = 2,
  split = 3,
  problem = 4,
  sample_member = 5,
  sample_weights = 6,
  sample_noise = 7,
  test = 8,
  folds = 9,
  calibration = 10,
  row_sample = 11,
  unseen = 12,
  input_draws = 13,
};

/// The name of a stream. Key = (seed, purpose); counter = (block, member, attempt, epoch).
struct StreamName {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::test;
  std::uint64_t member = 0;
  std::uint64_t attempt = 0;
  std::uint64_t epoch = 0;
};

class RandomStream {
 public:
  explicit RandomStream(const StreamName& name);

  std::uint64_t word();  ///< 64 random bits
  double uniform();      ///< in [0, 1), a multiple of 2^-53
  double uniform(double low, double high);
  double normal();                           ///< inverse distribution function of a uniform in (0, 1)
  std::uint64_t below(std::uint64_t bound);  ///< in {0, ..., bound - 1}, bound > 0

 private:
  void refill();

  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> words_{};
  std::size_t used_ = 4;
};

/// A random order of 0, ..., count - 1.
std::vector<std::uint32_t> permutation(std::size_t count, RandomStream& random);
void shuffle(std::span<std::uint32_t> values, RandomStream& random);

}  // namespace credens::base
