// SPDX-License-Identifier: Apache-2.0

#include "data/schema.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/kinds.hpp"
#include "data/table.hpp"
#include "data/units.hpp"

namespace credens::data {

namespace {

enum class Role { target, input, ignored, weight, noise, group, time };

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 7> names = {"target", "input", "ignored", "weight", "noise", "group", "time"};
  return names[static_cast<std::size_t>(role)];
}

/// Which part each column of a table plays.
class Roles {
 public:
  explicit Roles(const Table& table) : table_(table), roles_(table.cols()) {}

  /// The positions of `columns`, which from now on play `role`.
  std::vector<std::size_t> assign(Role role, std::span<const std::string> columns) {
    std::vector<std::size_t> positions;
    for (const std::string& column : columns) {
      const std::size_t position = find_column(table_, column);
      give(role, position, column);
      positions.push_back(position);
    }
    return positions;
  }

  /// Columns that play no part yet.
  std::vector<std::size_t> unassigned() const {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (!roles_[i]) positions.push_back(i);
    }
    return positions;
  }

 private:
  void give(Role role, std::size_t position, const std::string& column) {
    const bool may_repeat = role == Role::noise || role == Role::ignored;
    const std::optional<Role> earlier = std::exchange(roles_[position], role);
    if (!earlier || (*earlier == role && may_repeat)) return;
    base::require(*earlier != role, ErrorCode::usage, "{}: column {} is given twice as {}", table_.source,
                  base::quoted(column), name_of(role));
    base::fail(ErrorCode::usage, "{}: column {} is both {} and {}, expected one part per column", table_.source,
               base::quoted(column), name_of(*earlier), name_of(role));
  }

  const Table& table_;
  std::vector<std::optional<Role>> roles_;
};

/// By which find_column finds it in a table with the same columns: its name, or its index where it has none.
Column labelled(const Table& table, std::size_t position) {
  const bool named = position < table.names.size() && !table.names[position].empty();
  return {named ? table.names[position] : fmt::format("{}", position), position, unit_of(table, position)};
}

Column plain(const Table& table, std::size_t position) {
  return {table.names.empty() ? std::string() : table.names[position], position, unit_of(table, position)};
}

std::vector<Column> each(const Table& table, std::span<const std::size_t> positions,
                         Column (*column)(const Table&, std::size_t)) {
  std::vector<Column> columns;
  for (const std::size_t position : positions) columns.push_back(column(table, position));
  return columns;
}

/// Throws usage where options of a classification contradict each other.
void check_task(const Table& table, const DatasetOptions& options) {
  const bool is_regression = options.task == Task::regression;
  base::require(options.counts.empty() || options.targets.empty(), ErrorCode::usage,
                "{}: both a target and counts are given, expected one of them", table.source);
  base::require(options.counts.size() != 1, ErrorCode::usage, "{}: 1 column of counts, expected one for each class",
                table.source);
  base::require(options.classes.empty() || options.counts.empty(), ErrorCode::usage,
                "{}: classes are given beside counts, whose columns name the classes", table.source);
  base::require(!is_regression || (options.counts.empty() && options.classes.empty()), ErrorCode::usage,
                "{}: the task is regression, but {} are given", table.source,
                options.counts.empty() ? "classes" : "counts");
  const bool is_classification = options.task == Task::classification || !options.classes.empty();
  base::require(!is_classification || options.targets.size() <= 1, ErrorCode::usage,
                "{}: {} targets of a classification, expected 1", table.source, options.targets.size());
  base::require(options.noise_std.empty() || !(is_classification || !options.counts.empty()), ErrorCode::usage,
                "{}: known noise is given, which classes do not have", table.source);
}

void check_options(const Table& table, const DatasetOptions& options) {
  base::require(!options.targets.empty() || !options.counts.empty(), ErrorCode::usage,
                "{}: no target, expected at least one column", table.source);
  check_task(table, options);
  base::require(options.inputs.empty() || options.ignore.empty(), ErrorCode::usage,
                "{}: both inputs and ignored columns are given, expected one of them", table.source);
  const std::size_t noise_count = options.noise_std.size();
  base::require(noise_count <= 1 || noise_count == options.targets.size(), ErrorCode::usage,
                "{}: {} of noise for {}, expected one for all or one each", table.source,
                count_of(noise_count, "column"), count_of(options.targets.size(), "target"));
}

