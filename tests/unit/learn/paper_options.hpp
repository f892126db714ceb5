// SPDX-License-Identifier: Apache-2.0
//
// Options of the paper's recipe with every choice made, as the parts of a fit expect them.

#pragma once

#include "learn/plan.hpp"

namespace credens::learn {

inline FitOptions paper(FitOptions options = {}) {
  options.recipe = Recipe::paper;
  return make_plan(options, DataSize{}).options;
}

}  // namespace credens::learn
