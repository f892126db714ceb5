// SPDX-License-Identifier: Apache-2.0

#include "report/model_page.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "data/units.hpp"
#include "math/statistics.hpp"
#include "report/chart_parts.hpp"
#include "report/table.hpp"

namespace credens::report {
namespace {

std::string with_unit(const std::string& text, const ChartedOutput& output) {
  return data::label_with_unit(text, output.unit);
}

std::string label_of(const ChartedOutput& output) {
  return with_unit(output.name, output);
}

using scoring::Curve;

using Values = std::vector<double>;
using Chosen = std::vector<std::size_t>;

/// More interval lines than this in one chart hide each other.
constexpr std::size_t most_interval_lines = 400;

Values differences(const Values& left, const Values& right) {
  Values result;
  for (std::size_t i = 0; i < left.size(); ++i) result.push_back(left[i] - right[i]);
  return result;
}

bool is_inside(const scoring::OutputDiagnostics& rows, std::size_t row) {
  return rows.lower[row] <= rows.observed[row] && rows.observed[row] <= rows.upper[row];
}

/// Points of the chosen rows at x and y: those whose interval holds the observation, and the others.
std::pair<Mark, Mark> points_in_and_out(const scoring::OutputDiagnostics& rows, const Chosen& chosen, const Values& x,
                                        const Values& y, std::string label_in, std::string label_out) {
  std::pair<Mark, Mark> parts{{MarkKind::points, std::move(label_in), Role::estimate},
                              {MarkKind::points, std::move(label_out), Role::truth}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Mark& points = is_inside(rows, chosen[i]) ? parts.first : parts.second;
    points.x.push_back(x[i]);
    points.y.push_back(y[i]);
  }
  return parts;
}

Figure predicted_against_observed(const ChartedOutput& output) {
  const scoring::OutputDiagnostics& rows = output.rows;
  const Chosen chosen = scoring::evenly_spaced(rows.count(), std::min(output.most_rows, most_interval_lines));
  const Values observed = taken(rows.observed, chosen);
  auto [inside, outside] =
      points_in_and_out(rows, chosen, observed, taken(rows.mean, chosen), "prediction, interval holds the observation",
                        "prediction, interval misses it");
  const Range both = with_margin(extent({&rows.observed, &rows.mean}));
  const std::string level = level_text(output.level);
  Chart chart{.title = "Predicted against observed",
              .subtitle = fmt::format("RMSE {}, {} intervals hold {}", significant(output.scores.rmse), level,
                                      percent(output.scores.total_coverage)),
              .description =
                  fmt::format("Predictions of {} with their {} intervals over what was observed.", output.name, level),
              .x_title = "observed " + label_of(output),
              .y_title = "predicted " + label_of(output),
              .x_range = with_margin(extent({&rows.observed})),
              .marks = {{MarkKind::intervals, level + " interval, observation", Role::estimate, observed,
                         taken(rows.lower, chosen), taken(rows.upper, chosen)},
                        {MarkKind::intervals, level + " interval, function", Role::second, observed,
                         taken(rows.function_lower, chosen), taken(rows.function_upper, chosen)},
                        diagonal("predicted = observed", both),
                        std::move(inside),
                        std::move(outside)}};
  return one_chart(fmt::format("Each row stands at what was observed, across, and what was predicted, up. Long strokes "
                               "are intervals for a new observation, short ones for the regression function alone. "
                               "Good: points close to the dashed line, and about {} of the long strokes cross it.{}",
                               level, selection(chosen.size(), rows.count(), "the data")),
                   std::move(chart));
}

Figure intervals_by_width(const ChartedOutput& output) {
  const scoring::OutputDiagnostics& rows = output.rows;
  const Chosen order = scoring::ascending(differences(rows.upper, rows.lower));
  const Chosen places = scoring::evenly_spaced(order.size(), output.most_rows);
  Chosen chosen;
  Values share;
  for (const std::size_t place : places) {
    chosen.push_back(order[place]);
    share.push_back(100 * (static_cast<double>(place) + 0.5) / static_cast<double>(order.size()));
  }
  const std::string level = level_text(output.level);
  const Values mean = taken(rows.mean, chosen);
  auto [inside, outside] = points_in_and_out(rows, chosen, share, differences(taken(rows.observed, chosen), mean),
                                             "observation inside", "observation outside");
  Chart chart{.title = "Intervals from narrow to wide",
              .subtitle = fmt::format("mean width {}", significant(output.scores.interval_width)),
              .description = fmt::format("The {} interval of each row around its prediction of {}, rows in order of "
                                         "width, with what was observed.",
                                         level, output.name),
              .x_title = "rows, narrowest interval first (%)",
              .y_title = with_unit("observed − predicted", output),
              .x_range = whole_percent,
              .marks = {{MarkKind::band, level + " interval", Role::estimate, share,
                         differences(taken(rows.lower, chosen), mean), differences(taken(rows.upper, chosen), mean)},
                        horizontal("prediction", whole_percent, 0),
                        std::move(inside),
                        std::move(outside)}};
  return one_chart(fmt::format("Rows in the order of their interval's width, each seen from its own prediction. Good: "
                               "the observations fill the shaded area at every width, and the {} outside it are "
                               "spread over all widths and both sides.{}",
                               level_text(1 - output.level), selection(chosen.size(), rows.count(), "this order")),
                   std::move(chart));
}

Mark calibrated_band(const Curve& curve, double rows) {
  Mark shares{
      .kind = MarkKind::band, .label = "95 % of calibrated models", .role = Role::reference, .x = times(100, curve.x)};
  for (const double level : curve.x) {
    const auto [low, high] = expected_shares(level, rows);
    shares.y.push_back(100 * low);
    shares.y_end.push_back(100 * high);
  }
  return shares;
}

Figure calibration(const ChartedOutput& output) {
  const Curve extended = scoring::calibration_curve(output.rows.pit, output.weights);
  std::vector<Mark> marks = {calibrated_band(extended, math::effective_count(output.rows.count(), output.weights)),
                             diagonal("perfect", whole_percent)};
  if (output.is_extended) {
    const Curve classical = scoring::calibration_curve(output.rows.classical_pit, output.weights);
    marks.push_back(
        {MarkKind::line, "classical ensemble", Role::second, times(100, classical.x), times(100, classical.y)});
  }
  marks.push_back({MarkKind::line, "this model", Role::estimate, times(100, extended.x), times(100, extended.y)});
  return one_chart(
      "For each probability, how often the observation stayed below the value that it should stay below with that "
      "probability. Good: the curve follows the dashed line within the grey band. Steep in the middle: intervals are "
      "too wide; flat in the middle: too narrow; all above the line: predictions are too high; all below: too low.",
      {.title = "Calibration curve",
       .subtitle = fmt::format("mean distance {}", percent(output.scores.calibration_error)),
       .description =
           fmt::format("Share of observations of {} below each predicted quantile, over its probability.", output.name),
       .x_title = "predicted probability (%)",
       .y_title = "share of rows (%)",
       .x_range = whole_percent,
       .y_range = whole_percent,
       .marks = std::move(marks)});
}

Figure pit_histogram(const ChartedOutput& output) {
  const std::size_t bins = bars_for(output.rows.count());
  const Values shares = scoring::histogram(output.rows.pit, output.weights, bins);
  const double equal = 1 / static_cast<double>(bins);
  const auto [low, high] = expected_shares(equal, math::effective_count(output.rows.count(), output.weights));
  const double top = std::max(*std::max_element(shares.begin(), shares.end()), high);
  return one_chart(
      "Where each observation lay in its predicted distribution: 0 is below everything expected, 100 above. Good: bars "
      "of one height, ending in the grey band. High at both ends: intervals are too narrow; high in the middle: too "
      "wide; high on one side: predictions are shifted to the other.",
      {.title = "Histogram of PIT values",
       .subtitle = "probability integral transform F(y) of the predicted mixture",
       .description =
           fmt::format("Histogram of the predicted probabilities of less than what was observed of {}.", output.name),
       .x_title = "predicted probability of less than was observed (%)",
       .y_title = "share of rows (%)",
       .x_range = whole_percent,
       .y_range = Range{0, 105 * top},
       .marks = {percent_bars("rows", shares),
                 {MarkKind::band,
                  "95 % of calibrated models",
                  Role::reference,
                  {0, 100},
                  Values(2, 100 * low),
                  Values(2, 100 * high)},
                 horizontal("equal shares", whole_percent, 100 * equal)}});
}

Figure error_against_uncertainty(const ChartedOutput& output, const Values& errors) {
  const std::size_t rows = output.rows.count();
  const std::size_t groups = std::min(rows, std::clamp<std::size_t>(rows / 20, 4, 20));
  const Curve curve = scoring::error_by_uncertainty(errors, output.rows.total_std, output.weights, groups);
  Chart chart{.title = "Error against uncertainty",
              .subtitle = fmt::format("{} groups of about {} rows", groups, rows / groups),
              .description = fmt::format("Root mean square error of groups of rows over the standard deviation "
                                         "predicted for {}.",
                                         output.name),
              .x_title = "predicted standard deviation of " + label_of(output),
              .y_title = with_unit("root mean square error", output)};
  set_common_axes(chart, extent({&curve.x, &curve.y}));
  chart.marks = {diagonal("error as predicted", *chart.x_range),
                 {MarkKind::line, "groups of rows", Role::estimate, curve.x, curve.y},
                 {MarkKind::points, "", Role::estimate, curve.x, curve.y}};
  return one_chart(
      "Rows in groups from the surest to the least sure: the error that was predicted and the one that was made. Good: "
      "points rise along the dashed line. Above it errors are larger than announced, below it smaller.",
      std::move(chart));
}

Figure sparsification(const ChartedOutput& output, const Values& errors) {
  const std::size_t steps = std::min<std::size_t>(output.rows.count(), 50);
  const auto ranked_by = [&](std::string label, Role role, const Values& uncertainty) {
    const Curve curve = scoring::sparsification(errors, uncertainty, output.weights, steps);
    return Mark{MarkKind::line, std::move(label), role, times(100, curve.x), curve.y};
  };
  Values sizes;
  for (const double error : errors) sizes.push_back(std::abs(error));
  Mark total = ranked_by("by total uncertainty", Role::estimate, output.rows.total_std);
  Mark epistemic = ranked_by("by epistemic uncertainty", Role::second, output.rows.epistemic_std);
  const double top = extent({&total.y, &epistemic.y}).second;
  return one_chart(
      "The error of the rows that remain when the most uncertain ones are set aside. Good: the curve falls early, "
      "towards the best possible one, where the rows with the largest errors go first. A curve along the dashed line "
      "is no better than setting rows aside at random.",
      {.title = "Sparsification",
       .subtitle = "does uncertainty point to the errors?",
       .description = fmt::format("Root mean square error of {} over the share of rows set aside, most uncertain "
                                  "first.",
                                  output.name),
       .x_title = "rows set aside, most uncertain first (%)",
       .y_title = with_unit("RMS error of the rest", output),
       .x_range = whole_percent,
       .y_range = Range{0, top > 0 ? 1.05 * top : 1},
       .marks = {horizontal("at random", whole_percent, output.scores.rmse),
                 ranked_by("best possible: by the error itself", Role::truth, sizes), std::move(epistemic),
                 std::move(total)}});
}

Figure noise_and_ignorance(const ChartedOutput& output) {
  const scoring::OutputDiagnostics& rows = output.rows;
  const Chosen chosen = scoring::evenly_spaced(rows.count(), output.most_rows);
  Chart chart{.title = "Noise and ignorance by row",
              .subtitle = fmt::format("median epistemic / aleatoric variance {}",
                                      significant(output.scores.epistemic_aleatoric_ratio_median)),
              .description = fmt::format("Epistemic over aleatoric standard deviation of {}, row by row.", output.name),
              .x_title = with_unit("noise: aleatoric std", output),
              .y_title = with_unit("ignorance: epistemic std", output)};
  set_common_axes(chart, extent({&rows.aleatoric_std, &rows.epistemic_std}));
  chart.marks = {
      diagonal("as much ignorance as noise", *chart.x_range),
      {MarkKind::points, "rows", Role::estimate, taken(rows.aleatoric_std, chosen), taken(rows.epistemic_std, chosen)}};
  return one_chart(
      fmt::format("Where the uncertainty of each row comes from. Above the dashed line it is mostly ignorance: more "
                  "training rows nearby would sharpen these predictions. Below it is mostly noise, which more rows "
                  "will not remove.{}",
                  selection(chosen.size(), rows.count(), "the data")),
      std::move(chart));
}

Figure share_histogram(const ChartedOutput& output) {
  const Values shares =
      scoring::histogram(epistemic_shares(output.rows), output.weights, bars_for(output.rows.count()));
  return one_chart(
      "How the rows divide by the part that ignorance has in their predicted variance. Rows far to the right lie where "
      "the training rows say little; the table below names the first of them.",
      {.title = "Epistemic share",
       .subtitle = "epistemic by total variance",
       .description = fmt::format("Histogram of the epistemic share of the variance of {}.", output.name),
       .x_title = "epistemic share of the variance (%)",
       .y_title = "share of rows (%)",
       .x_range = whole_percent,
       .y_range = Range{0, 105 * *std::max_element(shares.begin(), shares.end())},
       .marks = {percent_bars("rows", shares)}});
}

}  // namespace

std::vector<Figure> output_figures(const ChartedOutput& output) {
  const Values errors = differences(output.rows.observed, output.rows.mean);
  return {predicted_against_observed(output),
          intervals_by_width(output),
          calibration(output),
          pit_histogram(output),
          error_against_uncertainty(output, errors),
          sparsification(output, errors),
          noise_and_ignorance(output),
          share_histogram(output)};
}

std::vector<double> epistemic_shares(const scoring::OutputDiagnostics& rows) {
  Values shares;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const double ratio = rows.epistemic_std[row] / rows.total_std[row];
    shares.push_back(ratio * ratio);
  }
  return shares;
}

}  // namespace credens::report
