// SPDX-License-Identifier: Apache-2.0

#include "model/class_predictive.hpp"

#include <credens/output_rows.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr std::size_t features = 4;
constexpr std::size_t rows = 300;

/// An ensemble of arrays that predicts classes.
Ensemble class_ensemble(std::size_t classes, PosteriorKind kind, std::vector<double> weights) {
  EnsembleState state;
  for (std::size_t l = 0; l < weights.size(); ++l) {
    state.members.push_back({.index = l,
                             .features = features,
                             .network = nullptr,
                             .posterior = random_posterior(kind, false, features, 1, 7 + l, true)});
  }
  state.total_members = weights.size();
  state.weights = std::move(weights);
  state.posterior = kind;
  state.target_scaler = data::identity_scaler(classes);
  state.schema.task = Task::classification;
  state.schema.targets = {{.name = "y"}};
  for (std::size_t c = 0; c < classes; ++c) state.schema.classes.push_back(fmt::format("{}", c));
  check(state);
  return ensemble_of(std::move(state));
}

MemberOutputs random_outputs(std::size_t members, std::size_t classes) {
  MemberOutputs outputs;
  for (std::size_t l = 0; l < members; ++l) {
    outputs.features.push_back(random_matrix(rows, features, 20 + l));
    outputs.logits.push_back(random_matrix(rows, classes, 40 + l, -3, 3));
  }
  return outputs;
}

TEST(ClassPredictive, OfPointsIsTheAverageOfSoftmaxToTheBit) {
  const std::vector<double> weights{0.5, 0.25, 0.25};
  const Ensemble ensemble = class_ensemble(5, PosteriorKind::delta, weights);
  const MemberOutputs outputs = random_outputs(3, 5);
  const ClassPredictive predictive = ensemble.predict_classes(outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> expected(5);
    double entropy = 0;
    for (std::size_t l = 0; l < 3; ++l) {
      std::vector<double> own(5);
      math::softmax(outputs.logits[l].row(i), own);
      for (std::size_t c = 0; c < 5; ++c) expected[c] += weights[l] * own[c];
      entropy += weights[l] * math::entropy(own);
    }
    for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(predictive.probability(i, c), expected[c] / 1.0);
    EXPECT_NEAR(predictive.aleatoric[i], entropy, 1e-14);
    EXPECT_NEAR(predictive.between_members[i], predictive.epistemic[i], 1e-14);
  }
}

TEST(ClassPredictive, ClassicalIsThatOfPoints) {
  const std::vector<double> weights{0.5, 0.5};
  const MemberOutputs outputs = random_outputs(2, 3);
  EXPECT_EQ(class_ensemble(3, PosteriorKind::full, weights).predict_classes(outputs, {.classical = true}),
            class_ensemble(3, PosteriorKind::delta, weights).predict_classes(outputs));
}

TEST(ClassPredictive, SplitsEntropyAndVariance) {
  const Ensemble ensemble = class_ensemble(4, PosteriorKind::full, {0.3, 0.7});
  const ClassPredictive predictive = ensemble.predict_classes(random_outputs(2, 4));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto p = predictive.probability.row(i);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-14);
    EXPECT_NEAR(predictive.entropy[i], predictive.aleatoric[i] + predictive.epistemic[i], 1e-15);
    EXPECT_GE(predictive.epistemic[i], 0);
    EXPECT_LE(predictive.between_members[i], predictive.epistemic[i]);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_GE(predictive.epistemic_variance(i, c), 0);
      EXPECT_LE(predictive.epistemic_variance(i, c), p[c] * (1 - p[c]) + 1e-12);
    }
  }
}

TEST(ClassPredictive, IsTheMeanOfDraws) {
  // 20,000 draws: the standard error of a mean of numbers in [0, 1] is at most 0.0036; five of them are allowed.
  constexpr std::size_t draws = 20'000;
  for (const PosteriorKind kind : {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    const Ensemble ensemble = class_ensemble(3, kind, {0.4, 0.6});
    MemberOutputs outputs = random_outputs(2, 3);
    for (auto* arrays : {&outputs.features, &outputs.logits}) {
      for (Matrix& array : *arrays) array = rows_of(array, {0, 1, 2});
    }
    const ClassPredictive predictive = ensemble.predict_classes(outputs);
    for (const Draw of : {Draw::function, Draw::observation}) {
      const Samples samples = ensemble.sample(outputs, {.draws = draws, .of = of, .seed = 5});
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::size_t j = 0; j < draws; ++j) sum += samples.values[(j * 3 + i) * 3 + c];
          EXPECT_NEAR(sum / draws, predictive.probability(i, c), 0.018);
        }
      }
    }
  }
}

TEST(ClassPredictive, IsTheSameForAnyNumberOfThreads) {
  const Ensemble ensemble = class_ensemble(4, PosteriorKind::full, {0.3, 0.3, 0.4});
  const MemberOutputs outputs = random_outputs(3, 4);
  const ClassPredictive one = ensemble.predict_classes(outputs, {.threads = 1});
  for (const int threads : {2, 3, 7}) EXPECT_EQ(ensemble.predict_classes(outputs, {.threads = threads}), one);
}

TEST(ClassPredictive, IsRefusedByARegression) {
  const Ensemble numbers = random_ensemble({});
  EXPECT_THROW(numbers.predict_classes(Matrix(2, numbers.inputs())), Error);
  const Ensemble classes = class_ensemble(3, PosteriorKind::delta, {1});
  const MemberOutputs outputs = random_outputs(1, 3);
  EXPECT_THROW(classes.predict(outputs), Error);
  EXPECT_THROW(predict(classes, OutputRows(outputs)), Error);
}

}  // namespace
}  // namespace credens::model
