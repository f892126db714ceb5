// SPDX-License-Identifier: Apache-2.0

#include "data/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/words.hpp"

namespace credens::data {

namespace {

Column& input_at(const Table& table, const std::string& name, std::string_view flag, Schema& schema) {
  const std::size_t position = find_column(table, name);
  const auto found =
      std::ranges::find_if(schema.inputs, [&](const Column& input) { return input.position == position; });
  base::require(found != schema.inputs.end(), ErrorCode::usage, "{}: {} names {}, which is no input", table.source,
                flag, base::quoted(name));
  return *found;
}

/// Numbers become codes of their texts.
void words_of_numbers(Table& table, std::size_t col, std::vector<std::string>& levels) {
  WordIndex words;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double& value = table.values(row, col);
    if (!std::isnan(value)) value = words.code_of(shortest_text(value));
  }
  levels = words.words();
}

/// Which columns were given a kind, by position.
std::vector<bool> set_given_kinds(const Table& table, const DatasetOptions& options, Schema& schema) {
  schema.allows_missing = !options.strict;
  schema.missing = options.format.missing;
  std::vector<bool> is_given(table.cols());
  const std::pair<std::string_view, const std::vector<std::string>*> given[] = {
      {"--numbers", &options.numbers}, {"--categories", &options.categories}, {"--dates", &options.dates}};
  const ColumnKind kinds[] = {ColumnKind::number, ColumnKind::category, ColumnKind::date};
  for (std::size_t i = 0; i < std::size(given); ++i) {
    const auto& [flag, columns] = given[i];
    base::require(columns->empty() || !options.strict, ErrorCode::usage,
                  "{} is given with --strict, which takes numbers only", flag);
    for (const std::string& name : *columns) {
      Column& input = input_at(table, name, flag, schema);
      base::require(!is_given[*input.position], ErrorCode::usage, "column {} is given two kinds, expected one",
                    base::quoted(name));
      is_given[*input.position] = true;
      input.kind = kinds[i];
      input.is_wanted = true;
    }
  }
  return is_given;
}

}  // namespace

std::string_view plural_of(ColumnKind kind) {
  if (kind == ColumnKind::number) return "numbers";
  return kind == ColumnKind::category ? "words" : "dates";
}

std::string shortest_text(double value) {
  return fmt::format("{}", value);
}

ColumnKind recognised_kind(const ColumnContent& content) {
  const std::size_t all = content.numbers + content.dates + content.words;
  if (2 * content.numbers >= all) return ColumnKind::number;
  return 2 * content.dates >= all ? ColumnKind::date : ColumnKind::category;
}

/// The text of a group is all that matters of it, and numbers of a text file have one too.
void set_fold_kinds(RowPortions& table, Schema& schema) {
  const auto found = [&](const Column& column) { return recognised_kind(table.contents()[*column.position]); };
  const bool is_text = table.header().first_line != 0;
  if (schema.group) schema.group->kind = is_text ? ColumnKind::category : found(*schema.group);
  if (schema.time && found(*schema.time) == ColumnKind::date) schema.time->kind = ColumnKind::date;
}

namespace {

/// `is_words`: whether the target is a column of words.
void decide_task(const DatasetOptions& options, bool is_words, Schema& schema) {
  if (schema.has_counts()) return;
  const bool is_asked = options.task == Task::classification || !options.classes.empty();
  if (!is_asked && !(options.task == Task::automatic && is_words && !options.strict)) return;
  base::require(!schema.has_noise, ErrorCode::usage, "known noise is given, which classes do not have");
  schema.task = Task::classification;
  schema.is_task_found = !is_asked;
  schema.classes = options.classes;
  base::require(!schema.has_noise, ErrorCode::usage,
                "the target {} has classes, which have no noise, but noise is given",
                base::quoted(schema.targets.front().name));
  if (is_words) schema.targets.front().kind = ColumnKind::category;
}

}  // namespace

void set_task(RowPortions& table, const DatasetOptions& options, Schema& schema) {
  const std::vector<ColumnContent> contents = table.contents();
  const auto holds_words = [&](const Column& target) {
    const ColumnContent& content = contents[*target.position];
    const bool is_class = options.task == Task::classification || !options.classes.empty();
    return is_class ? content.words + content.dates > 0 : recognised_kind(content) == ColumnKind::category;
  };
  const auto words = std::ranges::find_if(schema.targets, holds_words);
  const bool is_words = words != schema.targets.end();
  const bool is_contradicted = is_words && options.task == Task::regression && !schema.has_counts();
  base::require(!is_contradicted, ErrorCode::usage, "{}: the target {} holds words, but the task is regression",
                table.header().source, is_words ? base::quoted(words->name) : "");
  base::require(!is_words || schema.targets.size() == 1 || schema.has_counts(), ErrorCode::data,
                "{}: the target {} holds words, and a classification has one target, found {}", table.header().source,
                is_words ? base::quoted(words->name) : "", schema.targets.size());
  decide_task(options, is_words, schema);
}

void set_kinds(RowPortions& table, const DatasetOptions& options, Schema& schema) {
  const std::vector<bool> is_given = set_given_kinds(table.header(), options, schema);
  set_fold_kinds(table, schema);
  set_task(table, options, schema);
  if (options.strict) return;
  const std::vector<ColumnContent> contents = table.contents();
  for (Column& input : schema.inputs) {
    if (!is_given[*input.position]) input.kind = recognised_kind(contents[*input.position]);
  }
}

void set_kinds(const DatasetOptions& options, Table& table, Schema& schema) {
  const std::vector<bool> is_given = set_given_kinds(table, options, schema);
  if (const auto target = schema.targets.front().position) {
    decide_task(options, table.kind(*target) == ColumnKind::category, schema);
    if (schema.targets.front().kind == ColumnKind::category) schema.targets.front().levels = table.levels[*target];
  }
  for (Column& input : schema.inputs) {
    const std::size_t col = *input.position;
    const ColumnKind found = table.kind(col);
    if (!is_given[col]) input.kind = found;
    if (input.kind == ColumnKind::date) input.has_zone = table.has_zone(col);
    base::require(!options.strict || found == ColumnKind::number, ErrorCode::data,
                  "{}: column {} holds no numbers, which strict asks for", table.source, base::quoted(input.name));
    if (input.kind == ColumnKind::category && found == ColumnKind::number)
      words_of_numbers(table, col, input.levels);
    else if (input.kind == ColumnKind::category)
      input.levels = table.levels[col];
    base::require(input.kind == found || found == ColumnKind::number, ErrorCode::data,
                  "{}: column {} holds words or dates, expected {}", table.source, base::quoted(input.name),
                  plural_of(input.kind));
  }
}

std::vector<ColumnReading> readings_of(const Schema& schema, std::size_t columns, bool levels_are_known) {
  std::vector<ColumnReading> readings(columns);
  const auto add = [&](const Column& column) {
    if (!column.position) return;
    ColumnReading& reading = readings[*column.position];
    reading.kind = column.kind;
    if (!levels_are_known) return;
    reading.levels = column.levels;
    reading.has_zone = column.has_zone;
    reading.takes_new_levels = false;
  };
  std::ranges::for_each(schema.inputs, add);
  std::ranges::for_each(schema.targets, add);
  for (const auto* single : {&schema.group, &schema.time}) {
    if (*single && (*single)->position) readings[*(*single)->position].kind = (*single)->kind;
  }
  return readings;
}

}  // namespace credens::data
