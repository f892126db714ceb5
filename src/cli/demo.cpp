// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 as a story: rows are made, networks fitted and widened, the two ensembles compared. A second
// story does the same for classes.

#include <credens/fit.hpp>
#include <credens/problems.hpp>
#include <credens/store.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/prediction_table.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "report/figure1.hpp"
#include "report/moons.hpp"

namespace credens::cli {

namespace {

struct DemoArguments {
  std::string folder = "credens-demo";
  std::uint64_t seed = 0;
  int threads = 0;
  ProgressKind progress = ProgressKind::automatic;
  bool json = false;
};

void declare(Arguments& arguments, DemoArguments& demo) {
  arguments.option("-o,--output", "DIR", demo.folder, "Folder for the rows, the model and the page");
  arguments.option("--seed", "S", demo.seed, "Seed of the rows and of the training", whole_number<std::uint64_t>(0));
  arguments.option("--threads", "T", demo.threads, "Threads (0: all cores); the result is the same for any number",
                   whole_number(0));
  arguments.option("--progress", "KIND", demo.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", demo.json, "Print JSON");
}

constexpr std::size_t train_rows = 200;
constexpr std::size_t test_rows = 300;

struct DemoRows {
  Dataset train;
  Dataset test;  ///< none of them trained on, in the order of x
  Matrix truth;  ///< [test rows x 1]
};

DemoRows make_rows(std::uint64_t seed) {
  const SimulatedData problem = figure1_problem(train_rows + test_rows, seed);
  std::vector<std::size_t> order(train_rows + test_rows);
  std::iota(order.begin(), order.end(), 0);
  const std::span<std::size_t> test = std::span(order).subspan(train_rows);
  std::ranges::sort(test, {}, [&](std::size_t row) { return problem.data.inputs()(row, 0); });
  DemoRows rows{.train = problem.data.select(std::span(order).first(train_rows)),
                .test = problem.data.select(test),
                .truth = Matrix(test_rows, 1)};
  for (std::size_t i = 0; i < test_rows; ++i) rows.truth(i, 0) = problem.truth(test[i], 0);
  return rows;
}

/// The paper's settings for simulated data. Its lambda of one over the rows stands beside the mean loss, which makes a
/// prior precision of 1.
FitOptions paper_settings(const DemoArguments& arguments) {
  return {.recipe = Recipe::paper,
          .members = 10,
          .epochs = 60,
          .batch = 64,
          .learning_rate = 1.0 / static_cast<double>(train_rows),
          .schedule = Schedule::drop_last_five,
          .prior_precision = 1.0,
          .posterior = PosteriorKind::isotropic,
          .standardise_inputs = false,
          .seed = arguments.seed,
          .threads = arguments.threads};
}

/// Small networks, with the activation, prior precision and rung that the recipe `auto` begins with for classes.
FitOptions moons_settings(const DemoArguments& arguments) {
  return {.recipe = Recipe::paper,
          .members = 10,
          .hidden = std::vector<std::vector<std::size_t>>{{64, 32}},
          .activation = std::vector<Activation>{Activation::silu},
          .epochs = 100,
          .batch = 32,
          .learning_rate = std::vector<double>{0.005},
          .schedule = Schedule::cosine,
          .prior_precision = 0.03,
          .posterior = PosteriorKind::full,
          .seed = arguments.seed,
          .threads = arguments.threads};
}

Ensemble train(const Dataset& rows, FitOptions options, const DemoArguments& arguments) {
  const InterruptWatch watch;
  ProgressDisplay display(arguments.progress, 0);
  options.on_progress = [&](const Progress& progress) { display.show(progress); };
  options.on_warning = [&](std::string_view sentence) { display.warn(sentence); };
  options.stop = watch.token();
  return widen(fit(rows, options), rows, {.threads = arguments.threads});
}

struct MoonsRows {
  Dataset train;
  Dataset test;
};

MoonsRows make_moons_rows(std::uint64_t seed) {
  const Dataset all = two_moons(train_rows + test_rows, seed);
  std::vector<std::size_t> order(train_rows + test_rows);
  std::iota(order.begin(), order.end(), 0);
  return {.train = all.select(std::span(order).first(train_rows)),
          .test = all.select(std::span(order).subspan(train_rows))};
}

void write_moons(const std::filesystem::path& path, const Dataset& rows) {
  std::vector<WrittenColumn> columns{{rows.target_names().front(), rows.classes()}};
  for (const std::string& name : rows.input_names()) columns.push_back({name});
  TableWriter writer(path, columns, rows.rows());
  writer.write(std::vector<MatrixView>{rows.targets(), rows.inputs()});
  writer.commit();
}

void write_rows(const std::filesystem::path& path, const Dataset& rows, MatrixView truth) {
  std::vector<WrittenColumn> columns;
  for (const std::string& name : rows.input_names()) columns.push_back({name});
  columns.push_back({rows.target_names().front()});
  if (!truth.empty()) columns.push_back({"truth"});
  TableWriter writer(path, columns, rows.rows());
  writer.write(std::vector<MatrixView>{rows.inputs(), rows.targets(), truth});
  writer.commit();
}

Json curves_json(const report::Figure1Curves& curves) {
  return {{"function_coverage", curves.scores.function_coverage.value()},
          {"total_coverage", curves.scores.total_coverage},
          {"mean_epistemic_std", curves.mean_epistemic_std},
          {"function_rmse", curves.scores.function_rmse.value()},
          {"rmse", curves.scores.rmse},
          {"nll", curves.scores.nll}};
}

Json moons_json(const report::MoonsSide& side) {
  return {{"log_loss", side.scores.log_loss},
          {"accuracy", side.scores.accuracy},
          {"near_ignorance", side.near_ignorance},
          {"far_ignorance", side.far_ignorance},
          {"far_confidence", side.far_confidence}};
}

void print_result(const report::Figure1& figure, const report::Moons& moons, const std::filesystem::path& folder,
                  bool json) {
  if (json) {
    return print_json(
        {{"rows", figure.x.size()},
         {"level", report::figure1_level},
         {"classical", curves_json(figure.classical)},
         {"extended", curves_json(figure.extended)},
         {"two_moons", {{"classical", moons_json(moons.classical)}, {"extended", moons_json(moons.extended)}}},
         {"folder", folder.string()}});
  }
  print(report::table_text(report::figure1_scores(figure)) + "\n" + report::table_text(report::moons_scores(moons)));
  print(fmt::format("\nThe charts are in {}, the rows and the model in the same folder.\n",
                    (folder / "index.html").string()));
}

/// The story of the function, then that of the classes, then what to do with rows of one's own.
report::Page demo_page(const report::Figure1& figure, const report::Moons& moons, std::uint64_t seed) {
  report::Page page = report::figure1_page(figure, seed);
  page.sections.insert(page.sections.end() - 1, report::moons_section(moons));
  return page;
}

report::Figure1 tell_function(const DemoArguments& arguments, const std::filesystem::path& folder) {
  const DemoRows rows = make_rows(arguments.seed);
  const Ensemble wide = train(rows.train, paper_settings(arguments), arguments);
  write_rows(folder / "train.csv", rows.train, {});
  write_rows(folder / "test.csv", rows.test, rows.truth);
  save(wide, folder / "model.safetensors");
  return report::make_figure1(wide, train_rows, rows.test, rows.truth, arguments.threads);
}

report::Moons tell_moons(const DemoArguments& arguments, const std::filesystem::path& folder) {
  const MoonsRows rows = make_moons_rows(arguments.seed);
  const Ensemble wide = train(rows.train, moons_settings(arguments), arguments);
  write_moons(folder / "moons-train.csv", rows.train);
  write_moons(folder / "moons-test.csv", rows.test);
  save(wide, folder / "moons.safetensors");
  return report::make_moons(wide, rows.train, rows.test, arguments.threads);
}

void run(const DemoArguments& arguments) {
  check_folder("-o", arguments.folder);
  const std::filesystem::path folder = arguments.folder;
  base::make_folder(folder);
  check_writable(folder / "index.html");
  if (arguments.progress != ProgressKind::none) {
    print_error(
        "Fitting ten networks to 200 noisy rows of a known function, and ten to 200 rows of two classes, then widening "
        "them.");
  }
  const report::Figure1 figure = tell_function(arguments, folder);
  const report::Moons moons = tell_moons(arguments, folder);
  base::write_file(folder / "index.html", report::render_page(demo_page(figure, moons, arguments.seed)));
  print_result(figure, moons, folder, arguments.json);
}

}  // namespace

Verb demo_verb() {
  return make_verb<DemoArguments>("demo", "shows the effect of widening on a known function, as a table and a page",
                                  {"credens demo -o demo"}, declare, run);
}

}  // namespace credens::cli
