// SPDX-License-Identifier: Apache-2.0

#include <credens/explain.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using model::random_ensemble;
using model::random_matrix;
using test::Fails;

struct Part {
  const Contributions& found;
  Matrix (*of)(const PredictiveMoments&);
};

Matrix roots(Matrix variances) {
  for (double& value : variances.values()) value = std::sqrt(value);
  return variances;
}

std::vector<Part> parts_of(const Explanation& explanation) {
  return {{explanation.mean, [](const PredictiveMoments& moments) { return moments.mean; }},
          {explanation.noise, [](const PredictiveMoments& moments) { return roots(moments.aleatoric_variance); }},
          {explanation.ignorance, [](const PredictiveMoments& moments) { return roots(moments.epistemic_variance); }}};
}

/// Mean over the background of a quantity where the inputs in `taken` have the row's values.
double coalition(const Ensemble& ensemble, std::span<const double> row, const Matrix& background, unsigned taken,
                 const Part& part, std::size_t output) {
  Matrix mixed = background;
  for (std::size_t i = 0; i < mixed.rows(); ++i) {
    for (std::size_t j = 0; j < mixed.cols(); ++j) {
      if ((taken >> j & 1U) != 0) mixed(i, j) = row[j];
    }
  }
  const Matrix values = part.of(ensemble.predict(mixed).moments());
  double sum = 0;
  for (std::size_t i = 0; i < mixed.rows(); ++i) sum += values(i, output);
  return sum / static_cast<double>(mixed.rows());
}

/// Shapley values by their definition: all coalitions of the other inputs.
std::vector<double> exact(const Ensemble& ensemble, std::span<const double> row, const Matrix& background,
                          const Part& part, std::size_t output) {
  const std::size_t d = row.size();
  std::vector<double> worth;
  for (unsigned taken = 0; taken < 1U << d; ++taken) {
    worth.push_back(coalition(ensemble, row, background, taken, part, output));
  }
  std::vector<double> values(d);
  for (std::size_t j = 0; j < d; ++j) {
    for (unsigned taken = 0; taken < 1U << d; ++taken) {
      if ((taken >> j & 1U) != 0) continue;
      const auto size = static_cast<double>(std::popcount(taken));
      const double share = std::tgamma(size + 1) * std::tgamma(static_cast<double>(d) - size);
      values[j] += share / std::tgamma(static_cast<double>(d) + 1) * (worth[taken | 1U << j] - worth[taken]);
    }
  }
  return values;
}

TEST(Explain, AgreesWithShapleyValuesByEnumeration) {
  for (const std::size_t d : {1U, 2U, 3U, 4U}) {
    const Ensemble ensemble = random_ensemble({.inputs = d});
    const Matrix rows = random_matrix(3, d, 11);
    const Matrix background = random_matrix(16, d, 12);
    const Explanation explanation = explain(ensemble, rows, {.background = background, .draws = 1600});
    for (const Part& part : parts_of(explanation)) {
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < 3; ++i) {
          const std::vector<double> values = exact(ensemble, rows.row(i), background, part, k);
          for (std::size_t j = 0; j < d; ++j) {
            const double error = part.found.standard_error[k](i, j);
            EXPECT_NEAR(part.found.of_inputs[k](i, j), values[j], 4.5 * error + 1e-6) << d << " inputs, row " << i;
          }
        }
      }
    }
  }
}

TEST(Explain, ContributionsAddUpToThePrediction) {
  const Ensemble ensemble = random_ensemble({.inputs = 5, .posterior = PosteriorKind::full});
  const Matrix rows = random_matrix(20, 5, 3);
  const PredictiveMoments moments = ensemble.predict(rows).moments();
  const Explanation explanation = explain(ensemble, rows, {.draws = 7});
  for (const Part& part : parts_of(explanation)) {
    const Matrix values = part.of(moments);
    EXPECT_EQ(part.found.value, values);
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < 20; ++i) {
        const auto row = part.found.of_inputs[k].row(i);
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), part.found.base[k]), values(i, k), 1e-12);
      }
    }
  }
}

/// Without hidden layers the mean is linear: the contribution of an input is its slope times its distance from the
/// background's mean, in every order.
TEST(Explain, IsExactForLinearModels) {
  const Ensemble ensemble = random_ensemble({.members = 2, .inputs = 3, .hidden = {}, .outputs = 1});
  const Matrix rows = random_matrix(4, 3, 5);
  const Matrix background = random_matrix(8, 3, 6);
  const Explanation explanation = explain(ensemble, rows, {.background = background, .draws = 8});
  for (std::size_t j = 0; j < 3; ++j) {
    Matrix ends(2, 3);
    ends(1, j) = 1;
    const Matrix mean = ensemble.predict(ends).mean();
    double centre = 0;
    for (std::size_t b = 0; b < 8; ++b) centre += background(b, j) / 8;
    for (std::size_t i = 0; i < 4; ++i) {
      const double expected = (mean(1, 0) - mean(0, 0)) * (rows(i, j) - centre);
      EXPECT_NEAR(explanation.mean.of_inputs[0](i, j), expected, 1e-5);
    }
  }
}

TEST(Explain, ARowDoesNotDependOnOthersNorOnThreads) {
  const Ensemble ensemble = random_ensemble({});
  const Matrix rows = random_matrix(9, 3, 5);
  const Matrix background = random_matrix(10, 3, 6);
  const ExplainOptions options{.background = background, .draws = 5, .threads = 1};
  const Explanation all = explain(ensemble, rows, options);
  const Explanation last = explain(ensemble, rows.view().row_block(8, 1), options);
  ExplainOptions three = options;
  three.threads = 3;
  const Explanation threaded = explain(ensemble, rows, three);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(all.ignorance.of_inputs[k], threaded.ignorance.of_inputs[k]);
    EXPECT_EQ(all.noise.standard_error[k], threaded.noise.standard_error[k]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(all.mean.of_inputs[k](8, j), last.mean.of_inputs[k](0, j));
  }
}

TEST(Explain, SharesAddUpToOne) {
  const Ensemble ensemble = random_ensemble({.outputs = 1});
  const Explanation explanation = explain(ensemble, random_matrix(30, 3, 5), {});
  double sum = 0;
  for (const InputShare& input : input_shares(explanation.mean, 0)) {
    EXPECT_GE(input.share, 0);
    EXPECT_GT(input.spread, 0);
    sum += input.share;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Explain, RefusesWhatMakesNoSense) {
  const Ensemble ensemble = random_ensemble({});
  EXPECT_THAT([&] { explain(ensemble, random_matrix(1, 3, 5)); },
              Fails(ErrorCode::usage, "1 background rows are given, expected at least 2"));
  EXPECT_THAT([&] { explain(ensemble, random_matrix(5, 3, 5), {.draws = 1}); },
              Fails(ErrorCode::usage, "1 orders are to be drawn, expected at least 2"));
  const Matrix narrow = random_matrix(5, 2, 5);
  EXPECT_THAT([&] { explain(ensemble, random_matrix(5, 3, 5), {.background = narrow}); },
              Fails(ErrorCode::data, "inputs have 2 columns, expected 3"));
}

}  // namespace
}  // namespace credens
