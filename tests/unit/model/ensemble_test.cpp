// SPDX-License-Identifier: Apache-2.0

#include <credens/ensemble.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "model/ensemble_state.hpp"
#include "model/member_source.hpp"
#include "support/edit_network.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr PosteriorKind all_kinds[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                                       PosteriorKind::full};

void expect_identical(const Predictive& a, const Predictive& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.components().mean, b.components().mean);
  EXPECT_EQ(a.components().aleatoric_variance, b.components().aleatoric_variance);
  EXPECT_EQ(a.components().epistemic_variance, b.components().epistemic_variance);
}

void expect_close(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    EXPECT_NEAR(a.values()[i], b.values()[i], tolerance * std::max(1.0, std::abs(b.values()[i])));
  }
}

/// Mean, aleatoric and epistemic variance of one row and output from arrays in network units, formula by formula.
struct PlainMoments {
  double mean = 0;
  double aleatoric = 0;
  double epistemic = 0;
};

PlainMoments plain_moments(const Ensemble& ensemble, const MemberOutputs& outputs, std::size_t row, std::size_t k) {
  const double scale = ensemble.state().target_scaler.scale[k];
  PlainMoments moments;
  double mean = 0;
  for (std::size_t l = 0; l < ensemble.members(); ++l) mean += ensemble.weights()[l] * outputs.mean[l](row, k);
  for (std::size_t l = 0; l < ensemble.members(); ++l) {
    const MemberPosterior& posterior = ensemble.state().members[l].posterior;
    const auto phi = extended(posterior, outputs.features[l].row(row));
    const Matrix sigma = covariance_of(posterior, outputs.features[l].cols(), k);
    const double deviation = outputs.mean[l](row, k) - mean;
    moments.aleatoric += ensemble.weights()[l] * outputs.variance[l](row, k) * scale * scale;
    moments.epistemic +=
        ensemble.weights()[l] * (deviation * deviation + quadratic_form(sigma, phi, phi)) * scale * scale;
  }
  moments.mean = mean * scale + ensemble.state().target_scaler.shift[k];
  return moments;
}

TEST(Predict, GivesTheMomentsOfPlainLoopsForEveryRung) {
  const Matrix inputs = random_matrix(9, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    for (const bool random_bias : {false, true}) {
      const Ensemble ensemble =
          random_ensemble({.posterior = kind, .random_bias = random_bias, .weights = {0.5, 0.125, 0.375}});
      const Predictive predictive = ensemble.predict(inputs);
      const MemberOutputs outputs = ensemble.member_outputs(inputs);
      for (std::size_t row = 0; row < inputs.rows(); ++row) {
        for (std::size_t k = 0; k < 2; ++k) {
          const PlainMoments plain = plain_moments(ensemble, outputs, row, k);
          EXPECT_NEAR(predictive.mean()(row, k), plain.mean, 1e-12);
          EXPECT_NEAR(predictive.aleatoric_variance()(row, k), plain.aleatoric, 1e-12 * plain.aleatoric);
          EXPECT_NEAR(predictive.epistemic_variance()(row, k), plain.epistemic, 1e-12 * plain.epistemic);
        }
      }
    }
  }
}

TEST(Predict, OfTheClassicalEnsembleIsTheDeltaRungExactly) {
  const Matrix inputs = random_matrix(9, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    EnsembleState state = random_state({.posterior = kind});
    const Predictive wide = ensemble_of(state).predict(inputs);
    state.posterior = PosteriorKind::delta;
    for (Member& member : state.members) member.posterior = {};
    expect_identical(wide.classical(), ensemble_of(state).predict(inputs));
  }
}

TEST(Predict, GivesTheSameBitsForAnyNumberOfThreads) {
  const Ensemble ensemble = random_ensemble({.posterior = PosteriorKind::full});
  const Matrix inputs = random_matrix(1500, 3, 2);
  expect_identical(ensemble.predict(inputs, {.threads = 1}), ensemble.predict(inputs, {.threads = 4}));
}

