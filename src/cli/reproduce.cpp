// SPDX-License-Identifier: Apache-2.0
//
// The paper's figures and tables and the UCI benchmark: runs that can be stopped and go on, results as files,
// everything on one page.

#include <filesystem>

#include "base/file.hpp"
#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/reproduce_plans.hpp"
#include "cli/verbs.hpp"
#include "study/published.hpp"
#include "study/uci.hpp"

namespace credens::cli {

namespace {

namespace fs = std::filesystem;

/// An option of `fit` that has a flag of its own.
void declare_shorthand(Arguments& arguments, ReproduceArguments& reproduce, const std::string& name,
                       const std::string& value, const std::string& help) {
  arguments.add(
      {.names = "--" + name, .value = value, .help = help, .set = [&reproduce, name](const std::string& text) {
         reproduce.settings.push_back(name + "=" + text);
       }});
}

void declare_uci(Arguments& arguments, ReproduceArguments& reproduce) {
  arguments.group("UCI benchmark");
  arguments.option<std::vector<std::string>>("--sets", "SET,..", reproduce.sets, "Some of the sets; without it all",
                                             {.text = "names separated by commas"});
  arguments.option<MemberRange>("--splits", "A:B", reproduce.splits,
                                "Splits A to B - 1 of each set and series; without it all",
                                {.text = "A:B with whole numbers A < B"});
  declare_shorthand(arguments, reproduce, "members", "L", "Networks of each fit");
  arguments.add({.names = "--set",
                 .value = "NAME=VALUE",
                 .help = "Any option of fit by its name, for every fit; may be given again",
                 .repeated = true,
                 .set = [&reproduce](const std::string& text) { reproduce.settings.push_back(text); }});
}

void declare(Arguments& arguments, ReproduceArguments& reproduce) {
  arguments.file("EXPERIMENT", reproduce.experiment,
                 "One of " + base::join(base::all_names<Experiment>(), ", ") + "; all are the paper's three");
  arguments.option<std::string>("--data", "DIR", reproduce.data,
                                "Folder of data sets, before CREDENS_DATA and the cache folder", {});
  arguments.option<std::string>("-o,--output", "DIR", reproduce.folder,
                                "Folder for results.json, results.csv, report.html and the single runs", {});
  arguments.toggle("--quick", reproduce.quick, "Fewer repetitions and settings, each trained in full");
  arguments.option<std::size_t>("--repetitions", "R", reproduce.repetitions,
                                "Of every setting; without it 20, of Blog 5 and of Year 3",
                                whole_number<std::size_t>(1));
  arguments.option<std::size_t>("--year-shape", "ROWS", reproduce.year_shape,
                                "Where the file of Year is absent, train on so many synthetic rows of its shape "
                                "(it has 515345), to see time and memory",
                                whole_number<std::size_t>(4));
  arguments.option<int>("--threads", "T", reproduce.threads, "0 takes all cores; results do not depend on it",
                        whole_number(0));
  arguments.option("--progress", "KIND", reproduce.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", reproduce.json, "Print what results.json holds");
  declare_uci(arguments, reproduce);
}

std::string kept_sentence(const fs::path& folder) {
  return fmt::format("interrupted; finished runs are kept in {}, and the same command goes on from there",
                     folder.string());
}

std::vector<std::vector<study::Measurement>> perform(const std::vector<study::Run>& runs, const fs::path& folder,
                                                     const study::RunContext& context) {
  try {
    return study::perform(runs, folder, context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    throw Error(ErrorCode::interrupted, kept_sentence(folder));
  }
}

/// All plans at once, so that the time left is that of all of them.
std::vector<study::Result> compute(const std::vector<Plan>& plans, const fs::path& folder,
                                   const study::RunContext& context) {
  std::vector<study::Run> runs;
  for (const Plan& plan : plans) runs.insert(runs.end(), plan.runs.begin(), plan.runs.end());
  const auto measurements = perform(runs, folder, context);
  std::span<const std::vector<study::Measurement>> rest = measurements;
  std::vector<study::Result> all;
  for (const Plan& plan : plans) {
    const auto results = study::summarise(plan.experiment, rest.first(plan.runs.size()));
    all.insert(all.end(), results.begin(), results.end());
    rest = rest.subspan(plan.runs.size());
  }
  study::fill_members(all);
  study::add_published(all);
  return all;
}

/// What earlier commands found, which stays on the page beside what this one finds.
std::vector<study::Result> earlier_results(const fs::path& file, ProgressDisplay& display) {
  std::error_code none;
  if (!fs::exists(file, none)) return {};
  try {
    return study::parse_results(base::read_file(file), file.string());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
    display.warn(fmt::format("{} does not hold results of this version and is replaced", file.string()));
    return {};
  }
}

bool has_figure1(const Reproduction& reproduction) {
  return std::ranges::any_of(reproduction.results,
                             [](const study::Result& result) { return result.experiment == "figure1"; });
}

void print_tables(const Reproduction& reproduction) {
  std::string text;
  for (const auto& tables : {figure1_tables(reproduction), figure2_tables(reproduction), table2_tables(reproduction),
                             uci_tables(reproduction)}) {
    for (const report::Table& table : tables) text += report::table_text(table) + "\n";
  }
  print(text);
}

std::string command_of(const ReproduceArguments& arguments) {
  std::string command = "credens reproduce " + arguments.experiment;
  if (arguments.quick) command += " --quick";
  if (arguments.repetitions) command += fmt::format(" --repetitions {}", *arguments.repetitions);
  if (arguments.year_shape) command += fmt::format(" --year-shape {}", *arguments.year_shape);
  if (!arguments.sets.empty()) command += " --sets " + base::join(arguments.sets, ",");
  if (arguments.splits) command += fmt::format(" --splits {}:{}", arguments.splits->first, arguments.splits->end);
  for (const std::string& setting : arguments.settings) command += " --set " + setting;
  return command;
}

void write_files(const fs::path& folder, const Reproduction& reproduction) {
  base::write_file(folder / "results.json", study::results_json(reproduction.results));
  base::write_file(folder / "results.csv", study::results_csv(reproduction.results));
  base::write_file(folder / "report.html", report::render_page(reproduction_page(reproduction)));
}

void run(const ReproduceArguments& arguments) {
  base::parse_enum<Experiment>(arguments.experiment);
  check_folder("-o", arguments.folder);
  const fs::path folder = arguments.folder;
  const InterruptWatch watch;
  ProgressDisplay display(arguments.progress, 0, "runs");
  Reproduction reproduction{.command = command_of(arguments)};
  const std::vector<Plan> plans = make_plans(arguments, reproduction);
  base::make_folder(folder);
  check_writable(folder / "report.html");
  const std::vector<study::Result> earlier = earlier_results(folder / "results.json", display);
  for (const auto& [title, reason] : reproduction.left_out) {
    display.warn(fmt::format("{} is left out: {}", title, reason));
  }
  const study::RunContext context{.threads = arguments.threads,
                                  .on_progress = [&](const Progress& progress) { display.show(progress); },
                                  .on_warning = [&](std::string_view sentence) { display.warn(sentence); },
                                  .stop = watch.token()};
  reproduction.results = compute(plans, folder / "runs", context);
  const Reproduction found = reproduction;
  reproduction.results = study::merge_results(earlier, found.results, base::all_names<Experiment>());
  if (has_figure1(reproduction)) {
    reproduction.figure1 = study::make_figure1({.threads = arguments.threads, .stop = watch.token()});
  }
  write_files(folder, reproduction);
  if (arguments.json) return print(study::results_json(reproduction.results));
  print_tables(found);
  print(fmt::format("The pictures are in {}, the numbers in results.json and results.csv beside it.\n",
                    (folder / "report.html").string()));
}

}  // namespace

Verb reproduce_verb() {
  return make_verb<ReproduceArguments>(
      "reproduce", "computes the paper's figures and tables and the UCI benchmark, as files and as a page",
      {"credens reproduce figure1 --quick -o figure1", "credens reproduce figure1 --repetitions 5 -o figure1 --json"},
      declare, run);
}

}  // namespace credens::cli
