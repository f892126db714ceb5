// SPDX-License-Identifier: Apache-2.0

#include <credens/suggest.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"
#include "decide/function_rows.hpp"
#include "decide/goal.hpp"
#include "decide/knowledge.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_source.hpp"
#include "model/weights.hpp"

namespace credens {

namespace {

/// More rows that count would hardly change a mean over them, but cost time.
constexpr std::size_t most_at = 1000;

/// Floats of the coordinates of all candidates: 1 GB.
constexpr std::size_t most_values = std::size_t{1} << 28;

/// Inputs that differ by less, in standard deviations of training, are the same place.
constexpr float same_place = 0.05F;

constexpr double dominating_share = 0.95;

enum class Sample : std::uint64_t { candidates = 1, at = 2, box = 3 };

base::RandomStream stream(std::uint64_t seed, Sample sample, std::size_t part = 0) {
  return base::RandomStream({.seed = seed,
                             .purpose = base::Purpose::row_sample,
                             .member = static_cast<std::uint64_t>(sample),
                             .attempt = part});
}

void check_cost(std::span<const double> cost, std::size_t rows) {
  base::require(cost.empty() || cost.size() == rows, ErrorCode::data, "cost has {} values, expected {}, one per row",
                cost.size(), rows);
  for (std::size_t row = 0; row < cost.size(); ++row) {
    base::require(std::isfinite(cost[row]) && cost[row] > 0, ErrorCode::data,
                  "cost: row {} is {}, expected a number above 0", row, cost[row]);
  }
}

void check(const Ensemble& ensemble, MatrixView pool, const SuggestOptions& options) {
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "the model predicts classes; suggestions are for models that predict numbers");
  base::require(options.count >= 1 && options.count <= pool.rows(), ErrorCode::usage,
                "{} rows are asked for, expected 1 to {}, the rows of the pool", options.count, pool.rows());
  base::require(options.output < ensemble.outputs(), ErrorCode::usage, "output {} is asked for, but the model has {}",
                options.output, ensemble.outputs());
  base::require(std::isfinite(options.value), ErrorCode::usage, "the value to reach is not finite");
  base::require(options.threads >= 0, ErrorCode::usage, "threads is {}, expected 0 (all cores) or more",
                options.threads);
  check_cost(options.cost, pool.rows());
  model::require_known_noise(ensemble.state(), pool.rows(), options.noise_std);
  model::require_known_noise(ensemble.state(), options.pending.rows(), options.pending_noise_std);
}

/// All rows, or a seeded sample of `most` of them in their order.
std::vector<std::size_t> some_rows(std::size_t rows, std::size_t most, base::RandomStream random) {
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (rows <= most) return all;
  const std::vector<std::uint32_t> order = base::permutation(rows, random);
  std::vector<std::size_t> some(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most));
  std::ranges::sort(some);
  return some;
}

