// SPDX-License-Identifier: Apache-2.0

#include <credens/budget.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "math/mixture.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

/// Rows that a thread takes at a time.
constexpr std::size_t rows_of_task = 16;

/// work(row, output, mixture) of each marginal.
template <class Work>
void for_marginals(const Predictive& predictive, Measurand of, int threads, const Work& work) {
  const std::size_t tasks = (predictive.rows() + rows_of_task - 1) / rows_of_task;
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    model::MarginalReader reader(predictive.components());
    const std::size_t end = std::min(predictive.rows(), (task + 1) * rows_of_task);
    for (std::size_t row = task * rows_of_task; row < end; ++row) {
      for (std::size_t output = 0; output < predictive.outputs(); ++output) {
        work(row, output, reader.gather(row, output, of == Measurand::observation));
      }
    }
  });
}

Matrix total_of(const std::vector<Contribution>& contributions) {
  Matrix total = contributions.front().std;
  for (std::size_t i = 0; i < total.values().size(); ++i) {
    double sum = 0;
    for (const Contribution& contribution : contributions) {
      const double std = contribution.std.values()[i];
      if (contribution.adds_up) sum += std * std;
    }
    total.values()[i] = std::sqrt(sum);
  }
  return total;
}

}  // namespace

std::vector<Contribution> contributions(const Predictive& predictive, Measurand of) {
  const Matrix none(predictive.rows(), predictive.outputs());
  const std::vector<std::string>& inputs = predictive.components().inputs.names;
  std::vector<Contribution> all = {
      {"noise", none}, {"between members", none}, {"within members", none}, {"inputs", none}};
  for (std::size_t row = 0; row < none.rows(); ++row) {
    for (std::size_t output = 0; output < none.cols(); ++output) {
      const model::Moments moments = model::moments_at(predictive.components(), row, output);
      const double variances[] = {moments.aleatoric, moments.between, moments.within, moments.input};
      for (std::size_t c = 0; c < 4; ++c) all[c].std(row, output) = std::sqrt(variances[c]);
    }
  }
  if (inputs.empty()) all.pop_back();
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    all.push_back({.name = "input " + inputs[j], .std = predictive.input_std(j), .adds_up = false});
  }
  if (of == Measurand::function) all.erase(all.begin());
  return all;
}

Interval shortest_interval(const Predictive& predictive, double level, Measurand of, int threads) {
  base::check_probability(level, "level");
  const Matrix none(predictive.rows(), predictive.outputs());
  Interval interval{none, none};
  for_marginals(predictive, of, threads, [&](std::size_t row, std::size_t output, const math::MixtureView& mixture) {
    const math::MixtureInterval found = math::mixture_shortest_interval(mixture, level);
    interval.lower(row, output) = found.lower;
    interval.upper(row, output) = found.upper;
  });
  return interval;
}

Budget budget(const Predictive& predictive, const BudgetOptions& options) {
  base::check_probability(options.level, "level");
  const bool with_noise = options.of == Measurand::observation;
  const Matrix none(predictive.rows(), predictive.outputs());
  Budget result{.mean = predictive.mean(),
                .contributions = contributions(predictive, options.of),
                .total_std = none,
                .coverage_factor = none,
                .expanded = none,
                .symmetric = with_noise ? predictive.interval(options.level, IntervalKind::mixture)
                                        : predictive.function_interval(options.level, IntervalKind::mixture),
                .shortest = shortest_interval(predictive, options.level, options.of, options.threads)};
  result.total_std = total_of(result.contributions);
  for_marginals(predictive, options.of, options.threads,
                [&](std::size_t row, std::size_t output, const math::MixtureView& mixture) {
                  const double expanded = math::mixture_half_width(mixture, result.mean(row, output), options.level);
                  const double std = result.total_std(row, output);
                  result.expanded(row, output) = expanded;
                  result.coverage_factor(row, output) =
                      std > 0 ? expanded / std : 0;  // a value that is known for certain
                });
  return result;
}

}  // namespace credens