void name_targets(const Table& table, std::vector<Column>& targets) {
  const std::vector<std::string> unnamed = default_target_names(targets.size());
  for (std::size_t k = 0; k < targets.size() && table.names.empty(); ++k) targets[k].name = unnamed[k];
  base::require(std::ranges::find(targets, "", &Column::name) == targets.end(), ErrorCode::data,
                "{}: a target has an empty name", table.source);
}

}  // namespace

std::vector<std::string> names_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> units_of(std::span<const Column> columns) {
  std::vector<std::string> units;
  for (const Column& column : columns) units.push_back(column.unit);
  return std::ranges::all_of(units, &std::string::empty) ? std::vector<std::string>() : units;
}

void set_units(std::span<const std::string> units, std::vector<Column>& columns, std::string_view what,
               ErrorCode code) {
  base::require(units.empty() || units.size() == columns.size(), code, "{} for {}", count_of(units.size(), "unit"),
                count_of(columns.size(), what));
  for (std::size_t i = 0; i < units.size(); ++i) columns[i].unit = units[i];
}

void check_unit(const Column& expected, const std::string& unit, const std::string& source) {
  base::require(unit.empty() || expected.unit.empty() || unit == expected.unit, ErrorCode::data,
                "{}: column {} is in {}, expected {} as in training", source, base::quoted(expected.name),
                base::quoted(unit), base::quoted(expected.unit));
}

void check_units(const Schema& expected, const Schema& found, const std::string& source) {
  for (std::size_t i = 0; i < expected.inputs.size(); ++i) check_unit(expected.inputs[i], found.inputs[i].unit, source);
  for (std::size_t k = 0; k < expected.targets.size(); ++k) {
    check_unit(expected.targets[k], found.targets[k].unit, source);
  }
}

std::vector<std::size_t> positions_of(std::span<const Column> columns) {
  std::vector<std::size_t> positions;
  for (const Column& column : columns) {
    if (!column.position) return {};
    positions.push_back(*column.position);
  }
  return positions;
}

std::vector<Column> make_columns(std::span<const std::string> names, std::span<const std::size_t> positions,
                                 std::size_t count, std::string_view what, ErrorCode code) {
  base::require(names.empty() || names.size() == count, code, "{} for {}", count_of(names.size(), "name"),
                count_of(count, what));
  base::require(positions.empty() || positions.size() == count, code, "{} for {}",
                count_of(positions.size(), "position"), count_of(count, what));
  std::vector<Column> columns(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!names.empty()) columns[i].name = names[i];
    if (!positions.empty()) columns[i].position = positions[i];
  }
  return columns;
}

std::vector<std::string> Schema::input_names() const {
  return has_names ? names_of(inputs) : std::vector<std::string>();
}

std::vector<std::string> Schema::input_keys() const {
  if (has_names) return names_of(inputs);
  std::vector<std::string> keys;
  for (const Column& input : inputs) keys.push_back(fmt::format("{}", *input.position));
  return keys;
}

std::vector<std::string> Schema::target_names() const {
  return names_of(targets);
}

std::vector<std::string> Schema::input_labels() const {
  std::vector<std::string> labels = input_keys();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_nameless = labels[i].empty() && inputs[i].position;
    if (is_nameless) labels[i] = fmt::format("column {} (without a name)", *inputs[i].position);
    labels[i] = label_with_unit(labels[i], inputs[i].unit);
  }
  return labels;
}

std::vector<std::string> Schema::target_labels() const {
  std::vector<std::string> labels;
  for (const Column& target : targets) labels.push_back(label_with_unit(target.name, target.unit));
  return labels;
}

void check_positions(const Schema& schema, ErrorCode code) {
  const auto check = [&](const Column& column, std::string_view what) {
    base::require(!column.position || *column.position < schema.table_columns, code, "{} is column {} of a table of {}",
                  what, column.position.value_or(0), schema.table_columns);
  };
  for (const Column& column : schema.inputs) check(column, "an input");
  for (const Column& column : schema.targets) check(column, "a target");
}

