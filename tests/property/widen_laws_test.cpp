// SPDX-License-Identifier: Apache-2.0
//
// Laws of widening that hold for every trained ensemble.

#include <gtest/gtest.h>
#include <credens/error.hpp>

#include "model/ensemble_state.hpp"
#include "small_fit.hpp"

namespace credens {
namespace {

struct Case {
  NoiseKind noise;
  std::size_t outputs;
  bool random_bias;
  bool known_part = false;  ///< known noise beside the learned one
};

class WidenLaws : public testing::TestWithParam<Case> {
 protected:
  Dataset data() const {
    Dataset plain = made_up_data(90, GetParam().outputs, 3);
    if (GetParam().noise != NoiseKind::known && !GetParam().known_part) return plain;
    DatasetParts parts{.inputs = Matrix(90, 2),
                       .targets = Matrix(90, GetParam().outputs),
                       .noise_std = Matrix(90, GetParam().outputs, 0.2)};
    std::copy_n(plain.inputs().data(), 180, parts.inputs.data());
    std::copy_n(plain.targets().data(), 90 * GetParam().outputs, parts.targets.data());
    for (std::size_t i = 0; i < 90; i += 2) parts.noise_std(i, 0) = 0.35;
    return Dataset(std::move(parts));
  }

  Ensemble narrow() const {
    FitOptions options = small_options();
    options.noise = GetParam().noise;
    options.random_bias = GetParam().random_bias;
    return fit_members(data(), options);
  }

