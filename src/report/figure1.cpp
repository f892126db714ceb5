// SPDX-License-Identifier: Apache-2.0

#include "report/figure1.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace credens::report {
namespace {

constexpr Range all_x = {-1, 1};

/// All values with a little air, so that panels of one kind share their axis.
Range common_range(std::initializer_list<const std::vector<double>*> columns) {
  const Range range = extent(columns);
  const double air = 0.04 * (range.second - range.first);
  return {range.first - air, range.second + air};
}

std::vector<double> column(MatrixView values) {
  std::vector<double> column;
  for (std::size_t row = 0; row < values.rows(); ++row) column.push_back(values(row, 0));
  return column;
}

Figure1Curves curves_of(const Predictive& predictive, MatrixView targets, MatrixView truth) {
  Figure1Curves curves{.rows = {}, .scores = score(predictive, targets, {.level = figure1_level, .truth = truth})};
  scoring::diagnose(predictive, targets, {.level = figure1_level}, std::span(&curves.rows, 1));
  const std::vector<double>& widths = curves.rows.epistemic_std;
  curves.mean_epistemic_std = std::accumulate(widths.begin(), widths.end(), 0.0) / static_cast<double>(widths.size());
  return curves;
}

std::vector<double> absolute_errors(const Figure1& figure) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < figure.x.size(); ++i)
    errors.push_back(std::abs(figure.classical.rows.mean[i] - figure.truth[i]));
  return errors;
}

std::vector<double> function_half_width(const Figure1Curves& curves) {
  std::vector<double> half_width;
  for (std::size_t i = 0; i < curves.rows.mean.size(); ++i) {
    half_width.push_back((curves.rows.function_upper[i] - curves.rows.function_lower[i]) / 2);
  }
  return half_width;
}

std::string coverage_and_rmse(double coverage, double rmse) {
  return fmt::format("coverage {}, RMSE {}", percent(coverage), significant(rmse));
}

Chart posterior_predictive_chart(const Figure1& figure, const Figure1Curves& curves, const std::string& name) {
  return {
      .title = "Posterior predictive, " + name,
      .subtitle = coverage_and_rmse(curves.scores.total_coverage, curves.scores.rmse),
      .description = fmt::format("Predicted mean and 95 % interval for new observations of the {} ensemble over x; the "
                                 "interval holds {} of the test observations.",
                                 name, percent(curves.scores.total_coverage)),
      .x_title = "x",
      .y_title = "y",
      .y_range = common_range({&figure.classical.rows.lower, &figure.classical.rows.upper, &figure.extended.rows.lower,
                               &figure.extended.rows.upper, &figure.extended.rows.observed}),
      .marks = {{MarkKind::band, "95 % interval", Role::estimate, figure.x, curves.rows.lower, curves.rows.upper},
                {MarkKind::points, "test observations", Role::truth, figure.x, figure.extended.rows.observed},
                {MarkKind::line, "predicted mean", Role::estimate, figure.x, curves.rows.mean}}};
}

Chart regression_function_chart(const Figure1& figure, const Figure1Curves& curves, const std::string& name) {
  return {.title = "Regression function, " + name,
          .subtitle = coverage_and_rmse(curves.scores.function_coverage.value(), curves.scores.function_rmse.value()),
          .description =
              fmt::format("Predicted mean and 95 % interval for the regression function of the {} ensemble over x, "
                          "with the true function; the interval holds it at {} of the test rows.",
                          name, percent(curves.scores.function_coverage.value())),
          .x_title = "x",
          .y_title = "regression function",
          .y_range =
              common_range({&figure.classical.rows.function_lower, &figure.classical.rows.function_upper,
                            &figure.extended.rows.function_lower, &figure.extended.rows.function_upper, &figure.truth}),
          .marks = {{MarkKind::band, "95 % interval", Role::estimate, figure.x, curves.rows.function_lower,
                     curves.rows.function_upper},
                    {MarkKind::line, "predicted mean", Role::estimate, figure.x, curves.rows.mean},
                    {MarkKind::line, "true function", Role::truth, figure.x, figure.truth}}};
}

Chart epistemic_chart(const Figure1& figure, const Figure1Curves& curves, const std::string& name) {
  const std::vector<double> errors = absolute_errors(figure);
  const std::vector<double> widest = function_half_width(figure.extended);
  const std::vector<double> zero(figure.x.size(), 0.0);
  return {.title = "Epistemic uncertainty, " + name,
          .subtitle = fmt::format("mean standard deviation {}", significant(curves.mean_epistemic_std)),
          .description =
              fmt::format("Half-width of the 95 % interval for the regression function of the {} ensemble over x, "
                          "with the absolute errors of the predicted mean.",
                          name),
          .x_title = "x",
          .y_title = "error and half-width",
          .x_range = all_x,
          .y_range = Range{0, common_range({&zero, &errors, &widest}).second},
          .marks = {{MarkKind::band, "half-width of the interval", Role::estimate, figure.x, zero,
                     function_half_width(curves)},
                    {MarkKind::points, "absolute error of the mean", Role::truth, figure.x, errors}}};
}

Section introduction(const Figure1& figure) {
  const std::string setting = fmt::format(
      "The true regression function is known here: η(x) = ((4.5 x)⁴ − (18 x)² + 22.5 x) / 2 for x between −1 and 1. "
      "Observations scatter around it with standard deviation 10. Each of the {} networks, with 128, 64 and 32 hidden "
      "units, was trained by itself on the same {} observations.",
      figure.gamma.size(), figure.train_rows);
  const std::string method =
      "A classical deep ensemble takes the differences between its networks for all that is not known about the "
      "function. The extended ensemble gives the last layer of each network a Gaussian width as well, computed in "
      "closed "
      "form from the training rows. No network is trained again, and the predicted mean stays the same.";
  return {.title = "The question", .paragraphs = {setting, method}};
}

