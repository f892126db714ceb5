// SPDX-License-Identifier: Apache-2.0

#include <credens/member_outputs.hpp>

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/table.hpp"
#include "model/ensemble_state.hpp"
#include "model/output_rows.hpp"
#include "model/weights.hpp"

namespace credens {

namespace {

using base::require;

void check_last_layers(const MemberOutputs& outputs) {
  if (outputs.last_layer.empty()) return;
  require(outputs.last_layer.size() == outputs.members(), ErrorCode::data,
          "last_layer is given for {} members, expected {}", outputs.last_layer.size(), outputs.members());
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    base::check_shape(outputs.last_layer[l], outputs.outputs(), outputs.features[l].cols(),
                      model::of_member("last_layer", l));
    base::check_finite(outputs.last_layer[l], model::of_member("last_layer", l));
  }
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

}  // namespace

void check(const MemberOutputs& outputs) {
  check(OutputRows(outputs));
  if (!outputs.row_weights.empty()) model::check_weights(outputs.row_weights, outputs.rows(), "row_weights");
  check_last_layers(outputs);
  if (!outputs.member_weights.empty()) {
    model::check_weights(outputs.member_weights, outputs.members(), "member_weights");
  }
  check_per_output(outputs);
}

}  // namespace credens
