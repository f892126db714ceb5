// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <unistd.h>

#include <mutex>

#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/npy.hpp"
#include "model/member_rows.hpp"
#include "model/names.hpp"
#include "model/output_rows.hpp"
#include "model/sampler.hpp"

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

void check_draws(const Ensemble& ensemble, std::size_t draws, std::size_t rows) {
  check_memory(static_cast<double>(draws) * static_cast<double>(rows * ensemble.outputs()),
               fmt::format("an array of {} draws at {} rows", draws, rows));
}

/// Reads the arrays some rows at a time, so that memory holds the draws and little else.
Samples sample_folder(const Ensemble& ensemble, const std::string& folder, const SampleOptions& options) {
  OutputsReader reader(folder);
  model::check_fit(ensemble.state(), reader.about());
  check_draws(ensemble, options.draws, reader.rows());
  std::mutex one_at_a_time;
  const auto block = [&](std::size_t first, std::size_t count) {
    const std::lock_guard lock(one_at_a_time);
    return model::block_of(reader.read(first, count), 0, count);
  };
  return model::draw_samples(ensemble.state(), {.rows = reader.rows(), .block = block}, options);
}

Samples sample_table(const Ensemble& ensemble, const RowArguments& arguments, SampleOptions options) {
  const Rows rows = read_rows(ensemble, arguments);
  options.noise_std = rows.noise_std;
  check_draws(ensemble, options.draws, rows.count());
  return ensemble.sample(rows.inputs, options);
}

void run(const SampleArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const SampleOptions options{.draws = *arguments.draws, .of = arguments.of, .seed = arguments.seed};
  Samples samples = arguments.rows.outputs.empty() ? sample_table(ensemble, arguments.rows, options)
                                                   : sample_folder(ensemble, arguments.rows.outputs, options);
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
