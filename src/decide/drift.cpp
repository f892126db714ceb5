// SPDX-License-Identifier: Apache-2.0
//
// Tests of whether new rows are exchangeable with calibration rows, and a martingale that bets against it (Vovk,
// Nouretdinov and Gammerman 2003).

#include <credens/trust.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "math/mixture.hpp"
#include "model/ensemble_state.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A missing number lies above all others.
std::vector<double> sorted_values(std::vector<double> values) {
  for (double& value : values) value = std::isnan(value) ? unbounded : value;
  std::ranges::sort(values);
  return values;
}

std::vector<double> column_of(MatrixView values, std::size_t col) {
  std::vector<double> column(values.rows());
  for (std::size_t row = 0; row < column.size(); ++row) column[row] = values(row, col);
  return column;
}

/// The largest distance of two empirical distribution functions; values are sorted.
double kolmogorov_distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                         static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest;
}

/// P(distance >= d) for two samples: Kolmogorov's series with the correction of Stephens (1970) for few rows.
double kolmogorov_p(double distance, std::size_t a, std::size_t b) {
  const double rows = static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(a + b);
  const double scaled = (std::sqrt(rows) + 0.12 + 0.11 / std::sqrt(rows)) * distance;
  if (scaled < 0.3) return 1;  // the series is 1 there to five digits, and converges slowly
  double sum = 0;
  for (int k = 1; k <= 50; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * scaled * scaled);
  return std::clamp(sum, 0.0, 1.0);
}

DriftTest two_sample_test(std::string name, std::vector<double> now, std::vector<double> before) {
  now = sorted_values(std::move(now));
  before = sorted_values(std::move(before));
  const double distance = kolmogorov_distance(now, before);
  return {std::move(name), distance, kolmogorov_p(distance, now.size(), before.size())};
}

DriftTest strangest_row(const std::vector<double>& trust) {
  const auto least = std::ranges::min_element(trust);
  const double p = std::min(1.0, *least * static_cast<double>(trust.size()));
  return {"strangest row", *least, p, static_cast<std::size_t>(least - trust.begin())};
}

/// Counts of values by rank, of which those from a rank on are asked for.
class RankCounts {
 public:
  explicit RankCounts(std::size_t ranks) : counts_(ranks + 1) {}

  void add(std::size_t rank) {
    ++all_;
    for (std::size_t at = rank + 1; at < counts_.size(); at += at & (~at + 1)) ++counts_[at];
  }
  std::size_t from(std::size_t rank) const {
    std::size_t below = 0;
    for (std::size_t at = rank; at > 0; at -= at & (~at + 1)) below += counts_[at];
    return all_ - below;
  }
  std::size_t all() const { return all_; }

 private:
  std::vector<std::size_t> counts_;
  std::size_t all_ = 0;
};