TEST(Predict, GivesARowTheSameBitsAloneAndAmongOthers) {
  const Ensemble ensemble = random_ensemble({.posterior = PosteriorKind::diagonal});
  const Matrix inputs = random_matrix(600, 3, 2);
  const Predictive whole = ensemble.predict(inputs);
  for (const std::size_t row : {0U, 255U, 256U, 599U}) {
    const Predictive alone = ensemble.predict(rows_of(inputs, {row}));
    const std::size_t size = alone.components().mean.size();
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(alone.components().mean[i], whole.components().mean[row * size + i]);
      EXPECT_EQ(alone.components().epistemic_variance[i], whole.components().epistemic_variance[row * size + i]);
    }
  }
}

TEST(Predict, OfMembersInAnotherOrderChangesNothing) {
  EnsembleState state = random_state({.weights = {0.5, 0.125, 0.375}});
  const Matrix inputs = random_matrix(9, 3, 2);
  const Predictive before = ensemble_of(state).predict(inputs);
  std::rotate(state.members.begin(), state.members.begin() + 1, state.members.end());
  std::rotate(state.weights.begin(), state.weights.begin() + 1, state.weights.end());
  const Predictive after = ensemble_of(state).predict(inputs);
  expect_close(after.mean(), before.mean(), 1e-12);
  expect_close(after.aleatoric_variance(), before.aleatoric_variance(), 1e-12);
  expect_close(after.epistemic_variance(), before.epistemic_variance(), 1e-12);
  for (std::size_t row = 0; row < 9; ++row) {
    expect_close(after.total_covariance(row), before.total_covariance(row), 1e-12);
  }
}

TEST(Predict, OfATargetScaledByAPowerOfTwoScalesEveryStdExactly) {
  const Matrix inputs = random_matrix(9, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    for (const int power : {-40, -3, 1, 60}) {
      EnsembleState state = random_state({.posterior = kind});
      const Predictive before = ensemble_of(state).predict(inputs);
      for (double& value : state.target_scaler.scale) value = std::ldexp(value, power);
      for (double& value : state.target_scaler.shift) value = std::ldexp(value, power);
      const Predictive after = ensemble_of(state).predict(inputs);
      for (std::size_t row = 0; row < 9; ++row) {
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_EQ(after.mean()(row, k), std::ldexp(before.mean()(row, k), power));
          EXPECT_EQ(std::sqrt(after.aleatoric_variance()(row, k)),
                    std::ldexp(std::sqrt(before.aleatoric_variance()(row, k)), power));
          EXPECT_EQ(std::sqrt(after.epistemic_variance()(row, k)),
                    std::ldexp(std::sqrt(before.epistemic_variance()(row, k)), power));
          EXPECT_EQ(std::sqrt(after.total_variance()(row, k)),
                    std::ldexp(std::sqrt(before.total_variance()(row, k)), power));
        }
      }
    }
  }
}

TEST(Predict, FromArraysEqualsPredictFromNetworks) {
  const Matrix inputs = random_matrix(700, 3, 2);
  for (const PosteriorKind kind : all_kinds) {
    const Ensemble ensemble = random_ensemble({.posterior = kind, .random_bias = true});
    const MemberOutputs outputs = ensemble.member_outputs(inputs);
    const Predictive from_networks = ensemble.predict(inputs);
    expect_identical(ensemble.predict(outputs), from_networks);
    expect_identical(without_networks(ensemble).predict(outputs), from_networks);
  }
}

TEST(Predict, RepeatsASharedVarianceOverTheOutputs) {
  const Ensemble ensemble = random_ensemble({.noise = NoiseKind::shared});
  MemberOutputs outputs = ensemble.member_outputs(random_matrix(5, 3, 2));
  const Predictive expected = ensemble.predict(outputs);
  for (Matrix& variance : outputs.variance) {
    Matrix one_column(5, 1);
    for (std::size_t i = 0; i < 5; ++i) {
      ASSERT_EQ(variance(i, 0), variance(i, 1));
      one_column(i, 0) = variance(i, 0);
    }
    variance = one_column;
  }
  expect_identical(ensemble.predict(outputs), expected);
}

