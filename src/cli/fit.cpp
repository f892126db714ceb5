// SPDX-License-Identifier: Apache-2.0

#include <credens/fit.hpp>
#include <credens/store.hpp>

#include <algorithm>
#include <chrono>

#include "base/claim.hpp"
#include "base/file.hpp"
#include "cli/config.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/team.hpp"
#include "cli/training.hpp"
#include "cli/verbs.hpp"
#include "data/match.hpp"
#include "learn/finish.hpp"
#include "learn/fit.hpp"
#include "learn/recipe.hpp"
#include "model/ensemble_state.hpp"
#include "report/model_summary.hpp"
#include "report/table.hpp"

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
  bool verbose = false;
  bool json = false;
};

MemberRange parse_range(const std::string& text) {
  MemberRange range;
  base::explain("--member-range", text, "A:B with whole numbers A < B", [&] {
    const auto ends = base::split(text, ':');
    base::require(ends.size() == 2, ErrorCode::usage, "no range");
    range = {base::FieldText<std::size_t>::parse(ends[0]), base::FieldText<std::size_t>::parse(ends[1])};
    base::require(range.first < range.end, ErrorCode::usage, "empty");
  });
  return range;
}

void declare_run(Arguments& arguments, FitArguments& fit) {
  arguments.group("Run");
  arguments.option("--checkpoint", "DIR", fit.checkpoint,
                   "Folder for finished members, kept; if not given, MODEL.checkpoint, removed on success");
  arguments.toggle("--resume", fit.resume, "Continue an interrupted run with its finished members");
  arguments.add({.names = "--member-range",
                 .value = "A:B",
                 .help = "Train members A to B - 1 only and write a part for `credens merge`",
                 .set = [&fit](const std::string& text) { fit.range = parse_range(text); }});
  arguments.option("--progress", "KIND", fit.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--plan-only", fit.plan_only,
                   "Write the recipe's decisions for these rows to -o, as TOML for --config, and stop");
  arguments.toggle("--print-config", fit.print_config, "Print the settings as TOML for --config, and stop")
      .lifts_requirements = true;
  arguments.toggle("--verbose", fit.verbose, "Print all decisions of the recipe with their reasons");
  arguments.toggle("--json", fit.json, "Print the summary as JSON");
}

void declare(Arguments& arguments, FitArguments& fit) {
  arguments.file("TRAIN", fit.train, "Table of training rows: text, also compressed, or .npy; - is standard input");
  arguments.option("-o,--output", "MODEL", fit.output, "Where the model is written; - is standard output").required =
      true;
  arguments.add({.names = "--config",
                 .value = "FILE.toml",
                 .help = "TOML file of settings, named like these flags; a flag overrides the file",
                 .set = [&fit](const std::string& path) {
                   check_standard_input({{"TRAIN", fit.train}, {"--config", path}});  // before it is used up
                   read_config(fit.config = path, fit.settings);
                 }});
  arguments.options(fit_settings(), fit.settings);  // declared after --config, so that a flag overrides the file
  declare_run(arguments, fit);
}

MemberRange range_of(const FitArguments& arguments, std::size_t members) {
  const MemberRange range = arguments.range.value_or(MemberRange{0, members});
  base::require(range.end <= members, ErrorCode::usage,
                "--member-range ends at {}, expected at most {}, the number of members", range.end, members);
  return range;
}

void check(const FitArguments& arguments) {
  const DatasetOptions& columns = arguments.settings.columns;
  base::require(!columns.targets.empty() || !columns.counts.empty(), ErrorCode::usage,
                "--target is missing: expected the columns to predict");
  const std::string& validation = arguments.settings.validation_file;
  check_standard_input({{"TRAIN", arguments.train}, {"--config", arguments.config}, {"--validation", validation}});
  check_folder("--checkpoint", arguments.checkpoint);
  base::require(!arguments.resume || !is_stream(arguments.output) || !arguments.checkpoint.empty(), ErrorCode::usage,
                "--resume needs --checkpoint if the model is written to a stream");
  const Choice<std::size_t>& members = arguments.settings.options.members;
  if (members.is_given()) range_of(arguments, members);
  check_not_input(arguments.output, {arguments.train, validation});
  if (team().leads()) check_writable(arguments.output);
}

