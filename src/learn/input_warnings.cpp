// SPDX-License-Identifier: Apache-2.0

#include "learn/input_warnings.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::learn {

namespace {

void say(const FitOptions& options, const std::string& sentence) {
  if (options.on_warning) options.on_warning(sentence);
}

void warn_of_missing_targets(const TrainingTable& table, const FitOptions& options) {
  const std::size_t count = table.summary().rows_without_target;
  if (count == 0) return;
  say(options,
       fmt::format("{} of {} rows without target {} left out", count, table.rows(), count == 1 ? "is" : "are"));
}

/// Words that differ in case or blanks alone are most likely one word.
void warn_of_similar_levels(const TrainingTable& table, const FitOptions& options) {
  for (const data::Column& input : table.schema().inputs) {
    std::map<std::string, std::string> plain;
    for (const std::string& level : input.levels) {
      std::string key = base::lower_case(level);
      std::erase(key, ' ');
      const auto [found, is_new] = plain.emplace(key, level);
      if (is_new) continue;
      say(options,
           fmt::format("column {} holds {} and {}, which differ in case or blanks alone: they are taken for two "
                       "words",
                       base::quoted(input.name), base::quoted(found->second), base::quoted(level)));
      break;
    }
  }
}

/// Words of which none has enough rows to be learned.
void warn_of_rare_levels(const TrainingTable& table, const data::Encoder& encoder, const FitOptions& options) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const data::Column& input = table.schema().inputs[i];
    if (input.kind != ColumnKind::category || encoder.columns()[i].learned > 0) continue;
    say(options, fmt::format("column {} holds {} words, none in 5 rows or more: nothing can be learned of them, and "
                              "--ignore would leave it out",
                              base::quoted(input.name), input.levels.size()));
  }
}

}  // namespace

void warn_of_inputs(const TrainingTable& table, const data::Encoder& encoder, const FitOptions& options) {
  warn_of_missing_targets(table, options);
  warn_of_similar_levels(table, options);
  warn_of_rare_levels(table, encoder, options);
}

}  // namespace credens::learn
