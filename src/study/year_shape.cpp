// SPDX-License-Identifier: Apache-2.0

#include "study/year_shape.hpp"

#include <credens/widen.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/random.hpp"
#include "study/table2.hpp"

namespace credens::study {
namespace {

constexpr double training_share = 463'715.0 / 515'345.0;
constexpr LambdaReading reading = LambdaReading::mean_loss;

const RealData& year() {
  return *std::ranges::find(table1(), "year", &RealData::name);
}

std::shared_ptr<const Dataset> make_rows(std::size_t rows, base::RandomStream& random) {
  Matrix inputs(rows, year_inputs);
  Matrix targets(rows, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (double& value : inputs.row(row)) value = random.uniform(-1, 1);
    const auto x = inputs.row(row);
    targets(row, 0) = 1998 + 8 * x[0] - 6 * x[1] * x[2] + (8 + 4 * x[3]) * random.normal();
  }
  return std::make_shared<const Dataset>(DatasetParts{.inputs = std::move(inputs), .targets = std::move(targets)});
}

std::size_t training_rows(std::size_t rows) {
  const auto share = static_cast<std::size_t>(training_share * static_cast<double>(rows) + 0.5);
  return std::clamp<std::size_t>(share, 2, rows - 2);
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

std::vector<Measurement> work(std::size_t rows, const RunContext& context) {
  const Parts parts = make_year_shape(rows);
  const FitOptions options = in_context(table1_settings(year(), parts.train->rows(), reading, 0), context);
  const auto start = std::chrono::steady_clock::now();
  const Ensemble narrow = fit(*parts.train, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Ensemble wide = widen(narrow, *parts.train, {.threads = context.threads});
  const Setting setting{.series = series_of(reading), .data = year_synthetic, .rows = parts.train->rows()};
  std::vector<Measurement> all = measure_table2(setting, wide, *parts.test, context.threads);
  const auto add = [&](const char* metric, double value) {
    MeasurementKey key = all.front().key;
    key.members = wide.members();
    key.method = extended_method;
    key.metric = metric;
    all.push_back({.key = std::move(key), .value = value});
  };
  add("seconds", seconds);
  add("rows_per_second", static_cast<double>(parts.train->rows() * options.epochs * options.members) / seconds);
  add("peak_megabytes", peak_megabytes());
  return all;
}

}  // namespace

Parts make_year_shape(std::size_t rows) {
  base::require(rows >= 4, ErrorCode::usage, "{} rows in the shape of Year, expected at least 4", rows);
  base::RandomStream random({.seed = 0, .purpose = base::Purpose::problem});
  const std::size_t train = training_rows(rows);
  Parts parts;
  parts.train = make_rows(train, random);
  parts.test = make_rows(rows - train, random);
  return parts;
}

Run year_shape_run(std::size_t rows) {
  const FitOptions options = table1_settings(year(), training_rows(rows), reading, 0);
  return {.name = fmt::format("table2-{}-{}", year_synthetic, rows),
          .settings = fmt::format("{} synthetic rows in the shape of Year; {}", rows, words_of(options)),
          .effort = training_effort(options, training_rows(rows), year_inputs),
          .work = [rows](const RunContext& context) { return work(rows, context); }};
}

}  // namespace credens::study