TEST(Predict, WorksForOneMemberAndNoRows) {
  const Ensemble one = random_ensemble({.members = 1});
  const Predictive predictive = one.predict(random_matrix(4, 3, 2));
  EXPECT_EQ(predictive.members(), 1U);
  EXPECT_EQ(predictive.classical().epistemic_variance(), Matrix(4, 2, 0.0));
  EXPECT_GT(predictive.epistemic_variance()(0, 0), 0);
  EXPECT_EQ(one.predict(Matrix(0, 3)).rows(), 0U);
  EXPECT_EQ(one.predict(MatrixView{}).rows(), 0U);
  EXPECT_EQ(one.member_outputs(Matrix(0, 3)).mean.front(), Matrix(0, 2));
}

TEST(Predict, AddsKnownNoiseInTheUnitsOfTheData) {
  const Matrix inputs = random_matrix(5, 3, 2);
  const Matrix noise_std = random_matrix(5, 2, 3, 0.5, 3);
  const Ensemble ensemble = random_ensemble({});
  const Predictive with = ensemble.predict(inputs, {.noise_std = noise_std});
  const Predictive without = ensemble.predict(inputs);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(with.aleatoric_variance()(i, k),
                  without.aleatoric_variance()(i, k) + noise_std(i, k) * noise_std(i, k), 1e-12);
    }
  }
  EXPECT_EQ(with.epistemic_variance(), without.epistemic_variance());
}

TEST(Predict, TakesKnownNoiseAsItIsWhereNothingWasLearned) {
  const Matrix inputs = random_matrix(5, 3, 2);
  const Matrix noise_std = random_matrix(5, 2, 3, 0.5, 3);
  const Ensemble ensemble = random_ensemble({.noise = NoiseKind::known});
  const Matrix variance = ensemble.predict(inputs, {.noise_std = noise_std}).aleatoric_variance();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(variance(i, k), noise_std(i, k) * noise_std(i, k), 1e-13);
  }
}

TEST(Predict, AsksForKnownNoiseWhereTheModelNeedsIt) {
  const Ensemble ensemble = random_ensemble({.noise = NoiseKind::known});
  const Matrix inputs = random_matrix(5, 3, 2);
  const auto needs_noise = test::Fails(ErrorCode::usage, "noise_std is needed");
  EXPECT_THAT([&] { ensemble.predict(inputs); }, needs_noise);
  EXPECT_THAT([&] { ensemble.member_outputs(inputs); }, needs_noise);
  EXPECT_THAT([&] { ensemble.sample(inputs, {.of = Draw::observation}); }, needs_noise);
  EXPECT_EQ(ensemble.sample(inputs, {.draws = 2}).values.size(), 20U);
  EXPECT_EQ(ensemble.joint_epistemic_covariance(inputs).size(), 2U);
}

TEST(Predict, RefusesInputsItCannotUse) {
  const Ensemble ensemble = random_ensemble({});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix inputs(600, 3);
  EXPECT_THAT([&] { ensemble.predict(Matrix(2, 4)); },
              test::Fails(ErrorCode::data, "inputs have 4 columns, expected 3"));
  inputs(511, 2) = nan;
  EXPECT_THAT([&] { ensemble.predict(inputs); }, test::Fails(ErrorCode::data, "a number is missing"));
  inputs(511, 2) = 1e300;
  EXPECT_THAT([&] { ensemble.predict(inputs); }, test::Fails(ErrorCode::data, "row 511, column 2 is 1e+300, too far"));
  inputs(511, 2) = 0;
  EXPECT_THAT([&] { ensemble.predict(inputs, {.threads = -1}); }, test::Fails(ErrorCode::usage, "threads"));
  EXPECT_THAT([&] { ensemble.predict(inputs, {.noise_std = Matrix(600, 1, 1.0)}); },
              test::Fails(ErrorCode::data, "noise_std is 600 x 1, expected 600 x 2"));
  EXPECT_THAT([&] { ensemble.predict(inputs, {.noise_std = Matrix(600, 2)}); },
              test::Fails(ErrorCode::data, "noise_std: row 0, column 0 is 0"));
  EXPECT_THAT([&] { ensemble.predict(inputs, {.noise_std = Matrix(600, 2, 1e200)}); },
              test::Fails(ErrorCode::data, "too large"));
}

