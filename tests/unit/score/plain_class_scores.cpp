// SPDX-License-Identifier: Apache-2.0

#include "unit/score/plain_class_scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace credens::scoring {

namespace {

/// One observation: a row of the prediction and a class. Rows and counts are repeated as often as they count.
struct Case {
  std::size_t row;
  std::size_t label;
  std::size_t predicted;
};

using Cases = std::vector<Case>;

std::size_t first_largest(const ClassPredictive& predictive, std::size_t row) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < predictive.classes(); ++k) {
    if (predictive.probability(row, k) > predictive.probability(row, best)) best = k;
  }
  return best;
}

Cases all_cases(const ClassPredictive& predictive, const Matrix& targets, const std::vector<std::size_t>& copies) {
  Cases cases;
  for (std::size_t row = 0; row < copies.size(); ++row) {
    const std::size_t predicted = first_largest(predictive, row);
    if (targets.cols() == 1) {
      cases.insert(cases.end(), copies[row], {row, static_cast<std::size_t>(targets(row, 0)), predicted});
      continue;
    }
    for (std::size_t k = 0; k < targets.cols(); ++k) {
      cases.insert(cases.end(), copies[row] * static_cast<std::size_t>(targets(row, k)), {row, k, predicted});
    }
  }
  return cases;
}

double mean_of(const Cases& cases, const std::function<double(const Case&)>& value) {
  double sum = 0;
  for (const Case& one : cases) sum += value(one);
  return sum / static_cast<double>(cases.size());
}

bool is_wrong(const Case& one) {
  return one.predicted != one.label;
}

/// Squared distance of probabilities and shares.
double plain_brier(const ClassPredictive& predictive, const Matrix& targets, const Case& one) {
  double total = 0;
  for (const double count : targets.row(one.row)) total += count;
  double sum = 0;
  for (std::size_t k = 0; k < predictive.classes(); ++k) {
    const double label = k == one.label ? 1 : 0;
    const double share = targets.cols() == 1 ? label : targets(one.row, k) / total;
    sum += std::pow(predictive.probability(one.row, k) - share, 2);
  }
  return sum;
}

double plain_balanced_accuracy(const Cases& cases, std::size_t classes) {
  double sum = 0;
  double present = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    Cases of_class;
    std::ranges::copy_if(cases, std::back_inserter(of_class), [&](const Case& one) { return one.label == k; });
    if (of_class.empty()) continue;
    sum += 1 - mean_of(of_class, is_wrong);
    present += 1;
  }
  return sum / present;
}

std::optional<double> plain_class_auroc(const ClassPredictive& predictive, const Cases& cases) {
  double sum = 0;
  double present = 0;
  for (std::size_t k = predictive.classes() == 2 ? 1 : 0; k < predictive.classes(); ++k) {
    std::vector<double> of_class;
    std::vector<double> others;
    for (const Case& one : cases) {
      (one.label == k ? of_class : others).push_back(predictive.probability(one.row, k));
    }
    if (others.empty()) return std::nullopt;
    if (of_class.empty()) continue;
    sum += plain_auroc(of_class, others);
    present += 1;
  }
  return present > 0 ? std::optional(sum / present) : std::nullopt;
}

double plain_ece(const Cases& cases, const std::function<double(const Case&)>& probability,
                 const std::function<bool(const Case&)>& holds) {
  double error = 0;
  for (int bin = 0; bin < 15; ++bin) {
    double count = 0;
    double announced = 0;
    double right = 0;
    for (const Case& one : cases) {
      const double p = probability(one);
      if (p < bin / 15.0 || (bin < 14 && p >= (bin + 1) / 15.0)) continue;
      count += 1;
      announced += p;
      right += holds(one) ? 1 : 0;
    }
    if (count > 0) error += count / static_cast<double>(cases.size()) * std::abs(right / count - announced / count);
  }
  return error;
}

/// Mean over the observations of the error among those that are at least as sure.
double plain_aurc(const Cases& cases, const std::function<double(const Case&)>& uncertainty) {
  return mean_of(cases, [&](const Case& edge) {
    Cases surest;
    std::ranges::copy_if(cases, std::back_inserter(surest),
                         [&](const Case& one) { return uncertainty(one) <= uncertainty(edge); });
    return mean_of(surest, is_wrong);
  });
}

}  // namespace

double plain_auroc(const std::vector<double>& above, const std::vector<double>& below) {
  double pairs = 0;
  for (const double a : above) {
    for (const double b : below) pairs += a > b ? 1.0 : a == b ? 0.5 : 0.0;
  }
  return pairs / static_cast<double>(above.size() * below.size());
}

ClassScores plain_class_scores(const ClassPredictive& predictive, const Matrix& targets,
                               const std::vector<std::size_t>& copies, RiskOrder order) {
  const Cases cases = all_cases(predictive, targets, copies);
  const auto at = [&](const Case& one, std::size_t k) { return predictive.probability(one.row, k); };
  ClassScores scores;
  scores.log_loss = mean_of(cases, [&](const Case& one) { return -std::log(std::max(at(one, one.label), 1e-15)); });
  scores.brier = mean_of(cases, [&](const Case& one) { return plain_brier(predictive, targets, one); });
  scores.accuracy = 1 - mean_of(cases, is_wrong);
  scores.balanced_accuracy = plain_balanced_accuracy(cases, predictive.classes());
  scores.auroc = plain_class_auroc(predictive, cases);
  scores.ece = plain_ece(
      cases, [&](const Case& one) { return at(one, one.predicted); }, [](const Case& one) { return !is_wrong(one); });
  for (std::size_t k = 0; k < predictive.classes(); ++k) {
    scores.classwise_ece +=
        plain_ece(
            cases, [&](const Case& one) { return at(one, k); }, [&](const Case& one) { return one.label == k; }) /
        static_cast<double>(predictive.classes());
  }
  scores.aurc = plain_aurc(cases, [&](const Case& one) {
    return order == RiskOrder::epistemic ? predictive.epistemic[one.row] : 1 - at(one, one.predicted);
  });
  scores.entropy = mean_of(cases, [&](const Case& one) { return predictive.entropy[one.row]; });
  scores.aleatoric = mean_of(cases, [&](const Case& one) { return predictive.aleatoric[one.row]; });
  scores.epistemic = mean_of(cases, [&](const Case& one) { return predictive.epistemic[one.row]; });
  return scores;
}

Matrix plain_confusion(const ClassPredictive& predictive, const Matrix& targets,
                       const std::vector<std::size_t>& copies) {
  Matrix counts(predictive.classes(), predictive.classes());
  for (const Case& one : all_cases(predictive, targets, copies)) counts(one.label, one.predicted) += 1;
  return counts;
}

}  // namespace credens::scoring
