// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/file.hpp"
#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/npy.hpp"
#include "model/member_source.hpp"
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
        file_->write_at(header_.size() + at * sizeof(double),
                        {reinterpret_cast<const char*>(values), size * sizeof(double)});
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

/// Rows of a folder of arrays from `first` on, read when a thread comes to them.
class FolderReader : public model::MemberReader {
 public:
  FolderReader(const Ensemble& ensemble, OutputsReader& folder, std::size_t first, std::mutex& one_at_a_time)
      : ensemble_(ensemble), folder_(folder), first_(first), one_at_a_time_(one_at_a_time) {}

  void take(std::size_t first, std::size_t count) override {
    {
      const std::lock_guard lock(one_at_a_time_);
      outputs_ = folder_.read(first_ + first, count);
    }
    reader_ = model::arrays_at(ensemble_.state(), OutputRows(outputs_)).reader();
    reader_->take(0, count);
  }
  model::MemberView member(std::size_t l, std::size_t first, std::size_t count) override {
    return reader_->member(l, first, count);
  }

 private:
  const Ensemble& ensemble_;
  OutputsReader& folder_;
  std::size_t first_;
  std::mutex& one_at_a_time_;
  MemberOutputs outputs_;
  std::unique_ptr<model::MemberReader> reader_;
};

/// Draws at rows of arrays.
void sample_folder(const Ensemble& ensemble, const SampleArguments& arguments, const SampleOptions& options) {
  OutputsReader folder(arguments.rows.outputs);
  model::check_fit(ensemble.state(), folder.about());
  check_draws(ensemble, arguments, folder.rows());
  DrawsWriter writer(arguments.output, {options.draws, folder.rows(), ensemble.outputs()});
  const std::size_t at_once = std::max<std::size_t>(1, rows_at_once(ensemble, options.draws, folder.rows()));
  std::mutex one_at_a_time;
  for (std::size_t first = 0; first < folder.rows(); first += at_once) {
    const model::MemberSource source{.rows = std::min(at_once, folder.rows() - first), .reader = [&, first] {
                                       return std::make_unique<FolderReader>(ensemble, folder, first, one_at_a_time);
                                     }};
    writer.add(model::draw_samples(ensemble.state(), source, options, first));
  }
  writer.commit();
}

/// Rows of a table that wait until they are enough for a draw.
class WaitingRows {
 public:
  void add(const data::RowBlock& rows) {
    for (std::size_t row = 0; row < rows.rows(); ++row) append(rows.inputs.row(row), inputs_);
    for (std::size_t row = 0; row < rows.noise_std.rows(); ++row) append(rows.noise_std.row(row), noise_);
    count_ += rows.rows();
  }

  std::size_t count() const { return count_; }

  /// Draws at the first `count` of them, which then are gone.
  Samples draw(const Ensemble& ensemble, std::size_t count, const SampleOptions& options) {
    const MatrixView inputs(inputs_.data(), count, ensemble.inputs());
    const MatrixView noise(noise_.data(), noise_.empty() ? 0 : count, noise_.empty() ? 0 : ensemble.outputs());
    const model::EnsembleState& state = ensemble.state();
    if (options.of == Draw::observation) model::require_known_noise(state, count, noise);
    Samples samples = model::draw_samples(state, model::networks_at(state, inputs, noise), options, first_row_);
    const auto gone = static_cast<std::ptrdiff_t>(count);
    inputs_.erase(inputs_.begin(), inputs_.begin() + gone * static_cast<std::ptrdiff_t>(inputs.cols()));
    noise_.erase(noise_.begin(), noise_.begin() + gone * static_cast<std::ptrdiff_t>(noise.cols()));
    count_ -= count;
    first_row_ += count;
    return samples;
  }

 private:
  static void append(std::span<const double> row, std::vector<double>& values) {
    values.insert(values.end(), row.begin(), row.end());
  }

  std::vector<double> inputs_;
  std::vector<double> noise_;
  std::size_t count_ = 0;
  std::size_t first_row_ = 0;
};

void sample_table(const Ensemble& ensemble, const SampleArguments& arguments, const SampleOptions& options) {
  RowStream stream(ensemble, arguments.rows, data::Targets::unused);
  const std::size_t rows = stream.count_rows();
  check_draws(ensemble, arguments, rows);
  const std::size_t at_once = rows_at_once(ensemble, options.draws, rows);
  WaitingRows waiting;
  std::optional<DrawsWriter> writer;  // a table that does not fit is refused before anything is written
  const auto draw = [&](std::size_t count) {
    const Samples samples = waiting.draw(ensemble, count, options);
    if (!writer) writer.emplace(arguments.output, std::vector{options.draws, rows, ensemble.outputs()});
    writer->add(samples);
  };
  while (const Rows* block = stream.next()) {
    stream.check_range();  // while it is known where the rows stand in the table
    waiting.add(block->block);
    while (waiting.count() >= at_once) draw(at_once);
  }
  if (waiting.count() > 0) draw(waiting.count());
  writer->commit();
}

void run(const SampleArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const SampleOptions options{.draws = *arguments.draws, .of = arguments.of, .seed = arguments.seed};
  if (arguments.rows.outputs.empty()) {
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
