// SPDX-License-Identifier: Apache-2.0
//
// The numbers here were found with experiments on public data (docs/accuracy.md); none of them looks at test rows.

#include "learn/plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "learn/recipe.hpp"
#include "learn/slips.hpp"

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
  options.asinh_inputs.set_default(false);
  options.leave_out_slips.set_default(false);
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

/// Members that differ replace a search for the one best configuration: no bandwidth, activation, rate or prior is good
/// for all data.
struct Configuration {
  Activation activation;
  double bandwidth;
  double learning_rate;
  double loss_beta;
  double smoothness = 0;   ///< share of the strongest prior that training survives; 0: the wide one
  bool is_linear = false;  ///< without hidden layers

  bool operator==(const Configuration&) const = default;
};

/// Ordered so that the first few are the best few.
constexpr Configuration all_configurations[] = {
    {Activation::silu, 0.2, 3e-3, 0},      {Activation::silu, 1.0, 3e-3, 0.5}, {Activation::silu, 0, 3e-3, 0, 1.0},
    {Activation::silu, 2.0, 1e-2, 0},      {Activation::relu, 1.0, 3e-3, 0},   {Activation::silu, 0.5, 3e-3, 0},
    {Activation::relu, 0, 3e-3, 0},        {Activation::silu, 4.0, 3e-3, 0},   {Activation::silu, 0, 3e-3, 0},
    {Activation::silu, 0.2, 3e-3, 0, 0.3}, {Activation::silu, 0, 1e-2, 0.5},   {Activation::gelu, 1.0, 1e-2, 0},
};

/// For classes, ordered likewise. What differs most is how free the function is, from linear to unbounded.
constexpr Configuration class_configurations[] = {
    {Activation::silu, 0, 3e-3, 0, 0.1}, {Activation::silu, 0, 3e-3, 0, 0.5},   {Activation::relu, 0, 1e-2, 0, 0, true},
    {Activation::relu, 0, 3e-3, 0},      {Activation::silu, 0.2, 3e-3, 0, 0.1}, {Activation::silu, 1.0, 3e-3, 0, 0.1},
    {Activation::relu, 0, 3e-3, 0, 0.1}, {Activation::silu, 0.2, 3e-3, 0, 0.5},
};

/// Order with fewer than `few_rows` rows, for which fewer configurations are trained: two of the first six have a
/// strong prior.
constexpr std::size_t order_with_few_rows[] = {0, 1, 2, 9, 4, 3, 5, 6, 7, 8, 10, 11};
static_assert(std::size(order_with_few_rows) == std::size(all_configurations));

/// The best first. Without embeddings some configurations are equal and count once.
std::vector<Configuration> distinct_configurations(bool has_few_rows, bool embeds, bool has_classes) {
  std::vector<Configuration> distinct;
  const std::size_t count = has_classes ? std::size(class_configurations) : std::size(all_configurations);
  for (std::size_t i = 0; i < count; ++i) {
    Configuration configuration =
        has_classes ? class_configurations[i] : all_configurations[has_few_rows ? order_with_few_rows[i] : i];
    if (!embeds) configuration.bandwidth = 0;
    if (std::ranges::find(distinct, configuration) == distinct.end()) distinct.push_back(configuration);
  }
  return distinct;
}

struct EffortSize {
  std::size_t configurations;
  std::size_t with_few_rows;   ///< configurations
  std::size_t with_many_rows;  ///< configurations
  std::size_t folds;
  double work;  ///< factor of the steps of normal effort
};

EffortSize size_of(Effort effort) {
  if (effort == Effort::quick) {
    return {.configurations = 3, .with_few_rows = 3, .with_many_rows = 3, .folds = 5, .work = 0.5};
  }
  if (effort == Effort::normal) {
    return {.configurations = 10, .with_few_rows = 6, .with_many_rows = 5, .folds = 10, .work = 1};
  }
  return {.configurations = 12, .with_few_rows = 8, .with_many_rows = 8, .folds = 10, .work = 1.5};
}

constexpr std::size_t fewest_rows = 10;    ///< below: none can be held out
constexpr std::size_t few_rows = 250;      ///< below: not enough to tell many configurations apart
constexpr std::size_t many_rows = 20000;   ///< from here on: one part held out, wider networks, fewer configurations
constexpr std::size_t enough_units = 100;  ///< of rows held out together: a tenth of these makes one part
constexpr std::size_t most_embedded = 64;  ///< inputs

