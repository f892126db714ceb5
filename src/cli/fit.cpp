// SPDX-License-Identifier: Apache-2.0

#include <credens/fit.hpp>
#include <credens/store.hpp>

#include <algorithm>
#include <chrono>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "cli/agreement.hpp"
#include "cli/config.hpp"
#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/summary.hpp"
#include "cli/team.hpp"
#include "cli/training.hpp"
#include "cli/verbs.hpp"
#include "data/shared_table.hpp"
#include "learn/finish.hpp"
#include "learn/preparation.hpp"
#include "learn/recipe.hpp"
#include "learn/train_members.hpp"
#include "learn/widen_rows.hpp"
#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "report/number.hpp"

namespace credens::cli {

namespace {

struct FitArguments {
  FitSettings settings;
  std::string train;
  std::string output;
  std::string config;
  std::string checkpoint;
  std::optional<MemberRange> range;
  ProgressKind progress = ProgressKind::automatic;
  bool resume = false;
  bool print_config = false;
  bool plan_only = false;
  bool json = false;
};

/// What nobody gave is left to the recipe; a column or a format that nobody gave is explained by its help.
std::string shown_default(const base::Option<FitSettings>& option, const FitSettings& settings) {
  const std::string text = base::to_text(option.get(settings));
  return text.empty() && option.determines_result ? "the recipe's" : text;
}

/// The flag of a setting. It is declared after `--config`, and so it has the last word.
void declare_setting(Arguments& arguments, const Setting& setting, FitSettings& settings) {
  const base::Option<FitSettings>& option = setting.option;
  Argument argument{.names = base::flag_of(option.name),
                    .value = setting.value,
                    .help = option.is_switch ? option.help : fmt::format("{}: {}", option.help, option.expects),
                    .shown_default = shown_default(option, settings),
                    .has_opposite = option.is_switch,
                    .group = setting.group};
  argument.set = [&option, &settings](const std::string& text) { option.set(settings, text); };
  arguments.add(std::move(argument));
}

void declare_run(Arguments& arguments, FitArguments& fit) {
  arguments.group("Run");
  arguments.option<std::string>("--checkpoint", "DIR", fit.checkpoint,
                                "Folder for finished members, kept; MODEL.checkpoint, removed on success, if not given",
                                {});
  arguments.toggle("--resume", fit.resume, "Go on with the finished members of an interrupted run");
  arguments.option<MemberRange>("--member-range", "A:B", fit.range,
                                "Train members A to B - 1 only and write a part for `credens merge`",
                                {.text = "A:B with whole numbers A < B"});
  arguments.option("--progress", "KIND", fit.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--plan-only", fit.plan_only,
                   "Write what the recipe decides for these rows as TOML for --config to -o, and stop");
  arguments.toggle("--print-config", fit.print_config, "Print the settings as TOML for --config, and stop")
      .lifts_requirements = true;
  arguments.toggle("--json", fit.json, "Print the summary as JSON");
}

void declare(Arguments& arguments, FitArguments& fit) {
  arguments.file("TRAIN", fit.train, "Table of training rows: text, also compressed, or .npy; - is standard input");
  arguments
      .option<std::string>("-o,--output", "MODEL", fit.output, "Where the model is written; - is standard output", {})
      .required = true;
  arguments.add({.names = "--config",
                 .value = "FILE.toml",
                 .help = "Settings by the names of these flags; a flag beats the file",
                 .set = [&fit](const std::string& path) {
                   check_standard_input({{"TRAIN", fit.train}, {"--config", path}});  // before it is used up
                   read_config(fit.config = path, fit.settings);
                 }});
  for (const Setting& setting : fit_settings()) declare_setting(arguments, setting, fit.settings);
  declare_run(arguments, fit);
}

MemberRange range_of(const FitArguments& arguments, std::size_t members) {
  const MemberRange range = arguments.range.value_or(MemberRange{0, members});
  base::require(range.end <= members, ErrorCode::usage,
                "--member-range ends at {}, expected at most {}, the number of members", range.end, members);
  return range;
}

void check(const FitArguments& arguments) {
  base::require(!arguments.settings.columns.targets.empty(), ErrorCode::usage,
                "--target is missing: say which columns are to be predicted");
  const std::string& validation = arguments.settings.validation_file;
  check_standard_input({{"TRAIN", arguments.train}, {"--config", arguments.config}, {"--validation", validation}});
  check_folder("--checkpoint", arguments.checkpoint);
  base::require(!arguments.resume || !is_stream(arguments.output) || !arguments.checkpoint.empty(), ErrorCode::usage,
                "--resume needs --checkpoint where the model goes to a stream");
  const Choice<std::size_t>& members = arguments.settings.options.members;
  if (members.is_given()) range_of(arguments, members);
  check_not_input(arguments.output, {arguments.train, validation});
  if (team().leads()) check_writable(arguments.output);
}

TrainingPlan plan_of(const FitArguments& arguments, const learn::TrainingRows& train, const FitOptions& options) {
  const bool named = !arguments.checkpoint.empty();
  const std::string by_default = is_stream(arguments.output) ? "" : arguments.output + ".checkpoint";
  return {.train = &train,
          .options = options,
          .range = range_of(arguments, options.members),
          .checkpoint = named ? arguments.checkpoint : by_default,
          .checkpoint_is_ours = !named,
          .resume = arguments.resume,
          .progress = arguments.progress,
          .team = &team()};
}

/// Epistemic by aleatoric variance [rows x q].
std::vector<double> variance_ratios(const Ensemble& ensemble, const data::RowBlock& block) {
  const Predictive predictive = ensemble.predict(block.inputs, {.noise_std = block.noise_std});
  const Matrix epistemic = predictive.epistemic_variance();
  const Matrix aleatoric = predictive.aleatoric_variance();
  std::vector<double> ratios;
  for (std::size_t row = 0; row < epistemic.rows(); ++row) {
    for (std::size_t k = 0; k < epistemic.cols(); ++k) ratios.push_back(epistemic(row, k) / aleatoric(row, k));
  }
  return ratios;
}

/// That ratio at the rows of training: what `evaluate` says of them, the mean over outputs of each output's weighted
/// median. Of more than 2^20 rows, blocks at even distances tell. Ranks take blocks in turn; rank 0 knows the result.
double median_ratio(const Ensemble& ensemble, data::RowSource& train) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  const std::size_t step = (ensemble.state().data.rows + enough - 1) / enough;
  std::vector<std::string> own;
  std::vector<double> weights;
  train.rewind();
  std::size_t number = 0;
  for (data::RowBlock block; train.next(block); ++number) {
    if (number % step != 0) continue;
    weights.insert(weights.end(), block.weights.begin(), block.weights.end());
    if (number / step % team().size() != team().rank()) continue;
    base::append_values(own.emplace_back(), std::span<const double>(variance_ratios(ensemble, block)));
  }
  std::vector<std::vector<double>> ratios(ensemble.outputs());
  for (const std::string& block : base::gather_dealt(team(), own)) {
    base::ByteReader reader(block);
    for (std::size_t k = 0; !reader.at_end(); k = (k + 1) % ratios.size()) ratios[k].push_back(reader.value<double>());
  }
  if (!team().leads()) return 0;
  double sum = 0;
  for (const std::vector<double>& output : ratios) sum += math::weighted_median(output, weights);
  return sum / static_cast<double>(ratios.size());
}

void save_finished(const Ensemble& ensemble, const std::string& path, const Training& training) {
  if (!team().leads()) return;
  try {
    save(ensemble, path);
  } catch (const Error& error) {
    throw Error(error.code(), error.what() + training.kept_sentence());
  }
  training.finish();
}

/// Rows of their own for early stopping, whose inputs are found by the names of training.
std::optional<Dataset> read_validation(const FitSettings& settings, const DatasetParts& train) {
  if (settings.validation_file.empty()) return std::nullopt;
  DatasetOptions columns = settings.columns;
  if (!train.input_names.empty()) {
    columns.inputs = train.input_names;
    columns.ignore.clear();
  }
  return Dataset::from_file(settings.validation_file, columns);
}

void check_rows(const FitArguments& arguments, const FitOptions& options, const learn::TrainingRows& train) {
  FitOptions alone = options;
  alone.validation = nullptr;
  naming(arguments.train, ErrorCode::data, [&] { learn::check(alone, train); });
  if (options.validation == nullptr) return;
  naming(arguments.settings.validation_file, ErrorCode::data, [&] {
    learn::check(options, train);
    const learn::Scaling scaling = learn::make_scaling(train, options.standardise_inputs, options.bend_inputs);
    learn::make_training_set(*options.validation, scaling.inputs, scaling.targets);
  });
}

/// A model is made of one table, however often that was read.
void check_unchanged(const Ensemble& narrow, const Ensemble& wide, const std::string& source) {
  base::require(narrow.state().data == wide.state().data, ErrorCode::data, "{} changed while it was read", source);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Asks for a stop when the user or another rank does.
class Stop {
 public:
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  InterruptWatch watch_;
  std::stop_source source_;
  std::stop_callback<Request> by_user_{watch_.token(), Request{source_}};
  std::stop_callback<Request> by_team_{team().stop(), Request{source_}};
};

/// A part that others must complete is left as it is.
Ensemble widen_members(const FitArguments& arguments, const learn::TrainingRows& train, const learn::Plan& plan,
                       std::vector<model::Member> members, const Training& training, double seconds_so_far) {
  if (learn::is_unfinished_part(members.size(), plan.options.members, plan.options)) {
    return learn::assemble(train, plan.options, {std::move(members), {}, plan.decisions});
  }
  ProgressDisplay display(team().leads() ? arguments.progress : ProgressKind::none, 0);
  display.say(plan.options.folds > 0 ? "noise, weights and posterior from rows that members did not see" : "widening",
              seconds_so_far);
  const Ensemble narrow = learn::finish(train, plan, std::move(members));
  training.stop_if_asked();
  Ensemble wide = learn::widen(narrow, train.source(), {.threads = plan.options.threads}, train.team());
  check_unchanged(narrow, wide, arguments.train);
  training.stop_if_asked();
  return wide;
}

Ensemble train_and_widen(const FitArguments& arguments, const learn::TrainingRows& train, learn::Plan plan) {
  const auto start = std::chrono::steady_clock::now();
  const Stop stop;
  plan.options.stop = stop.token();
  Training training(plan_of(arguments, train, plan.options));
  std::vector<model::Member> members = naming(arguments.train, ErrorCode::data, [&] { return training.run(); });
  training.stop_if_asked();
  try {
    Ensemble wide = widen_members(arguments, train, plan, std::move(members), training, seconds_since(start));
    save_finished(wide, arguments.output, training);
    return wide;
  } catch (const Error& error) {
    if (team().failure()) training.fail(error);
    throw;
  }
}

/// The settings of a plan, with the reasons as comments.
std::string plan_text(FitSettings settings, const learn::Plan& plan) {
  settings.options = plan.options;
  std::string text;
  for (const model::Decision& decision : plan.decisions) {
    text += fmt::format("# {} = {}: {}\n", decision.name, decision.value, decision.reason);
  }
  return text + config_text(settings);
}

void write_plan(const FitArguments& arguments, const learn::Plan& plan) {
  if (!team().leads()) return;
  const std::string text = plan_text(arguments.settings, plan);
  if (is_standard_output(arguments.output)) return print(text);
  base::write_file(arguments.output, text);
}

/// They may come from a file, and early stopping from rows, that each rank reads by itself.
void check_same_settings(const FitArguments& arguments, const FitOptions& options) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : learn::stored_options(options))
    settings.push_back(name + " = " + base::to_text(value));
  const std::string& file = arguments.config.empty() ? arguments.settings.validation_file : arguments.config;
  check_agreement(team(), file.empty() ? arguments.train : file, settings);
}

