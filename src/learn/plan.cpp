// SPDX-License-Identifier: Apache-2.0
//
// The numbers here were found with experiments on public data (docs/accuracy.md); none of them looks at test rows.

#include "learn/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "learn/recipe.hpp"

namespace credens::learn {

namespace {

FitOptions with_paper_defaults(FitOptions options) {
  options.members.set_default(10);
  options.hidden.set_default({{128, 64, 32}});
  options.activation.set_default({Activation::relu});
  options.embedding.set_default({0});
  options.frequencies.set_default(4);
  options.noise.set_default(NoiseKind::shared);
  options.noise_link.set_default(NoiseLink::softplus);
  options.epochs.set_default(60);
  options.batch.set_default(64);
  options.learning_rate.set_default({1e-3});
  options.schedule.set_default(Schedule::halve_last_five);
  options.loss_beta.set_default({0});
  options.bend_inputs.set_default(false);
  options.folds.set_default(0);
  options.recalibrate.set_default(false);
  options.correct_size.set_default(false);
  options.weigh_members.set_default(false);
  options.prior_precision.set_default(1);
  options.hidden_precision.set_default({*options.prior_precision});
  options.posterior.set_default(PosteriorKind::isotropic);
  return options;
}

constexpr double wide_prior = 0.03;

/// Members that differ replace a search for the one best kind: no bandwidth, activation, rate or prior is good for all
/// data. Ordered so that the first few are the best few.
struct Kind {
  Activation activation;
  double bandwidth;
  double learning_rate;
  double loss_beta;
  double smoothness = 0;  ///< share of the strongest prior that training survives; 0: the wide one

  bool operator==(const Kind&) const = default;
};
constexpr Kind all_kinds[] = {
    {Activation::silu, 0.2, 3e-3, 0},      {Activation::silu, 1.0, 3e-3, 0.5}, {Activation::silu, 0, 3e-3, 0, 1.0},
    {Activation::silu, 2.0, 1e-2, 0},      {Activation::relu, 1.0, 3e-3, 0},   {Activation::silu, 0.5, 3e-3, 0},
    {Activation::relu, 0, 3e-3, 0},        {Activation::silu, 4.0, 3e-3, 0},   {Activation::silu, 0, 3e-3, 0},
    {Activation::silu, 0.2, 3e-3, 0, 0.3}, {Activation::silu, 0, 1e-2, 0.5},   {Activation::gelu, 1.0, 1e-2, 0},
};

/// Of few rows, which have fewer kinds, two of these are smooth.
constexpr std::size_t order_of_few[] = {0, 1, 2, 9, 4, 3, 5, 6, 7, 8, 10, 11};
static_assert(std::size(order_of_few) == std::size(all_kinds));

/// The best first. Without embeddings some kinds are the same.
std::vector<Kind> distinct_kinds(bool has_few_rows, bool embeds) {
  std::vector<Kind> distinct;
  for (std::size_t i = 0; i < std::size(all_kinds); ++i) {
    Kind kind = all_kinds[has_few_rows ? order_of_few[i] : i];
    if (!embeds) kind.bandwidth = 0;
    if (std::ranges::find(distinct, kind) == distinct.end()) distinct.push_back(kind);
  }
  return distinct;
}

struct EffortSize {
  std::size_t kinds;
  std::size_t kinds_of_few;   ///< rows
  std::size_t kinds_of_many;  ///< rows
  std::size_t folds;
  double work;  ///< of the steps of normal effort
};

EffortSize size_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {.kinds = 3, .kinds_of_few = 3, .kinds_of_many = 3, .folds = 5, .work = 0.5};
    case Effort::thorough:
      return {.kinds = std::size(all_kinds), .kinds_of_few = 8, .kinds_of_many = 8, .folds = 10, .work = 1.5};
    case Effort::normal:
      break;
  }
  return {.kinds = 10, .kinds_of_few = 6, .kinds_of_many = 5, .folds = 10, .work = 1};
}

constexpr std::size_t fewest_rows = 10;    ///< below: none can be held out
constexpr std::size_t few_rows = 250;      ///< below: not enough to tell many kinds apart
constexpr std::size_t many_rows = 20000;   ///< from here on one part is enough, networks are wider, and kinds fewer
constexpr std::size_t most_embedded = 64;  ///< inputs

/// Fills the choices in and keeps account.
class Planner {
 public:
  Planner(const FitOptions& given, const DataSize& size)
      : given_(given),
        size_(size),
        effort_(size_of(given.effort)),
        has_many_rows_(size.rows >= many_rows),
        kinds_(distinct_kinds(size.rows < few_rows, size.inputs <= most_embedded)),
        plan_{given, {}} {}

  Plan make() {
    decide_networks();
    decide_prior();
    decide_members();
    decide_training();
    decide_calibration();
    decide_posterior();
    return std::move(plan_);
  }

