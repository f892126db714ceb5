// SPDX-License-Identifier: Apache-2.0

#include "study/result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "math/statistics.hpp"
#include "store/json.hpp"

namespace credens::study {
namespace {

using store::Json;
using store::JsonObject;

const std::vector<std::string> result_keys = {"experiment", "series",  "data",  "rows", "members",
                                              "method",     "metric",  "mean",  "std",  "standard_error",
                                              "least",      "largest", "count", "paper"};

/// Of a sample: divides by one less than its size.
double std_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(math::weighted_variance(values, {}) * count / (count - 1));
}

Result summary_of(const std::string& experiment, const MeasurementKey& key, std::span<const double> values) {
  const auto [least, largest] = std::ranges::minmax_element(values);
  return {.experiment = experiment,
          .key = key,
          .mean = math::weighted_mean(values, {}),
          .std = std_of(values),
          .count = values.size(),
          .least = *least,
          .largest = *largest};
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json to_json(const Result& result) {
  return {{"experiment", result.experiment},
          {"series", text_or_null(result.key.series)},
          {"data", result.key.data},
          {"rows", result.key.rows},
          {"members", result.key.members},
          {"method", result.key.method},
          {"metric", result.key.metric},
          {"mean", number_or_null(result.mean)},
          {"std", number_or_null(result.std)},
          {"standard_error", number_or_null(result.standard_error())},
          {"least", number_or_null(result.least)},
          {"largest", number_or_null(result.largest)},
          {"count", result.count},
          {"paper", number_or_null(result.paper)}};
}

Result result_from(const JsonObject& object) {
  const auto number = [&](const char* key) {
    return object.number_or_null(key).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  return {.experiment = object.text("experiment"),
          .key = {.series = object.is_null("series") ? "" : object.text("series"),
                  .data = object.text("data"),
                  .rows = object.whole("rows"),
                  .members = object.whole("members"),
                  .method = object.text("method"),
                  .metric = object.text("metric")},
          .mean = number("mean"),
          .std = number("std"),
          .count = object.whole("count"),
          .paper = object.number_or_null("paper"),
          .least = number("least"),
          .largest = number("largest")};
}

/// Whether a command that finds `one` finds `other` anew as well.
bool belong_together(const Result& one, const Result& other) {
  return one.experiment == other.experiment && one.key.series == other.key.series && one.key.data == other.key.data;
}

/// No text of ours holds a comma or a quote.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? base::to_text(value.get<double>()) : value.dump();
}

}  // namespace

std::vector<Result> summarise(const std::string& experiment, std::span<const std::vector<Measurement>> runs) {
  std::vector<MeasurementKey> keys;
  std::vector<std::vector<double>> values;
  for (const std::vector<Measurement>& run : runs) {
    for (const Measurement& measurement : run) {
      const auto found = std::ranges::find(keys, measurement.key);
      const auto position = static_cast<std::size_t>(found - keys.begin());
      if (found == keys.end()) {
        keys.push_back(measurement.key);
        values.emplace_back();
      }
      values[position].push_back(measurement.value);
    }
  }
  std::vector<Result> results;
  for (std::size_t i = 0; i < keys.size(); ++i) results.push_back(summary_of(experiment, keys[i], values[i]));
  return results;
}

const Result* find_result(std::span<const Result> results, const std::string& experiment, const MeasurementKey& key) {
  const auto found = std::ranges::find_if(
      results, [&](const Result& result) { return result.experiment == experiment && result.key == key; });
  return found == results.end() ? nullptr : &*found;
}

std::string results_json(std::span<const Result> results) {
  Json document = Json::array();
  for (const Result& result : results) document.push_back(to_json(result));
  return document.dump(1) + "\n";
}

std::string results_csv(std::span<const Result> results) {
  std::string text = base::join(result_keys, ",") + "\n";
  for (const Result& result : results) {
    const Json object = to_json(result);
    std::vector<std::string> cells;
    for (const Json& value : object) cells.push_back(cell(value));
    text += base::join(cells, ",") + "\n";
  }
  return text;
}

std::vector<Result> parse_results(const std::string& text, const std::string& source) {
  const Json document = store::parse_json<Json>(text, source, ErrorCode::data);
  base::require(document.is_array(), ErrorCode::data, "{}: not a list of results", source);
  std::vector<Result> results;
  for (const Json& object : document) results.push_back(result_from({object, source, ErrorCode::data, result_keys}));
  return results;
}

std::vector<Result> merge_results(std::span<const Result> kept, std::span<const Result> found,
                                  std::span<const std::string> experiments) {
  std::vector<Result> all;
  for (const std::string& experiment : experiments) {
    for (const Result& result : kept) {
      const bool is_new = std::ranges::any_of(found, [&](const Result& one) { return belong_together(one, result); });
      if (result.experiment == experiment && !is_new) all.push_back(result);
    }
    for (const Result& result : found) {
      if (result.experiment == experiment) all.push_back(result);
    }
  }
  return all;
}

}  // namespace credens::study