  Predictive predict(const Ensemble& ensemble) const {
    const Dataset rows = data();
    return ensemble.predict(rows.inputs(), {.noise_std = rows.noise_std()});
  }
};

TEST_P(WidenLaws, GammaToZeroIsTheClassicalEnsembleExactly) {
  const Ensemble narrow = this->narrow();
  const Predictive delta = predict(narrow);
  const Predictive limit = predict(widen(narrow, data(), {.prior_precision = 1e300}));
  EXPECT_EQ(limit.mean(), delta.mean());
  EXPECT_EQ(limit.epistemic_variance(), delta.epistemic_variance());
  EXPECT_EQ(limit.total_variance(), delta.total_variance());
  EXPECT_EQ(limit.interval(0.9, IntervalKind::mixture).lower, delta.interval(0.9, IntervalKind::mixture).lower);
}

TEST_P(WidenLaws, ClassicalIsTheDeltaRung) {
  const Ensemble narrow = this->narrow();
  const Predictive classical = predict(widen(narrow, data())).classical();
  EXPECT_EQ(classical.epistemic_variance(), predict(narrow).epistemic_variance());
  EXPECT_EQ(classical.total_variance(),
            predict(widen(narrow, data(), {.posterior = PosteriorKind::delta})).total_variance());
}

TEST_P(WidenLaws, TheElboNeverFallsAlongTheLadder) {
  const Ensemble wide = widen(narrow(), data());
  for (const model::Member& member : wide.state().members) {
    const model::ElboLadder& elbo = member.posterior.elbo;
    EXPECT_LE(*elbo.isotropic, *elbo.diagonal + 1e-9 * std::abs(*elbo.full));
    EXPECT_LE(*elbo.diagonal, *elbo.full + 1e-9 * std::abs(*elbo.full));
  }
  EXPECT_LE(*wide.elbo(PosteriorKind::isotropic), *wide.elbo(PosteriorKind::full));
  EXPECT_FALSE(wide.elbo(PosteriorKind::delta));
}

TEST_P(WidenLaws, EachMembersTrainingShareIsKnownExactly) {
  // Mean over training rows and outputs of gamma |phi|^2 / s^2 is p / N (1 - gamma lambda).
  const Dataset rows = data();
  const double lambda = 0.37;
  const Ensemble wide = widen(narrow(), rows, {.prior_precision = lambda});
  const MemberOutputs outputs = wide.member_outputs(rows.inputs(), {.noise_std = rows.noise_std()});
  const std::size_t q = GetParam().outputs;
  for (std::size_t l = 0; l < wide.members(); ++l) {
    const double gamma = wide.gamma()[l];
    const double bias = GetParam().random_bias ? 1 : 0;
    const double p = static_cast<double>(outputs.features[l].cols()) + bias;
    double mean = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double norm = bias;
      for (const double value : outputs.features[l].row(i)) norm += value * value;
      for (std::size_t k = 0; k < q; ++k) {
        mean += gamma * norm / outputs.variance[l](i, outputs.variance[l].cols() == 1 ? 0 : k);
      }
    }
    mean /= static_cast<double>(rows.rows() * q);
    EXPECT_NEAR(mean, p / static_cast<double>(rows.rows()) * (1 - gamma * lambda), 1e-9);
  }
}

TEST_P(WidenLaws, TheOrderOfTheTrainingRowsDoesNotMatter) {
  const Ensemble narrow = this->narrow();
  const Dataset rows = data();
  for (const auto kind : {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    const Matrix forward = predict(widen(narrow, rows, {.posterior = kind})).epistemic_variance();
    const Matrix backward =
        predict(widen(narrow, rows.select(reversed_rows(rows.rows())), {.posterior = kind})).epistemic_variance();
    for (std::size_t i = 0; i < forward.values().size(); ++i) {
      EXPECT_NEAR(forward.values()[i], backward.values()[i], 1e-12 * std::abs(forward.values()[i]) + 1e-300);
    }
  }
}

TEST_P(WidenLaws, ArraysGiveTheSameAsTheNetworksTheyCameFrom) {
  const Ensemble narrow = this->narrow();
  const Dataset rows = data();
  MemberOutputs outputs = narrow.member_outputs(rows.inputs(), {.noise_std = rows.noise_std()});
  for (const auto kind : {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    const Ensemble wide = widen(narrow, rows, {.posterior = kind, .prior_precision = 2.0});
    const Ensemble foreign =
        widen(outputs, {.posterior = kind, .prior_precision = 2.0, .random_bias = GetParam().random_bias});
    EXPECT_FALSE(foreign.has_networks());
    const Matrix expected = predict(wide).epistemic_variance();
    const Matrix found = foreign.predict(outputs).epistemic_variance();
    for (std::size_t i = 0; i < expected.values().size(); ++i) {
      EXPECT_NEAR(found.values()[i], expected.values()[i], 1e-12 * expected.values()[i]);
    }
  }
}

TEST_P(WidenLaws, EvidenceIsAMaximumOfTheFullElbo) {
  const Ensemble narrow = this->narrow();
  const Ensemble found = widen(narrow, data(), {.posterior = PosteriorKind::full, .evidence = true});
  const double lambda = found.prior_precision();
  for (const double factor : {0.9, 0.99, 1.01, 1.1}) {
    const Ensemble other =
        widen(narrow, data(), {.posterior = PosteriorKind::full, .prior_precision = lambda * factor});
    EXPECT_GT(*found.elbo(PosteriorKind::full), *other.elbo(PosteriorKind::full)) << factor;
  }
}

INSTANTIATE_TEST_SUITE_P(AllNoise, WidenLaws,
                         testing::Values(Case{NoiseKind::shared, 1, false}, Case{NoiseKind::shared, 2, true},
                                         Case{NoiseKind::per_output, 3, false}, Case{NoiseKind::per_output, 2, true},
                                         Case{NoiseKind::constant, 2, false}, Case{NoiseKind::known, 1, false},
                                         Case{NoiseKind::known, 2, true}, Case{NoiseKind::shared, 2, false, true},
                                         Case{NoiseKind::constant, 2, true, true}));

TEST(Widen, AddedVarianceFallsLikeOneOverTheRowsForFixedFeatures) {
  const Dataset rows = made_up_data(60, 1, 8);
  const Ensemble narrow = fit_members(rows, small_options());
  std::vector<std::size_t> repeated;
  std::vector<double> added;
  for (int copies = 1; copies <= 64; copies *= 4) {
    repeated.clear();
    for (int c = 0; c < copies; ++c) {
      for (std::size_t i = 0; i < rows.rows(); ++i) repeated.push_back(i);
    }
    const Ensemble wide = widen(narrow, rows.select(repeated), {.prior_precision = 1e-9});
    const Predictive p = wide.predict(rows.inputs());
    added.push_back(p.epistemic_variance()(0, 0) - p.classical().epistemic_variance()(0, 0));
  }
  for (std::size_t i = 1; i < added.size(); ++i) EXPECT_NEAR(added[i - 1] / added[i], 4, 1e-6);
}

TEST(Widen, TakesRungAndLambdaFromTheFit) {
  FitOptions options = small_options();
  options.posterior = PosteriorKind::diagonal;
  options.prior_precision = 0.25;
  const Dataset rows = made_up_data(50, 1, 9);
  const Ensemble narrow = fit_members(rows, options);
  EXPECT_EQ(narrow.posterior(), PosteriorKind::delta);
  const Ensemble wide = widen(narrow, rows);
  EXPECT_EQ(wide.posterior(), PosteriorKind::diagonal);
  EXPECT_EQ(wide.prior_precision(), 0.25);
  EXPECT_EQ(widen(widen(narrow, rows, {.prior_precision = 9.0}), rows).prior_precision(), 0.25);
}

TEST(Widen, RefusesWhatContradicts) {
  const Dataset rows = made_up_data(30, 1, 10);
  const Ensemble narrow = fit_members(rows, small_options());
  EXPECT_THROW(widen(narrow, rows, {.prior_precision = 1.0, .evidence = true}), Error);
  EXPECT_THROW(widen(narrow, rows, {.posterior = PosteriorKind::full, .prior_precision = 0.0}), Error);
  EXPECT_THROW(widen(narrow, made_up_data(30, 2, 10)), Error);
  MemberOutputs outputs = narrow.member_outputs(rows.inputs());
  EXPECT_THROW(widen(outputs, {}), Error);
  outputs.last_layer.clear();
  EXPECT_THROW(widen(outputs, {.evidence = true}), Error);
}

TEST(Widen, WithArraysHasAnElboOnlyWithTargetsAndLastLayers) {
  const Dataset rows = made_up_data(30, 1, 11);
  const Ensemble narrow = fit_members(rows, small_options());
  MemberOutputs outputs = narrow.member_outputs(rows.inputs());
  EXPECT_FALSE(widen(outputs, {.prior_precision = 1.0}).elbo(PosteriorKind::isotropic));
  outputs.targets = Matrix(30, 1);
  for (std::size_t i = 0; i < 30; ++i) {
    outputs.targets(i, 0) = (rows.targets()(i, 0) - outputs.target_shift[0]) / outputs.target_scale[0];
  }
  const auto elbo = widen(outputs, {.prior_precision = 1.0}).elbo(PosteriorKind::isotropic);
  ASSERT_TRUE(elbo);
  EXPECT_NEAR(*elbo, *widen(narrow, rows, {.prior_precision = 1.0}).elbo(PosteriorKind::isotropic), 1e-9);
}

}  // namespace
}  // namespace credens
