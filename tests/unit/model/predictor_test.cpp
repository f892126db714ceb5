// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <credens/predictor.hpp>

#include "support/effort.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/count_allocations.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using model::random_ensemble;
using model::random_matrix;
using model::RandomEnsemble;

std::vector<RandomEnsemble> every_kind() {
  std::vector<RandomEnsemble> kinds;
  for (const PosteriorKind posterior :
       {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
      for (const bool random_bias : {false, true}) {
        kinds.push_back({.noise = noise, .posterior = posterior, .random_bias = random_bias});
      }
    }
    kinds.push_back({.posterior = posterior, .frequencies = 5, .bent = true});
  }
  return kinds;
}

TEST(Predictor, GivesTheBitsOfPredictRowByRow) {
  const Matrix inputs = random_matrix(300, 3, 1);
  const Matrix noise_std = random_matrix(300, 2, 2, 0.1, 1);
  for (const RandomEnsemble& kind : every_kind()) {
    const Ensemble ensemble = random_ensemble(kind);
    const Predictive whole = ensemble.predict(inputs, {.noise_std = noise_std});
    Predictor predictor(ensemble);
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      const auto row = predictor.predict(inputs.row(i), noise_std.row(i));
      for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_EQ(row[k].mean, whole.mean()(i, k));
        ASSERT_EQ(row[k].aleatoric_variance, whole.aleatoric_variance()(i, k));
        ASSERT_EQ(row[k].epistemic_variance, whole.epistemic_variance()(i, k));
      }
    }
    EXPECT_EQ(predictor.components(inputs, noise_std).mean, whole.components().mean);
  }
}

TEST(Predictor, AllocatesNothingAfterItsFirstRow) {
  if (test::is_sanitized) GTEST_SKIP() << "sanitizers have an allocator of their own";
  const Matrix inputs = random_matrix(20, 3, 1);
  const Matrix noise_std = random_matrix(20, 2, 2, 0.1, 1);
  for (const RandomEnsemble& kind : every_kind()) {
    Predictor predictor(random_ensemble(kind));
    predictor.predict(inputs.row(0), noise_std.row(0));
    const std::size_t before = test::allocations();
    ASSERT_GT(before, 0U);
    for (std::size_t i = 1; i < inputs.rows(); ++i) predictor.predict(inputs.row(i), noise_std.row(i));
    EXPECT_EQ(test::allocations() - before, 0U);
  }
}

TEST(Predictor, SeesBentInputsAsTheScalerMakesThem) {
  const Ensemble bent = random_ensemble({.bent = true});
  const data::Scaler& scaler = bent.state().encoder.scaler;
  Matrix inputs = random_matrix(20, 3, 1, -100, 100);
  const Matrix seen = data::scaled(scaler, inputs);
  const Matrix same = data::unscaled(random_ensemble({}).state().encoder.scaler, seen);
  const Matrix mean = bent.predict(inputs).mean();
  const Matrix expected = random_ensemble({}).predict(same).mean();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(mean(i, 0), expected(i, 0), 1e-5);
  inputs(3, 1) = 1e300;
  EXPECT_NO_THROW(bent.predict(inputs));
}

TEST(Predictor, RefusesWhatPredictRefuses) {
  Predictor predictor(random_ensemble({}));
  const double far[] = {0.0, 1e300, 0.0};
  EXPECT_THAT([&] { predictor.predict(std::span(far).first(2)); },
              test::Fails(ErrorCode::data, "inputs have 2 columns, expected 3"));
  EXPECT_THAT([&] { predictor.predict(far); }, test::Fails(ErrorCode::data, "column 1 is 1e+300, too far"));
  EXPECT_THAT([] { Predictor(model::without_networks(random_ensemble({}))); },
              test::Fails(ErrorCode::usage, "this model has no networks"));
}

}  // namespace
}  // namespace credens
