// SPDX-License-Identifier: Apache-2.0

#include <credens/output_rows.hpp>

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

TEST(OutputRows, AreViewsOfTheArrays) {
  const MemberOutputs outputs = random_ensemble({}).member_outputs(random_matrix(5, 3, 2));
  const OutputRows rows(outputs);
  EXPECT_EQ(rows.members(), 3U);
  EXPECT_EQ(rows.rows(), 5U);
  EXPECT_EQ(rows.outputs(), 2U);
  EXPECT_EQ(rows.features[1].data(), outputs.features[1].data());
  EXPECT_TRUE(rows.targets.empty());
}

/// Rows of more columns than are looked at, as numpy's slices have them.
OutputRows sliced(const std::vector<Matrix>& wide, const MemberOutputs& outputs) {
  OutputRows rows(outputs);
  for (std::size_t l = 0; l < wide.size(); ++l) {
    rows.features[l] = MatrixView(wide[l].data(), wide[l].rows(), outputs.features[l].cols(), wide[l].cols());
  }
  return rows;
}

TEST(OutputRows, ArePredictedAndSampledAsTheArraysAre) {
  const Matrix inputs = random_matrix(700, 3, 2);
  for (const PosteriorKind kind : {PosteriorKind::isotropic, PosteriorKind::full}) {
    const Ensemble ensemble = without_networks(random_ensemble({.posterior = kind}));
    const MemberOutputs outputs = random_ensemble({.posterior = kind}).member_outputs(inputs);
    std::vector<Matrix> wide;
    for (const Matrix& features : outputs.features) {
      wide.emplace_back(features.rows(), features.cols() + 2, -7.0);
      for (std::size_t i = 0; i < features.rows(); ++i) {
        std::copy(features.row(i).begin(), features.row(i).end(), wide.back().row(i).begin());
      }
    }
    const OutputRows rows = sliced(wide, outputs);
    EXPECT_EQ(predict(ensemble, rows).components().epistemic_variance,
              ensemble.predict(outputs).components().epistemic_variance);
    EXPECT_EQ(predict(ensemble, rows, 1).components().mean, ensemble.predict(outputs).components().mean);
    EXPECT_EQ(sample(ensemble, rows, {.draws = 3, .of = Draw::observation}).values,
              ensemble.sample(outputs, {.draws = 3, .of = Draw::observation}).values);
  }
}

TEST(OutputRows, AreRefusedWithTheRowOfTheWhole) {
  MemberOutputs outputs = random_ensemble({}).member_outputs(random_matrix(5, 3, 2));
  outputs.variance[2](3, 1) = -1;
  EXPECT_THAT([&] { check(OutputRows(outputs), 100); },
              test::Fails(ErrorCode::data, "variance of member 2: row 103, column 1 is -1"));
}

TEST(OutputRows, OfAnotherEnsembleAreRefused) {
  const Ensemble ensemble = random_ensemble({});
  const MemberOutputs other = random_ensemble({.hidden = {4}}).member_outputs(random_matrix(5, 3, 2));
  EXPECT_THAT([&] { predict(ensemble, other); }, test::Fails(ErrorCode::data, "4 features for member 0, expected 5"));
  const MemberOutputs own = ensemble.member_outputs(random_matrix(5, 3, 2));
  const Matrix noise(5, 2, 1.0);
  EXPECT_THAT([&] { sample(ensemble, own, {.noise_std = noise}); }, test::Fails(ErrorCode::usage, "noise_std"));
}

}  // namespace
}  // namespace credens::model
