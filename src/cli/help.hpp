// SPDX-License-Identifier: Apache-2.0
//
// What `--help` and a bare `credens` print.

#pragma once

#include <span>
#include <string>

#include "cli/verb.hpp"

namespace credens::cli {

/// The verbs with their one-line summaries.
std::string overview(std::span<const Verb> verbs);

/// Usage, files, options by group with their defaults, and an example that runs.
std::string help_of(const Verb& verb);

}  // namespace credens::cli
