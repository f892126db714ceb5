// SPDX-License-Identifier: Apache-2.0

#include <credens/output_rows.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/classes.hpp"
#include "data/table.hpp"
#include "model/class_labels.hpp"
#include "model/member_source.hpp"
#include "model/weights.hpp"

namespace credens {

namespace {

using base::require;

std::vector<MatrixView> views_of(const std::vector<Matrix>& matrices) {
  return {matrices.begin(), matrices.end()};
}

void check_count(std::size_t found, std::size_t members, std::string_view array) {
  require(found == members, ErrorCode::data, "{} is given for {} members, expected {}", array, found, members);
}

void check_member(const OutputRows& rows, std::size_t member, std::size_t first_row) {
  const std::string features_name = model::of_member("features", member);
  const MatrixView features = rows.features[member];
  require(features.cols() > 0, ErrorCode::data, "{} have no columns, expected at least 1", features_name);
  base::check_shape(features, rows.rows(), features.cols(), features_name);
  base::check_finite(features, features_name, first_row);

  const std::string head_name = model::of_member(rows.has_classes() ? "logits" : "mean", member);
  base::check_shape(rows.head()[member], rows.rows(), rows.outputs(), head_name);
  base::check_finite(rows.head()[member], head_name, first_row);
  if (rows.has_classes()) return;

  const std::string variance_name = model::of_member("variance", member);
  const MatrixView variance = rows.variance[member];
  base::check_shape(variance, rows.rows(), variance.cols() == 1 ? 1 : rows.outputs(), variance_name);
  base::check_positive(variance, variance_name, first_row);
}

void check_row_weights(const OutputRows& rows, std::size_t first_row) {
  const std::span<const double> weights = rows.row_weights;
  require(weights.empty() || weights.size() == rows.rows(), ErrorCode::data, "row_weights has {} values, expected {}",
          weights.size(), rows.rows());
  model::RowWeights("row_weights", first_row).add(weights);
}

void check_targets(const OutputRows& rows, std::size_t first_row) {
  if (rows.targets.empty()) return;
  if (!rows.has_classes()) {
    base::check_shape(rows.targets, rows.rows(), rows.outputs(), "targets");
    base::check_finite(rows.targets, "targets", first_row);
    return;
  }
  require(rows.targets.rows() == rows.rows(), ErrorCode::data, "targets has {} rows, expected {}", rows.targets.rows(),
          rows.rows());
  model::check_labels(rows.targets, rows.outputs(), "targets", first_row);
}

void check_last_layers(const MemberOutputs& outputs) {
  if (outputs.last_layer.empty()) return;
  check_count(outputs.last_layer.size(), outputs.members(), "last_layer");
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    base::check_shape(outputs.last_layer[l], outputs.outputs(), outputs.features[l].cols(),
                      model::of_member("last_layer", l));
    base::check_finite(outputs.last_layer[l], model::of_member("last_layer", l));
  }
}

/// Arrays of classes, or of numbers: not of both.
void check_kinds(const OutputRows& rows) {
  if (!rows.has_classes()) return;
  require(rows.mean.empty(), ErrorCode::data, "logits are given beside a mean, expected one of the two");
  require(rows.variance.empty(), ErrorCode::data, "variance is given beside logits, which have none");
}

/// Names become columns of tables.
void check_names(const std::vector<std::string>& names, std::string_view list) {
  require(std::ranges::find(names, "") == names.end(), ErrorCode::data, "{} has an empty name", list);
  const auto twice = data::first_duplicate(names);
  require(!twice, ErrorCode::data, "{} has {} twice", list, twice ? base::quoted(names[twice->first]) : "");
}

void check_classes(const MemberOutputs& outputs) {
  const std::size_t classes = outputs.outputs();
  require(outputs.target_scale.empty() && outputs.target_shift.empty(), ErrorCode::data,
          "{} is given beside logits, whose targets have no scale",
          outputs.target_scale.empty() ? "target_shift" : "target_scale");
  require(outputs.target_names.size() <= 1, ErrorCode::data, "target_names has {} names, expected one for all classes",
          outputs.target_names.size());
  check_names(outputs.target_names, "target_names");
  require(outputs.classes.empty() || outputs.classes.size() == classes, ErrorCode::data,
          "classes has {} names, expected {}", outputs.classes.size(), classes);
  check_names(outputs.classes, "classes");
  for (const std::string& name : outputs.classes) {
    const auto number = base::parse_double(name);
    require(!outputs.has_number_classes || (number && std::isfinite(*number)), ErrorCode::data,
            "classes has the name {}, expected a number as its type says", base::quoted(name));
  }
}

void check_per_output(const MemberOutputs& outputs) {
  if (outputs.has_classes()) return check_classes(outputs);
  require(outputs.classes.empty(), ErrorCode::data, "classes are given, but there are no logits");
  const auto fits = [&](std::size_t size) { return size == 0 || size == outputs.outputs(); };
  require(fits(outputs.target_scale.size()), ErrorCode::data, "target_scale has {} values, expected {}",
          outputs.target_scale.size(), outputs.outputs());
  require(fits(outputs.target_shift.size()), ErrorCode::data, "target_shift has {} values, expected {}",
          outputs.target_shift.size(), outputs.outputs());
  require(fits(outputs.target_names.size()), ErrorCode::data, "target_names has {} names, expected {}",
          outputs.target_names.size(), outputs.outputs());
  for (std::size_t k = 0; k < outputs.target_scale.size(); ++k) {
    require(model::is_target_scale(outputs.target_scale[k]), ErrorCode::data,
            "target_scale: value {} is {}, expected a number between {} and {}", k, outputs.target_scale[k],
            model::least_target_scale, model::largest_target_scale);
  }
  base::check_finite(outputs.target_shift, "target_shift");
  check_names(outputs.target_names, "target_names");
}

}  // namespace