/// For each new value the share of calibration values, earlier new ones and itself that are at least as large: under
/// exchangeability independent of each other, and P(p <= a) <= a.
std::vector<double> running_p_values(const std::vector<double>& calibration, const std::vector<double>& values) {
  std::vector<double> sorted = calibration;
  sorted.insert(sorted.end(), values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto rank_of = [&](double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
  };
  RankCounts counts(sorted.size());
  for (const double value : calibration) counts.add(rank_of(value));
  std::vector<double> p;
  for (const double value : values) {
    counts.add(rank_of(value));
    p.push_back(static_cast<double>(counts.from(rank_of(value))) / static_cast<double>(counts.all()));
  }
  return p;
}

/// Bets on small p values: prod_i e p_i^(e - 1), a martingale for each e in (0, 1), and so is the mean of several. The
/// logarithm of that mean after each row.
class Martingale {
 public:
  void start(const std::vector<double>& p) {
    for (int step = 1; step < 10; ++step) {
      const double e = step / 10.0;
      double sum = 0;
      std::vector<double>& path = paths_.emplace_back();
      for (const double value : p) path.push_back(sum += std::log(e) + (e - 1) * std::log(value));
    }
  }

  std::vector<double> log_values() const {
    std::vector<double> values(paths_.front().size());
    std::vector<double> terms(paths_.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      for (std::size_t i = 0; i < paths_.size(); ++i) terms[i] = paths_[i][row];
      values[row] = math::log_sum_exp(terms) - std::log(static_cast<double>(paths_.size()));
    }
    return values;
  }

 private:
  std::vector<std::vector<double>> paths_;
};

template <class Change>
std::vector<double> changed(std::vector<double> values, Change change) {
  std::ranges::transform(values, values.begin(), change);
  return values;
}

/// Bets on scores that are too high, too low and too far from 0.
DriftTest martingale_test(const std::string& name, const std::vector<double>& calibration,
                          const std::vector<double>& scores) {
  Martingale martingale;
  const auto bet = [&](auto change) {
    martingale.start(running_p_values(changed(calibration, change), changed(scores, change)));
  };
  bet([](double score) { return score; });
  bet([](double score) { return -score; });
  bet([](double score) { return std::abs(score); });
  const std::vector<double> path = martingale.log_values();
  const auto highest = std::ranges::max_element(path);
  const auto lowest = std::min_element(path.begin(), highest);
  const bool falls_first = lowest != highest && *lowest < 0;
  const auto since = falls_first ? static_cast<std::size_t>(lowest - path.begin()) + 1 : 0;
  return {name + ", row by row", *highest / std::log(10.0), std::min(1.0, std::exp(-*highest)), since};
}

}  // namespace

double TableCheck::p() const {
  double least = 1;
  for (const DriftTest& test : tests) least = std::min(least, test.p);
  return std::min(1.0, least * static_cast<double>(tests.size()));
}

TableCheck check_inputs(const Ensemble& ensemble, const TrustJudge& judge, MatrixView inputs, const RowTrust& rows) {
  base::require(inputs.rows() > 0, ErrorCode::data, "there are no rows to check");
  const Matrix& before = ensemble.promise()->calibration_inputs;
  const data::Schema& schema = ensemble.state().schema;
  const std::vector<std::string> labels = schema.input_labels();
  TableCheck check;
  for (std::size_t col = 0; col < inputs.cols(); ++col) {
    const std::string name = schema.has_names ? labels[col] : "column " + labels[col];
    check.tests.push_back(two_sample_test(name, column_of(inputs, col), column_of(before, col)));
  }
  const RowTrust& usual = judge.calibration();
  check.tests.push_back(two_sample_test("distance from training rows", rows.strangeness, usual.strangeness));
  check.tests.push_back(two_sample_test("ignorance", rows.ignorance, usual.ignorance));
  check.tests.push_back(strangest_row(rows.trust));
  return check;
}

void check_targets(const Ensemble& ensemble, const Predictive& predictive, MatrixView targets, TableCheck& check) {
  base::check_shape(targets, predictive.rows(), predictive.outputs(), "targets");
  base::check_finite(targets, "targets");
  base::require(ensemble.promise().has_value(), ErrorCode::usage, "the model was not calibrated");
  const std::vector<std::string> names = ensemble.target_names();
  model::MarginalReader reader(predictive.components());
  for (std::size_t output = 0; output < predictive.outputs(); ++output) {
    std::vector<double> before;
    for (const PromiseGroup& group : ensemble.promise()->groups) {
      const std::vector<double> scores = column_of(group.scores, output);
      before.insert(before.end(), scores.begin(), scores.end());
    }
    std::vector<double> scores(predictive.rows());
    for (std::size_t row = 0; row < scores.size(); ++row) {
      scores[row] = math::mixture_normal_score(reader.gather(row, output), targets(row, output));
    }
    check.tests.push_back(two_sample_test("PIT values of " + names[output], scores, before));
    check.tests.push_back(martingale_test("PIT values of " + names[output], before, scores));
  }
}

}  // namespace credens
