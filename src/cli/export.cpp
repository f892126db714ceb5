// SPDX-License-Identifier: Apache-2.0

#include <credens/onnx.hpp>
#include <credens/store.hpp>

#include "cli/files.hpp"
#include "cli/verbs.hpp"

namespace credens::cli {

namespace {

struct ExportArguments {
  std::string model;
  std::string output;
};

void declare(Arguments& arguments, ExportArguments& chosen) {
  arguments.file("MODEL", chosen.model, "A model written by `credens fit` or `credens widen`");
  arguments.option("-o,--output", "FILE", chosen.output, "The ONNX graph; - is standard output").required = true;
}

void run(const ExportArguments& arguments) {
  check_not_input(arguments.output, {arguments.model});
  check_not_archive("-o", arguments.output);
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks, expected a model with networks", arguments.model);
  export_onnx(ensemble, arguments.output);
}

}  // namespace

Verb export_verb() {
  return make_verb<ExportArguments>("export", "writes a model as an ONNX graph, for other runtimes",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens export model.safetensors -o model.onnx"},
                                    declare, run);
}

}  // namespace credens::cli