TEST(Predict, SaysWhenANetworkOverflows) {
  EnsembleState state = random_state({.hidden = {}, .activation = Activation::relu});
  test::edit_network(state.members[1], [](Mlp& network) {
    for (float& value : network.parameters()) value *= 1e20F;
  });
  const Ensemble ensemble = ensemble_of(state);
  Matrix inputs(300, 3, 1.0);
  inputs(299, 0) = 1e29;
  EXPECT_THAT([&] { ensemble.predict(inputs); },
              test::Fails(ErrorCode::numerical, "row 299: the output of member 1 is not finite"));
}

TEST(Predict, WithoutNetworksTakesArraysOnly) {
  const Ensemble ensemble = without_networks(random_ensemble({}));
  const Matrix inputs = random_matrix(5, 3, 2);
  const auto no_networks = test::Fails(ErrorCode::usage, "this model has no networks");
  EXPECT_FALSE(ensemble.has_networks());
  EXPECT_EQ(ensemble.inputs(), 0U);
  EXPECT_THAT([&] { ensemble.predict(inputs); }, no_networks);
  EXPECT_THAT([&] { ensemble.sample(inputs); }, no_networks);
  EXPECT_THAT([&] { ensemble.member_outputs(inputs); }, no_networks);
  EXPECT_THAT([&] { ensemble.joint_epistemic_covariance(inputs); }, no_networks);
}

TEST(Predict, RefusesArraysOfAnotherEnsemble) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix inputs = random_matrix(5, 3, 2);
  const auto predicting = [&](const MemberOutputs& outputs) {
    return [&ensemble, outputs] { ensemble.predict(outputs); };
  };
  EXPECT_THAT(predicting(random_ensemble({.members = 2}).member_outputs(inputs)),
              test::Fails(ErrorCode::data, "2 members, expected 3"));
  EXPECT_THAT(predicting(random_ensemble({.outputs = 1}).member_outputs(inputs)),
              test::Fails(ErrorCode::data, "1 columns, expected 2"));
  EXPECT_THAT(predicting(random_ensemble({.hidden = {4}}).member_outputs(inputs)),
              test::Fails(ErrorCode::data, "4 features for member 0, expected 5"));
  MemberOutputs outputs = ensemble.member_outputs(inputs);
  outputs.target_names[1] = "other";
  EXPECT_THAT(predicting(outputs), test::Fails(ErrorCode::data, "the outputs are called"));
  outputs.target_names.clear();
  EXPECT_NO_THROW(predicting(outputs)());
  outputs.target_scale[1] = 5;
  EXPECT_THAT(predicting(outputs), test::Fails(ErrorCode::data, "target_scale of the outputs is 5 for output 1"));
  outputs.target_scale.clear();  // 1 by default
  EXPECT_THAT(predicting(outputs), test::Fails(ErrorCode::data, "target_scale of the outputs is 1 for output 0"));
  outputs.target_scale = ensemble.state().target_scaler.scale;
  outputs.target_shift.clear();  // 0 by default
  EXPECT_THAT(predicting(outputs), test::Fails(ErrorCode::data, "target_shift of the outputs is 0 for output 0"));
}

TEST(PredictBlocks, HandsOnTheSameAsOneCall) {
  const Ensemble ensemble = random_ensemble({.noise = NoiseKind::known});
  const Matrix inputs = random_matrix(50, 3, 2);
  const Matrix noise_std = random_matrix(50, 2, 3, 0.5, 3);
  const Predictive whole = ensemble.predict(inputs, {.noise_std = noise_std});
  std::size_t sent = 0;
  const BlockSource source = [&](Matrix& block, Matrix& noise) {
    if (sent == 50) return false;
    const std::size_t count = std::min<std::size_t>(17, 50 - sent);
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), sent);
    block = rows_of(inputs, rows);
    noise = rows_of(noise_std, rows);
    sent += count;
    return true;
  };
  std::vector<double> means;
  std::vector<double> variances;
  ensemble.predict_blocks(source, [&](const Predictive& block) {
    const MixtureComponents& c = block.components();
    means.insert(means.end(), c.mean.begin(), c.mean.end());
    variances.insert(variances.end(), c.aleatoric_variance.begin(), c.aleatoric_variance.end());
  });
  EXPECT_EQ(means, whole.components().mean);
  EXPECT_EQ(variances, whole.components().aleatoric_variance);
}

