// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <unistd.h>

#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/npy.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

struct SampleArguments {
  RowArguments rows;
  std::optional<std::size_t> draws;  ///< given, once parsed
  Draw of = Draw::function;
  std::uint64_t seed = 0;
  std::string output = "-";
};

void declare(Arguments& arguments, SampleArguments& sample) {
  row_arguments(arguments, sample.rows);
  arguments.group("Draws");
  arguments.option<std::size_t>("--draws", "K", sample.draws, "Number of draws", whole_number<std::size_t>(1))
      .required = true;
  arguments.option(
      "--of", "KIND", sample.of,
      "function: the regression function, one over all rows per draw; observation: the function plus noise",
      one_of<Draw>());
  arguments.option("--seed", "NUMBER", sample.seed, "Number that the draws follow from",
                   whole_number<std::uint64_t>(0));
  arguments.option<std::string>("-o,--output", "OUT.npy", sample.output,
                                "Array of draws [K, rows, outputs]; - is standard output", {});
}

void check(const SampleArguments& arguments) {
  check_arguments(arguments.rows);
  check_array("-o", arguments.output);
  base::require(!is_standard_output(arguments.output) || ::isatty(STDOUT_FILENO) == 0, ErrorCode::usage,
                "draws are bytes, not text for a terminal: say with -o where they go");
  check_not_input(arguments.output, {arguments.rows.model, arguments.rows.data});
}

void run(const SampleArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const Rows rows = read_rows(ensemble, arguments.rows);
  const SampleOptions options{
      .draws = *arguments.draws, .of = arguments.of, .seed = arguments.seed, .noise_std = rows.noise_std};
  check_memory(static_cast<double>(options.draws) * static_cast<double>(rows.count() * ensemble.outputs()),
               fmt::format("an array of {} draws at {} rows", options.draws, rows.count()));
  Samples samples = rows.arrays ? ensemble.sample(*rows.arrays, options) : ensemble.sample(rows.inputs, options);
  data::write_npy(arguments.output,
                  {.shape = {samples.draws, samples.rows, samples.outputs}, .values = std::move(samples.values)});
}

}  // namespace

Verb sample_verb() {
  return make_verb<SampleArguments>("sample", "draws regression functions or observations from the posterior",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens sample model.safetensors test.csv --draws 100 -o draws.npy"},
                                    declare, run);
}

}  // namespace credens::cli
