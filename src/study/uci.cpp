// SPDX-License-Identifier: Apache-2.0

#include "study/uci.hpp"

#include <credens/score.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace credens::study {
namespace {

std::vector<Measurement> measure_scores(MeasurementKey key, const char* method, const Scores& scores) {
  std::vector<Measurement> measurements;
  key.method = method;
  for (const auto& [metric, value] :
       {std::pair("rmse", scores.rmse), std::pair("nll", scores.nll), std::pair("nll_gaussian", scores.nll_gaussian),
        std::pair("crps", scores.crps), std::pair("total_coverage", scores.total_coverage),
        std::pair("epistemic_coverage", scores.epistemic_coverage)}) {
    key.metric = metric;
    measurements.push_back({.key = key, .value = value});
  }
  return measurements;
}

std::vector<Measurement> work(const Parts& parts, MeasurementKey key, const FitOptions& options,
                              const RunContext& context) {
  const auto start = std::chrono::steady_clock::now();
  const Ensemble narrow = fit(*parts.train, in_context(options, context));
  const Ensemble wide = widen(narrow, *parts.train, {.threads = context.threads});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const Predictive extended = wide.predict(parts.test->inputs(), {.threads = context.threads});
  const Scores of_classical = score(extended.classical(), parts.test->targets());
  const Scores of_extended = score(extended, parts.test->targets());
  std::vector<Measurement> all = measure_scores(key, classical_method, of_classical);
  const std::vector<Measurement> more = measure_scores(key, extended_method, of_extended);
  all.insert(all.end(), more.begin(), more.end());
  key.method = extended_method;
  for (const auto& [metric, value] :
       {std::pair("nll_gain", of_classical.nll - of_extended.nll),
        std::pair("members", static_cast<double>(wide.members())), std::pair("seconds", seconds)}) {
    key.metric = metric;
    all.push_back({.key = key, .value = value});
  }
  return all;
}

Run uci_run(const std::shared_ptr<const UciRows>& rows, const MeasurementKey& key, std::size_t split,
            const FitOptions& options) {
  const std::string series = key.series;
  const Parts parts = rows->parts(series, split);
  const learn::DataSize size{
      .rows = parts.train->rows(), .inputs = parts.train->inputs().cols(), .outputs = parts.train->targets().cols()};
  return {.name = fmt::format("uci-{}-{}-{}", series, key.data, split),
          .settings = fmt::format("uci {}, {}, split {}, training rows {}, test rows {}; {}", series, key.data, split,
                                  parts.train->fingerprint(), parts.test->fingerprint(), words_of(options, size)),
          .effort = training_effort(options, size.rows, size.inputs),
          .work = [=](const RunContext& context) { return work(rows->parts(series, split), key, options, context); }};
}

}  // namespace

std::vector<Run> uci_runs(const std::shared_ptr<const UciRows>& rows, const std::string& series, SplitRange splits,
                          const FitOptions& options) {
  std::vector<Run> runs;
  const std::size_t end = std::min(splits.end, rows->splits(series));
  for (std::size_t split = splits.first; split < end; ++split) {
    const MeasurementKey key{
        .series = series, .data = rows->set().name, .rows = rows->parts(series, 0).train->rows(), .members = 0};
    runs.push_back(uci_run(rows, key, split, options));
  }
  return runs;
}

void fill_members(std::vector<Result>& results) {
  for (const Result& members : std::vector<Result>(results)) {
    if (members.experiment != uci_experiment || members.key.metric != "members" || members.key.members != 0) continue;
    for (Result& result : results) {
      const bool is_of_these = result.experiment == uci_experiment && result.key.series == members.key.series &&
                               result.key.data == members.key.data;
      if (is_of_these) result.key.members = static_cast<std::size_t>(std::lround(members.mean));
    }
  }
}

const UciPublished* uci_published(const std::string& data) {
  static const std::vector<UciPublished> all = {
      {"bostonHousing", 2.65, 2.35, "not recorded", 3.28, 2.41},
      {"concrete", 4.15, 2.83, "not recorded", 6.03, 3.06},
      {"naval", 0.0007, -6.33, "RMSE not recorded; NLL refined variational inference", 0.00, -5.63},
      {"power-plant", 3.19, 2.60, "not recorded", 4.11, 2.79},
      {"yacht", 0.48, 0.16, "not recorded", 1.58, 1.18},
      {"airfoil", 0.1215, -0.934, "RMSE bde, NLL TabPFN v2", {}, {}}};
  const auto found = std::ranges::find(all, data, [](const UciPublished& line) { return std::string(line.data); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace credens::study
