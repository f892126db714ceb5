// SPDX-License-Identifier: Apache-2.0

#include "base/content_hash.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace credens::base {

struct ContentHash::State {
  XXH3_state_t hash;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->hash);
}

ContentHash::ContentHash(const ContentHash& other) : state_(std::make_unique<State>(*other.state_)) {}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

std::string ContentHash::digits() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace credens::base
