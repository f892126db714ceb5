// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "cli/reproduce_parts.hpp"
#include "report/number.hpp"

namespace credens::cli {
namespace {

using report::Band;
using report::Chart;
using report::Line;
using report::Points;
using report::Range;
using report::Role;
using report::Scale;
using report::significant;
using study::Result;

constexpr double features = 32;  ///< p, of the paper's last hidden layer

std::vector<const Result*> select(const Reproduction& reproduction, const std::function<bool(const Result&)>& wanted) {
  std::vector<const Result*> selected;
  for (const Result& result : reproduction.results) {
    if (wanted(result)) selected.push_back(&result);
  }
  return selected;
}

struct Curve {
  std::vector<double> x;
  std::vector<double> mean;
  std::vector<double> lower;  ///< mean -+ one standard deviation
  std::vector<double> upper;
};

/// `largest`: what values cannot exceed, nor can bands.
Curve curve_of(const Reproduction& reproduction, const std::string& series, const std::string& method,
               const std::string& metric, double largest) {
  Curve curve;
  for (const Result* result : select(reproduction, [&](const Result& candidate) {
         return candidate.experiment == "figure2" && candidate.key.series == series && candidate.key.method == method &&
                candidate.key.metric == metric;
       })) {
    const double spread = std::isfinite(result->std) ? result->std : 0.0;
    curve.x.push_back(static_cast<double>(series == "members" ? result->key.members : result->key.rows));
    curve.mean.push_back(result->mean);
    curve.lower.push_back(std::max(0.0, result->mean - spread));
    curve.upper.push_back(std::min(largest, result->mean + spread));
  }
  return curve;
}

void add_marks(Chart& chart, const Curve& curve, const std::string& label, Role role) {
  chart.marks.emplace_back(Band{.label = label + ", ± one standard deviation",
                                .role = role,
                                .x = curve.x,
                                .lower = curve.lower,
                                .upper = curve.upper});
  chart.marks.emplace_back(Line{.label = label, .role = role, .x = curve.x, .y = curve.mean});
}

Chart coverage_chart(const Reproduction& reproduction, const std::string& series, const std::string& x_title) {
  const Curve classical = curve_of(reproduction, series, study::classical_method, "function_coverage", 1.0);
  const Curve extended = curve_of(reproduction, series, study::extended_method, "function_coverage", 1.0);
  Chart chart{.title = "Coverage of the regression function",
              .subtitle = "against " + x_title,
              .description = fmt::format(
                  "Share of test rows whose true value lies in the 95 % interval for the regression function, against "
                  "{}: from {} to {} for the classical ensemble, from {} to {} for the extended one.",
                  x_title, report::percent(classical.mean.front()), report::percent(classical.mean.back()),
                  report::percent(extended.mean.front()), report::percent(extended.mean.back())),
              .x_title = x_title,
              .y_title = "coverage",
              .y_range = Range{0, 1}};
  chart.marks.emplace_back(report::horizontal("95 %", {extended.x.front(), extended.x.back()}, 0.95));
  add_marks(chart, classical, "classical", Role::second);
  add_marks(chart, extended, "extended", Role::estimate);
  return chart;
}

Chart error_chart(const Reproduction& reproduction, const std::string& series, const std::string& x_title) {
  const Curve curve =
      curve_of(reproduction, series, study::extended_method, "rmse", std::numeric_limits<double>::infinity());
  Chart chart{.title = "RMSE to the regression function",
              .subtitle = "against " + x_title,
              .description = fmt::format("Root mean squared error of the predicted regression function against {}, the "
                                         "same for both ensembles: from {} to {}.",
                                         x_title, significant(curve.mean.front()), significant(curve.mean.back())),
              .x_title = x_title,
              .y_title = "RMSE"};
  add_marks(chart, curve, "both", Role::third);
  return chart;
}

/// Least squares of log y over log x.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double sum_x = 0;
  double sum_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum_x += std::log(x[i]);
    sum_y += std::log(y[i]);
  }
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double distance = std::log(x[i]) - sum_x / count;
    products += distance * (std::log(y[i]) - sum_y / count);
    squares += distance * distance;
  }
  return products / squares;
}

