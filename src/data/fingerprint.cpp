// SPDX-License-Identifier: Apache-2.0

#include "data/fingerprint.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");

namespace {

class ContentHash {
 public:
  ContentHash() { XXH3_128bits_reset(&state_); }

  void add_section(std::string_view tag, std::span<const std::string> names, MatrixView values) {
    add(tag);
    add(names.size());
    for (const std::string& name : names) add(std::string_view(name));
    add(values.rows());
    add(values.cols());
    for (std::size_t row = 0; row < values.rows(); ++row) add(values.row(row));
  }

  std::string digits() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  void add(std::string_view text) {
    add(text.size());
    XXH3_128bits_update(&state_, text.data(), text.size());
  }

  void add(std::uint64_t number) { XXH3_128bits_update(&state_, &number, sizeof number); }

  void add(std::span<const double> values) {
    for (const double value : values) {
      const double without_sign_of_zero = value + 0.0;
      XXH3_128bits_update(&state_, &without_sign_of_zero, sizeof without_sign_of_zero);
    }
  }

  XXH3_state_t state_;
};

}  // namespace

std::string fingerprint(const Dataset& dataset) {
  const std::span<const double> weights = dataset.weights();
  ContentHash hash;
  hash.add_section("inputs", dataset.input_names(), dataset.inputs());
  hash.add_section("targets", dataset.target_names(), dataset.targets());
  hash.add_section("weights", {}, MatrixView(weights.data(), weights.size(), weights.empty() ? 0 : 1));
  hash.add_section("noise", {}, dataset.noise_std());
  return hash.digits();
}

}  // namespace credens::data
