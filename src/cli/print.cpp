// SPDX-License-Identifier: Apache-2.0

#include "cli/print.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "model/ensemble_state.hpp"
#include "report/comparison.hpp"
#include "report/expectation.hpp"

namespace credens::cli {

namespace {

bool is_silent = false;

}  // namespace

void be_silent() {
  is_silent = true;
}

void print(std::string_view text) {
  if (is_silent) return;
  base::OutputFile output("-");
  output.write(base::printable(text, "\n"));
  output.commit();
}

void print_json(const Json& document) {
  print(document.dump(2) + "\n");
}

void print_lines(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, value] : lines) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : lines) {
    text += fmt::format("{:<{}}  {}\n", base::printable(name), width, base::printable(value));
  }
  print(text);
}

void print_error(std::string_view line) {
  if (is_silent) return;
  const std::string text = base::printable(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_warnings(const std::vector<std::string>& sentences) {
  static std::set<std::string> printed;
  for (const std::string& sentence : sentences) {
    if (printed.insert(sentence).second) print_error("credens: warning: " + sentence);
  }
}

void print_decisions(const model::EnsembleState& state) {
  if (state.decisions.empty()) return;
  Lines lines;
  for (const model::Decision& decision : state.decisions) {
    lines.emplace_back(decision.name, fmt::format("{} ({})", decision.value, decision.reason));
  }
  print("\nThe recipe decided:\n");
  print_lines(lines);
}

void print_training_warning(const std::optional<double>& training_share) {
  const std::string warning = report::training_warning(training_share);
  if (!warning.empty()) print(warning + "\n\n");
}

namespace {

void print_configurations(const model::EnsembleState& state) {
  const Lines configurations = report::configuration_lines(state);
  if (configurations.empty()) return;
  print("\nMembers by configuration, with its weight:\n");
  print_lines(configurations);
  print("All decisions, with reasons: credens inspect.\n");
}

}  // namespace

void print_summary(const Ensemble& ensemble, const std::string& written_to, const SummaryOptions& options) {
  if (is_standard_output(written_to)) return;
  if (options.json) {
    Json document = report::model_json(ensemble);
    for (const auto& [name, number] : options.more_numbers) document[name] = number;
    document["file"] = written_to;
    return print_json(document);
  }
  print(report::expectation_text(ensemble) + "\n");
  Lines lines = report::model_lines(ensemble);
  if (options.rows_without_target > 0) {
    const std::size_t rows = ensemble.state().data.rows;
    lines.front().second = fmt::format("{} of {}, the others have no target", rows - options.rows_without_target, rows);
  }
  lines.insert(lines.end(), options.more_lines.begin(), options.more_lines.end());
  lines.emplace_back("written to", written_to);
  print_lines(lines);
  if (options.all_decisions) {
    print_decisions(ensemble.state());
  } else {
    print_configurations(ensemble.state());
  }
}

}  // namespace credens::cli