TEST(MemberOutputs, OfAnEnsembleCarryItsLastLayersAndScales) {
  const Ensemble ensemble = random_ensemble({.weights = {0.5, 0.125, 0.375}});
  const Matrix inputs = random_matrix(5, 3, 2);
  const MemberOutputs outputs = ensemble.member_outputs(inputs);
  check(outputs);
  EXPECT_EQ(outputs.member_weights, ensemble.weights());
  EXPECT_EQ(outputs.target_scale, ensemble.state().target_scaler.scale);
  EXPECT_EQ(outputs.target_shift, ensemble.state().target_scaler.shift);
  EXPECT_EQ(outputs.target_names, ensemble.target_names());
  EXPECT_TRUE(outputs.targets.empty());
  for (std::size_t l = 0; l < 3; ++l) {
    const std::vector<double> bias = ensemble.state().members[l].network->mean_bias();
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        double mean = bias[k];
        for (std::size_t j = 0; j < outputs.features[l].cols(); ++j) {
          mean += outputs.last_layer[l](k, j) * outputs.features[l](i, j);
        }
        EXPECT_NEAR(mean, outputs.mean[l](i, k), 1e-5);
      }
    }
  }
}

TEST(WithWeights, NormalisesAndLeavesTheOldEnsembleAlone) {
  const Ensemble ensemble = random_ensemble({});
  const Ensemble weighted = ensemble.with_weights({2, 0, 6});
  EXPECT_THAT(weighted.weights(), testing::ElementsAre(0.25, 0, 0.75));
  EXPECT_THAT(ensemble.weights(), testing::Each(1.0 / 3));
  EXPECT_THAT([&] { ensemble.with_weights({1, 1}); }, test::Fails(ErrorCode::data, "expected 3"));
  EXPECT_THAT([&] { ensemble.with_weights({1, -1, 1}); }, test::Fails(ErrorCode::data, "value 1 is -1"));
  EXPECT_THAT([&] { ensemble.with_weights({0, 0, 0}); }, test::Fails(ErrorCode::data, "sum 0"));
}

TEST(MemberOutputs, AreTheSameForAnyNumberOfThreads) {
  const EnsembleState state = random_state({.members = 2, .hidden = {2}});
  const Matrix inputs = random_matrix(2 * 4096 + 5, 3, 2);
  const Ensemble ensemble = ensemble_of(state);
  const MemberOutputs expected = ensemble.member_outputs(inputs, {.threads = 1});
  expect_identical(ensemble.predict(expected), ensemble.predict(inputs));
  for (const int threads : {2, 5}) {
    const MemberOutputs outputs = ensemble.member_outputs(inputs, {.threads = threads});
    EXPECT_EQ(outputs.features, expected.features);
    EXPECT_EQ(outputs.mean, expected.mean);
    EXPECT_EQ(outputs.variance, expected.variance);
  }
}

TEST(Elbo, OfTheEnsembleIsTheWeightedMeanPlusTheEntropyOfTheWeights) {
  EnsembleState state = random_state({.members = 2, .weights = {0.25, 0.75}});
  state.members[0].posterior.elbo = {.isotropic = -10, .full = -8};
  state.members[1].posterior.elbo = {.isotropic = -20};
  const double entropy = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  const Ensemble ensemble = ensemble_of(state);
  EXPECT_NEAR(*ensemble.elbo(PosteriorKind::isotropic), -17.5 + entropy, 1e-13);
  EXPECT_EQ(ensemble.elbo(PosteriorKind::full), std::nullopt);
  EXPECT_EQ(ensemble.elbo(PosteriorKind::delta), std::nullopt);
  EXPECT_EQ(*ensemble.with_weights({1, 0}).elbo(PosteriorKind::full), -8);
}

TEST(StoredOption, IsTextOrNothing) {
  EnsembleState state;
  state.options = {{"epochs", std::int64_t{60}}, {"schedule", std::string("cosine")}};
  EXPECT_EQ(stored_option(state, "epochs"), "60");
  EXPECT_EQ(stored_option(state, "schedule"), "cosine");
  EXPECT_EQ(stored_option(state, "seed"), std::nullopt);
}

}  // namespace
}  // namespace credens::model