std::optional<Chart> gamma_chart(const Reproduction& reproduction) {
  const Curve gamma =
      curve_of(reproduction, "width", study::extended_method, "gamma", std::numeric_limits<double>::infinity());
  const Curve trained =
      curve_of(reproduction, "rows", study::extended_method, "gamma", std::numeric_limits<double>::infinity());
  if (gamma.x.size() < 2) return std::nullopt;
  std::vector<double> one_over_rows;
  for (const double rows : gamma.x) one_over_rows.push_back(gamma.mean.back() * gamma.x.back() / rows);
  const std::string found = fmt::format("slope {}, expected −1", report::fixed(slope(gamma.x, gamma.mean), 2));
  return Chart{
      .title = "Width γ against rows",
      .subtitle = found,
      .description =
          "The variance γ of each weight in the last layer, mean over networks and repetitions of "
          "Figure 2, against the rows that they are widened with; both axes are logarithmic. " +
          found + ".",
      .x_title = "rows N",
      .y_title = "γ",
      .x_scale = Scale::logarithmic,
      .y_scale = Scale::logarithmic,
      .marks = {
          Line{.label = "∝ 1 / N", .role = Role::reference, .x = gamma.x, .y = one_over_rows},
          Points{.label = "γ of networks trained on N rows", .role = Role::second, .x = trained.x, .y = trained.mean},
          Points{.label = "γ of the same networks", .role = Role::estimate, .x = gamma.x, .y = gamma.mean}}};
}

bool is_main_series(const Result& result) {
  return result.key.series.empty() || result.key.series == "rows" || result.key.series == "lambda_mean_loss";
}

/// What the extended ensemble adds to the ratio of the classical one, in our results or in the paper's.
std::optional<double> added(const Reproduction& reproduction, const Result& width, const char* metric, bool in_paper) {
  study::MeasurementKey key = width.key;
  key.metric = metric;
  key.method = study::extended_method;
  const Result* extended = study::find_result(reproduction.results, width.experiment, key);
  key.method = study::classical_method;
  const Result* classical = study::find_result(reproduction.results, width.experiment, key);
  if (extended == nullptr || classical == nullptr) return std::nullopt;
  if (!in_paper) return extended->mean - classical->mean;
  if (!extended->paper || !classical->paper) return std::nullopt;
  return *extended->paper - *classical->paper;
}

std::vector<const Result*> widths(const Reproduction& reproduction) {
  return select(reproduction, [](const Result& result) {
    return result.key.metric == "width_ratio_training" && is_main_series(result);
  });
}

double features_per_row(const Result& result) {
  return features / static_cast<double>(result.key.rows);
}

void add_point(Points& points, double x, std::optional<double> y) {
  if (!y || *y <= 0) return;  // the axis is logarithmic
  points.x.push_back(x);
  points.y.push_back(*y);
}

Chart ratio_chart(const Reproduction& reproduction) {
  Points training{.label = "training rows", .role = Role::estimate};
  Points test{.label = "test rows, median", .role = Role::second};
  Points paper{.label = "paper, test rows, mean", .role = Role::truth};
  for (const Result* width : widths(reproduction)) {
    const double x = features_per_row(*width);
    add_point(training, x, width->mean);
    add_point(test, x, added(reproduction, *width, "epistemic_aleatoric_ratio_median", false));
    add_point(paper, x, added(reproduction, *width, "epistemic_aleatoric_ratio", true));
  }
  const auto [least, largest] = std::ranges::minmax(training.x);
  Chart chart{.title = "What widening adds to the ratio",
              .subtitle = "on training rows p/N (1 − γ λ)",
              .description =
                  "The increase of the ratio of epistemic to aleatoric variance against p / N for all data, "
                  "on training rows and on test rows; both axes are logarithmic.",
              .x_title = "p / N",
              .y_title = "added ratio",
              .x_scale = Scale::logarithmic,
              .y_scale = Scale::logarithmic,
              .marks = {report::diagonal("p / N", {least, largest})}};
  for (Points* points : {&training, &test, &paper}) {
    if (!points->x.empty()) chart.marks.emplace_back(std::move(*points));
  }
  return chart;
}

report::Table ratio_table(const Reproduction& reproduction) {
  report::Table table{
      .caption = "What widening adds to the ratio of epistemic to aleatoric variance",
      .headings = {"data", "N", "γ", "p / N", "training rows", "test rows, mean", "test rows, median", "paper"}};
  const auto text = [](std::optional<double> value) { return value ? significant(*value) : std::string(); };
  for (const Result* width : widths(reproduction)) {
    study::MeasurementKey key = width->key;
    key.metric = "gamma";
    const Result* gamma = study::find_result(reproduction.results, width->experiment, key);
    table.rows.push_back({key.data, fmt::format("{}", key.rows), gamma ? significant(gamma->mean) : "",
                          significant(features_per_row(*width)), significant(width->mean),
                          text(added(reproduction, *width, "epistemic_aleatoric_ratio", false)),
                          text(added(reproduction, *width, "epistemic_aleatoric_ratio_median", false)),
                          text(added(reproduction, *width, "epistemic_aleatoric_ratio", true))});
  }
  return table;
}

