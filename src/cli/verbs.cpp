// SPDX-License-Identifier: Apache-2.0

#include "cli/verbs.hpp"

namespace credens::cli {

std::vector<Verb> all_verbs() {
  return {fit_verb(),     merge_verb(),  widen_verb(),  predict_verb(), evaluate_verb(), sample_verb(), outputs_verb(),
          inspect_verb(), export_verb(), report_verb(), pack_verb(),    demo_verb(),     version_verb()};
}

}  // namespace credens::cli
