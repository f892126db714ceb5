// SPDX-License-Identifier: Apache-2.0

#include <credens/member_outputs.hpp>

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"
#include "model/ensemble_state.hpp"
#include "model/weights.hpp"

namespace credens {

namespace {

using base::require;

std::string of_member(std::string_view array, std::size_t member) {
  return fmt::format("{} of member {}", array, member);
}

void check_count(std::size_t found, std::size_t members, std::string_view array) {
  require(found == members, ErrorCode::data, "{} is given for {} members, expected {}", array, found, members);
}

void check_member(const MemberOutputs& outputs, std::size_t member) {
  const std::size_t rows = outputs.rows();
  const Matrix& features = outputs.features[member];
  require(features.cols() > 0, ErrorCode::data, "features of member {} have no columns, expected at least 1", member);
  base::check_shape(features, rows, features.cols(), of_member("features", member));
  base::check_finite(features, of_member("features", member));

  base::check_shape(outputs.mean[member], rows, outputs.outputs(), of_member("mean", member));
  base::check_finite(outputs.mean[member], of_member("mean", member));

  const Matrix& variance = outputs.variance[member];
  const std::size_t variance_cols = variance.cols() == 1 ? 1 : outputs.outputs();
  base::check_shape(variance, rows, variance_cols, of_member("variance", member));
  base::check_positive(variance, of_member("variance", member));
}

void check_last_layers(const MemberOutputs& outputs) {
  if (outputs.last_layer.empty()) return;
  check_count(outputs.last_layer.size(), outputs.members(), "last_layer");
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    base::check_shape(outputs.last_layer[l], outputs.outputs(), outputs.features[l].cols(), of_member("last_layer", l));
    base::check_finite(outputs.last_layer[l], of_member("last_layer", l));
  }
}

void check_targets(const MemberOutputs& outputs) {
  if (!outputs.targets.empty()) {
    base::check_shape(outputs.targets, outputs.rows(), outputs.outputs(), "targets");
    base::check_finite(outputs.targets, "targets");
  }
  if (!outputs.row_weights.empty()) model::check_weights(outputs.row_weights, outputs.rows(), "row_weights");
}

/// Names become columns of tables.
void check_names(const std::vector<std::string>& names) {
  require(std::ranges::find(names, "") == names.end(), ErrorCode::data, "target_names has an empty name");
  const auto twice = data::first_duplicate(names);
  require(!twice, ErrorCode::data, "target_names has {} twice", twice ? base::quoted(names[twice->first]) : "");
}

void check_per_output(const MemberOutputs& outputs) {
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
  check_names(outputs.target_names);
}

Matrix row_block(const Matrix& matrix, std::size_t first, std::size_t count) {
  const std::span<const double> values = matrix.values().subspan(first * matrix.cols(), count * matrix.cols());
  return {count, matrix.cols(), std::vector<double>(values.begin(), values.end())};
}

/// Rows of a variance, its one column repeated for each output where the outputs share their noise.
Matrix variance_block(const Matrix& variance, std::size_t first, std::size_t count, std::size_t outputs) {
  if (variance.cols() == outputs) return row_block(variance, first, count);
  Matrix block(count, outputs);
  for (std::size_t i = 0; i < count; ++i) {
    std::fill(block.row(i).begin(), block.row(i).end(), variance(first + i, 0));
  }
  return block;
}

}  // namespace

void check(const MemberOutputs& outputs) {
  require(outputs.members() > 0, ErrorCode::data, "the outputs have no members, expected at least 1");
  require(outputs.outputs() > 0, ErrorCode::data, "the mean of the outputs has no columns, expected at least 1");
  check_count(outputs.features.size(), outputs.members(), "features");
  check_count(outputs.variance.size(), outputs.members(), "variance");
  for (std::size_t l = 0; l < outputs.members(); ++l) check_member(outputs, l);
  check_last_layers(outputs);
  check_targets(outputs);
  if (!outputs.member_weights.empty()) {
    model::check_weights(outputs.member_weights, outputs.members(), "member_weights");
  }
  check_per_output(outputs);
}

std::vector<model::MemberBlock> model::block_of(const MemberOutputs& outputs, std::size_t first, std::size_t count) {
  std::vector<MemberBlock> blocks;
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    blocks.push_back({.features = row_block(outputs.features[l], first, count),
                      .mean = row_block(outputs.mean[l], first, count),
                      .variance = variance_block(outputs.variance[l], first, count, outputs.outputs())});
  }
  return blocks;
}

}  // namespace credens
