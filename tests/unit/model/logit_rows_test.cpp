// SPDX-License-Identifier: Apache-2.0

#include "model/logit_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/class_predictive.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr std::size_t rows = 500;
constexpr std::size_t classes = 4;

/// Logits and their variances of two members.
struct Made {
  std::vector<Matrix> logits;
  std::vector<std::vector<double>> variance;

  std::vector<LogitRows> views() const {
    std::vector<LogitRows> views;
    for (std::size_t l = 0; l < logits.size(); ++l) views.push_back({.logits = logits[l], .variance = variance[l]});
    return views;
  }
};

Made made() {
  Made made;
  for (std::size_t l = 0; l < 2; ++l) {
    made.logits.push_back(random_matrix(rows, classes, 3 + l, -3, 3));
    const Matrix variance = random_matrix(rows, 1, 7 + l, 0, 6);
    made.variance.emplace_back(variance.values().begin(), variance.values().end());
  }
  return made;
}

TEST(LogitRows, AreMixedRowByRow) {
  const Made members = made();
  const ClassPredictive found = class_predictive_of(members.views(), {1, 3}, 2);
  ClassPredictive expected = empty_class_predictive(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    ClassMixture mixture(classes);
    for (std::size_t l = 0; l < 2; ++l) {
      MemberClasses member(classes);
      member.run(members.logits[l].row(i), members.variance[l][i]);
      mixture.add(member, l == 0 ? 0.25 : 0.75);
    }
    mixture.write(expected, i);
  }
  EXPECT_EQ(found, expected);
}

TEST(LogitRows, WithoutVarianceAreThoseOfPoints) {
  Made members = made();
  for (auto& variance : members.variance) variance.assign(rows, 0.0);
  const ClassPredictive zero = class_predictive_of(members.views(), {1, 1}, 1);
  for (auto& variance : members.variance) variance.clear();
  EXPECT_EQ(class_predictive_of(members.views(), {1, 1}, 1), zero);
  EXPECT_NEAR(zero.epistemic[0], zero.between_members[0], 1e-15);
}

TEST(LogitRows, AreTheSameForAnyNumberOfThreads) {
  const Made members = made();
  const ClassPredictive one = class_predictive_of(members.views(), {1, 1}, 1);
  for (const int threads : {2, 5}) EXPECT_EQ(class_predictive_of(members.views(), {1, 1}, threads), one);
}

TEST(LogitRows, OfNoRowsArePredicted) {
  const Matrix none(0, classes);
  const LogitRows member{.logits = none, .variance = {}};
  EXPECT_EQ(class_predictive_of(std::span(&member, 1), {1}, 1).rows(), 0U);
}

TEST(LogitRows, AreRefusedWithTheValue) {
  const auto refused = [](const auto& change, const std::vector<double>& weights, const std::string& sentence) {
    Made members = made();
    change(members);
    EXPECT_THAT([&] { class_predictive_of(members.views(), weights, 1); }, test::Fails(ErrorCode::data, sentence));
  };
  const auto nothing = [](Made&) {};
  refused(nothing, {1}, "weights");
  refused(nothing, {1, -1}, "weights");
  refused([](Made& made) { made.logits.clear(); }, {1, 1}, "logits of no members");
  refused([](Made& made) { made.logits[1](7, 2) = NAN; }, {1, 1}, "logits of member 1: row 7, column 2 is nan");
  refused([](Made& made) { made.logits[1] = Matrix(rows, 3); }, {1, 1},
          "logits of member 1 is 500 x 3, expected 500 x 4");
  refused([](Made& made) { made.logits[0] = Matrix(rows, 1); }, {1, 1},
          "logits has 1 column, expected one for each class");
  refused([](Made& made) { made.variance[1].pop_back(); }, {1, 1}, "variance of member 1 has 499 values, expected 500");
  refused([](Made& made) { made.variance[0][3] = -1; }, {1, 1},
          "variance of member 0: value 3 is -1, expected a finite number from 0");
  refused([](Made& made) { made.variance[0][3] = NAN; }, {1, 1}, "variance of member 0: value 3 is nan");
}

}  // namespace
}  // namespace credens::model
