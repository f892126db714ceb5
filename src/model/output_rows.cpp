// SPDX-License-Identifier: Apache-2.0

#include "model/output_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "model/member_source.hpp"
#include "model/sampler.hpp"

namespace credens {

namespace {

using base::require;

std::vector<MatrixView> views_of(const std::vector<Matrix>& matrices) {
  return {matrices.begin(), matrices.end()};
}

void check_count(std::size_t found, std::size_t members, std::string_view array) {
  require(found == members, ErrorCode::data, "{} is given for {} members, expected {}", array, found, members);
}

template <class Holds>
void check_values(MatrixView values, std::string_view name, std::size_t first_row, Holds holds,
                  std::string_view expected) {
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      if (holds(values(row, col))) continue;
      base::fail(ErrorCode::data, "{}: row {}, column {} is {}, expected {}", name, first_row + row, col,
                 values(row, col), expected);
    }
  }
}

void check_member(const OutputRows& rows, std::size_t member, std::size_t first_row) {
  const std::string features_name = model::of_member("features", member);
  const MatrixView features = rows.features[member];
  require(features.cols() > 0, ErrorCode::data, "{} have no columns, expected at least 1", features_name);
  base::check_shape(features, rows.rows(), features.cols(), features_name);
  model::check_finite(features, features_name, first_row);

  const std::string mean_name = model::of_member("mean", member);
  base::check_shape(rows.mean[member], rows.rows(), rows.outputs(), mean_name);
  model::check_finite(rows.mean[member], mean_name, first_row);

  const std::string variance_name = model::of_member("variance", member);
  const MatrixView variance = rows.variance[member];
  base::check_shape(variance, rows.rows(), variance.cols() == 1 ? 1 : rows.outputs(), variance_name);
  model::check_positive(variance, variance_name, first_row);
}

void check_row_weights(const OutputRows& rows, std::size_t first_row) {
  const std::span<const double> weights = rows.row_weights;
  require(weights.empty() || weights.size() == rows.rows(), ErrorCode::data, "row_weights has {} values, expected {}",
          weights.size(), rows.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require(std::isfinite(weights[i]) && weights[i] >= 0, ErrorCode::data,
            "row_weights: value {} is {}, expected a finite number that is not negative", first_row + i, weights[i]);
  }
}

Matrix copy_of(MatrixView values) {
  Matrix copy(values.rows(), values.cols());
  for (std::size_t row = 0; row < values.rows(); ++row) std::ranges::copy(values.row(row), copy.row(row).begin());
  return copy;
}

}  // namespace

OutputRows::OutputRows(const MemberOutputs& outputs)
    : features(views_of(outputs.features)),
      mean(views_of(outputs.mean)),
      variance(views_of(outputs.variance)),
      targets(outputs.targets),
      row_weights(outputs.row_weights) {}

void check(const OutputRows& rows, std::size_t first_row) {
  require(rows.members() > 0, ErrorCode::data, "the outputs have no members, expected at least 1");
  require(rows.outputs() > 0, ErrorCode::data, "the mean of the outputs has no columns, expected at least 1");
  check_count(rows.features.size(), rows.members(), "features");
  check_count(rows.variance.size(), rows.members(), "variance");
  for (std::size_t l = 0; l < rows.members(); ++l) check_member(rows, l, first_row);
  if (!rows.targets.empty()) {
    base::check_shape(rows.targets, rows.rows(), rows.outputs(), "targets");
    model::check_finite(rows.targets, "targets", first_row);
  }
  check_row_weights(rows, first_row);
}

Predictive predict(const Ensemble& ensemble, const OutputRows& rows, int threads) {
  return model::predictive_of(ensemble.state(), *model::arrays_at(ensemble.state(), rows), threads);
}

Samples sample(const Ensemble& ensemble, const OutputRows& rows, const SampleOptions& options) {
  require(options.threads >= 0, ErrorCode::usage, "threads is {}, expected 0 (all cores) or more", options.threads);
  require(options.noise_std.empty(), ErrorCode::usage,
          "noise_std is given beside the outputs of members, whose variance holds all noise already");
  return model::draw_samples(ensemble.state(), *model::arrays_at(ensemble.state(), rows), options);
}

namespace model {

void check_finite(MatrixView values, std::string_view name, std::size_t first_row) {
  check_values(
      values, name, first_row, [](double value) { return std::isfinite(value); }, "a finite number");
}

void check_positive(MatrixView values, std::string_view name, std::size_t first_row) {
  check_values(
      values, name, first_row, [](double value) { return std::isfinite(value) && value > 0; },
      "a finite number above 0");
}

std::string of_member(std::string_view array, std::size_t member) {
  return fmt::format("{} of member {}", array, member);
}

Matrix variance_block(MatrixView variance, std::size_t first, std::size_t count, std::size_t outputs) {
  if (variance.cols() == outputs) return copy_of(variance.row_block(first, count));
  Matrix block(count, outputs);
  for (std::size_t i = 0; i < count; ++i) {
    std::fill(block.row(i).begin(), block.row(i).end(), variance(first + i, 0));
  }
  return block;
}

}  // namespace model

}  // namespace credens