Matrix rows_of(MatrixView matrix, std::span<const std::size_t> rows) {
  if (matrix.empty()) return {};
  Matrix some(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(matrix.row(rows[i]), some.row(i).begin());
  return some;
}

/// Inputs as networks see them, to find those that are nearly the same.
class Places {
 public:
  explicit Places(const data::Encoder& encoder) : encoder_(encoder) {}

  /// The first of the places with nearly the same inputs.
  std::optional<std::size_t> find(MatrixView row) const {
    const std::vector<float> place = encoded(row);
    const auto found = std::ranges::find_if(places_, [&](const auto& other) { return are_near(place, other); });
    return found == places_.end() ? std::nullopt : std::optional<std::size_t>(found - places_.begin());
  }
  void add(MatrixView row) { places_.push_back(encoded(row)); }

 private:
  std::vector<float> encoded(MatrixView row) const {
    std::vector<float> place(encoder_.width());
    model::encode_inputs(encoder_, row, place.data(), place.size(), 0);
    return place;
  }
  bool are_near(std::span<const float> one, std::span<const float> other) const {
    for (std::size_t j = 0; j < one.size(); ++j) {
      if (std::isnan(one[j]) && std::isnan(other[j])) continue;
      const float tolerance = j < encoder_.numbers() ? same_place : 0;
      if (!(std::abs(one[j] - other[j]) <= tolerance)) return false;
    }
    return true;
  }

  const data::Encoder& encoder_;
  std::vector<std::vector<float>> places_;
};

/// The candidates, and what is known at them and at the rows that count.
class Chooser {
 public:
  Chooser(const Ensemble& ensemble, MatrixView pool, const SuggestOptions& options)
      : state_(ensemble.state()),
        options_(options),
        candidates_(some_rows(pool.rows(), most_candidates(), stream(options.seed, Sample::candidates))),
        pool_(function_at(rows_of(pool, candidates_), rows_of(options.noise_std, candidates_))) {
    const MatrixView asked = options.at.empty() ? pool : options.at;
    at_ = function_at(rows_of(asked, some_rows(asked.rows(), most_at, stream(options.seed, Sample::at))), {});
    for (std::size_t k = 0; k < outputs(); ++k) {
      knowledge_.emplace_back(pool_, at_, k, options.goal == Goal::learn, options.threads);
    }
    measure_pending();
    for (const Knowledge& known : knowledge_) start_.push_back(known.mean_variance());
    base::require(std::ranges::all_of(start_, [](double variance) { return variance > 0; }), ErrorCode::usage,
                  "the model has no ignorance at these rows, expected more than one member, or a posterior wider than "
                  "delta (credens widen)");
    find_best();
  }

  std::size_t candidates() const { return candidates_.size(); }
  std::size_t at() const { return at_.rows(); }

  /// The candidate with the largest gain for its cost, measured from here on; in units of the options.
  SuggestedRow next() {
    std::size_t best = candidates();
    double best_score = -1;
    double best_gain = 0;
    for (std::size_t i = 0; i < candidates(); ++i) {
      if (is_taken_[i]) continue;
      const double gain = this->gain(i);
      const double score = options_.cost.empty() ? gain : gain / options_.cost[candidates_[i]];
      if (score <= best_score) continue;
      best = i;
      best_score = score;
      best_gain = gain;
    }
    is_taken_[best] = true;
    for (std::size_t k = 0; k < outputs(); ++k) knowledge_[k].measure(pool_.row(best, k), pool_.noise(best, k));
    return {.row = candidates_[best], .gain = best_gain, .ignorance = ignorance()};
  }

  /// Root mean epistemic variances, in the units of the data.
  std::vector<double> ignorance() const {
    std::vector<double> roots;
    for (std::size_t k = 0; k < outputs(); ++k) roots.push_back(scale(k) * std::sqrt(knowledge_[k].mean_variance()));
    return roots;
  }

  std::vector<double> noise() const {
    std::vector<double> roots;
    for (std::size_t k = 0; k < outputs(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < candidates(); ++i) sum += pool_.noise(i, k);
      roots.push_back(scale(k) * std::sqrt(sum / static_cast<double>(candidates())));
    }
    return roots;
  }

 private:
  using Knowledge = decide::Knowledge;

  std::size_t outputs() const { return state_.target_scaler.cols(); }
  double scale(std::size_t output) const { return state_.target_scaler.scale[output]; }
  std::size_t most_candidates() const {
    return std::max<std::size_t>(options_.count, most_values / (outputs() * decide::function_stride(state_)));
  }

  decide::FunctionRows function_at(const Matrix& inputs, const Matrix& noise_std) const {
    return decide::function_rows(state_, model::networks_at(state_, inputs, noise_std), options_.threads);
  }

  void measure_pending() {
    const auto source = model::networks_at(state_, options_.pending, options_.pending_noise_std);
    const decide::FunctionRows pending = decide::function_rows(state_, source, options_.threads);
    for (std::size_t k = 0; k < outputs(); ++k) {
      for (std::size_t i = 0; i < pending.rows(); ++i) knowledge_[k].measure(pending.row(i, k), pending.noise(i, k));
    }
    is_taken_.assign(candidates(), false);
  }

  /// The largest mean, or the least expected distance from the value, among the candidates and the rows that count.
  void find_best() {
    const std::size_t k = options_.output;
    value_ = (options_.value - state_.target_scaler.shift[k]) / scale(k);
    best_ = options_.goal == Goal::value ? std::numeric_limits<double>::infinity()
                                         : -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < candidates(); ++i) {
      if (options_.goal == Goal::value) {
        const double std = std::sqrt(knowledge_[k].variance(i));
        best_ = std::min(best_, decide::expected_distance(pool_.mean(i, k) - value_, std));
      } else {
        best_ = std::max(best_, sign() * pool_.mean(i, k));
      }
    }
    if (options_.goal == Goal::value || options_.at.empty()) return;
    for (std::size_t i = 0; i < at(); ++i) best_ = std::max(best_, sign() * at_.mean(i, k));
  }

  double sign() const { return options_.goal == Goal::minimise ? -1 : 1; }

  double gain(std::size_t i) const {
    if (options_.goal == Goal::learn) {
      double sum = 0;
      for (std::size_t k = 0; k < outputs(); ++k) sum += knowledge_[k].decrease(i) / start_[k];
      return sum / static_cast<double>(outputs());
    }
    const std::size_t k = options_.output;
    const double std = decide::learnable_std(knowledge_[k].variance(i), pool_.noise(i, k));
    if (options_.goal == Goal::value) {
      return scale(k) * decide::expected_closeness(pool_.mean(i, k) - value_, std, best_);
    }
    return scale(k) * decide::expected_excess(sign() * pool_.mean(i, k) - best_, std);
  }

  const model::EnsembleState& state_;
  const SuggestOptions& options_;
  std::vector<std::size_t> candidates_;  ///< rows of the pool
  decide::FunctionRows pool_;            ///< at the candidates
  decide::FunctionRows at_;
  std::vector<Knowledge> knowledge_;  ///< of each output
  std::vector<bool> is_taken_;        ///< candidates
  std::vector<double> start_;         ///< mean variance of each output with the pending rows
  double best_ = 0;                   ///< what is to be improved, in network units
  double value_ = 0;                  ///< to be reached, in network units
};

}  // namespace

