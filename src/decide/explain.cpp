// SPDX-License-Identifier: Apache-2.0

#include <credens/explain.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_source.hpp"

namespace credens {

namespace {

constexpr std::size_t quantities = 3;

/// Mean, noise and ignorance of rows: [n x 3 q], in data units.
Matrix quantities_at(const model::EnsembleState& state, const Matrix& inputs, int threads) {
  const PredictiveMoments moments =
      model::predictive_of(state, model::networks_at(state, inputs, {}), threads).moments();
  const std::size_t outputs = state.target_scaler.cols();
  Matrix values(inputs.rows(), quantities * outputs);
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      values(i, k) = moments.mean(i, k);
      values(i, outputs + k) = std::sqrt(moments.aleatoric_variance(i, k));
      values(i, 2 * outputs + k) = std::sqrt(moments.epistemic_variance(i, k));
    }
  }
  return values;
}

/// An order of the inputs, walked forwards and backwards, from a background row.
struct Walk {
  std::vector<std::uint32_t> order;
  std::size_t background = 0;
};

std::vector<Walk> drawn_walks(std::size_t inputs, std::size_t background, const ExplainOptions& options) {
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::row_sample, .member = 4});
  const std::vector<std::uint32_t> rows = base::permutation(background, random);
  std::vector<Walk> walks;
  for (std::size_t i = 0; i < options.draws; ++i) {
    walks.push_back({base::permutation(inputs, random), rows[i % background]});
  }
  return walks;
}

/// Explains rows one by one; threads share it.
class Explainer {
 public:
  Explainer(const Ensemble& ensemble, MatrixView background, const ExplainOptions& options)
      : state_(ensemble.state()), walks_(drawn_walks(background.cols(), background.rows(), options)) {
    starts_.resize(walks_.size(), background.cols());
    for (std::size_t w = 0; w < walks_.size(); ++w) {
      std::ranges::copy(background.row(walks_[w].background), starts_.row(w).begin());
    }
    start_values_ = quantities_at(state_, starts_, options.threads);
  }

  /// [3 q]: means over the walks.
  std::vector<double> base() const {
    std::vector<double> means(start_values_.cols());
    for (std::size_t w = 0; w < walks_.size(); ++w) {
      for (std::size_t c = 0; c < means.size(); ++c) {
        means[c] += start_values_(w, c) / static_cast<double>(walks_.size());
      }
    }
    return means;
  }

  /// Mean contributions [d x 3 q] of a row with these values, and their standard errors.
  void explain(std::span<const double> row, std::span<const double> value, Matrix& mean, Matrix& error) const {
    const std::size_t steps = row.size() - 1;  // between the ends of a walk
    const Matrix between = quantities_at(state_, points(row), 1);
    mean = Matrix(row.size(), value.size());
    error = Matrix(row.size(), value.size());
    const auto draws = static_cast<double>(walks_.size());
    for (std::size_t w = 0; w < walks_.size(); ++w) {
      for (std::size_t place = 0; place < row.size(); ++place) {
        const std::size_t input = walks_[w].order[place];
        const std::size_t last = steps - place;  // place of this input in the opposite order
        const std::span<const double> before = at(between, w, false, place, value);
        const std::span<const double> after = at(between, w, false, place + 1, value);
        const std::span<const double> opposite_before = at(between, w, true, last, value);
        const std::span<const double> opposite_after = at(between, w, true, last + 1, value);
        for (std::size_t c = 0; c < value.size(); ++c) {
          const double step = 0.5 * (after[c] - before[c] + opposite_after[c] - opposite_before[c]);
          const double deviation = step - mean(input, c);  // Welford
          mean(input, c) += deviation / static_cast<double>(w + 1);
          error(input, c) += deviation * (step - mean(input, c));
        }
      }
    }
    for (double& sum : error.values()) sum = std::sqrt(sum / (draws * (draws - 1)));
  }

 private:
  /// The rows between both ends: of each walk those of its order, then those of the opposite one.
  Matrix points(std::span<const double> row) const {
    const std::size_t steps = row.size() - 1;
    Matrix points(2 * steps * walks_.size(), row.size());
    std::size_t next = 0;
    for (std::size_t w = 0; w < walks_.size(); ++w) {
      for (const bool opposite : {false, true}) {
        std::vector<double> point(starts_.row(w).begin(), starts_.row(w).end());
        for (std::size_t place = 0; place < steps; ++place) {
          const std::size_t input = walks_[w].order[opposite ? steps - place : place];
          point[input] = row[input];
          std::ranges::copy(point, points.row(next++).begin());
        }
      }
    }
    return points;
  }

