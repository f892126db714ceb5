// SPDX-License-Identifier: Apache-2.0

#include "model/member_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "math/linalg.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr PosteriorKind all_kinds[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                                       PosteriorKind::full};

/// sum_l w_l [(m_li - m_i)(m_lj - m_j) + phi_li^T Sigma_lk phi_lj] in data units, with Sigma in full.
double plain_joint(const Ensemble& ensemble, const MemberOutputs& outputs, std::size_t i, std::size_t j,
                   std::size_t k) {
  double mean_i = 0;
  double mean_j = 0;
  for (std::size_t l = 0; l < ensemble.members(); ++l) {
    mean_i += ensemble.weights()[l] * outputs.mean[l](i, k);
    mean_j += ensemble.weights()[l] * outputs.mean[l](j, k);
  }
  double sum = 0;
  for (std::size_t l = 0; l < ensemble.members(); ++l) {
    const MemberPosterior& posterior = ensemble.state().members[l].posterior;
    const Matrix sigma = covariance_of(posterior, outputs.features[l].cols(), k);
    const double within = quadratic_form(sigma, extended(posterior, outputs.features[l].row(i)),
                                         extended(posterior, outputs.features[l].row(j)));
    sum += ensemble.weights()[l] * ((outputs.mean[l](i, k) - mean_i) * (outputs.mean[l](j, k) - mean_j) + within);
  }
  const double scale = ensemble.state().target_scaler.scale[k];
  return sum * scale * scale;
}

TEST(JointCovariance, IsThatOfPlainLoopsForEveryRung) {
  const Matrix inputs = random_matrix(6, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    for (const bool random_bias : {false, true}) {
      const Ensemble ensemble =
          random_ensemble({.posterior = kind, .random_bias = random_bias, .weights = {0.5, 0.0, 0.5}});
      const MemberOutputs outputs = ensemble.member_outputs(inputs);
      const std::vector<Matrix> joint = ensemble.joint_epistemic_covariance(inputs);
      ASSERT_EQ(joint.size(), 2U);
      EXPECT_EQ(joint, ensemble.joint_epistemic_covariance(outputs));
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < 6; ++j) {
            EXPECT_NEAR(joint[k](i, j), plain_joint(ensemble, outputs, i, j, k), 1e-12);
          }
        }
      }
    }
  }
}

TEST(JointCovariance, IsSymmetricWithTheEpistemicVarianceOnItsDiagonal) {
  const Matrix inputs = random_matrix(40, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    const Ensemble ensemble = random_ensemble({.posterior = kind});
    const Matrix variance = ensemble.predict(inputs).epistemic_variance();
    const std::vector<Matrix> joint = ensemble.joint_epistemic_covariance(inputs);
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NEAR(joint[k](i, i), variance(i, k), 1e-12 * variance(i, k));
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(joint[k](i, j), joint[k](j, i));
      }
      EXPECT_GE(math::symmetric_eigenvalues(joint[k]).front(), -1e-11);
    }
  }
}

TEST(JointCovariance, OfNoRowsIsEmpty) {
  const std::vector<Matrix> joint = random_ensemble({}).joint_epistemic_covariance(Matrix(0, 3));
  EXPECT_EQ(joint, std::vector<Matrix>(2));
}

TEST(JointCovariance, RefusesMoreRowsThanMemoryHolds) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  EXPECT_THAT([&] { ensemble.joint_epistemic_covariance(Matrix(30001, 3)); },
              test::Fails(ErrorCode::usage, "choose fewer rows"));
}

}  // namespace
}  // namespace credens::model
