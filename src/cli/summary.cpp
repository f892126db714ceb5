// SPDX-License-Identifier: Apache-2.0

#include "cli/summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

using model::EnsembleState;

void print_decisions(const EnsembleState& state) {
  if (state.decisions.empty()) return;
  Lines lines;
  for (const model::Decision& decision : state.decisions) {
    lines.emplace_back(decision.name, fmt::format("{} ({})", decision.value, decision.reason));
  }
  print("\nThe recipe decided:\n");
  print_lines(lines);
}

void print_summary(const Ensemble& ensemble, const std::string& written_to, bool json, const Lines& more_lines,
                   const Json& more_json) {
  if (is_standard_output(written_to)) return;
  if (json) {
    Json document = report::model_json(ensemble);
    document.update(more_json);
    document["file"] = written_to;
    return print_json(document);
  }
  Lines lines = report::model_lines(ensemble);
  lines.insert(lines.end(), more_lines.begin(), more_lines.end());
  lines.emplace_back("written to", written_to);
  print_lines(lines);
  print_decisions(ensemble.state());
}

}  // namespace credens::cli
