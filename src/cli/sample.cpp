// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/parallel.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/npy.hpp"
#include "model/member_source.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

struct SampleArguments : RowArguments {
  std::optional<std::size_t> draws;  ///< given, once parsed
  Draw of = Draw::function;
  std::uint64_t seed = 0;
  std::string output = "-";
};

void declare(Arguments& arguments, SampleArguments& sample) {
  row_arguments(arguments, sample);
  uncertain_arguments(arguments, sample.uncertain);
  arguments.group("Draws");
  arguments.option("--draws", "K", sample.draws, "Number of draws", whole_number<std::size_t>(1)).required = true;
  arguments.option(
      "--of", "KIND", sample.of,
      "function: the regression function, one over all rows per draw; observation: the function plus noise",
      one_of<Draw>());
  arguments.option("--seed", "NUMBER", sample.seed, "Seed of the draws", whole_number<std::uint64_t>(0));
  arguments.option("-o,--output", "OUT.npy", sample.output, "Array of draws [K, rows, outputs]; - is standard output");
}

void check(const SampleArguments& arguments) {
  check_arguments(arguments);
  base::require(!arguments.uncertain.method && !arguments.uncertain.draws, ErrorCode::usage,
                "--input-method and --input-draws are not for draws: each has inputs of its own");
  check_array("-o", arguments.output);
  base::require(!is_standard_output(arguments.output) || ::isatty(STDOUT_FILENO) == 0, ErrorCode::usage,
                "draws are binary and standard output is a terminal, expected a file with -o");
  check_not_input(arguments.output, {arguments.model, arguments.data});
}

/// Draws [K, N, q] that come some rows at a time. Where places in a file cannot be reached at will, all are held.
class DrawsWriter {
 public:
  DrawsWriter(const std::string& path, const std::vector<std::size_t>& shape)
      : path_(path), header_(data::npy_header(shape)), shape_(shape) {
    if (is_stream(path)) {
      held_.resize(shape[0] * shape[1] * shape[2]);
    } else {
      file_.emplace(path);
      file_->write_at(0, header_);
    }
  }