  /// Values after `changed` inputs of a walk.
  std::span<const double> at(const Matrix& between, std::size_t walk, bool opposite, std::size_t changed,
                             std::span<const double> end) const {
    const std::size_t steps = starts_.cols() - 1;
    if (changed == 0) return start_values_.row(walk);
    if (changed == steps + 1) return end;
    return between.row((2 * walk + (opposite ? 1 : 0)) * steps + changed - 1);
  }

  const model::EnsembleState& state_;
  std::vector<Walk> walks_;
  Matrix starts_;        ///< [walks x d]
  Matrix start_values_;  ///< [walks x 3 q]
};

void check(const Ensemble& ensemble, MatrixView background, const ExplainOptions& options) {
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "the model predicts classes; explanations are for models that predict numbers");
  base::require(options.draws >= 2, ErrorCode::usage, "{} orders are to be drawn, expected at least 2", options.draws);
  base::require(options.threads >= 0, ErrorCode::usage, "threads is {}, expected 0 (all cores) or more",
                options.threads);
  base::require(background.rows() >= 2, ErrorCode::usage, "{} background rows are given, expected at least 2",
                background.rows());
  model::check_rows(ensemble.state(), background, {});
}

Contributions empty_contributions(std::size_t rows, std::size_t inputs, std::size_t outputs) {
  return {.base = std::vector<double>(outputs),
          .value = Matrix(rows, outputs),
          .of_inputs = std::vector<Matrix>(outputs, Matrix(rows, inputs)),
          .standard_error = std::vector<Matrix>(outputs, Matrix(rows, inputs))};
}

}  // namespace

Explanation explain(const Ensemble& ensemble, MatrixView inputs, const ExplainOptions& options) {
  const MatrixView background = options.background.empty() ? inputs : options.background;
  check(ensemble, background, options);
  const std::size_t outputs = ensemble.outputs();
  const Explainer explainer(ensemble, background, options);
  const Matrix rows = [&] {
    Matrix copy(inputs.rows(), inputs.cols());
    for (std::size_t i = 0; i < inputs.rows(); ++i) std::ranges::copy(inputs.row(i), copy.row(i).begin());
    return copy;
  }();
  const Matrix values = quantities_at(ensemble.state(), rows, options.threads);
  const Contributions empty = empty_contributions(rows.rows(), rows.cols(), outputs);
  Explanation explanation{empty, empty, empty};
  Contributions* const parts[] = {&explanation.mean, &explanation.noise, &explanation.ignorance};
  const std::vector<double> base = explainer.base();
  for (std::size_t c = 0; c < base.size(); ++c) parts[c / outputs]->base[c % outputs] = base[c];
  std::mutex mutex;
  std::size_t done = 0;
  base::parallel_for(rows.rows(), options.threads, [&](std::size_t i) {
    Matrix mean;
    Matrix error;
    explainer.explain(rows.row(i), values.row(i), mean, error);
    for (std::size_t c = 0; c < base.size(); ++c) {
      Contributions& part = *parts[c / outputs];
      const std::size_t k = c % outputs;
      part.value(i, k) = values(i, c);
      for (std::size_t j = 0; j < rows.cols(); ++j) {
        part.of_inputs[k](i, j) = mean(j, c);
        part.standard_error[k](i, j) = error(j, c);
      }
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (options.on_progress) options.on_progress(done);
  });
  return explanation;
}

std::vector<InputShare> input_shares(const Contributions& contributions, std::size_t output) {
  const Matrix& of_inputs = contributions.of_inputs[output];
  const auto rows = static_cast<double>(of_inputs.rows());
  std::vector<InputShare> shares(of_inputs.cols());
  double total = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < of_inputs.rows(); ++i) {
      mean += of_inputs(i, j) / rows;
      shares[j].share += std::abs(of_inputs(i, j)) / rows;
    }
    for (std::size_t i = 0; i < of_inputs.rows(); ++i) {
      shares[j].spread += (of_inputs(i, j) - mean) * (of_inputs(i, j) - mean) / rows;
    }
    shares[j].spread = std::sqrt(shares[j].spread);
    total += shares[j].share;
  }
  for (InputShare& share : shares) share.share = total > 0 ? share.share / total : 0;
  return shares;
}

}  // namespace credens