bool Suggestion::noise_dominates() const {
  for (std::size_t k = 0; k < noise.size(); ++k) {
    const double total = noise[k] * noise[k] + ignorance[k] * ignorance[k];
    if (!(noise[k] * noise[k] > dominating_share * total)) return false;
  }
  return true;
}

Suggestion suggest(const Ensemble& ensemble, MatrixView pool, const SuggestOptions& options) {
  check(ensemble, pool, options);
  Chooser chooser(ensemble, pool, options);
  Suggestion suggestion{.ignorance = chooser.ignorance(),
                        .noise = chooser.noise(),
                        .candidates = chooser.candidates(),
                        .at = chooser.at()};
  Places pending(ensemble.state().encoder);
  Places suggested(ensemble.state().encoder);
  for (std::size_t i = 0; i < options.pending.rows(); ++i) pending.add(options.pending.row_block(i, 1));
  for (std::size_t i = 0; i < options.count; ++i) {
    SuggestedRow next = chooser.next();
    const MatrixView inputs = pool.row_block(next.row, 1);
    next.repeats = suggested.find(inputs);
    next.repeats_pending = pending.find(inputs);
    suggested.add(inputs);
    suggestion.rows.push_back(std::move(next));
  }
  return suggestion;
}

Matrix rows_within(const Ensemble& ensemble, std::span<const InputBounds> bounds, std::size_t count,
                   std::uint64_t seed) {
  model::require_networks(ensemble.state());
  const std::vector<data::Column>& inputs = ensemble.state().schema.inputs;
  base::require(bounds.size() == inputs.size(), ErrorCode::usage, "bounds of {} inputs are given, expected {}",
                bounds.size(), inputs.size());
  const std::vector<std::string> labels = ensemble.state().schema.input_labels();
  Matrix rows(count, inputs.size());
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const auto [lower, upper] = bounds[j];
    const bool is_word = inputs[j].kind == ColumnKind::category;
    base::require(is_word || (std::isfinite(lower) && std::isfinite(upper)), ErrorCode::usage,
                  "the bounds of {} are {} and {}, expected finite numbers", labels[j], lower, upper);
    base::require(is_word || lower <= upper, ErrorCode::usage, "the bounds of {} cross: {} is above {}", labels[j],
                  lower, upper);
    base::RandomStream random = stream(seed, Sample::box, j);
    const std::vector<std::uint32_t> order = base::permutation(count, random);
    for (std::size_t i = 0; i < count; ++i) {
      const double share = (order[i] + random.uniform()) / static_cast<double>(count);
      rows(i, j) = is_word ? static_cast<double>(order[i] % inputs[j].levels.size())
                           : std::min(upper, lower + share * (upper - lower));
    }
  }
  return rows;
}

}  // namespace credens