Schema schema_of(const DatasetParts& parts) {
  std::vector<std::size_t> positions(parts.inputs.cols());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const std::vector<std::string> names =
      parts.target_names.empty() ? default_target_names(parts.targets.cols()) : parts.target_names;
  Schema schema{.inputs = make_columns(parts.input_names, positions, parts.inputs.cols(), "input", ErrorCode::data),
                .targets = make_columns(names, {}, parts.targets.cols(), "target", ErrorCode::data),
                .noise = make_columns(parts.noise_names, {}, parts.noise_names.size(), "target", ErrorCode::data),
                .has_noise = !parts.noise_std.empty(),
                .has_names = !parts.input_names.empty(),
                .table_columns = parts.inputs.cols()};
  const auto check = [&](std::size_t count, std::string_view what) {
    base::require(count == 0 || count == parts.inputs.cols(), ErrorCode::data, "{} {} for {}", count, what,
                  count_of(parts.inputs.cols(), "input"));
  };
  check(parts.input_kinds.size(), "kinds");
  check(parts.input_levels.size(), "lists of levels");
  for (std::size_t i = 0; i < parts.input_kinds.size(); ++i) {
    schema.inputs[i].kind = parts.input_kinds[i];
    schema.inputs[i].is_wanted = true;
  }
  for (std::size_t i = 0; i < parts.input_levels.size(); ++i) schema.inputs[i].levels = parts.input_levels[i];
  const bool has_classes = !parts.target_levels.empty() || !parts.classes.empty();
  schema.task = parts.task != Task::automatic ? parts.task : has_classes ? Task::classification : Task::regression;
  if (schema.is_classification()) schema.classes = parts.classes;
  if (!parts.target_levels.empty()) {
    base::require(parts.targets.cols() == 1 && parts.task != Task::regression, ErrorCode::data,
                  "levels are given for {}, expected one target of a classification",
                  count_of(parts.targets.cols(), "target"));
    schema.targets.front().kind = ColumnKind::category;
    schema.targets.front().levels = parts.target_levels;
  }
  if (!parts.weights.empty()) schema.weight = Column{.name = parts.weight_name};
  if (!parts.groups.empty()) schema.group = Column{.name = parts.group_name};
  if (!parts.times.empty()) schema.time = Column{.name = parts.time_name};
  return schema;
}

Schema make_schema(const Table& table, const DatasetOptions& options) {
  check_options(table, options);
  Schema schema{
      .has_noise = !options.noise_std.empty(), .has_names = !table.names.empty(), .table_columns = table.cols()};
  Roles roles(table);
  schema.targets =
      each(table, roles.assign(Role::target, options.counts.empty() ? options.targets : options.counts), plain);
  if (!options.counts.empty()) schema.task = Task::classification;
  const auto single = [&](Role role, const std::string& column) {
    return column.empty() ? std::nullopt : std::optional(labelled(table, roles.assign(role, {&column, 1})[0]));
  };
  schema.weight = single(Role::weight, options.weight);
  schema.noise = each(table, roles.assign(Role::noise, options.noise_std), labelled);
  schema.group = single(Role::group, options.group);
  schema.time = single(Role::time, options.time);
  const std::vector<std::size_t> inputs = roles.assign(Role::input, options.inputs);
  roles.assign(Role::ignored, options.ignore);
  schema.inputs = each(table, options.inputs.empty() ? roles.unassigned() : inputs, plain);
  base::require(!schema.inputs.empty(), ErrorCode::usage, "{}: no column is left as input", table.source);
  name_targets(table, schema.targets);
  return schema;
}

std::vector<std::string> labels_of(std::span<const Column> columns) {
  std::vector<std::string> labels;
  for (const Column& column : columns) {
    labels.push_back(column.name.empty() ? label_of(column.position.value_or(labels.size()), {})
                                         : "column " + base::quoted(column.name));
  }
  return labels;
}

}  // namespace credens::data
