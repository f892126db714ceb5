// SPDX-License-Identifier: Apache-2.0

#include "cli/reproduce_plans.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/check.hpp"
#include "data/known_data.hpp"
#include "learn/recipe.hpp"
#include "study/simulated.hpp"
#include "study/table2.hpp"
#include "study/uci.hpp"
#include "study/year_shape.hpp"

namespace credens::cli {

namespace {

constexpr std::size_t repetitions_of_figures = 20;
constexpr std::size_t quick_repetitions_of_figures = 3;
constexpr std::size_t quick_sets = 2;
constexpr std::size_t quick_splits = 2;

std::size_t figure_repetitions(const ReproduceArguments& arguments) {
  return arguments.repetitions.value_or(arguments.quick ? quick_repetitions_of_figures : repetitions_of_figures);
}

void append(Plan& plan, std::vector<study::Run> runs) {
  for (study::Run& run : runs) plan.runs.push_back(std::move(run));
}

// ---- Table 2 ----

void add_table2_set(Plan& plan, const study::RealData& set, const ReproduceArguments& arguments,
                    Reproduction& reproduction) {
  const data::KnownSet& known = data::known_set(set.name);
  const auto found = data::find_data(known, arguments.data);
  if (!found) {
    reproduction.left_out.emplace_back(set.title,
                                       fmt::format("its file was not found (`credens fetch {}` gets it)", set.name));
    if (set.name == "year" && arguments.year_shape) plan.runs.push_back(study::year_shape_run(*arguments.year_shape));
    return;
  }
  data::LoadedData loaded = data::load_data(known, *found);
  const auto rows = std::make_shared<const study::RealRows>(set, std::move(loaded.train), std::move(loaded.test));
  const std::size_t usual = arguments.quick ? set.quick_repetitions : set.repetitions;
  append(plan, study::table2_runs(rows, arguments.repetitions.value_or(usual)));
}

Plan plan_table2(const ReproduceArguments& arguments, Reproduction& reproduction) {
  Plan plan{.experiment = "table2"};
  for (const study::RealData& set : study::table1()) add_table2_set(plan, set, arguments, reproduction);
  return plan;
}

// ---- the UCI benchmark ----

FitOptions uci_options(const ReproduceArguments& arguments) {
  FitOptions options;
  for (const std::string& setting : arguments.settings) {
    const std::size_t equals = setting.find('=');
    base::require(equals != std::string::npos, ErrorCode::usage, "--set is {}, expected NAME=VALUE",
                  base::quoted(setting));
    std::string name = setting.substr(0, equals);
    std::ranges::replace(name, '-', '_');
    const auto* option = learn::fit_options().find(name);
    base::require(option != nullptr && option->determines_result, ErrorCode::usage, "--set: fit has no option {}{}",
                  base::quoted(name), base::suggestion(name, learn::fit_options().names()));
    option->set(options, setting.substr(equals + 1));
  }
  return options;
}

std::vector<study::UciSet> wanted_sets(const ReproduceArguments& arguments) {
  const std::vector<study::UciSet>& all = study::uci_sets();
  for (const std::string& name : arguments.sets) study::uci_set(name);  // throws for one that is unknown
  std::vector<study::UciSet> wanted;
  for (const study::UciSet& set : all) {
    if (arguments.sets.empty() || std::ranges::count(arguments.sets, set.name) > 0) wanted.push_back(set);
  }
  if (arguments.sets.empty() && arguments.quick) wanted.resize(quick_sets);
  return wanted;
}

study::SplitRange wanted_splits(const ReproduceArguments& arguments) {
  if (arguments.splits) return {arguments.splits->first, arguments.splits->end};
  return {0, arguments.quick ? quick_splits : std::numeric_limits<std::size_t>::max()};
}

Plan plan_uci(const ReproduceArguments& arguments, Reproduction& reproduction) {
  Plan plan{.experiment = study::uci_experiment};
  const FitOptions options = uci_options(arguments);
  for (const study::UciSet& set : wanted_sets(arguments)) {
    const auto rows = study::find_uci_rows(set, arguments.data);
    if (rows == nullptr) {
      reproduction.left_out.emplace_back(set.name, fmt::format("there is no {} in the folders of data", set.file));
      continue;
    }
    for (const char* series : {study::standard_series, study::gap_series}) {
      append(plan, study::uci_runs(rows, series, wanted_splits(arguments), options));
    }
  }
  return plan;
}

// ---- what goes with what ----

void check(const ReproduceArguments& arguments, Experiment experiment) {
  base::require(arguments.data.empty() || std::filesystem::is_directory(arguments.data), ErrorCode::io,
                "{}: not a folder of data sets", arguments.data);
  const bool is_uci = experiment == Experiment::uci;
  const bool has_uci_options = !arguments.sets.empty() || arguments.splits || !arguments.settings.empty();
  base::require(is_uci || !has_uci_options, ErrorCode::usage,
                "--sets, --splits, --members and --set are for the experiment uci, not for {}", arguments.experiment);
  base::require(!is_uci || !arguments.repetitions, ErrorCode::usage,
                "--repetitions is not for the experiment uci; --splits chooses its splits");
  base::require(!arguments.year_shape || experiment == Experiment::table2 || experiment == Experiment::all,
                ErrorCode::usage, "--year-shape is for the experiment table2, not for {}", arguments.experiment);
}

}  // namespace

std::vector<Plan> make_plans(const ReproduceArguments& arguments, Reproduction& reproduction) {
  const auto experiment = base::parse_enum<Experiment>(arguments.experiment);
  check(arguments, experiment);
  const auto wanted = [&](Experiment one) { return experiment == one || experiment == Experiment::all; };
  std::vector<Plan> plans;
  if (wanted(Experiment::figure1)) {
    plans.push_back({.experiment = "figure1", .runs = study::figure1_runs(figure_repetitions(arguments))});
  }
  if (wanted(Experiment::figure2)) {
    plans.push_back({.experiment = "figure2",
                     .runs = study::figure2_runs(study::figure2_grid(arguments.quick), figure_repetitions(arguments))});
  }
  if (wanted(Experiment::table2)) plans.push_back(plan_table2(arguments, reproduction));
  if (experiment == Experiment::uci) plans.push_back(plan_uci(arguments, reproduction));
  base::require(experiment != Experiment::table2 || !plans.back().runs.empty(), ErrorCode::io,
                "no data set of Table 2 was found; `credens fetch` gets them, --data names their folder");
  base::require(experiment != Experiment::uci || !plans.back().runs.empty(), ErrorCode::io,
                "no split of the UCI benchmark was found; --data names the folder that holds uci-benchmark");
  return plans;
}

}  // namespace credens::cli