/// Decides the choices that are not given and records each decision with its reason.
class Planner {
 public:
  Planner(const FitOptions& given, const DataSize& size)
      : given_(given),
        size_(size),
        effort_(size_of(given.effort)),
        units_(size.units == 0 ? size.rows : size.units),
        has_many_rows_(size.rows >= many_rows),
        configurations_(distinct_configurations(units_<few_rows, size.inputs <= most_embedded, size.classes> 0)),
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

  /// A field of each configuration, as a list to be cycled over the members; one value where all are equal.
  template <class Field>
  auto per_configuration(Field field) const {
    std::vector<std::remove_cvref_t<std::invoke_result_t<Field, const Configuration&>>> values;
    for (std::size_t i = 0; i < wanted_configurations(); ++i) values.push_back(std::invoke(field, configurations_[i]));
    const bool all_equal = std::ranges::count(values, values.front()) == std::ssize(values);
    if (all_equal) values.resize(1);
    return values;
  }

  /// Each configuration has at least five replicates. Few rows cannot tell many configurations apart, and many rows
  /// take long to train on.
  std::size_t wanted_configurations() const {
    const Choice<std::size_t>& members = plan_.options.members;
    if (const std::size_t given = longest_cycled_list(given_); given > 1) {
      return given <= configurations_.size() ? given : 1;
    }
    const std::size_t some = units_ < few_rows ? effort_.with_few_rows
                             : has_many_rows_  ? effort_.with_many_rows
                                               : effort_.configurations;
    const std::size_t most = std::min(some, configurations_.size());
    return members.is_given() ? std::clamp<std::size_t>(*members / 5, 1, most) : most;
  }

  std::string reason_to_differ(const char* reason) const {
    return wanted_configurations() > 1 ? reason : "few members: one configuration";
  }

  void decide_networks() {
    FitOptions& options = plan_.options;
    const bool embeds = size_.inputs <= most_embedded;
    if (has_classes()) set_unused_options();
    const auto activations = per_configuration(&Configuration::activation);
    decide("activation", options.activation, activations,
           activations.size() > 1 ? "smooth and kinked functions side by side, weighted later" : "smooth functions");
    decide("embedding", options.embedding,
           embeds ? per_configuration(&Configuration::bandwidth) : std::vector<double>{0},
           embeds ? reason_to_differ("smooth to rough in single inputs, weighted later")
                  : fmt::format("{} inputs are too many to embed each", size_.inputs));
    decide("frequencies", options.frequencies, frequencies(), fmt::format("{} inputs", size_.inputs));
    decide("learning_rate", options.learning_rate, per_configuration(&Configuration::learning_rate),
           "the schedule ends at 0, so the mean converges");
    decide("loss_beta", options.loss_beta, per_configuration(&Configuration::loss_beta),
           reason_to_differ("one configuration gives rows of large noise more weight"));
    decide("hidden", options.hidden, per_configuration([this](const Configuration& one) { return hidden(one); }),
           fmt::format("{} rows", size_.rows));
    decide("noise", options.noise, size_.outputs == 1 ? NoiseKind::shared : NoiseKind::per_output,
           size_.outputs == 1 ? "one output" : "each output has its own noise");
    decide("noise_link", options.noise_link, NoiseLink::exp, "its logarithm can be recalibrated");
  }

  bool has_classes() const { return size_.classes > 0; }

  /// Classes have neither noise nor slips.
  void set_unused_options() {
    plan_.options.loss_beta.set_default({0});
    plan_.options.noise.set_default(NoiseKind::shared);
    plan_.options.noise_link.set_default(NoiseLink::exp);
    plan_.options.leave_out_slips.set_default(false);
  }

  std::vector<std::size_t> hidden(const Configuration& configuration) const {
    if (configuration.is_linear) return {};
    return has_many_rows_ ? std::vector<std::size_t>{256, 128, 64} : std::vector<std::size_t>{128, 64, 32};
  }

  void decide_prior() {
    FitOptions& options = plan_.options;
    const bool has_prior = options.prior_precision.is_given();
    decide("lambda", options.prior_precision, wide_prior,
           "a wide prior: calibration by held-out rows, not the prior, limits confidence");
    decide("hidden_precision", options.hidden_precision,
           has_prior ? std::vector<double>{*options.prior_precision}
                     : per_configuration([this](const Configuration& one) { return hidden_precision(one); }),
           has_prior ? "lambda is given" : reason_to_differ("free and smooth functions side by side, weighted later"));
  }

