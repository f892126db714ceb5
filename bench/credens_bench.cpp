// SPDX-License-Identifier: Apache-2.0
//
// The product as a contender: its own trainer, widening, prediction and table reader on rows in memory or files.

#include <credens/dataset.hpp>
#include <credens/fit.hpp>
#include <credens/predictor.hpp>
#include <credens/widen.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>

#include "base/parallel.hpp"
#include "data/row_source.hpp"
#include "fma_peak.hpp"
#include "learn/plan.hpp"
#include "learn/trainer.hpp"
#include "learn/training_rows.hpp"
#include "request.hpp"

namespace bench {

namespace {

using credens::Dataset;
using credens::Ensemble;
using credens::FitOptions;
using credens::Matrix;

// ---- the machine ----

Unit peak(const Request& request) {
  const std::size_t threads = request.count("threads");
  return [threads] {
    constexpr std::size_t rounds = 2'000'000;
    std::vector<float> sinks(threads);
    std::vector<double> operations(threads);
    const double seconds = seconds_of([&] {
      credens::base::parallel_for(threads, static_cast<int>(threads),
                                  [&](std::size_t i) { operations[i] = multiply_add(rounds, &sinks[i]); });
    });
    return Window{seconds, static_cast<double>(threads) * operations[0], sinks[0]};
  };
}

// ---- what is worked on ----

/// Classes of about equal size: targets have a standard normal distribution or nearly so.
double class_of(double target, std::size_t classes) {
  const double share = 0.5 * std::erfc(-target / std::numbers::sqrt2);
  return std::min(std::floor(share * static_cast<double>(classes)), static_cast<double>(classes - 1));
}

/// Targets are numbers; where the request names a count of classes, their classes.
Dataset read_dataset(const Request& request) {
  const Rows rows = read_rows(request);
  const std::size_t classes = request.values.contains("classes") ? request.count("classes") : 0;
  Matrix inputs(rows.rows, rows.inputs);
  Matrix targets(rows.rows, 1);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const float* row = rows.values.data() + i * (rows.inputs + 1);
    std::copy(row, row + rows.inputs, inputs.row(i).begin());
    targets(i, 0) = classes > 0 ? class_of(row[rows.inputs], classes) : row[rows.inputs];
  }
  return Dataset({.inputs = std::move(inputs),
                  .targets = std::move(targets),
                  .task = classes > 0 ? credens::Task::classification : credens::Task::regression});
}

FitOptions fit_options(const Request& request) {
  FitOptions options;
  options.members = request.count("members");
  options.hidden = {request.list("hidden")};
  options.epochs = request.count("epochs");
  options.batch = request.count("batch");
  options.schedule = credens::Schedule::constant;
  options.threads = static_cast<int>(request.count("threads"));
  options.recipe = credens::Recipe::paper;
  return credens::learn::make_plan(options, credens::learn::DataSize{}).options;
}

/// Networks of the asked shape; how well they know their rows does not change the time of a pass.
Ensemble quick_ensemble(const Dataset& data, const Request& request) {
  std::vector<std::size_t> some(std::min<std::size_t>(data.rows(), 256));
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = i;
  FitOptions options = fit_options(request);
  options.epochs = 1;
  return fit_members(data.select(some), options);
}

// ---- tasks ----

/// From fresh weights to the end of the last epoch, one member per thread; the judgement after it is not part.
Unit train(const Request& request) {
  struct State {
    FitOptions options;
    Dataset data;
    credens::learn::TrainingTable table{data};
    credens::learn::TrainingRows rows{table, options};
  };
  const auto state = std::make_shared<State>(fit_options(request), read_dataset(request));
  return [state] {
    const FitOptions& options = state->options;
    std::vector<Clock::time_point> ends(*options.members);
    std::vector<double> losses(*options.members);
    const auto start = Clock::now();
    credens::base::parallel_for(options.members, options.threads, [&](std::size_t member) {
      const auto trained =
          credens::learn::train_member(state->rows, options, member, [&](std::size_t) { ends[member] = Clock::now(); });
      losses[member] = trained.final_loss;
    });
    const std::size_t samples = state->rows.train().rows * *options.epochs * *options.members;
    return Window{seconds_between(start, *std::ranges::max_element(ends)), static_cast<double>(samples), losses[0]};
  };
}

/// The whole of `fit`, scaling of the data included.
Unit whole_fit(const Request& request) {
  const auto data = std::make_shared<Dataset>(read_dataset(request));
  return [data, options = fit_options(request)] {
    const double seconds = seconds_of([&] { fit(*data, options); });
    return Window{seconds, static_cast<double>(data->rows() * options.epochs * options.members)};
  };
}

/// Mean and noise variance of every member at every row, in calls of `batch` rows; nothing is aggregated. Each thread
/// has a predictor and a part of the rows of its own.
Unit predict(const Request& request) {
  const auto data = std::make_shared<Dataset>(read_dataset(request));
  const Ensemble ensemble = quick_ensemble(*data, request);
  const std::size_t threads = request.count("threads");
  const auto predictors = std::make_shared<std::vector<credens::Predictor>>();
  for (std::size_t i = 0; i < threads; ++i) predictors->emplace_back(ensemble);
  return [data, predictors, threads, batch = request.count("batch")] {
    const std::size_t rows = data->rows();
    const std::size_t share = (rows + threads - 1) / threads;
    std::vector<double> checks(threads);
    const double seconds = seconds_of([&] {
      credens::base::parallel_for(threads, static_cast<int>(threads), [&](std::size_t i) {
        const std::size_t end = std::min((i + 1) * share, rows);
        for (std::size_t first = i * share; first < end; first += batch) {
          const auto block = data->inputs().row_block(first, std::min(batch, end - first));
          checks[i] += (*predictors)[i].components(block).mean[0];
        }
      });
    });
    return Window{seconds, static_cast<double>(rows), std::accumulate(checks.begin(), checks.end(), 0.0)};
  };
}

/// The predictive distribution at all rows in one call, as `widen` takes all rows in one call.
Unit predict_all(const Request& request) {
  const auto data = std::make_shared<Dataset>(read_dataset(request));
  const Ensemble ensemble = quick_ensemble(*data, request);
  const credens::PredictOptions options{.threads = static_cast<int>(request.count("threads"))};
  return [data, ensemble, options] {
    double check = 0;
    const double seconds = seconds_of([&] { check = ensemble.predict(data->inputs(), options).components().mean[0]; });
    return Window{seconds, static_cast<double>(data->rows()), check};
  };
}

/// Class probabilities of all rows in one call, by the posterior `full` or by the plain ensemble. As many rows widen it
/// as give logits a mean variance near 1/2: the mean is C p / N, p the features of a row.
Unit predict_classes(const Request& request) {
  const auto data = std::make_shared<Dataset>(read_dataset(request));
  std::vector<std::size_t> some(2 * request.count("classes") * request.list("hidden").back());
  std::iota(some.begin(), some.end(), 0);
  const Ensemble ensemble = widen(quick_ensemble(*data, request), data->select(some),
                                  {.posterior = credens::PosteriorKind::full, .threads = 1});
  const credens::ClassOptions options{.classical = request.text("form") == "plain",
                                      .threads = static_cast<int>(request.count("threads"))};
  return [data, ensemble, options] {
    double check = 0;
    const double seconds =
        seconds_of([&] { check = ensemble.predict_classes(data->inputs(), options).probability(0, 0); });
    return Window{seconds, static_cast<double>(data->rows()), check};
  };
}

/// One sweep gives the numbers of all rungs; `full` is the one that needs them all.
Unit widen_all(const Request& request) {
  const auto data = std::make_shared<Dataset>(read_dataset(request));
  const Ensemble narrow = quick_ensemble(*data, request);
  const credens::WidenOptions options{.posterior = credens::PosteriorKind::full,
                                      .threads = static_cast<int>(request.count("threads"))};
  return [data, narrow, options] {
    double check = 0;
    const double seconds = seconds_of([&] {
      const Ensemble wide = widen(narrow, *data, options);
      for (const auto rung :
           {credens::PosteriorKind::isotropic, credens::PosteriorKind::diagonal, credens::PosteriorKind::full}) {
        check += wide.elbo(rung).value();
      }
    });
    return Window{seconds, static_cast<double>(data->rows()), check};
  };
}

Unit read_csv(const Request& request) {
  const credens::DatasetOptions options{.targets = {"0"},
                                        .format = {.threads = static_cast<int>(request.count("threads"))}};
  return [path = request.text("data"), options] {
    Dataset data;
    const double seconds = seconds_of([&] { data = Dataset::from_csv(path, options); });
    return Window{seconds, static_cast<double>(data.rows()), data.inputs()(0, 0)};
  };
}

/// Rows checked and given their parts block by block, as `fit` and `predict` read them: no table is made.
Unit stream_csv(const Request& request) {
  const credens::DatasetOptions options{.targets = {"0"},
                                        .format = {.threads = static_cast<int>(request.count("threads"))}};
  return [path = request.text("data"), options] {
    double check = 0;
    std::size_t rows = 0;
    const double seconds = seconds_of([&] {
      const auto source = credens::data::open_rows(path, options, credens::data::FileKind::text);
      for (credens::data::RowBlock block; source->next(block);) {
        rows += block.rows();
        check += block.inputs(0, 0);
      }
    });
    return Window{seconds, static_cast<double>(rows), check};
  };
}

// ---- files for all contenders ----

/// Standard normal inputs; targets of mean 0 and variance 1: a smooth function of the first inputs, and some noise.
Unit write_rows(const Request& request) {
  std::mt19937_64 engine(request.count("rows"));
  std::normal_distribution<float> normal;
  constexpr float target_scale = 1.229F;
  const std::size_t inputs = request.count("inputs");
  std::vector<float> row(inputs + 1);
  std::ofstream file(request.text("data"), std::ios::binary);
  for (std::size_t i = 0; i < request.count("rows"); ++i) {
    for (float& value : row) value = normal(engine);
    row[inputs] = (std::sin(2 * row[0]) + row[1 % inputs] + 0.1F * row[inputs]) / target_scale;
    file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  if (!file.flush()) throw std::runtime_error(request.text("data") + " cannot be written");
  return [] { return Window{.seconds = 1}; };
}

/// A table with a header and five decimals, as the file of Year has; every fourth column holds words if asked for.
Unit write_csv(const Request& request) {
  std::mt19937_64 engine(request.count("rows"));
  std::normal_distribution<double> normal(0, 30);
  std::ofstream file(request.text("data"));
  const std::size_t columns = request.count("inputs") + 1;
  const bool has_words = request.count("words") != 0;
  std::string line = "y";
  for (std::size_t j = 1; j < columns; ++j) line += fmt::format(",x{}", j);
  for (std::size_t i = 0; i < request.count("rows"); ++i) {
    file << line << '\n';
    line.clear();
    for (std::size_t j = 0; j < columns; ++j) {
      if (j > 0) line += ',';
      if (has_words && j % 4 == 3) {
        fmt::format_to(std::back_inserter(line), "level {}", engine() % 30);
      } else {
        fmt::format_to(std::back_inserter(line), "{:.5f}", normal(engine));
      }
    }
  }
  if (!(file << line << '\n').flush()) throw std::runtime_error(request.text("data") + " cannot be written");
  return [] { return Window{.seconds = 1}; };
}

Unit prepare(const Request& request) {
  static const std::map<std::string, Prepare> tasks = {
      {"peak", peak},
      {"train", train},
      {"fit", whole_fit},
      {"predict", predict},
      {"pass", predict_all},
      {"widen", widen_all},
      {"csv", read_csv},
      {"csv_stream", stream_csv},
      {"write_rows", write_rows},
      {"write_csv", write_csv},
      {"predict_classes", predict_classes},
  };
  const auto found = tasks.find(request.task);
  if (found == tasks.end()) throw std::runtime_error("there is no task " + request.task);
  return found->second(request);
}

}  // namespace

}  // namespace bench

int main() {
  bench::serve(bench::prepare);
}