/// The ELBO per training row of the three rungs, or nothing.
std::vector<double> ladder(const Reproduction& reproduction, const Result& width) {
  std::vector<double> rungs;
  for (const char* metric : {"elbo_isotropic_per_row", "elbo_diagonal_per_row", "elbo_full_per_row"}) {
    study::MeasurementKey key = width.key;
    key.metric = metric;
    const Result* found = study::find_result(reproduction.results, width.experiment, key);
    if (found == nullptr) return {};
    rungs.push_back(found->mean);
  }
  return rungs;
}

report::Table ladder_table(const Reproduction& reproduction) {
  report::Table table{.caption = "ELBO in nats per training row along the ladder of posteriors",
                      .headings = {"data", "N", "isotropic", "diagonal", "full"}};
  for (const Result* width : widths(reproduction)) {
    const std::vector<double> rungs = ladder(reproduction, *width);
    if (rungs.empty()) continue;
    table.rows.push_back({width->key.data, fmt::format("{}", width->key.rows), report::fixed(rungs[0], 4),
                          report::fixed(rungs[1], 4), report::fixed(rungs[2], 4)});
  }
  return table;
}

/// One line per data set, at most as many as a chart can tell apart; the table has all.
std::optional<Chart> ladder_chart(const Reproduction& reproduction) {
  constexpr Role roles[] = {Role::estimate, Role::second, Role::third, Role::fourth};
  Chart chart{.title = "ELBO along the ladder",
              .subtitle = "gain over the isotropic posterior",
              .description =
                  "The gain in ELBO per training row over the isotropic posterior, for the isotropic, the "
                  "diagonal and the full posterior; it never falls.",
              .x_title = "posterior",
              .y_title = "nats per row",
              .x_names = {"isotropic", "diagonal", "full"}};
  std::vector<std::string> shown;
  for (const Result* width : widths(reproduction)) {
    const bool is_one_of_many = width->key.data == "figure2" && width->key.rows != 600;
    const std::vector<double> rungs = ladder(reproduction, *width);
    if (is_one_of_many || rungs.empty() || shown.size() == std::size(roles)) continue;
    chart.marks.emplace_back(Line{.label = width->key.data,
                                  .role = roles[shown.size()],
                                  .x = {1, 2, 3},
                                  .y = {0, rungs[1] - rungs[0], rungs[2] - rungs[0]}});
    shown.push_back(width->key.data);
  }
  return shown.empty() ? std::nullopt : std::optional(std::move(chart));
}

}  // namespace

report::Figure figure2_charts(const Reproduction& reproduction) {
  return {
      .caption =
          "Left: ten networks, learning rate 0.001. Right: 600 training rows, learning rate 1/600. Bands are "
          "mean ± one standard deviation over repetitions.",
      .columns = 2,
      .charts = {coverage_chart(reproduction, "rows", "training rows"),
                 coverage_chart(reproduction, "members", "networks"),
                 error_chart(reproduction, "rows", "training rows"), error_chart(reproduction, "members", "networks")}};
}

std::optional<report::Section> theory_section(const Reproduction& reproduction) {
  if (widths(reproduction).empty()) return std::nullopt;
  report::Figure figure{.caption = "From the same runs as the experiments above.", .columns = 3};
  if (auto chart = gamma_chart(reproduction)) figure.charts.push_back(*std::move(chart));
  figure.charts.push_back(ratio_chart(reproduction));
  if (auto chart = ladder_chart(reproduction)) figure.charts.push_back(*std::move(chart));
  return report::Section{
      .title = "The theory",
      .paragraphs =
          {"Theorem 3 gives the width in closed form: γ = p / (Σ |φ|² / s² + p λ), with p = 32 features φ, noise "
           "variance s² and prior precision λ. For given networks it falls like one over the rows; networks trained on "
           "few rows have also made few steps and not yet learned how small the noise is, so that their γ falls "
           "faster. "
           "Averaged over the training rows, the "
           "extension adds p/N (1 − γ λ) to the ratio of epistemic to aleatoric variance, whatever the data. On test "
           "rows a few rows with little noise can move the mean far, so the median stands beside it.",
           "The paper's posterior is the first rung of a ladder: one width per network, one per weight, or a full "
           "covariance. The evidence lower bound can only grow along it."},
      .figures = {std::move(figure)},
      .tables = {ratio_table(reproduction), ladder_table(reproduction)}};
}

}  // namespace credens::cli
