// SPDX-License-Identifier: Apache-2.0

#include "learn/recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/check.hpp"
#include "data/scaler.hpp"
#include "learn/member_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::base {

/// Lists of widths: `128,64,32`, `none`, or several of these separated by `/`.
template <>
struct FieldText<std::vector<std::vector<std::size_t>>> {
  using Widths = std::vector<std::size_t>;

  static std::vector<Widths> parse(std::string_view text) {
    std::vector<Widths> lists;
    for (const std::string& word : split(text, '/')) {
      const std::string_view list = trim(word);
      require(!list.empty(), ErrorCode::usage, "{} has an empty list of widths", quoted(text));
      lists.push_back(list == "none" ? Widths{} : FieldText<Widths>::parse(list));
    }
    return lists;
  }

  static OptionValue value(const std::vector<Widths>& field) {
    std::vector<std::string> words;
    for (const Widths& list : field) words.push_back(list.empty() ? "none" : to_text(FieldText<Widths>::value(list)));
    return join(words, "/");
  }
};

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array units{Unit{"TiB", std::uint64_t{1} << 40},
                           Unit{"TB", 1'000'000'000'000},
                           Unit{"GiB", std::uint64_t{1} << 30},
                           Unit{"GB", 1'000'000'000},
                           Unit{"MiB", std::uint64_t{1} << 20},
                           Unit{"MB", 1'000'000},
                           Unit{"KiB", std::uint64_t{1} << 10},
                           Unit{"kB", 1'000},
                           Unit{"KB", 1'000},
                           Unit{"B", 1}};

}  // namespace

MemorySize FieldText<MemorySize>::parse(std::string_view text) {
  constexpr double most = 1e18;
  if (text == "auto") return {};
  double unit = 1;
  for (const Unit& candidate : units) {
    if (!text.ends_with(candidate.name)) continue;
    unit = static_cast<double>(candidate.bytes);
    text = trim(text.substr(0, text.size() - candidate.name.size()));
    break;
  }
  const double bytes = FieldText<double>::parse(text) * unit;
  require(bytes >= 1 && bytes <= most, ErrorCode::usage, "{} is no amount of memory", quoted(text));
  return {static_cast<std::uint64_t>(bytes)};
}

OptionValue FieldText<MemorySize>::value(MemorySize size) {
  if (size.bytes == 0) return std::string("auto");
  const auto* const unit = std::ranges::find_if(units, [&](const Unit& one) { return size.bytes % one.bytes == 0; });
  return fmt::format("{}{}", size.bytes / unit->bytes, unit->name);
}

}  // namespace credens::base

namespace credens::learn {

namespace {

using Table = base::OptionTable<FitOptions>;
using WidthLists = std::vector<std::vector<std::size_t>>;

constexpr std::size_t most_layers = 64;
constexpr std::size_t widest_layer = 65536;
constexpr std::size_t most_members = 100000;
constexpr std::size_t most_epochs = 1000000000;
constexpr std::size_t most_frequencies = 64;
constexpr double widest_band = 1000;
constexpr double largest_rate = 1e6;
constexpr double largest_precision = 1e12;
constexpr std::string_view validation_name = "validation";
constexpr std::string_view units_name = "fold_units";

template <class T>
std::function<bool(const T&)> between(T low, T high) {
  return [low, high](const T& value) { return low <= value && value <= high; };
}

template <class E>
std::string one_of() {
  return "one of " + base::join(base::all_names<E>(), ", ");
}

std::function<bool(const std::vector<double>&)> all_between(double low, double high) {
  return [low, high](const std::vector<double>& list) {
    return !list.empty() && std::ranges::all_of(list, between<double>(low, high));
  };
}

bool are_widths(const WidthLists& lists) {
  return !lists.empty() && std::ranges::all_of(lists, [](const std::vector<std::size_t>& list) {
    return list.size() <= most_layers && std::ranges::all_of(list, between<std::size_t>(1, widest_layer));
  });
}

void add_recipe(Table& table) {
  table.group("Recipe");
  table.add("recipe", "NAME", &FitOptions::recipe,
            "Procedure that decides options that are not given: auto looks at the training rows, paper is that of the "
            "paper's experiments with real data",
            one_of<Recipe>());
  table.add("effort", "NAME", &FitOptions::effort, "How much work the recipe auto may do", one_of<Effort>());
}

void add_networks(Table& table) {
  table.group("Networks");
  table.add("members", "COUNT", &FitOptions::members, "Number of networks to train", "a whole number from 1 to 100000",
            between<std::size_t>(1, most_members));
  table.add("hidden", "WIDTHS", &FitOptions::hidden,
            "Widths of the hidden layers, or none for a linear model; several lists separated by / are cycled over the "
            "members",
            "at most 64 widths from 1 to 65536 separated by commas, or none", are_widths);
  table.add("activation", "NAME", &FitOptions::activation,
            "Activation of the hidden layers; several are cycled over the members",
            one_of<Activation>() + ", or several separated by commas",
            [](const std::vector<Activation>& list) { return !list.empty(); });
  table.add(
      "embedding", "BANDWIDTH", &FitOptions::embedding,
      "Bandwidth of the periodic embedding of the inputs: standard deviation of its first frequencies, in periods "
      "per standard deviation of an input, 0 for none; several are cycled over the members",
      "numbers from 0 to 1000 separated by commas", all_between(0, widest_band));
  table.add("frequencies", "COUNT", &FitOptions::frequencies, "Frequencies per input of the embedding",
            "a whole number from 1 to 64", between<std::size_t>(1, most_frequencies));
  table.add(
      "noise", "KIND", &FitOptions::noise,
      "Model of the noise variance: shared is one function of the inputs for all outputs, per-output one function "
      "per output, constant one number per output, known is given with the data",
      one_of<NoiseKind>());
  table.add("noise_link", "NAME", &FitOptions::noise_link, "Function that maps the noise head's value to a variance",
            one_of<NoiseLink>());
}

void add_training(Table& table) {
  constexpr std::size_t any_count = std::numeric_limits<std::int64_t>::max();
  table.group("Training");
  table.add("epochs", "COUNT", &FitOptions::epochs, "Passes over the training rows",
            "a whole number from 1 to 1000000000", between<std::size_t>(1, most_epochs));
  table.add("batch", "ROWS", &FitOptions::batch, "Rows per gradient step; all rows if there are fewer",
            "a whole number above 0", between<std::size_t>(1, any_count));
  table.add("learning_rate", "RATE", &FitOptions::learning_rate,
            "Learning rate of Adam before the schedule is applied; several are cycled over the members",
            "numbers above 0, at most 1000000, separated by commas",
            all_between(std::numeric_limits<double>::min(), largest_rate));
  table.add(
      "schedule", "NAME", &FitOptions::schedule,
      "Learning rate schedule: constant; drop-last-five, a tenth in the last five epochs; halve-last-five, halved in "
      "each of the last five epochs; cosine, a warm-up of 50 steps, then cosine decay to 0",
      one_of<Schedule>());
  table.add("loss_beta", "POWER", &FitOptions::loss_beta,
            "Power of the noise variance that weights a row's gradient: 0 is the likelihood, 1 trains the mean by "
            "squared errors; several are cycled over the members",
            "numbers from 0 to 1 separated by commas", all_between(0, 1));
  table.add_switch("standardise_inputs", &FitOptions::standardise_inputs,
                   "Shift and scale each input to mean 0 and standard deviation 1");
  table.add_switch("asinh_inputs", &FitOptions::asinh_inputs,
                   "Apply the asinh transform to inputs with values more than 6 standard deviations from their mean");
  table.add_switch("leave_out_slips", &FitOptions::leave_out_slips,
                   "Leave out rows with a target that is more than 10 times as far from the median as all others");
  table.add("validation_fraction", "SHARE", &FitOptions::validation_fraction,
            "Share of the rows held out to choose each member's best epoch; 0 trains on all rows to the last epoch",
            "a number from 0 to below 1", between<double>(0, std::nextafter(1.0, 0.0)));
  table.add("patience", "EPOCHS", &FitOptions::patience,
            "Epochs without a better validation loss after which a member stops, if there are validation rows",
            "a whole number above 0", between<std::size_t>(1, any_count));
}

void add_calibration(Table& table) {
  table.group("Calibration");
  table.add("folds", "COUNT", &FitOptions::folds,
            "Folds of the rows for calibration: each member is trained without one of them; 1 holds the same part of "
            "the rows out of all members, 0 trains all members on all rows",
            "a whole number from 0 to 100000", between<std::size_t>(0, most_members));
  table.add_switch("recalibrate", &FitOptions::recalibrate, "Correct the noise variances with the held-out rows");
  table.add_switch(
      "correct_size", &FitOptions::correct_size,
      "In recalibration, take into account that all members predict a new row, but only some a held-out row");
  table.add_switch("weigh_members", &FitOptions::weigh_members,
                   "Weight configurations of members by how well they predict their held-out rows");
}

void add_posterior(Table& table) {
  table.group("Posterior");
  table.add("lambda", "NUMBER", &FitOptions::prior_precision,
            "Precision of the Gaussian prior on all weights and biases", "a number from 0 to 1e12",
            between<double>(0, largest_precision));
  table.add("hidden_precision", "NUMBER", &FitOptions::hidden_precision,
            "Precision of the prior on the weights and biases of the hidden layers, if other than lambda; several "
            "are cycled over the members",
            "numbers from 0 to 1e12 separated by commas", all_between(0, largest_precision));
  table.add(
      "posterior", "KIND", &FitOptions::posterior,
      "Distribution of each member's last layer: delta is a point (the classical deep ensemble), isotropic one width "
      "per member, diagonal one per weight, full a covariance matrix",
      one_of<PosteriorKind>());
  table.add_switch("random_bias", &FitOptions::random_bias, "Include the last layer's bias in the posterior");
}

void add_run(Table& table) {
  table.group("Run");
  table.add("seed", "NUMBER", &FitOptions::seed, "Random seed of the fit",
            "a whole number from 0 to 18446744073709551615");
  table
      .add("threads", "COUNT", &FitOptions::threads,
           "Members trained at the same time (0: all cores); the result is the same for any number",
           "a whole number from 0", between<int>(0, std::numeric_limits<int>::max()))
      .not_stored();
  table
      .add("memory", "SIZE", &FitOptions::memory,
           "Memory for the training rows, auto for half of what this process may use; rows of an array that do not fit "
           "are read in windows; the result is the same for any size",
           "auto, or a size such as 4GB or 512MiB")
      .not_stored();
}

Table make_table() {
  Table table;
  add_recipe(table);
  add_networks(table);
  add_training(table);
  add_calibration(table);
  add_posterior(table);
  add_run(table);
  return table;
}

/// The options whose lists are cycled over the members, in the order of the fields of MemberSettings.
constexpr auto cycled_options =
    std::tuple(&FitOptions::hidden, &FitOptions::activation, &FitOptions::embedding, &FitOptions::learning_rate,
               &FitOptions::loss_beta, &FitOptions::hidden_precision);

void check_calibration(const FitOptions& options, const TrainingTable& train) {
  const double validation = options.validation_fraction * static_cast<double>(train.rows());
  const std::size_t rows = train.rows() - static_cast<std::size_t>(std::ceil(validation));
  base::require(options.folds <= rows && (*options.folds == 0 || rows >= 2), ErrorCode::usage,
                "{} folds for {} rows, expected at least 2 rows and at most one fold per row", *options.folds, rows);
  check_fold_units(options, train);
  const bool wanted = options.recalibrate || options.weigh_members;
  base::require(!wanted || options.folds > 0, ErrorCode::usage, "{} needs held-out rows, but folds is 0",
                options.recalibrate ? "recalibrate" : "weigh_members");
  const bool learned = options.noise == NoiseKind::known || options.noise_link == NoiseLink::exp;
  base::require(!options.recalibrate || learned, ErrorCode::usage,
                "recalibrate with the noise link softplus, expected exp");
}

void check_posterior(const FitOptions& options) {
  if (!options.posterior.is_given()) return;
  const bool needs_prior = options.posterior == PosteriorKind::diagonal || options.posterior == PosteriorKind::full;
  base::require(!needs_prior || options.prior_precision > 0, ErrorCode::usage,
                "posterior {} with lambda 0, expected lambda above 0", base::name_of(*options.posterior));
}

/// Beyond these the variances of predictions, in the units of the data, would leave the range of double.
void check_target_scales(const TrainingTable& train) {
  if (train.schema().is_classification()) return;
  const data::Scaler scaler = train.summary().targets.scaler(data::labels_of(train.schema().targets));
  for (std::size_t k = 0; k < scaler.cols(); ++k) {
    base::require(model::is_target_scale(scaler.scale[k]), ErrorCode::data,
                  "the target {} has the standard deviation {:.4g}, expected a number between {:g} and {:g}: "
                  "choose another unit",
                  base::quoted(train.schema().targets[k].name), scaler.scale[k], model::least_target_scale,
                  model::largest_target_scale);
  }
}

void check_train(const FitOptions& options, const TrainingTable& train) {
  base::require(train.rows() >= 2, ErrorCode::data, "the training data have {} row{}, expected at least 2",
                train.rows(), train.rows() == 1 ? "" : "s");
  base::require(train.rows() <= std::numeric_limits<std::uint32_t>::max(), ErrorCode::data,
                "the training data have {} rows, expected at most {}", train.rows(),
                std::numeric_limits<std::uint32_t>::max());
  base::require(train.inputs() > 0, ErrorCode::data, "the training data have no inputs, expected at least 1");
  base::require(options.noise != NoiseKind::known || train.has_noise(), ErrorCode::usage,
                "noise is known, but the data have no noise standard deviations");
  check_target_scales(train);
}

void check_validation(const FitOptions& options, const TrainingTable& train) {
  if (options.validation == nullptr) return;
  const Dataset& validation = *options.validation;
  base::require(options.validation_fraction == 0, ErrorCode::usage,
                "both a validation fraction and validation rows are given, expected one of them");
  base::require(validation.rows() > 0, ErrorCode::data, "the validation data have no rows, expected at least 1");
  base::require(validation.inputs().cols() == train.inputs() && validation.targets().cols() == train.target_columns(),
                ErrorCode::usage,
                "the validation data have {} inputs and {} targets, expected {} and {} as in training",
                validation.inputs().cols(), validation.targets().cols(), train.inputs(), train.target_columns());
  base::require(validation.input_names().empty() || !train.schema().has_names ||
                    validation.input_names() == train.schema().input_names(),
                ErrorCode::usage, "the validation data have the inputs {}, expected {} as in training",
                base::join(validation.input_names(), ", "), base::join(train.schema().input_names(), ", "));
  data::check_units(train.schema(), validation.schema(), "the validation data");
  base::require(validation.noise_std().empty() != train.has_noise(), ErrorCode::usage,
                "the {} data have noise standard deviations, but the {} data have none",
                train.has_noise() ? "training" : "validation", train.has_noise() ? "validation" : "training");
}

}  // namespace

const base::OptionTable<FitOptions>& fit_options() {
  static const Table table = make_table();
  return table;
}

base::OptionValues stored_options(const FitOptions& options, const FoldUnits& units) {
  base::OptionValues values = fit_options().values(options, true);
  if (options.validation != nullptr) values.emplace_back(validation_name, options.validation->fingerprint());
  if (const std::string digits = units.digits(); !digits.empty()) values.emplace_back(units_name, digits);
  return values;
}

FitOptions restore_options(const base::OptionValues& values) {
  FitOptions options;
  for (const auto& [name, value] : values) {
    if (name == validation_name || name == units_name) continue;  // digests: the rows themselves are not stored
    const auto* option = fit_options().find(name);
    base::require(option != nullptr && option->is_stored, ErrorCode::model, "unknown option {}", base::quoted(name));
    try {
      option->set(options, base::to_text(value));
    } catch (const Error&) {
      base::fail(ErrorCode::model, "option {} is {}, expected {}", name, base::quoted(base::to_text(value)),
                 option->expects);
    }
  }
  return options;
}

void check_ranges(const FitOptions& options) {
  FitOptions copy;
  for (const auto& option : fit_options().options()) {
    if (option.is_given(options)) option.set(copy, base::to_text(option.get(options)));
  }
}

void check(const FitOptions& options, const TrainingTable& train) {
  check_ranges(options);
  check_posterior(options);
  check_calibration(options, train);
  check_train(options, train);
  check_validation(options, train);
}

MemberSettings member_settings(const FitOptions& options, std::size_t member) {
  const auto cycled = [&](auto option) { return (*(options.*option))[member % (options.*option)->size()]; };
  return std::apply([&](auto... option) { return MemberSettings{cycled(option)...}; }, cycled_options);
}

std::size_t configuration_count(const FitOptions& options) {
  std::size_t count = 1;
  std::apply([&](auto... option) { ((count = std::lcm(count, (options.*option)->size())), ...); }, cycled_options);
  return count;
}

std::size_t longest_cycled_list(const FitOptions& given) {
  const auto length = [&](auto option) { return (given.*option).is_given() ? (given.*option)->size() : 1; };
  return std::apply([&](auto... option) { return std::max({length(option)...}); }, cycled_options);
}

model::MlpShape member_shape(const FitOptions& options, std::size_t member, std::size_t inputs, std::size_t outputs) {
  MemberSettings settings = member_settings(options, member);
  const std::size_t frequencies = settings.bandwidth > 0 ? *options.frequencies : 0;
  return {.inputs = inputs,
          .hidden = std::move(settings.hidden),
          .activation = settings.activation,
          .outputs = outputs,
          .noise = options.noise,
          .noise_link = options.noise_link,
          .frequencies = frequencies};
}

}  // namespace credens::learn