/// The folder of finished members; empty if the model is written to a stream and no folder is named.
std::string checkpoint_of(const FitArguments& arguments) {
  if (!arguments.checkpoint.empty()) return arguments.checkpoint;
  return is_stream(arguments.output) ? "" : arguments.output + ".checkpoint";
}

/// Two runs that write the same model or the same members would spoil each other's work.
std::vector<base::Claim> claims_of(const FitArguments& arguments) {
  std::vector<base::Claim> claims;
  if (!team().leads()) return claims;
  if (!is_stream(arguments.output)) claims.emplace_back(arguments.output);
  if (const std::string checkpoint = checkpoint_of(arguments); !checkpoint.empty()) claims.emplace_back(checkpoint);
  return claims;
}

TrainingPlan plan_of(const FitArguments& arguments, learn::Fit& fit, const FitOptions& options) {
  return {.fit = &fit,
          .options = options,
          .range = range_of(arguments, options.members),
          .checkpoint = checkpoint_of(arguments),
          .checkpoint_is_ours = arguments.checkpoint.empty(),
          .resume = arguments.resume,
          .progress = arguments.progress,
          .team = &team()};
}

void save_finished(const Ensemble& ensemble, const std::string& path, const Training& training) {
  try {
    if (team().leads()) save(ensemble, path);
  } catch (const Error& error) {
    throw Error(error.code(), error.what() + training.kept_sentence());
  }
  team().broadcast({});  // no rank removes what it kept before the model is safe
  training.finish();
}

/// Rows of their own for early stopping, whose columns are found by the names of training.
std::optional<Dataset> read_validation(const FitSettings& settings, const data::Schema& train) {
  const std::string& path = settings.validation_file;
  if (path.empty()) return std::nullopt;
  const DatasetOptions& columns = settings.columns;
  const data::GivenColumns given{.target = columns.targets, .weight = columns.weight, .noise_std = columns.noise_std};
  return data::read_dataset(*data::open_rows_for(path, data::open_table(path, columns.format, train), train,
                                                 {.columns = given, .targets = data::Targets::needed}));
}

/// A part that others must complete is left as it is.
Ensemble widen_members(const FitArguments& arguments, learn::Fit& fit, std::vector<model::Member> members,
                       double seconds_so_far) {
  const FitOptions& options = fit.plan().options;
  if (learn::is_unfinished_part(members.size(), options.members, options)) return fit.part(std::move(members));
  ProgressDisplay display(team().leads() ? arguments.progress : ProgressKind::none, 0);
  display.say(options.folds > 0 ? "noise, weights and posterior from held-out rows" : "widening", seconds_so_far);
  return naming(arguments.train, ErrorCode::data, [&] { return fit.wide(std::move(members)); });
}

Ensemble train_and_widen(const FitArguments& arguments, learn::Fit& fit) {
  const auto start = std::chrono::steady_clock::now();
  const InterruptWatch watch;
  FitOptions options = fit.plan().options;
  options.stop = watch.token();
  Training training(plan_of(arguments, fit, options));
  std::vector<model::Member> members = naming(arguments.train, ErrorCode::data, [&] { return training.run(); });
  training.stop_if_asked();
  try {
    Ensemble wide = widen_members(arguments, fit, std::move(members), seconds_since(start));
    training.stop_if_asked();
    save_finished(wide, arguments.output, training);
    return wide;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) training.stop_if_asked();
    throw;
  }
}

/// The settings of a plan, with the inputs and the reasons as comments.
void write_plan(const FitArguments& arguments, const learn::Fit& fit) {
  if (!team().leads()) return;
  const learn::Plan& plan = fit.plan();
  FitSettings settings = arguments.settings;
  settings.options = plan.options;
  const std::vector<std::string> inputs =
      report::inputs_with_kinds(fit.table().schema(), fit.table().scaling(false, false).inputs);
  std::string text = fmt::format("# inputs: {}\n", base::join(inputs, ", "));
  for (const std::string& sentence : fit.table().left_out_inputs()) text += "# " + sentence + "\n";
  for (const model::Decision& decision : plan.decisions) {
    text += fmt::format("# {} = {}: {}\n", decision.name, decision.value, decision.reason);
  }
  text += config_text(settings);
  if (is_standard_output(arguments.output)) return print(text);
  base::write_file(arguments.output, text);
}

