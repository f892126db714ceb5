// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <nlohmann/json.hpp>

#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "report/expectation.hpp"

namespace credens::cli {

namespace {

struct InspectArguments {
  std::string model;
  bool json = false;
};

void declare(Arguments& arguments, InspectArguments& inspect) {
  arguments.file("MODEL", inspect.model, "A model, or a part of one; - is standard input");
  arguments.toggle("--json", inspect.json, "Print JSON");
}

void run(const InspectArguments& arguments) {
  const Ensemble ensemble = load(arguments.model);
  if (arguments.json) return print_json(report::model_json(ensemble));
  print(report::expectation_text(ensemble) + "\n");
  print_lines(report::model_lines(ensemble));
  print("\n" + report::table_text(report::members_table(ensemble.state())));
  const Lines options = report::option_lines(ensemble.state());
  if (!options.empty()) print("\n");
  print_lines(options);
  print_decisions(ensemble.state());
}

}  // namespace

Verb inspect_verb() {
  return make_verb<InspectArguments>(
      "inspect", "shows what is in a model file",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors", "credens inspect model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
