// SPDX-License-Identifier: Apache-2.0

#include "store/checksum.hpp"

#include <cassert>
#include <memory>
#include <new>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace credens::store {

std::string checksum(std::string_view bytes, std::size_t at) {
  assert(at + checksum_digits <= bytes.size());
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, Free> state(XXH3_createState());
  if (!state) throw std::bad_alloc();
  const std::string zeros(checksum_digits, '0');
  const std::string_view after = bytes.substr(at + checksum_digits);
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), bytes.data(), at);
  XXH3_128bits_update(state.get(), zeros.data(), zeros.size());
  XXH3_128bits_update(state.get(), after.data(), after.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace credens::store