/// They may come from a file, and early stopping from rows, that each rank reads by itself.
void check_same_settings(const FitArguments& arguments, const learn::Fit& fit) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : learn::stored_options(fit.plan().options, fit.table().fold_units()))
    settings.push_back(name + " = " + base::to_text(value));
  const std::string& file = arguments.config.empty() ? arguments.settings.validation_file : arguments.config;
  check_agreement(team(), file.empty() ? arguments.train : file, settings);
}

std::unique_ptr<data::RowSource> open_train(const FitArguments& arguments) {
  const DatasetOptions& columns = arguments.settings.columns;
  check_table_kind(arguments.train, fmt::format("credens.fit(\"{}\", \"{}\")", arguments.train,
                                                columns.targets.empty() ? "y" : columns.targets.front()));
  std::unique_ptr<data::RowPortions> table = data::open_table(arguments.train, columns.format);
  if (team().leads()) print_warnings(table->header().warnings);
  return data::open_rows(arguments.train, std::move(table), columns);
}

/// The column that says which rows are held out together.
Lines fold_lines(const learn::Fit& fit) {
  const data::Schema& schema = fit.table().schema();
  const learn::FoldUnits& units = fit.table().fold_units();
  const FitOptions& options = fit.plan().options;
  const bool holds_out = options.folds > 0 || options.validation_fraction > 0;
  if (!holds_out || units.are_rows() || (!schema.group && !schema.time)) return {};
  const std::string name = schema.group && schema.time ? fmt::format("{} and {}", schema.group->name, schema.time->name)
                           : schema.group              ? schema.group->name
                                                       : schema.time->name;
  return {{"held out by", fmt::format("{}, {}", name, data::count_of(units.count, units.noun()))}};
}

void run(const FitArguments& arguments) {
  if (arguments.print_config) return print(config_text(arguments.settings));
  check(arguments);
  const std::vector<base::Claim> claims = claims_of(arguments);
  const auto start = std::chrono::steady_clock::now();
  learn::Fit fit(open_train(arguments), arguments.settings.options, team());
  if (team().leads()) print_warnings(fit.table().source().warnings());
  check_agreement(team(), arguments.train,
                  {fmt::format("{} rows with fingerprint {}", fit.data().rows, fit.data().fingerprint)});
  naming(arguments.train, ErrorCode::data, [&] { fit.check(); });
  const std::optional<Dataset> validation = read_validation(arguments.settings, fit.table().schema());
  if (validation) {
    naming(arguments.settings.validation_file, ErrorCode::data, [&] { fit.set_validation(*validation); });
  }
  check_same_settings(arguments, fit);
  if (arguments.plan_only) return write_plan(arguments, fit);
  const Ensemble ensemble = train_and_widen(arguments, fit);
  const double ratio = naming(arguments.train, ErrorCode::data, [&] { return fit.median_ratio(ensemble); });
  const double seconds = seconds_since(start);
  const std::string_view ratio_of = ensemble.task() == Task::classification ? "entropies" : "variances";
  Lines lines = fold_lines(fit);
  lines.emplace_back("epistemic / aleatoric",
                     fmt::format("{} ({}, median over the training rows)", report::significant(ratio), ratio_of));
  lines.emplace_back("time", duration_text(seconds));
  print_summary(ensemble, arguments.output,
                {.json = arguments.json,
                 .all_decisions = arguments.verbose,
                 .rows_without_target = fit.table().summary().rows_without_target,
                 .more_lines = std::move(lines),
                 .more_numbers = {{"epistemic_aleatoric_ratio_median", ratio}, {"seconds", seconds}}});
}

}  // namespace

Verb fit_verb() {
  return spread(make_verb<FitArguments>(
      "fit", "trains an ensemble of networks on a table and widens it",
      {"credens fit train.csv --target y --members 5 --epochs 20 -o model.safetensors"}, declare, run));
}

}  // namespace credens::cli