Section result(const Figure1& figure) {
  return {.title = "The answer",
          .paragraphs = {fmt::format(
              "A 95 % interval should hold the true function at about 95 % of the rows. The classical "
              "ensemble's does so at {}, the extended one's at {}. For new observations both reach {} and "
              "{}, because there the noise dominates.",
              percent(figure.classical.scores.function_coverage.value()),
              percent(figure.extended.scores.function_coverage.value()),
              percent(figure.classical.scores.total_coverage), percent(figure.extended.scores.total_coverage))},
          .tables = {figure1_scores(figure)}};
}

/// The test rows that lie nearest to evenly spaced x.
Table values_along_the_curve(const Figure1& figure) {
  Table table{.caption = "Half-widths are those of the 95 % interval for the regression function",
              .headings = {"x", "true function", "predicted mean", "half-width, classical", "half-width, extended"}};
  const std::vector<double> classical = function_half_width(figure.classical);
  const std::vector<double> extended = function_half_width(figure.extended);
  for (int step = -5; step <= 5; ++step) {
    const auto distance = [&](double x) { return std::abs(x - step / 5.0); };
    const auto nearest = std::ranges::min_element(figure.x, {}, distance);
    const auto row = static_cast<std::size_t>(nearest - figure.x.begin());
    table.rows.push_back({fixed(figure.x[row], 2), fixed(figure.truth[row], 1),
                          fixed(figure.classical.rows.mean[row], 1), fixed(classical[row], 1),
                          fixed(extended[row], 1)});
  }
  return table;
}

Table widths(const Figure1& figure) {
  Table table{.caption = "γ, the variance of each weight in the last layer of a network", .headings = {"network", "γ"}};
  for (std::size_t member = 0; member < figure.gamma.size(); ++member) {
    table.rows.push_back({fmt::format("{}", member), significant(figure.gamma[member])});
  }
  return table;
}

Section own_data() {
  return {
      .title = "With your own data",
      .paragraphs =
          {"The model and the rows of this page lie beside it. The first command computes the table above again; the "
           "others fit a table of yours, test the fit on held-out rows, and predict."},
      .commands =
          "credens evaluate model.safetensors test.csv --truth truth\n"
          "\n"
          "credens fit measurements.csv --target strength -o strength.safetensors\n"
          "credens evaluate strength.safetensors held-out.csv\n"
          "credens predict strength.safetensors new.csv -o predictions.csv"};
}

}  // namespace

Figure1 make_figure1(const Ensemble& wide, std::size_t train_rows, const Dataset& test, MatrixView truth, int threads) {
  const Predictive extended = wide.predict(test.inputs(), {.threads = threads});
  return {.train_rows = train_rows,
          .x = column(test.inputs()),
          .truth = column(truth),
          .gamma = wide.gamma(),
          .classical = curves_of(extended.classical(), test.targets(), truth),
          .extended = curves_of(extended, test.targets(), truth)};
}

Figure figure1_panels(const Figure1& figure) {
  Figure panels{
      .caption =
          "First row: the classical ensemble. Second row: the extended one. From left to right: what is expected of "
          "new "
          "observations, what is known of the regression function, and how the width of that knowledge compares with "
          "the "
          "errors really made. A point above the shaded area is an error larger than the ensemble thought likely.",
      .columns = 3};
  for (const auto& [curves, name] :
       {std::pair(&figure.classical, "classical"), std::pair(&figure.extended, "extended")}) {
    panels.charts.push_back(posterior_predictive_chart(figure, *curves, name));
    panels.charts.push_back(regression_function_chart(figure, *curves, name));
    panels.charts.push_back(epistemic_chart(figure, *curves, name));
  }
  return panels;
}

Table figure1_scores(const Figure1& figure) {
  const Scores& classical = figure.classical.scores;
  const Scores& extended = figure.extended.scores;
  const auto row = [](std::string name, double left, double right, std::string (*number)(double)) {
    return std::vector<std::string>{std::move(name), number(left), number(right)};
  };
  const auto three_digits = [](double value) { return significant(value); };
  return {.caption = fmt::format("At {} test rows", figure.x.size()),
          .headings = {"", "classical", "extended"},
          .rows = {row("coverage of the regression function", classical.function_coverage.value(),
                       extended.function_coverage.value(), percent),
                   row("coverage of the observations", classical.total_coverage, extended.total_coverage, percent),
                   row("mean epistemic standard deviation", figure.classical.mean_epistemic_std,
                       figure.extended.mean_epistemic_std, three_digits),
                   row("RMSE to the regression function", classical.function_rmse.value(),
                       extended.function_rmse.value(), three_digits),
                   row("RMSE to the observations", classical.rmse, extended.rmse, three_digits),
                   row("negative log likelihood (nats per row)", classical.nll, extended.nll, three_digits)}};
}

Page figure1_page(const Figure1& figure, std::uint64_t seed) {
  return {.title = "What an ensemble knows, and what it does not",
          .lead =
              "Figure 1 of “Deep ensembles from a Bayesian perspective”: a classical deep ensemble and its extension, "
              "fitted to "
              "noisy observations of a function that is known, so that their claims about it can be checked.",
          .sections = {introduction(figure),
                       {.title = "Figure 1", .figures = {figure1_panels(figure)}},
                       result(figure),
                       {.title = "The numbers behind the pictures",
                        .tables = {values_along_the_curve(figure), widths(figure)}},
                       own_data()},
          .footer = fmt::format("Made by credens {} with seed {}.", version(), seed)};
}

}  // namespace credens::report