void run(const FitArguments& arguments) {
  if (arguments.print_config) return print(config_text(arguments.settings));
  check(arguments);
  const auto start = std::chrono::steady_clock::now();
  const DatasetOptions& columns = arguments.settings.columns;
  learn::TrainingRows train(
      data::open_rows(arguments.train, data::open_shared_table(team(), arguments.train, columns.format), columns));
  train.set_team(team());
  check_agreement(team(), arguments.train,
                  {fmt::format("{} rows with fingerprint {}", train.rows(), train.summary().fingerprint)});
  FitOptions given = arguments.settings.options;
  const std::optional<Dataset> validation = read_validation(arguments.settings, train.layout());
  if (validation) given.validation = &*validation;
  const learn::Plan plan = learn::make_plan(given, train);
  check_rows(arguments, plan.options, train);
  check_same_settings(arguments, plan.options);
  if (arguments.plan_only) return write_plan(arguments, plan);
  const Ensemble ensemble = train_and_widen(arguments, train, plan);
  const double ratio = median_ratio(ensemble, train.source());
  const double seconds = seconds_since(start);
  print_summary(ensemble, arguments.output, arguments.json,
                {{"epistemic / aleatoric",
                  fmt::format("{} (variances, median over the training rows)", report::significant(ratio))},
                 {"time", duration_text(seconds)}},
                {{"epistemic_aleatoric_ratio_median", ratio}, {"seconds", seconds}});
}

}  // namespace

Verb fit_verb() {
  return make_verb<FitArguments>("fit", "trains an ensemble of networks on a table and widens it",
                                 {"credens fit train.csv --target y --members 5 --epochs 20 -o model.safetensors"},
                                 declare, run);
}

}  // namespace credens::cli
