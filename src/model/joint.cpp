// SPDX-License-Identifier: Apache-2.0

#include "model/joint.hpp"

#include "base/check.hpp"
#include "math/linalg.hpp"

namespace credens::model {

namespace {

// 7.2 GB of doubles: 30,000 rows of one output.
constexpr double largest_result = 9e8;

void check_size(std::size_t rows, std::size_t outputs) {
  const double n = static_cast<double>(rows);
  base::require(n * n * static_cast<double>(outputs) <= largest_result, ErrorCode::usage,
                "the joint covariance of {} rows and {} outputs has more than {:.0f} values, choose fewer rows", rows,
                outputs, largest_result);
}

/// S^T phi_i of output k in column i: [P x N], whose Gram matrix over columns is phi_i^T Sigma_k phi_j.
Matrix whitened_columns(const MemberPosterior& posterior, const Matrix& features, std::size_t output) {
  Matrix columns(random_weights(posterior, features.cols()), features.rows());
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const std::vector<double> column = whitened(posterior, features.row(i), output);
    for (std::size_t j = 0; j < column.size(); ++j) columns(j, i) = column[j];
  }
  return columns;
}

/// m_li - m_i of output k as a row: [1 x N].
Matrix deviation_row(const Predictive& predictive, const Matrix& mean, std::size_t member, std::size_t output) {
  const MixtureComponents& components = predictive.components();
  Matrix row(1, components.rows);
  for (std::size_t i = 0; i < components.rows; ++i) {
    const std::size_t at = (i * components.weights.size() + member) * components.outputs + output;
    row(0, i) = components.mean[at] - mean(i, output);
  }
  return row;
}

void add_outer_products(const Matrix& rows, double weight, Matrix& covariance) {
  math::add_weighted_gram(rows, std::vector<double>(rows.rows(), weight), covariance);
}

}  // namespace

std::vector<Matrix> joint_covariance(const EnsembleState& state, const MemberSource& rows) {
  const std::size_t outputs = state.target_scaler.cols();
  check_size(rows.rows(), outputs);
  const Predictive predictive = predictive_of(state, rows, 0);
  const Matrix mean = predictive.mean();
  const std::unique_ptr<MemberReader> reader = rows.reader();
  reader->take(0, rows.rows());

  std::vector<Matrix> covariances(outputs, Matrix(rows.rows(), rows.rows()));
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const double weight = state.weights[l];
    const MemberPosterior& posterior = state.members[l].posterior;
    const Matrix features = member_block(*reader, l, rows.rows()).features;
    for (std::size_t k = 0; weight > 0 && k < outputs; ++k) {
      add_outer_products(deviation_row(predictive, mean, l, k), weight, covariances[k]);
      if (posterior.kind == PosteriorKind::delta) continue;
      const double scale = state.target_scaler.scale[k];
      add_outer_products(whitened_columns(posterior, features, k), weight * (scale * scale), covariances[k]);
    }
  }
  return covariances;
}

}  // namespace credens::model
