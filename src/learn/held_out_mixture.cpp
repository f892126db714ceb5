// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/mixture.hpp"

namespace credens::learn {

void HeldOutMixture::keep(std::size_t count, base::RandomStream& random) {
  std::fill(is_used_.begin(), is_used_.end(), false);
  for (std::size_t r = 0; r < held_out_.rows(); ++r) {
    const std::size_t pairs = held_out_.members_of(r).size();
    const std::vector<std::uint32_t> order = base::permutation(pairs, random);
    for (std::size_t i = 0; i < std::min(count, pairs); ++i) is_used_[held_out_.first_pair[r] + order[i]] = true;
  }
}

double HeldOutMixture::weigh(std::size_t row, std::span<const double> log_density, std::vector<double>& terms) const {
  const std::size_t first = held_out_.first_pair[row];
  const auto members = held_out_.members_of(row);
  std::vector<std::size_t> replicates(configuration_weights_.size());
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (is_used_[first + c]) ++replicates[held_out_.members[members[c]].configuration];
  }
  double total = 0;
  terms.assign(members.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (!is_used_[first + c]) continue;
    const std::size_t configuration = held_out_.members[members[c]].configuration;
    const double weight = configuration_weights_[configuration] / static_cast<double>(replicates[configuration]);
    total += weight;
    terms[c] = std::log(weight) + log_density[first + c];
  }
  return std::log(total);
}

double HeldOutMixture::mean_nll(std::span<const double> log_density) const {
  double sum = 0;
  double weights = 0;
  std::vector<double> terms;
  for (std::size_t r = 0; r < held_out_.rows(); ++r) {
    const double log_total = weigh(r, log_density, terms);
    sum -= held_out_.weights[r] * (math::log_sum_exp(terms) - log_total);
    weights += held_out_.weights[r];
  }
  return sum / weights;
}

}  // namespace credens::learn