  void decide_members() {
    FitOptions& options = plan_.options;
    decide("members", options.members, configuration_count(options) * replicates(),
           fmt::format("{} configurations, {} replicates each", configuration_count(options), replicates()));
    const std::size_t folds = this->folds();
    decide("folds", options.folds, folds,
           folds == 0   ? fmt::format("{} rows are too few to hold any out", size_.rows)
           : folds == 1 ? fmt::format("{} rows can spare one part", size_.rows)
           : *options.members < folds * configuration_count(options)
               ? "each member is trained without one of them; there are too few members to hold all of them out"
           : size_.units > 0 ? fmt::format("each of {} units of rows is held out whole of some members of each "
                                           "configuration",
                                           size_.units)
                             : "each row is held out of some members of each configuration");
  }

  void decide_training() {
    FitOptions& options = plan_.options;
    decide("batch", options.batch, batch(), fmt::format("{} rows", size_.rows));
    decide("epochs", options.epochs, epochs(), fmt::format("{} rows in batches of {}", size_.rows, *options.batch));
    decide("schedule", options.schedule, Schedule::cosine, "no epoch has to be chosen");
    decide("asinh_inputs", options.asinh_inputs, options.standardise_inputs,
           options.standardise_inputs ? "outliers would dominate the other values" : "inputs are not standardised");
    decide("leave_out_slips", options.leave_out_slips, true, "targets far from all others would ruin the fit");
  }

  void decide_calibration() {
    FitOptions& options = plan_.options;
    const bool holds_out = options.folds > 0;
    const std::string none = "no rows are held out";
    const bool can_map = options.noise_link == NoiseLink::exp && options.noise != NoiseKind::known;
    decide("recalibrate", options.recalibrate, holds_out && can_map,
           !holds_out      ? none
           : has_classes() ? "trained networks are too sure of new rows, or not sure enough"
           : can_map       ? "learned noise is overfitted: too small on new rows"
                           : "the noise is not learned as a logarithm");
    decide("correct_size", options.correct_size, *options.recalibrate,
           options.recalibrate ? "a new row is predicted by all members" : "the noise is not recalibrated");
    decide("weigh_members", options.weigh_members, holds_out && configuration_count(options) > 1,
           !holds_out                         ? none
           : configuration_count(options) > 1 ? "held-out rows say which configurations suit the data"
                                              : "all members have one configuration");
  }

  /// Without held-out rows the rung is the paper's; with them, they decide it after training (learn/finish.hpp).
  void decide_posterior() {
    if (plan_.options.folds > 0) return;
    const bool takes_full = has_classes() && plan_.options.prior_precision > 0;
    decide("posterior", plan_.options.posterior, takes_full ? PosteriorKind::full : PosteriorKind::isotropic,
           takes_full ? "no rows are held out; it knows which directions rows have shown"
                      : "no rows are held out: the paper's");
  }

  /// The strong prior grows with the rows up to 10: with few rows a stronger one has its mode at all weights 0. Of
  /// classes that mode says the shares of the classes, which few rows may not know better.
  double hidden_precision(const Configuration& configuration) const {
    constexpr double strongest = 10;
    constexpr double rows_for_one = 25;
    if (configuration.smoothness == 0) return wide_prior;
    if (has_classes()) return configuration.smoothness * strongest;
    return configuration.smoothness * std::min(static_cast<double>(size_.rows) / rows_for_one, strongest);
  }

  /// The embedded inputs, d (1 + 2 k), should be about as many as the first layer has units.
  std::size_t frequencies() const {
    return size_.inputs <= 16 ? std::clamp<std::size_t>(32 / size_.inputs, 4, 8)
                              : std::max<std::size_t>(64 / size_.inputs, 1);
  }

  std::size_t batch() const {
    constexpr std::size_t smallest = 32;
    constexpr std::size_t largest = 512;
    constexpr std::size_t steps_per_epoch = 300;
    std::size_t batch = smallest;
    while (batch < largest && 2 * batch * steps_per_epoch <= size_.rows) batch *= 2;
    return batch;
  }

