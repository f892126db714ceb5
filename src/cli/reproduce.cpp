// SPDX-License-Identifier: Apache-2.0
//
// The paper's figures and tables: runs that can be stopped and go on, results as files, everything on one page.

#include <filesystem>

#include "base/file.hpp"
#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/reproduce_parts.hpp"
#include "cli/verbs.hpp"
#include "data/known_data.hpp"
#include "study/published.hpp"
#include "study/simulated.hpp"
#include "study/table2.hpp"

namespace credens::cli {

namespace {

struct ReproduceArguments {
  std::string experiment;
  std::string data;
  std::string folder = "credens-reproduction";
  bool quick = false;
  std::optional<std::size_t> repetitions = {};
  int threads = 0;
  ProgressKind progress = ProgressKind::automatic;
  bool json = false;
};

void declare(Arguments& arguments, ReproduceArguments& reproduce) {
  arguments.file("EXPERIMENT", reproduce.experiment, "One of " + base::join(base::all_names<Experiment>(), ", "));
  arguments.option<std::string>("--data", "DIR", reproduce.data,
                                "Folder of data sets, before CREDENS_DATA and the cache folder", {});
  arguments.option<std::string>("-o,--output", "DIR", reproduce.folder,
                                "Folder for results.json, results.csv, report.html and the single runs", {});
  arguments.toggle("--quick", reproduce.quick, "Fewer repetitions and settings, each trained in full");
  arguments.option<std::size_t>("--repetitions", "R", reproduce.repetitions,
                                "Of every setting; without it 20, of Blog 5 and of Year 3",
                                whole_number<std::size_t>(1));
  arguments.option<int>("--threads", "T", reproduce.threads, "0 takes all cores; results do not depend on it",
                        whole_number(0));
  arguments.option("--progress", "KIND", reproduce.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", reproduce.json, "Print what results.json holds");
}

constexpr std::size_t repetitions_of_figures = 20;
constexpr std::size_t quick_repetitions_of_figures = 3;

std::size_t figure_repetitions(const ReproduceArguments& arguments) {
  return arguments.repetitions.value_or(arguments.quick ? quick_repetitions_of_figures : repetitions_of_figures);
}

/// The runs of one experiment.
struct Plan {
  std::string experiment;
  std::vector<study::Run> runs = {};
};

Plan plan_table2(const ReproduceArguments& arguments, Reproduction& reproduction) {
  Plan plan{.experiment = "table2"};
  for (const study::RealData& set : study::table1()) {
    const data::KnownSet& known = data::known_set(set.name);
    const auto found = data::find_data(known, arguments.data);
    if (!found) {
      reproduction.left_out.emplace_back(set.title,
                                         fmt::format("its file was not found (`credens fetch {}` gets it)", set.name));
      continue;
    }
    data::LoadedData loaded = data::load_data(known, *found);
    const auto rows = std::make_shared<const study::RealRows>(set, std::move(loaded.train), std::move(loaded.test));
    const std::size_t usual = arguments.quick ? set.quick_repetitions : set.repetitions;
    for (study::Run& run : study::table2_runs(rows, arguments.repetitions.value_or(usual))) {
      plan.runs.push_back(std::move(run));
    }
  }
  return plan;
}

void check_data(const ReproduceArguments& arguments) {
  base::require(arguments.data.empty() || std::filesystem::is_directory(arguments.data), ErrorCode::io,
                "{}: not a folder of data sets", arguments.data);
}

std::vector<Plan> make_plans(const ReproduceArguments& arguments, Experiment experiment, Reproduction& reproduction) {
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
  base::require(experiment != Experiment::table2 || !plans.back().runs.empty(), ErrorCode::io,
                "no data set of Table 2 was found; `credens fetch` gets them, --data names their folder");
  return plans;
}

std::string kept_sentence(const std::filesystem::path& folder) {
  return fmt::format("interrupted; finished runs are kept in {}, and the same command goes on from there",
                     folder.string());
}

std::vector<std::vector<study::Measurement>> perform(const std::vector<study::Run>& runs,
                                                     const std::filesystem::path& folder,
                                                     const study::RunContext& context) {
  try {
    return study::perform(runs, folder, context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    throw Error(ErrorCode::interrupted, kept_sentence(folder));
  }
}

/// All plans at once, so that the time left is that of all of them.
void compute(const std::vector<Plan>& plans, const std::filesystem::path& folder, const study::RunContext& context,
             Reproduction& reproduction) {
  std::vector<study::Run> runs;
  for (const Plan& plan : plans) runs.insert(runs.end(), plan.runs.begin(), plan.runs.end());
  const auto measurements = perform(runs, folder, context);
  std::span<const std::vector<study::Measurement>> rest = measurements;
  for (const Plan& plan : plans) {
    const auto results = study::summarise(plan.experiment, rest.first(plan.runs.size()));
    reproduction.results.insert(reproduction.results.end(), results.begin(), results.end());
    rest = rest.subspan(plan.runs.size());
    if (plan.experiment == "figure1") {
      reproduction.figure1 = study::make_figure1({.threads = context.threads, .stop = context.stop});
    }
  }
  study::add_published(reproduction.results);
}

void print_tables(const Reproduction& reproduction) {
  std::string text;
  for (const auto& tables : {figure1_tables(reproduction), figure2_tables(reproduction), table2_tables(reproduction)}) {
    for (const report::Table& table : tables) text += report::table_text(table) + "\n";
  }
  print(text);
}

std::string command_of(const ReproduceArguments& arguments) {
  std::string command = "credens reproduce " + arguments.experiment;
  if (arguments.quick) command += " --quick";
  if (arguments.repetitions) command += fmt::format(" --repetitions {}", *arguments.repetitions);
  return command;
}

void run(const ReproduceArguments& arguments) {
  const auto experiment = base::parse_enum<Experiment>(arguments.experiment);
  check_folder("-o", arguments.folder);
  check_data(arguments);
  const std::filesystem::path folder = arguments.folder;
  base::make_folder(folder);
  check_writable(folder / "report.html");

  const InterruptWatch watch;
  ProgressDisplay display(arguments.progress, 0, "runs");
  Reproduction reproduction{.command = command_of(arguments)};
  const std::vector<Plan> plans = make_plans(arguments, experiment, reproduction);
  for (const auto& [title, reason] : reproduction.left_out) {
    display.warn(fmt::format("{} is left out: {}", title, reason));
  }
  compute(plans, folder / "runs",
          {.threads = arguments.threads,
           .on_progress = [&](const Progress& progress) { display.show(progress); },
           .on_warning = [&](std::string_view sentence) { display.warn(sentence); },
           .stop = watch.token()},
          reproduction);

  const std::string json = study::results_json(reproduction.results);
  base::write_file(folder / "results.json", json);
  base::write_file(folder / "results.csv", study::results_csv(reproduction.results));
  base::write_file(folder / "report.html", report::render_page(reproduction_page(reproduction)));
  if (arguments.json) return print(json);
  print_tables(reproduction);
  print(fmt::format("The pictures are in {}, the numbers in results.json and results.csv beside it.\n",
                    (folder / "report.html").string()));
}

}  // namespace

Verb reproduce_verb() {
  return make_verb<ReproduceArguments>(
      "reproduce", "computes the paper's figures and tables again, as files and as a page",
      {"credens reproduce figure1 --quick -o figure1", "credens reproduce figure1 --repetitions 5 -o figure1 --json"},
      declare, run);
}

}  // namespace credens::cli
