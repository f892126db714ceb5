// SPDX-License-Identifier: Apache-2.0

#include "model/logit_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "model/class_labels.hpp"
#include "model/class_predictive.hpp"
#include "model/weights.hpp"

namespace credens::model {

namespace {

void check_member(const LogitRows& member, std::size_t l, std::size_t rows, std::size_t classes) {
  base::check_shape(member.logits, rows, classes, of_member("logits", l));
  base::check_finite(member.logits, of_member("logits", l));
  base::require(member.variance.empty() || member.variance.size() == rows, ErrorCode::data,
                "{} has {} values, expected {}", of_member("variance", l), member.variance.size(), rows);
  const auto bad =
      std::ranges::find_if(member.variance, [](double value) { return !(std::isfinite(value) && value >= 0); });
  base::require(bad == member.variance.end(), ErrorCode::data, "{}: value {} is {}, expected a finite number from 0",
                of_member("variance", l), bad - member.variance.begin(), bad == member.variance.end() ? 0 : *bad);
}

void check(std::span<const LogitRows> members, const std::vector<double>& weights) {
  base::require(!members.empty(), ErrorCode::data, "there are logits of no members, expected at least 1");
  check_weights(weights, members.size(), "weights");
  const MatrixView first = members.front().logits;
  check_class_count(first.cols(), "logits");
  for (std::size_t l = 0; l < members.size(); ++l) check_member(members[l], l, first.rows(), first.cols());
}

}  // namespace

ClassPredictive class_predictive_of(std::span<const LogitRows> members, const std::vector<double>& weights,
                                    int threads) {
  check(members, weights);
  const std::vector<double> shares = normalised(weights);
  const std::size_t rows = members.front().logits.rows();
  const std::size_t classes = members.front().logits.cols();
  ClassPredictive predictive = empty_class_predictive(rows, classes);
  base::parallel_for((rows + forward_rows - 1) / forward_rows, threads, [&](std::size_t block) {
    MemberClasses moments(classes);
    ClassMixture mixture(classes);
    for (std::size_t row = block * forward_rows; row < std::min(rows, (block + 1) * forward_rows); ++row) {
      mixture.clear();
      for (std::size_t l = 0; l < members.size(); ++l) {
        if (shares[l] == 0) continue;
        moments.run(members[l].logits.row(row), members[l].variance.empty() ? 0 : members[l].variance[row]);
        mixture.add(moments, shares[l]);
      }
      mixture.write(predictive, row);
    }
  });
  return predictive;
}

}  // namespace credens::model
