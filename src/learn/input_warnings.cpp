// SPDX-License-Identifier: Apache-2.0

#include "learn/input_warnings.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/check.hpp"
#include "base/content_hash.hpp"
#include "base/text.hpp"
#include "data/complete_rows.hpp"
#include "data/looks.hpp"

namespace credens::learn {

namespace {

void say(const FitOptions& options, const std::string& sentence) {
  if (options.on_warning) options.on_warning(sentence);
}

void warn_of_missing_targets(const TrainingTable& table, const FitOptions& options) {
  const std::size_t count = table.summary().rows_without_target;
  if (count > 0) say(options, data::left_out_sentence(count, table.rows()));
}

std::string plain(const std::string& word) {
  std::string key = base::lower_case(word);
  std::erase(key, ' ');
  return key;
}

/// Words that differ in case or blanks alone are most likely one word. Hashes of the plain words are kept, since there
/// may be millions of words.
void warn_of_similar_levels(const TrainingTable& table, const FitOptions& options) {
  for (const data::Column& input : table.schema().inputs) {
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (std::size_t i = 0; i < input.levels.size(); ++i) {
      const auto [found, is_new] = seen.emplace(base::hash_of(plain(input.levels[i])), i);
      const std::string& earlier = input.levels[found->second];
      if (is_new || plain(earlier) != plain(input.levels[i])) continue;
      say(options,
          fmt::format("column {} holds {} and {}, which differ in case or blanks alone: they are taken for two "
                      "words",
                      base::quoted(input.name), base::quoted(earlier), base::quoted(input.levels[i])));
      break;
    }
  }
}

/// Words of which none has enough rows to be learned, in columns that somebody asked for or that have missing cells.
void warn_of_rare_levels(const TrainingTable& table, const data::Encoder& encoder, const FitOptions& options) {
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const data::Column& input = table.schema().inputs[i];
    if (input.kind != ColumnKind::category || encoder.columns()[i].learned > 0) continue;
    say(options, fmt::format("column {} holds {}, none in 5 rows or more: they are all the same to the model",
                             base::quoted(input.name), data::count_of(input.levels.size(), "word")));
  }
}

/// Words that may have been meant as numbers, dates or times.
void warn_of_looks(const TrainingTable& table, const FitOptions& options) {
  for (const data::Column& input : table.schema().inputs) {
    const std::string look = input.is_wanted ? std::string() : data::look_of(input.levels);
    if (!look.empty()) say(options, fmt::format("the words of column {} {}", base::quoted(input.name), look));
  }
}

}  // namespace

void warn_of_inputs(const TrainingTable& table, const data::Encoder& encoder, const FitOptions& options) {
  for (const std::string& sentence : table.left_out_inputs()) say(options, sentence);
  warn_of_missing_targets(table, options);
  warn_of_similar_levels(table, options);
  warn_of_looks(table, options);
  warn_of_rare_levels(table, encoder, options);
}

}  // namespace credens::learn
