// SPDX-License-Identifier: Apache-2.0
//
// Every verb; each is defined in the file of its name.

#pragma once

#include <vector>

#include "cli/verb.hpp"

namespace credens::cli {

Verb fit_verb();
Verb merge_verb();
Verb widen_verb();
Verb predict_verb();
Verb evaluate_verb();
Verb sample_verb();
Verb outputs_verb();
Verb inspect_verb();
Verb export_verb();
Verb report_verb();
Verb pack_verb();
Verb demo_verb();
Verb version_verb();

/// In the order of the overview.
std::vector<Verb> all_verbs();

}  // namespace credens::cli
