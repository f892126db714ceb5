// SPDX-License-Identifier: Apache-2.0

#include "fma_peak.hpp"

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains hide the latency of two units with four cycles each, and fit in sixteen registers.
constexpr int chains = 12;

double multiply_add(std::size_t rounds, float* sink) {
  const hn::ScalableTag<float> tag;
  const auto factor = hn::Set(tag, 0.999F);
  const auto term = hn::Set(tag, 0.001F);
  decltype(hn::Zero(tag)) sums[chains];
  for (auto& sum : sums) sum = term;
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = hn::MulAdd(sum, factor, term);
  }
  auto total = hn::Zero(tag);
  for (const auto& sum : sums) total = hn::Add(total, sum);
  *sink = hn::GetLane(total);
  return 2.0 * chains * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(tag));
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

HWY_EXPORT(multiply_add);

double multiply_add(std::size_t rounds, float* sink) {
  return HWY_DYNAMIC_DISPATCH(multiply_add)(rounds, sink);
}

}  // namespace bench
#endif
