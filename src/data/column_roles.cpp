// SPDX-License-Identifier: Apache-2.0

#include "data/column_roles.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"

namespace credens::data {

namespace {

enum class Role { target, input, ignored, weight, noise };

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 5> names = {"target", "input", "ignored", "weight", "noise"};
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

std::vector<std::string> names_at(const Table& table, std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  if (table.names.empty()) return names;
  for (const std::size_t column : columns) names.push_back(table.names[column]);
  return names;
}

/// By which find_column finds them in a table of the same layout: names, or indices where there is none.
std::vector<std::string> labels_at(const Table& table, std::span<const std::size_t> columns) {
  std::vector<std::string> labels;
  for (const std::size_t column : columns) {
    const bool named = column < table.names.size() && !table.names[column].empty();
    labels.push_back(named ? table.names[column] : fmt::format("{}", column));
  }
  return labels;
}

}  // namespace

ColumnRoles assign_columns(const Table& table, const DatasetOptions& options) {
  base::require(!options.targets.empty(), ErrorCode::usage, "{}: no target, expected at least one column",
                table.source);
  base::require(options.inputs.empty() || options.ignore.empty(), ErrorCode::usage,
                "{}: both inputs and ignored columns are given, expected one of them", table.source);
  const std::size_t noise_count = options.noise_std.size();
  base::require(noise_count <= 1 || noise_count == options.targets.size(), ErrorCode::usage,
                "{}: {} of noise for {}, expected one for all or one each", table.source,
                count_of(noise_count, "column"), count_of(options.targets.size(), "target"));
  Roles roles(table);
  ColumnRoles columns;
  columns.targets = roles.assign(Role::target, options.targets);
  if (!options.weight.empty()) columns.weight = roles.assign(Role::weight, {&options.weight, 1});
  columns.noise = roles.assign(Role::noise, options.noise_std);
  columns.inputs = roles.assign(Role::input, options.inputs);
  roles.assign(Role::ignored, options.ignore);
  if (options.inputs.empty()) columns.inputs = roles.unassigned();
  base::require(!columns.inputs.empty(), ErrorCode::usage, "{}: no column is left as input", table.source);
  return columns;
}

DatasetParts layout_of(const Table& table, const ColumnRoles& columns) {
  DatasetParts layout;
  layout.inputs = Matrix(0, columns.inputs.size());
  layout.targets = Matrix(0, columns.targets.size());
  layout.input_names = names_at(table, columns.inputs);
  layout.target_names = names_at(table, columns.targets);
  if (layout.target_names.empty()) layout.target_names = default_target_names(columns.targets.size());
  base::require(std::ranges::find(layout.target_names, "") == layout.target_names.end(), ErrorCode::data,
                "{}: a target has an empty name", table.source);
  if (!columns.weight.empty()) layout.weight_name = labels_at(table, columns.weight).front();
  layout.noise_names = labels_at(table, columns.noise);
  layout.input_columns = columns.inputs;
  layout.table_columns = table.cols();
  layout.target_columns = columns.targets;
  return layout;
}

}  // namespace credens::data
