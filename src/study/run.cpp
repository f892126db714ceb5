// SPDX-License-Identifier: Apache-2.0

#include "study/run.hpp"

#include <credens/error.hpp>
#include <credens/version.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "base/file.hpp"
#include "learn/plan.hpp"
#include "learn/recipe.hpp"
#include "store/json.hpp"

namespace credens::study {
namespace {

using store::Json;
using store::JsonObject;

const std::vector<std::string> document_keys = {"version", "settings", "measurements"};
const std::vector<std::string> measurement_keys = {"series", "data", "rows", "members", "method", "metric", "value"};

Json to_json(const Measurement& measurement) {
  const MeasurementKey& key = measurement.key;
  return {{"series", key.series}, {"data", key.data},     {"rows", key.rows},          {"members", key.members},
          {"method", key.method}, {"metric", key.metric}, {"value", measurement.value}};
}

Measurement measurement_from(const JsonObject& object) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {.key = {.series = object.text("series"),
                  .data = object.text("data"),
                  .rows = object.whole("rows"),
                  .members = object.whole("members"),
                  .method = object.text("method"),
                  .metric = object.text("metric")},
          .value = object.number_or_null("value").value_or(nan)};
}

std::filesystem::path file_of(const Run& run, const std::filesystem::path& folder) {
  return folder / (run.name + ".json");
}

void save(const Run& run, const std::vector<Measurement>& measurements, const std::filesystem::path& folder) {
  Json document = {{"version", version()}, {"settings", run.settings}, {"measurements", Json::array()}};
  for (const Measurement& measurement : measurements) document["measurements"].push_back(to_json(measurement));
  base::write_file(file_of(run, folder), document.dump(1) + "\n");
}

std::vector<Measurement> parse(const std::string& text, const Run& run) {
  const Json json = store::parse_json<Json>(text, run.name, ErrorCode::data);
  const JsonObject document(json, "", ErrorCode::data, document_keys);
  base::require(document.text("version") == version() && document.text("settings") == run.settings, ErrorCode::data,
                "{}: made with other settings", run.name);
  std::vector<Measurement> measurements;
  for (const JsonObject& object : document.objects("measurements", measurement_keys)) {
    measurements.push_back(measurement_from(object));
  }
  return measurements;
}

/// Nothing where there is no such run: its file can be made again, so what is wrong with it does not matter.
std::optional<std::vector<Measurement>> load(const Run& run, const std::filesystem::path& folder) {
  if (!std::filesystem::exists(file_of(run, folder))) return std::nullopt;
  const std::string text = base::read_file(file_of(run, folder));
  try {
    return parse(text, run);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// How far all runs are, by their effort.
class EffortMeter {
 public:
  EffortMeter(std::size_t runs, double total, double kept, std::size_t runs_kept)
      : runs_(runs), total_(total), kept_(kept), done_(kept), runs_done_(runs_kept) {}

  void run_done(double effort) {
    done_ += effort;
    ++runs_done_;
  }

  Progress at(double effort_of_current) const {
    using Seconds = std::chrono::duration<double>;
    const double elapsed = Seconds(std::chrono::steady_clock::now() - start_).count();
    const double reached = done_ + effort_of_current;
    const double worked = reached - kept_;
    return {.members_done = runs_done_,
            .members = runs_,
            .fraction = total_ > 0 ? std::min(1.0, reached / total_) : 1.0,
            .seconds_elapsed = elapsed,
            .seconds_left = worked > 0 ? elapsed * std::max(0.0, total_ - reached) / worked : 0.0};
  }

 private:
  std::size_t runs_;
  double total_;
  double kept_;
  double done_;
  std::size_t runs_done_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

EffortMeter meter_of(std::span<const Run> runs, const std::vector<std::optional<std::vector<Measurement>>>& found) {
  double total = 0;
  double kept = 0;
  std::size_t runs_kept = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    total += runs[i].effort;
    if (found[i]) {
      kept += runs[i].effort;
      ++runs_kept;
    }
  }
  return {runs.size(), total, kept, runs_kept};
}

std::vector<Measurement> work_out(const Run& run, const RunContext& context, EffortMeter& meter) {
  base::require(!context.stop.stop_requested(), ErrorCode::interrupted, "interrupted");
  RunContext inner = context;
  if (context.on_progress) {
    inner.on_progress = [&](const Progress& progress) {
      context.on_progress(meter.at(progress.fraction * run.effort));
    };
  }
  std::vector<Measurement> measurements = run.work(inner);
  meter.run_done(run.effort);
  return measurements;
}

}  // namespace

FitOptions in_context(FitOptions options, const RunContext& context) {
  options.threads = context.threads;
  options.on_progress = context.on_progress;
  options.on_warning = context.on_warning;
  options.stop = context.stop;
  return options;
}

std::string words_of(const FitOptions& given, const learn::DataSize& size) {
  const FitOptions planned = learn::make_plan(given, size).options;
  std::vector<std::string> words;
  for (const auto& [name, value] : learn::stored_options(planned)) words.push_back(name + " " + base::to_text(value));
  return base::join(words, ", ");
}

double training_effort(const FitOptions& given, std::size_t rows, std::size_t inputs) {
  const FitOptions options = learn::make_plan(given, {.rows = rows, .inputs = inputs, .outputs = 1}).options;
  double weights = 0;
  std::size_t width_before = inputs;
  for (const std::size_t width : options.hidden->front()) {
    weights += static_cast<double>(width_before * width);
    width_before = width;
  }
  return weights * static_cast<double>(rows * *options.epochs * *options.members);
}

std::vector<std::vector<Measurement>> perform(std::span<const Run> runs, const std::filesystem::path& folder,
                                              const RunContext& context) {
  base::make_folder(folder);
  std::vector<std::optional<std::vector<Measurement>>> found;
  for (const Run& run : runs) found.push_back(load(run, folder));
  EffortMeter meter = meter_of(runs, found);
  std::vector<std::vector<Measurement>> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!found[i]) {
      found[i] = work_out(runs[i], context, meter);
      save(runs[i], *found[i], folder);
    }
    all.push_back(*std::move(found[i]));
  }
  return all;
}

}  // namespace credens::study