  void add(const Samples& rows) {
    const std::size_t size = rows.rows * rows.outputs;
    for (std::size_t draw = 0; draw < rows.draws; ++draw) {
      const std::size_t at = (draw * shape_[1] + next_row_) * shape_[2];
      const double* const values = rows.values.data() + draw * size;
      if (file_) {
        file_->write_at(header_.size() + at * sizeof(double), base::bytes_of(std::span(values, size)));
      } else {
        std::copy_n(values, size, held_.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    next_row_ += rows.rows;
  }

  void commit() {
    if (file_) {
      file_->commit();
    } else {
      data::write_npy(path_, {.shape = shape_, .values = std::move(held_)});
    }
  }

 private:
  std::string path_;
  std::string header_;
  std::vector<std::size_t> shape_;
  std::optional<base::AtomicFile> file_;
  std::vector<double> held_;
  std::size_t next_row_ = 0;
};

/// All rows, or as many as keep the draws at 128 MB. Few would cost much: each time the weights are drawn again.
std::size_t rows_at_once(const Ensemble& ensemble, std::size_t draws, std::size_t rows) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  constexpr std::size_t least_rows = 64;
  const double per_row = static_cast<double>(draws) * static_cast<double>(ensemble.outputs());
  const auto fitting = static_cast<std::size_t>(static_cast<double>(most_values) / per_row);
  return std::min(rows, std::max(least_rows, fitting));
}

void check_draws(const Ensemble& ensemble, const SampleArguments& arguments, std::size_t rows) {
  const std::size_t held = is_stream(arguments.output) ? rows : rows_at_once(ensemble, *arguments.draws, rows);
  check_memory(static_cast<double>(*arguments.draws) * static_cast<double>(held * ensemble.outputs()),
               fmt::format("an array of {} draws at {} rows", *arguments.draws, held));
}

/// Draws at rows of arrays. No more rows are held than all threads work on.
void sample_folder(const Ensemble& ensemble, const SampleArguments& arguments, const SampleOptions& options) {
  OutputsReader folder(arguments.outputs);
  model::check_fit(ensemble.state(), folder.about());
  check_draws(ensemble, arguments, folder.rows());
  DrawsWriter writer(arguments.output, {options.draws, folder.rows(), ensemble.outputs()});
  const std::size_t busy = model::sampled_rows * static_cast<std::size_t>(base::thread_count(options.threads));
  const std::size_t at_once = std::min(busy, rows_at_once(ensemble, options.draws, folder.rows()));
  for (std::size_t first = 0; first < folder.rows(); first += at_once) {
    const MemberOutputs rows = folder.read(first, at_once);
    writer.add(model::draw_samples(ensemble.state(), model::arrays_at(ensemble.state(), rows), options, first));
  }
  writer.commit();
}

/// Errors of the inputs of `most` rows, filled row by row.
UncertainInputs room_for(const UncertainInputs& of_block, std::size_t most) {
  UncertainInputs room = of_block;
  if (!room.std.empty()) room.std = Matrix(most, room.columns.size());
  return room;
}

UncertainInputs first_rows(const UncertainInputs& all, std::size_t count) {
  UncertainInputs some = all;
  const std::size_t values = count * all.std.cols();
  if (!some.std.empty()) some.std = Matrix(count, all.std.cols(), {all.std.data(), all.std.data() + values});
  return some;
}

Samples draws_at(const Ensemble& ensemble, MatrixView inputs, MatrixView noise,
                 const std::optional<UncertainInputs>& uncertain, SampleOptions options, std::size_t first) {
  options.noise_std = noise;
  if (uncertain) return sample(ensemble, inputs, first_rows(*uncertain, inputs.rows()), options, first);
  return model::draw_samples(ensemble.state(), model::networks_at(ensemble.state(), inputs, noise), options, first);
}

/// Draws at rows of a table, whenever as many of them have come as are drawn at once.
void sample_table(const Ensemble& ensemble, const SampleArguments& arguments, const SampleOptions& options) {
  const model::EnsembleState& state = ensemble.state();
  RowStream stream(ensemble, arguments, data::Targets::unused);
  const std::size_t rows = stream.count_rows();
  check_draws(ensemble, arguments, rows);
  const std::size_t at_once = rows_at_once(ensemble, options.draws, rows);
  Matrix inputs(at_once, ensemble.inputs());
  Matrix noise;  // none where none is known
  std::size_t first = 0;
  std::size_t waiting = 0;
  std::optional<UncertainInputs> uncertain;  // none where inputs are exact
  std::optional<DrawsWriter> writer;         // a table that does not fit is refused before anything is written
  const auto draw = [&] {
    const MatrixView known_noise = noise.view().row_block(0, noise.empty() ? 0 : waiting);
    if (options.of == Draw::observation) model::require_known_noise(state, waiting, known_noise);
    const Samples samples =
        draws_at(ensemble, inputs.view().row_block(0, waiting), known_noise, uncertain, options, first);
    if (!writer) writer.emplace(arguments.output, std::vector{options.draws, rows, ensemble.outputs()});
    writer->add(samples);
    first += std::exchange(waiting, 0);
  };
  while (const Rows* block = stream.next()) {
    stream.check_range();  // while it is known where the rows stand in the table
    if (!block->block.noise_std.empty()) noise.resize(at_once, ensemble.outputs());
    const std::optional<UncertainInputs> of_block = stream.uncertain_inputs();
    if (of_block && !uncertain) uncertain = room_for(*of_block, at_once);
    for (std::size_t row = 0; row < block->count(); ++row) {
      std::ranges::copy(block->block.inputs.row(row), inputs.row(waiting).begin());
      if (!noise.empty()) std::ranges::copy(block->block.noise_std.row(row), noise.row(waiting).begin());
      if (of_block && !of_block->std.empty()) {
        std::ranges::copy(of_block->std.row(of_block->std.rows() == 1 ? 0 : row), uncertain->std.row(waiting).begin());
      }
      if (++waiting == at_once) draw();
    }
  }
  if (waiting > 0) draw();
  writer->commit();
}

void run(const SampleArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  const SampleOptions options{.draws = *arguments.draws, .of = arguments.of, .seed = arguments.seed};
  if (arguments.outputs.empty()) {
    sample_table(ensemble, arguments, options);
  } else {
    sample_folder(ensemble, arguments, options);
  }
}

}  // namespace

Verb sample_verb() {
  return make_verb<SampleArguments>("sample", "draws regression functions or observations from the posterior",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens sample model.safetensors test.csv --draws 100 -o draws.npy"},
                                    declare, run);
}

}  // namespace credens::cli
