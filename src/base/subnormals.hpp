// SPDX-License-Identifier: Apache-2.0
//
// Numbers smaller than the smallest normal one (2^-126 in float) make arithmetic several times slower on many
// processors and mean nothing to a training: moments of dead units that decay for ever.

#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace credens::base {

/// While it lives, this thread takes subnormal numbers for zero, as operands and as results. Elsewhere than on x86-64
/// and 64-bit Arm it does nothing.
template <bool flush>
class SubnormalsMode {
 public:
  SubnormalsMode() : before_(control()) { set_control(flush ? before_ | flush_bits : before_ & ~flush_bits); }
  ~SubnormalsMode() { set_control(before_); }
  SubnormalsMode(const SubnormalsMode&) = delete;
  SubnormalsMode& operator=(const SubnormalsMode&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr std::uint64_t flush_bits = 0x8040;  // results (FTZ) and operands (DAZ)
  static std::uint64_t control() { return _mm_getcsr(); }
  static void set_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t flush_bits = 1U << 24;  // FZ
  static std::uint64_t control() {
    std::uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void set_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
  static constexpr std::uint64_t flush_bits = 0;
  static std::uint64_t control() { return 0; }
  static void set_control(std::uint64_t) {}
#endif

  std::uint64_t before_;
};

using FlushSubnormals = SubnormalsMode<true>;
using KeepSubnormals = SubnormalsMode<false>;  ///< keeps them as numbers while it lives

}  // namespace credens::base