OutputRows::OutputRows(const MemberOutputs& outputs)
    : features(views_of(outputs.features)),
      mean(views_of(outputs.mean)),
      variance(views_of(outputs.variance)),
      logits(views_of(outputs.logits)),
      targets(outputs.targets),
      row_weights(outputs.row_weights) {}

void check(const OutputRows& rows, std::size_t first_row) {
  check_kinds(rows);
  require(rows.members() > 0, ErrorCode::data, "the outputs have no members, expected at least 1");
  if (rows.has_classes()) {
    model::check_class_count(rows.outputs(), "logits");
  } else {
    require(rows.outputs() > 0, ErrorCode::data, "the mean of the outputs has no columns, expected at least 1");
    check_count(rows.variance.size(), rows.members(), "variance");
  }
  check_count(rows.features.size(), rows.members(), "features");
  for (std::size_t l = 0; l < rows.members(); ++l) check_member(rows, l, first_row);
  check_targets(rows, first_row);
  check_row_weights(rows, first_row);
}

void check(const MemberOutputs& outputs) {
  check(OutputRows(outputs));
  if (!outputs.row_weights.empty()) model::check_weights(outputs.row_weights, outputs.rows(), "row_weights");
  check_last_layers(outputs);
  if (!outputs.member_weights.empty()) {
    model::check_weights(outputs.member_weights, outputs.members(), "member_weights");
  }
  check_per_output(outputs);
}

namespace model {

std::string of_member(std::string_view array, std::size_t member) {
  return fmt::format("{} of member {}", array, member);
}

Matrix variance_block(MatrixView variance, std::size_t first, std::size_t count, std::size_t outputs) {
  Matrix block(count, outputs);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = variance.row(first + i);
    if (row.size() == outputs)
      std::ranges::copy(row, block.row(i).begin());
    else
      std::ranges::fill(block.row(i), row[0]);
  }
  return block;
}

Matrix variances_of(const OutputRows& rows, std::size_t member, std::size_t first, std::size_t count) {
  if (rows.has_classes()) return {count, 1, static_cast<double>(rows.outputs())};
  return variance_block(rows.variance[member], first, count, rows.outputs());
}

}  // namespace model

}  // namespace credens
