// SPDX-License-Identifier: Apache-2.0

#include "data/kinds.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::data {

namespace {

Column& input_at(const Table& table, const std::string& name, std::string_view flag, Schema& schema) {
  const std::size_t position = find_column(table, name);
  const auto found = std::ranges::find_if(schema.inputs, [&](const Column& input) { return input.position == position; });
  base::require(found != schema.inputs.end(), ErrorCode::usage, "{}: {} names {}, which is no input", table.source,
                flag, base::quoted(name));
  return *found;
}

}  // namespace

ColumnKind recognised_kind(const ColumnContent& content) {
  const std::size_t all = content.numbers + content.dates + content.words;
  if (5 * content.numbers >= 4 * all) return ColumnKind::number;
  return 5 * content.dates >= 4 * all ? ColumnKind::date : ColumnKind::category;
}

void set_kinds(RowPortions& table, const DatasetOptions& options, Schema& schema) {
  schema.allows_missing = !options.strict;
  std::vector<bool> is_given(table.header().cols());
  const std::pair<std::string_view, const std::vector<std::string>*> given[] = {
      {"--numbers", &options.numbers}, {"--categories", &options.categories}, {"--dates", &options.dates}};
  const ColumnKind kinds[] = {ColumnKind::number, ColumnKind::category, ColumnKind::date};
  for (std::size_t i = 0; i < std::size(given); ++i) {
    const auto& [flag, columns] = given[i];
    base::require(columns->empty() || !options.strict, ErrorCode::usage,
                  "{} is given with --strict, which takes numbers only", flag);
    for (const std::string& name : *columns) {
      Column& input = input_at(table.header(), name, flag, schema);
      base::require(!is_given[*input.position], ErrorCode::usage, "column {} is given two kinds, expected one",
                    base::quoted(name));
      is_given[*input.position] = true;
      input.kind = kinds[i];
    }
  }
  if (options.strict) return;
  const std::vector<ColumnContent> contents = table.contents();
  for (Column& input : schema.inputs) {
    if (!is_given[*input.position]) input.kind = recognised_kind(contents[*input.position]);
  }
}

std::vector<ColumnReading> readings_of(const Schema& schema, std::size_t columns, bool levels_are_known) {
  std::vector<ColumnReading> readings(columns);
  for (const Column& input : schema.inputs) {
    ColumnReading& reading = readings[*input.position];
    reading.kind = input.kind;
    if (!levels_are_known) continue;
    reading.levels = input.levels;
    reading.takes_new_levels = false;
  }
  return readings;
}

}  // namespace credens::data