 private:
  template <class T>
  void decide(const char* name, Choice<T>& choice, T value, std::string reason) {
    if (choice.is_given()) return;
    choice = std::move(value);
    const base::OptionValue decided = fit_options().find(name)->get(plan_.options);
    plan_.decisions.push_back({.name = name, .value = base::to_text(decided), .reason = std::move(reason)});
  }

  template <class T, class Field>
  std::vector<T> of_kinds(Field field) const {
    std::vector<T> values;
    for (std::size_t i = 0; i < wanted_kinds(); ++i) values.push_back(field(kinds_[i]));
    const bool all_equal = std::ranges::count(values, values.front()) == std::ssize(values);
    if (all_equal) values.resize(1);
    return values;
  }

  /// Of what was given to be dealt in turn; 1 where there is nothing.
  std::size_t longest_list() const {
    const auto length = [](const auto& list) { return list.is_given() ? list->size() : 1; };
    return std::max({length(given_.hidden), length(given_.activation), length(given_.embedding),
                     length(given_.learning_rate), length(given_.loss_beta), length(given_.hidden_precision)});
  }

  /// Five members of a kind at least. Few rows cannot tell many kinds apart, and many rows take their time.
  std::size_t wanted_kinds() const {
    const Choice<std::size_t>& members = plan_.options.members;
    if (const std::size_t given = longest_list(); given > 1) return given <= kinds_.size() ? given : 1;
    const std::size_t some = size_.rows < few_rows ? effort_.kinds_of_few
                             : has_many_rows_      ? effort_.kinds_of_many
                                                   : effort_.kinds;
    const std::size_t most = std::min(some, kinds_.size());
    return members.is_given() ? std::clamp<std::size_t>(*members / 5, 1, most) : most;
  }

  std::string of_kinds_reason(const char* several) const {
    return wanted_kinds() > 1 ? several : "few members: all of one kind";
  }

  void decide_networks();
  void decide_prior();
  void decide_members();
  void decide_training();
  void decide_calibration();
  void decide_posterior();
  double hidden_precision(const Kind& kind) const;
  std::size_t frequencies() const;
  std::size_t batch() const;
  std::size_t epochs() const;
  std::size_t siblings() const;
  std::size_t folds() const;

  const FitOptions& given_;
  DataSize size_;
  EffortSize effort_;
  bool has_many_rows_;
  std::vector<Kind> kinds_;
  Plan plan_;
};

/// The embedded inputs, d (1 + 2 k), should be about as many as the first layer has units.
std::size_t Planner::frequencies() const {
  return size_.inputs <= 16 ? std::clamp<std::size_t>(32 / size_.inputs, 4, 8)
                            : std::max<std::size_t>(64 / size_.inputs, 1);
}

void Planner::decide_networks() {
  FitOptions& options = plan_.options;
  const bool embeds = size_.inputs <= most_embedded;
  const auto activations = of_kinds<Activation>([](const Kind& kind) { return kind.activation; });
  decide("activation", options.activation, activations,
         activations.size() > 1 ? "smooth and kinked functions side by side, weighed later" : "smooth functions");
  decide("embedding", options.embedding,
         embeds ? of_kinds<double>([](const Kind& kind) { return kind.bandwidth; }) : std::vector<double>{0},
         embeds ? of_kinds_reason("smooth to rough in single inputs, weighed later")
                : fmt::format("{} inputs are too many to embed each", size_.inputs));
  decide("frequencies", options.frequencies, frequencies(), fmt::format("{} inputs", size_.inputs));
  decide("learning_rate", options.learning_rate, of_kinds<double>([](const Kind& kind) { return kind.learning_rate; }),
         "the schedule ends at 0, so the mean is trained to the end");
  decide("loss_beta", options.loss_beta, of_kinds<double>([](const Kind& kind) { return kind.loss_beta; }),
         of_kinds_reason("one kind sees rows of large noise more evenly"));
  using Widths = std::vector<std::size_t>;
  decide("hidden", options.hidden, {has_many_rows_ ? Widths{256, 128, 64} : Widths{128, 64, 32}},
         fmt::format("{} rows", size_.rows));
  decide("noise", options.noise, size_.outputs == 1 ? NoiseKind::shared : NoiseKind::per_output,
         size_.outputs == 1 ? "one output" : "each output has its own noise");
  decide("noise_link", options.noise_link, NoiseLink::exp, "its logarithm can be recalibrated");
}

/// Few rows do not bear a strong prior: the mode has all weights at 0.
double Planner::hidden_precision(const Kind& kind) const {
  constexpr double strongest = 10;
  constexpr double rows_for_one = 25;
  if (kind.smoothness == 0) return wide_prior;
  return kind.smoothness * std::min(static_cast<double>(size_.rows) / rows_for_one, strongest);
}

