// SPDX-License-Identifier: Apache-2.0

#include "study/table2.hpp"

#include <credens/widen.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/ensemble_state.hpp"

namespace credens::study {
namespace {

std::vector<Measurement> work(const RealRows& rows, LambdaReading reading, std::uint64_t seed,
                              const RunContext& context) {
  const RealData& set = rows.set();
  const Parts parts = rows.parts(seed);
  const FitOptions options = in_context(table1_settings(set, parts.train->rows(), reading, seed), context);
  const Ensemble wide = widen(fit(*parts.train, options), *parts.train, {.threads = context.threads});
  const Setting setting{.series = series_of(reading), .data = set.name, .rows = parts.train->rows()};
  std::vector<Measurement> all = measure_table2(setting, wide, *parts.test, context.threads);
  const auto widths = measure_widths(setting, wide, *parts.train, context.threads);
  all.insert(all.end(), widths.begin(), widths.end());
  return all;
}

}  // namespace

std::vector<Measurement> measure_table2(const Setting& setting, const Ensemble& wide, const Dataset& test,
                                        int threads) {
  const Predictive predictive = wide.predict(test.inputs(), {.threads = threads});
  const TestRows rows{.targets = test.targets(), .target_std = wide.state().target_scaler.scale};
  std::vector<Measurement> all;
  for (const std::size_t members : table2_members) {
    const auto measurements = measure(setting, first_members(predictive, members), rows);
    all.insert(all.end(), measurements.begin(), measurements.end());
  }
  return all;
}

std::string series_of(LambdaReading reading) {
  return reading == LambdaReading::mean_loss ? "lambda_mean_loss" : "lambda_literal";
}

FitOptions table1_settings(const RealData& set, std::size_t train_rows, LambdaReading reading, std::uint64_t seed) {
  const double factor = reading == LambdaReading::mean_loss ? static_cast<double>(train_rows) : 1.0;
  return {.recipe = Recipe::paper,
          .members = table2_members.back(),
          .epochs = set.epochs,
          .batch = set.batch,
          .learning_rate = set.learning_rate,
          .schedule = Schedule::halve_last_five,
          .prior_precision = factor * set.lambda,
          .posterior = PosteriorKind::isotropic,
          .seed = seed};
}

std::vector<Run> table2_runs(const std::shared_ptr<const RealRows>& rows, std::size_t repetitions) {
  const RealData& set = rows->set();
  const std::string fingerprint = rows->fingerprint();
  std::vector<Run> runs;
  for (const LambdaReading reading : lambda_readings) {
    for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
      const FitOptions options = table1_settings(set, rows->train_rows(), reading, seed);
      runs.push_back({.name = fmt::format("table2-{}-{}-{}", set.name, series_of(reading), seed),
                      .settings = fmt::format("table 2, {} {}, split {}, first {} members; {}", set.name, fingerprint,
                                              rows->has_official_split() ? "official" : fmt::format("{}", seed),
                                              fmt::join(table2_members, " "), words_of(options)),
                      .effort = training_effort(options, rows->train_rows(), rows->inputs()),
                      .work = [=](const RunContext& context) { return work(*rows, reading, seed, context); }});
    }
  }
  return runs;
}

}  // namespace credens::study