  /// The number of gradient steps hardly depends on the rows, within limits: few rows are passed at most a limited
  /// number of times, many rows at least 20 times.
  std::size_t epochs() const {
    const auto rows = static_cast<double>(size_.rows);
    const double per_epoch = std::max(1.0, rows / static_cast<double>(*plan_.options.batch));
    if (has_many_rows_) {
      constexpr double fewest_steps = 3000;  // whatever batch is given
      const double seen = std::max(std::clamp(4e6 / rows, 20.0, 40.0), fewest_steps / per_epoch);
      return static_cast<std::size_t>(std::ceil(effort_.work * seen));
    }
    const auto units = static_cast<double>(units_);
    const double steps = std::clamp(units * units / 20, 1500.0, std::clamp(8 * units, 6000.0, 9000.0));
    return static_cast<std::size_t>(std::ceil(effort_.work * std::max(steps / per_epoch, 20.0)));
  }

  /// Members per configuration: one for each fold, or four with many rows, where training takes long.
  std::size_t replicates() const {
    constexpr std::size_t with_many_rows = 4;
    if (given_.folds.is_given() && *given_.folds > 1) return *given_.folds;
    return has_many_rows_ ? with_many_rows : effort_.folds;
  }

  std::size_t folds() const {
    if (size_.rows < fewest_rows) return 0;
    if (has_many_rows_ && units_ >= enough_units) return 1;
    const std::size_t replicates = *plan_.options.members / configuration_count(plan_.options);
    const std::size_t folds = std::clamp<std::size_t>(replicates, has_many_rows_ ? 2 : 5, effort_.folds);
    return std::min(folds, size_.units == 0 ? size_.rows / 2 : units_);
  }

  const FitOptions& given_;
  DataSize size_;
  EffortSize effort_;
  std::size_t units_;  ///< rows that can be told apart: those held out together count once
  bool has_many_rows_;
  std::vector<Configuration> configurations_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const FitOptions& given, const DataSize& size) {
  check_ranges(given);
  if (given.recipe == Recipe::paper) return {with_paper_defaults(given), {}};
  return Planner(given, size).make();
}

namespace {

/// Throws usage for choices that classes do not have.
void check_class_options(const FitOptions& given) {
  const auto check = [](bool fits, std::string_view name) {
    base::require(fits, ErrorCode::usage, "{} is given, but a classification has no noise", name);
  };
  check(!given.noise.is_given() || given.noise == NoiseKind::shared, "noise");
  check(!given.loss_beta.is_given() || given.loss_beta == std::vector<double>{0}, "loss_beta");
}

/// The decision names the inputs that it is about. Without any it changes nothing, and is not told.
void explain_asinh(const TrainingTable& train, std::vector<model::Decision>& decisions) {
  const auto about = std::ranges::find(decisions, "asinh_inputs", &model::Decision::name);
  if (about == decisions.end() || about->value == "false") return;
  const std::vector<std::size_t> heavy = train.heavy_tailed_inputs();
  if (heavy.empty()) {
    decisions.erase(about);
    return;
  }
  const std::string others = heavy.size() == 1 ? "" : fmt::format(" (and of {} more inputs)", heavy.size() - 1);
  about->reason = fmt::format("a few values of {}{} lie so far out that the others would hardly differ",
                              data::labels_of(train.schema().inputs)[heavy.front()], others);
}

}  // namespace

Plan make_plan(const FitOptions& given, const TrainingTable& train) {
  if (train.classes().count() > 0) check_class_options(given);
  const auto counted = static_cast<double>(train.summary().inputs.rows());
  const double seen = std::floor(counted * (1 - given.validation_fraction));
  const FoldUnits& units = train.fold_units();
  const double share = static_cast<double>(units.count) / static_cast<double>(units.rows);
  Plan plan = make_plan(given, {.rows = static_cast<std::size_t>(seen),
                                .units = units.are_rows() ? 0 : static_cast<std::size_t>(std::ceil(seen * share)),
                                .inputs = train.inputs(),
                                .outputs = train.outputs(),
                                .classes = train.classes().count()});
  const auto about_slips = std::ranges::find(plan.decisions, "leave_out_slips", &model::Decision::name);
  if (about_slips != plan.decisions.end() && !train.slips().empty()) {
    about_slips->reason = "hard to believe: " + places_of(train.slips(), train.summary().first_line);
  }
  explain_asinh(train, plan.decisions);
  return plan;
}

}  // namespace credens::learn