void Planner::decide_prior() {
  FitOptions& options = plan_.options;
  const bool has_prior = options.prior_precision.is_given();
  decide("lambda", options.prior_precision, wide_prior,
         "a wide prior: the folds, not the prior, tell how far to trust");
  decide("hidden_precision", options.hidden_precision,
         has_prior ? std::vector<double>{*options.prior_precision}
                   : of_kinds<double>([this](const Kind& kind) { return hidden_precision(kind); }),
         has_prior ? "lambda is given" : of_kinds_reason("free and smooth functions side by side, weighed later"));
}

/// Members of a kind: one for each fold, where rows are not so many that these would take very long.
std::size_t Planner::siblings() const {
  constexpr std::size_t siblings_of_many = 4;
  if (given_.folds.is_given() && *given_.folds > 1) return *given_.folds;
  return has_many_rows_ ? siblings_of_many : effort_.folds;
}

std::size_t Planner::folds() const {
  if (size_.rows < fewest_rows) return 0;
  if (has_many_rows_) return 1;
  const std::size_t per_kind = *plan_.options.members / member_kinds(plan_.options);
  return std::min(std::clamp<std::size_t>(per_kind, 5, effort_.folds), size_.rows / 2);
}

void Planner::decide_members() {
  FitOptions& options = plan_.options;
  decide("members", options.members, member_kinds(options) * siblings(),
         fmt::format("{} kinds of {} members", member_kinds(options), siblings()));
  const std::size_t parts = folds();
  decide("folds", options.folds, parts,
         parts == 0   ? fmt::format("{} rows are too few to hold any out", size_.rows)
         : parts == 1 ? fmt::format("{} rows can spare one part", size_.rows)
                      : "each row is held out by some members of each kind");
}

std::size_t Planner::batch() const {
  constexpr std::size_t smallest = 32;
  constexpr std::size_t largest = 512;
  constexpr std::size_t steps_per_epoch = 300;
  std::size_t batch = smallest;
  while (batch < largest && 2 * batch * steps_per_epoch <= size_.rows) batch *= 2;
  return batch;
}

/// As many steps for any number of rows, within limits: few rows are not seen for ever, many at least 20 times.
std::size_t Planner::epochs() const {
  const auto rows = static_cast<double>(size_.rows);
  const double per_epoch = std::max(1.0, rows / static_cast<double>(*plan_.options.batch));
  if (has_many_rows_) {
    constexpr double fewest_steps = 3000;  // whatever batch is given
    const double seen = std::max(std::clamp(4e6 / rows, 20.0, 40.0), fewest_steps / per_epoch);
    return static_cast<std::size_t>(std::ceil(effort_.work * seen));
  }
  const double steps = std::clamp(rows * rows / 20, 1500.0, std::clamp(8 * rows, 6000.0, 9000.0));
  return static_cast<std::size_t>(std::ceil(effort_.work * std::max(steps / per_epoch, 20.0)));
}

void Planner::decide_training() {
  FitOptions& options = plan_.options;
  decide("batch", options.batch, batch(), fmt::format("{} rows", size_.rows));
  decide("epochs", options.epochs, epochs(), fmt::format("{} rows in batches of {}", size_.rows, *options.batch));
  decide("schedule", options.schedule, Schedule::cosine, "no epoch has to be chosen");
  decide("bend_inputs", options.bend_inputs, options.standardise_inputs, "outliers would drown the other values");
}

void Planner::decide_calibration() {
  FitOptions& options = plan_.options;
  const bool holds_out = options.folds > 0;
  const std::string none = "no rows are held out";
  const bool can_map = options.noise_link == NoiseLink::exp && options.noise != NoiseKind::known;
  decide("recalibrate", options.recalibrate, holds_out && can_map,
         !holds_out ? none
         : can_map  ? "noise that is trained to the end is too small"
                    : "the noise is not learned as a logarithm");
  decide("correct_size", options.correct_size, *options.recalibrate,
         options.recalibrate ? "a new row is predicted by all members" : "the noise is not recalibrated");
  decide("weigh_members", options.weigh_members, holds_out && member_kinds(options) > 1,
         !holds_out                  ? none
         : member_kinds(options) > 1 ? "the data say which kinds suit them"
                                     : "all members are of one kind");
}

/// Rows held out tell which rung is best (learn/finish.hpp).
void Planner::decide_posterior() {
  if (plan_.options.folds > 0) return;
  decide("posterior", plan_.options.posterior, PosteriorKind::isotropic, "no rows are held out: the paper's");
}

}  // namespace

Plan make_plan(const FitOptions& given, const DataSize& size) {
  check_ranges(given);
  if (given.recipe == Recipe::paper) return {with_paper_defaults(given), {}};
  return Planner(given, size).make();
}

Plan make_plan(const FitOptions& given, const TrainingRows& train) {
  const auto counted = static_cast<double>(train.summary().inputs.rows());
  const double seen = std::floor(counted * (1 - given.validation_fraction));
  return make_plan(given,
                   {.rows = static_cast<std::size_t>(seen), .inputs = train.inputs(), .outputs = train.outputs()});
}

}  // namespace credens::learn
