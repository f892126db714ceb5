// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 as a story: rows are made, networks fitted and widened, the two ensembles compared.

#include <credens/store.hpp>

#include <filesystem>

#include "base/file.hpp"
#include "cli/expectations.hpp"
#include "cli/figure1_page.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/prediction_table.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

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
  arguments.option<std::string>("-o,--output", "DIR", demo.folder, "Folder for the rows, the model and the page", {});
  arguments.option<std::uint64_t>("--seed", "S", demo.seed, "Of the rows and of the training",
                                  whole_number<std::uint64_t>(0));
  arguments.option<int>("--threads", "T", demo.threads, "0 takes all cores; results do not depend on it",
                        whole_number(0));
  arguments.option("--progress", "KIND", demo.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", demo.json, "Print JSON");
}

study::Figure1 compute(const DemoArguments& arguments) {
  const InterruptWatch watch;
  ProgressDisplay display(arguments.progress, 0);
  return study::make_figure1({.seed = arguments.seed,
                              .threads = arguments.threads,
                              .on_progress = [&](const Progress& progress) { display.show(progress); },
                              .on_warning = [&](std::string_view sentence) { display.warn(sentence); },
                              .stop = watch.token()});
}

void write_rows(const std::filesystem::path& path, const Dataset& rows, MatrixView truth) {
  std::vector<std::string> columns = rows.input_names();
  columns.push_back(rows.target_names().front());
  if (!truth.empty()) columns.emplace_back("truth");
  TableWriter writer(path, columns, rows.rows());
  writer.write(std::vector<MatrixView>{rows.inputs(), rows.targets(), truth});
  writer.commit();
}

Json curves_json(const study::Figure1Curves& curves) {
  return {{"function_coverage", curves.scores.function_coverage.value()},
          {"total_coverage", curves.scores.total_coverage},
          {"mean_epistemic_std", curves.mean_epistemic_std},
          {"function_rmse", curves.scores.function_rmse.value()},
          {"rmse", curves.scores.rmse},
          {"nll", curves.scores.nll}};
}

void print_result(const study::Figure1& figure, const std::filesystem::path& folder, bool json) {
  if (json) {
    return print_json({{"rows", figure.test.rows()},
                       {"level", study::figure1_level},
                       {"classical", curves_json(figure.classical)},
                       {"extended", curves_json(figure.extended)},
                       {"folder", folder.string()}});
  }
  print(report::table_text(figure1_scores(figure)));
  print(fmt::format("\nThe pictures are in {}, with the rows and the model beside them.\n",
                    (folder / "index.html").string()));
}

void run(const DemoArguments& arguments) {
  check_folder("-o", arguments.folder);
  const std::filesystem::path folder = arguments.folder;
  base::make_folder(folder);
  check_writable(folder / "index.html");
  if (arguments.progress != ProgressKind::none) {
    print_error("Fitting ten networks to 200 noisy rows of a known function, then widening them.");
  }
  const study::Figure1 figure = compute(arguments);
  write_rows(folder / "train.csv", figure.train, {});
  write_rows(folder / "test.csv", figure.test, MatrixView(figure.truth.data(), figure.truth.size(), 1));
  save(figure.wide, folder / "model.safetensors");
  base::write_file(folder / "index.html", report::render_page(figure1_page(figure, arguments.seed)));
  print_result(figure, folder, arguments.json);
}

}  // namespace

Verb demo_verb() {
  return make_verb<DemoArguments>("demo", "shows on a known function what widening does, as a table and a page",
                                  {"credens demo -o demo"}, declare, run);
}

}  // namespace credens::cli
