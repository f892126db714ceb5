// SPDX-License-Identifier: Apache-2.0
//
// Runs a check once on every instruction set that was compiled in and that this machine has.

#pragma once

#include "math/kernels_targets.hpp"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

namespace credens::math {

inline std::vector<std::int64_t> kernel_targets() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const std::int64_t fallback = HWY_STATIC_TARGET;
  if (std::find(targets.begin(), targets.end(), fallback) == targets.end()) targets.push_back(fallback);
  return targets;
}

/// Whether the target rounds a multiply-add once.
inline bool fuses(std::int64_t target) {
  return (target & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL | HWY_NEON)) != 0;
}

/// All kernels run on `target` while this lives.
class OnTarget {
 public:
  explicit OnTarget(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
  }
  ~OnTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;
};

template <class Check>
void on_each_target(const Check& check) {
  for (const std::int64_t target : kernel_targets()) {
    const OnTarget scope(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check(target);
  }
}

}  // namespace credens::math
