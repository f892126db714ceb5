// SPDX-License-Identifier: Apache-2.0
//
// What is in a model, printed.

#pragma once

#include <nlohmann/json.hpp>

#include "cli/print.hpp"
#include "report/model_summary.hpp"

namespace credens::cli {

/// What a recipe decided and why; nothing where there was nothing to decide.
void print_decisions(const model::EnsembleState& state);

/// Prints the lines or the document, with more after them; nothing where standard output took the model itself.
void print_summary(const Ensemble& ensemble, const std::string& written_to, bool json, const Lines& more_lines = {},
                   const Json& more_json = Json::object());

}  // namespace credens::cli
