// SPDX-License-Identifier: Apache-2.0
//
// Random class probabilities with labels, for tests of their scores.

#pragma once

#include <credens/class_predictive.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace credens::scoring {

struct ClassProblem {
  ClassPredictive predictive;
  Matrix targets;
};

struct ClassProblemShape {
  std::size_t rows = 40;
  std::size_t classes = 3;
  std::uint64_t seed = 1;
  bool has_ties = true;     ///< few distinct logits, so that rows share probabilities
  bool has_counts = false;  ///< [N x C] whole numbers in place of [N x 1] labels
};

/// Appends a row with these probabilities; `ignorance` is the epistemic share of the entropy.
inline void append_class_row(ClassPredictive& predictive, const std::vector<double>& probability, double ignorance) {
  std::vector<double> values(predictive.probability.values().begin(), predictive.probability.values().end());
  values.insert(values.end(), probability.begin(), probability.end());
  const std::size_t rows = predictive.rows() + 1;
  predictive.probability = Matrix(rows, probability.size(), std::move(values));
  predictive.epistemic_variance = Matrix(rows, probability.size());
  double entropy = 0;
  for (const double p : probability) entropy -= p > 0 ? p * std::log(p) : 0;
  predictive.entropy.push_back(entropy);
  predictive.epistemic.push_back(ignorance * entropy);
  predictive.aleatoric.push_back(entropy - ignorance * entropy);
  predictive.between_members.push_back(0);
}

inline std::vector<double> random_probability(base::RandomStream& random, const ClassProblemShape& shape) {
  std::vector<double> values;
  double sum = 0;
  for (std::size_t k = 0; k < shape.classes; ++k) {
    const double logit = 2 * random.normal();
    values.push_back(std::exp(shape.has_ties ? std::round(logit) : logit));
    sum += values.back();
  }
  for (double& value : values) value /= sum;
  return values;
}

inline ClassProblem random_class_problem(const ClassProblemShape& shape) {
  base::RandomStream random({.seed = shape.seed, .purpose = base::Purpose::test});
  ClassProblem problem{.predictive = {}, .targets = Matrix(shape.rows, shape.has_counts ? shape.classes : 1)};
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const std::vector<double> probability = random_probability(random, shape);
    append_class_row(problem.predictive, probability, std::round(4 * random.uniform(0, 1)) / 4);
    double left = random.uniform(0, 1);
    std::size_t label = 0;
    while (label + 1 < shape.classes && left > probability[label]) left -= probability[label++];
    if (!shape.has_counts) {
      problem.targets(row, 0) = static_cast<double>(label);
      continue;
    }
    for (double& count : problem.targets.row(row)) count = std::floor(random.uniform(0, 3));
    problem.targets(row, label) += 1;
  }
  return problem;
}

/// Rows in another order or several times.
inline ClassPredictive select_rows(const ClassPredictive& from, const std::vector<std::size_t>& rows) {
  ClassPredictive to{.probability = Matrix(rows.size(), from.classes()),
                     .epistemic_variance = Matrix(rows.size(), from.classes())};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.probability.row(rows[i]), to.probability.row(i).begin());
    to.entropy.push_back(from.entropy[rows[i]]);
    to.aleatoric.push_back(from.aleatoric[rows[i]]);
    to.epistemic.push_back(from.epistemic[rows[i]]);
    to.between_members.push_back(from.between_members[rows[i]]);
  }
  return to;
}

inline ClassProblem select_rows(const ClassProblem& from, const std::vector<std::size_t>& rows) {
  ClassProblem to{.predictive = select_rows(from.predictive, rows),
                  .targets = Matrix(rows.size(), from.targets.cols())};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.targets.row(rows[i]), to.targets.row(i).begin());
  }
  return to;
}

}  // namespace credens::scoring
