// SPDX-License-Identifier: Apache-2.0

#include "report/effects.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "data/date.hpp"
#include "math/normal.hpp"
#include "model/ensemble_state.hpp"
#include "report/chart_parts.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

namespace {

constexpr std::size_t most_rows = 2000;          ///< in a sample
constexpr std::size_t most_numbers = 1'000'000;  ///< in a sample: of many inputs it has fewer rows, at least 50
constexpr std::size_t most_words = 20;           ///< of an input
constexpr std::size_t points_to_rank = 9;        ///< of a walk that only tells how far it moves the prediction
constexpr std::size_t points_to_draw = 41;
constexpr std::size_t most_charts = 12;         ///< of one output
constexpr std::size_t most_charts_of_all = 24;  ///< of all outputs together, at least two of each
constexpr std::size_t dates_on_axis = 3;
constexpr double class_level = 0.95;
constexpr int chart_height = 240;

using Values = std::vector<double>;

/// The value at a share of the way through ascending values.
double at_share(const Values& ascending, double share) {
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], place - static_cast<double>(below));
}

/// `count` values from low to high, both among them.
Values steps(double low, double high, std::size_t count) {
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(std::lerp(low, high, static_cast<double>(i) / static_cast<double>(count - 1)));
  }
  return values;
}

/// As `steps`, in whole weeks or, where these would be few, days from `middle`: the day of the week and the time stay.
Values date_steps(double low, double middle, double high, std::size_t count) {
  constexpr double day = 86400;
  constexpr double enough = 8;
  const double unit = high - low >= enough * 7 * day ? 7 * day : day;
  if (high - low < enough * unit) return steps(low, high, count);
  const double step = unit * std::max(1.0, std::ceil((high - low) / unit / static_cast<double>(count - 1)));
  Values values;
  for (double date = middle - step * std::floor((middle - low) / step); date <= high; date += step)
    values.push_back(date);
  return values;
}

/// Levels by how many of the values they are, most first. What the model does not know is no level.
Values frequent_levels(const Values& values, std::size_t known) {
  Values counts(known);
  for (const double level : values) {
    if (level < static_cast<double>(known)) ++counts[static_cast<std::size_t>(level)];
  }
  Values levels;
  for (const std::size_t level : scoring::largest(counts, most_words)) {
    if (counts[level] > 0) levels.push_back(static_cast<double>(level));
  }
  return levels;
}

}  // namespace

void InputSample::add(MatrixView inputs, MatrixView noise_std) {
  if (!rows_) {
    inputs_ = inputs.cols();
    rows_.emplace(std::clamp(most_numbers / std::max<std::size_t>(inputs_, 1), std::size_t{50}, most_rows));
  }
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    rows_->add_made([&] {
      Values values(inputs.row(row).begin(), inputs.row(row).end());
      if (!noise_std.empty()) values.insert(values.end(), noise_std.row(row).begin(), noise_std.row(row).end());
      return values;
    });
  }
}

std::size_t InputSample::columns() const {
  return !rows_ || rows_->rows().empty() ? 0 : rows_->rows().front().size();
}

std::vector<double> InputSample::column(std::size_t index) const {
  Values values;
  for (const Values& row : rows_->rows()) {
    if (!std::isnan(row[index])) values.push_back(row[index]);
  }
  std::ranges::sort(values);
  return values;
}

TypicalRow::TypicalRow(const Ensemble& ensemble, const InputSample& sample)
    : state_(ensemble.state()), sample_(sample) {
  const std::vector<data::Column>& columns = state_.schema.inputs;
  for (std::size_t col = 0; col < sample.columns(); ++col) {
    Values values = sample.column(col);
    const bool is_word = col < columns.size() && columns[col].kind == ColumnKind::category;
    if (is_word) values = frequent_levels(values, columns[col].levels.size());
    row_.push_back(values.empty() ? std::nan("") : at_share(values, is_word ? 0 : 0.5));
  }
}

Walk TypicalRow::walk(std::size_t input, std::size_t points) const {
  const data::Column& column = state_.schema.inputs[input];
  const Values values = sample_.column(input);
  if (column.kind == ColumnKind::category) return {input, frequent_levels(values, column.levels.size())};
  if (values.empty() || values.front() == values.back()) return {input, {}};
  const double low = at_share(values, 0.01);
  const double high = at_share(values, 0.99);
  if (low == high) return {input, steps(values.front(), values.back(), points)};
  if (column.kind == ColumnKind::date) return {input, date_steps(low, row_[input], high, points)};
  return {input, steps(low, high, points)};
}

Matrix TypicalRow::inputs_along(const Walk& walk) const {
  Matrix rows(walk.values.size(), sample_.inputs());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::copy_n(row_.begin(), rows.cols(), rows.row(i).begin());
    rows(i, walk.input) = walk.values[i];
  }
  return rows;
}

Matrix TypicalRow::noise_along(const Walk& walk) const {
  Matrix rows(walk.values.size(), sample_.columns() - sample_.inputs());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    std::copy_n(row_.end() - std::ssize(rows.row(i)), rows.cols(), rows.row(i).begin());
  return rows;
}

namespace {

/// Predicted values of one quantity along a walk, with bands around them.
struct Path {
  Walk walk;
  Values middle = {};
  Values function_low = {};
  Values function_high = {};
  Values observation_low = {};  ///< none for classes
  Values observation_high = {};
};

double spread(const Values& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

Values column_of(const Matrix& values, std::size_t col) {
  Values column;
  for (std::size_t row = 0; row < values.rows(); ++row) column.push_back(values(row, col));
  return column;
}

/// An input, and how far its walk moves each predicted quantity.
struct Reach {
  std::size_t input = 0;
  Values of = {};
};

/// Reaches of the inputs in which the rows differ. `predicted` gives the quantities along a walk.
template <class Predicted>
std::vector<Reach> reaches(const TypicalRow& typical, std::size_t inputs, const Predicted& predicted) {
  std::vector<Reach> reaches;
  for (std::size_t input = 0; input < inputs; ++input) {
    const Walk walk = typical.walk(input, points_to_rank);
    if (walk.values.size() < 2) continue;
    const Matrix values = predicted(walk);
    reaches.push_back({input, {}});
    for (std::size_t k = 0; k < values.cols(); ++k) reaches.back().of.push_back(spread(column_of(values, k)));
  }
  return reaches;
}

/// Places of the largest, `most` of them.
template <class Size>
std::vector<std::size_t> largest_reaches(const std::vector<Reach>& reaches, std::size_t most, const Size& size) {
  Values sizes;
  for (const Reach& reach : reaches) sizes.push_back(size(reach));
  return scoring::largest(sizes, most);
}

/// Words stand in the order of their predictions.
void sort_words(Path& path) {
  const std::vector<std::size_t> order = scoring::ascending(path.middle);
  for (Values* values : {&path.walk.values, &path.middle, &path.function_low, &path.function_high,
                         &path.observation_low, &path.observation_high}) {
    if (!values->empty()) *values = taken(*values, order);
  }
}

std::string value_text(const data::Column& column, double value) {
  if (std::isnan(value)) return "missing";
  if (column.kind == ColumnKind::category) return column.levels[static_cast<std::size_t>(value)];
  if (column.kind == ColumnKind::date) return data::date_text(86400 * std::floor(value / 86400));
  return significant(value, 4);
}

/// Places of a walk's values: words at 1, 2, ..., dates between the first and the last name of the axis.
Values places_on_axis(const data::Column& column, const Values& values, Chart& chart) {
  if (column.kind == ColumnKind::number) {
    chart.x_range = Range{values.front(), values.back()};
    return values;
  }
  if (column.kind == ColumnKind::category) {
    Values places;
    for (std::size_t i = 0; i < values.size(); ++i) {
      places.push_back(static_cast<double>(i + 1));
      chart.x_names.push_back(value_text(column, values[i]));
    }
    chart.x_range = Range{0.5, places.back() + 0.5};
    return places;
  }
  for (const double date : steps(values.front(), values.back(), dates_on_axis)) {
    chart.x_names.push_back(value_text(column, date));
  }
  chart.x_range = Range{1, dates_on_axis};
  return steps(1, dates_on_axis, values.size());
}

/// The bands of words are strokes, those of numbers and dates areas.
std::vector<Mark> marks_of(const Path& path, const Values& x, bool are_words, const std::string& level) {
  const MarkKind band = are_words ? MarkKind::intervals : MarkKind::band;
  const MarkKind line = are_words ? MarkKind::points : MarkKind::line;
  std::vector<Mark> marks;
  if (!path.observation_low.empty()) {
    marks.push_back({band, level + " interval, observation: noise and ignorance", Role::estimate, x,
                     path.observation_low, path.observation_high});
  }
  marks.push_back(
      {band, level + " interval, function: ignorance alone", Role::second, x, path.function_low, path.function_high});
  marks.push_back({line, "prediction", Role::estimate, x, path.middle});
  return marks;
}

Chart chart_of(Path path, const Ensemble& ensemble, const TypicalRow& typical, const std::string& y_title,
               const Range& y_range, const std::string& level) {
  const data::Schema& schema = ensemble.state().schema;
  const data::Column& column = schema.inputs[path.walk.input];
  const bool are_words = column.kind == ColumnKind::category;
  if (are_words) sort_words(path);
  const std::string label = schema.input_labels()[path.walk.input];
  Chart chart{.title = label,
              .subtitle = fmt::format("{} {}", are_words ? "most frequent:" : "median",
                                      value_text(column, typical.input(path.walk.input))),
              .description = fmt::format("{} over {}, with intervals.", y_title, label),
              .x_title = label,
              .y_title = y_title,
              .y_range = y_range,
              .height = chart_height};
  const Values x = places_on_axis(column, path.walk.values, chart);
  chart.marks = marks_of(path, x, are_words, level);
  return chart;
}

std::string shown_text(std::size_t shown, std::size_t all) {
  if (all == 1) return "";
  if (shown == all) return " The input that moves it most stands first.";
  return fmt::format(" Shown are the {} of {} inputs that move it most.", shown, all);
}

constexpr std::string_view others_stay =
    "In each chart one input takes the values of these rows, from the 1st to the 99th percentile. All other inputs "
    "stay "
    "as in a typical row: numbers and dates at their median in these rows, words at the most frequent one. For other "
    "rows an input may act otherwise.";

Section section_of(std::string title, std::string caption, std::vector<Chart> charts) {
  return {.title = std::move(title),
          .paragraphs = {std::string(others_stay)},
          .figures = {{.caption = std::move(caption),
                       .columns = std::min<std::size_t>(3, charts.size()),
                       .charts = std::move(charts)}}};
}

/// From the lowest to the highest band.
Range range_of(const std::vector<Path>& paths) {
  Range range = extent({&paths.front().observation_low, &paths.front().observation_high});
  for (const Path& path : paths) {
    const Range one = extent({&path.observation_low, &path.observation_high});
    range = {std::min(range.first, one.first), std::max(range.second, one.second)};
  }
  return with_margin(range);
}

/// Predictions of numbers along walks from the typical row.
class Paths {
 public:
  Paths(const Ensemble& ensemble, const TypicalRow& typical, const scoring::IntervalOptions& interval)
      : ensemble_(ensemble), typical_(typical), interval_(interval) {}

  Predictive predict(const Walk& walk) const {
    const Matrix noise = typical_.noise_along(walk);
    return ensemble_.predict(typical_.inputs_along(walk), {.noise_std = noise});
  }

  Path of(std::size_t input, std::size_t output) const {
    const Walk walk = typical_.walk(input, points_to_draw);
    const Predictive predictive = predict(walk);
    const Interval observation = predictive.interval(interval_.level, interval_.kind);
    const Interval function = predictive.function_interval(interval_.level, interval_.kind);
    return {.walk = walk,
            .middle = column_of(predictive.mean(), output),
            .function_low = column_of(function.lower, output),
            .function_high = column_of(function.upper, output),
            .observation_low = column_of(observation.lower, output),
            .observation_high = column_of(observation.upper, output)};
  }

 private:
  const Ensemble& ensemble_;
  const TypicalRow& typical_;
  scoring::IntervalOptions interval_;
};

/// The probability of a class with the band of ignorance, within [0, 1], in percent.
Path class_path(const Ensemble& ensemble, const TypicalRow& typical, std::size_t input, std::size_t label) {
  const double factor = math::normal_quantile((1 + class_level) / 2);
  Path path{.walk = typical.walk(input, points_to_draw)};
  const ClassPredictive predictive = ensemble.predict_classes(typical.inputs_along(path.walk));
  for (std::size_t i = 0; i < predictive.rows(); ++i) {
    const double probability = predictive.probability(i, label);
    const double reach = factor * std::sqrt(predictive.epistemic_variance(i, label));
    path.middle.push_back(100 * probability);
    path.function_low.push_back(100 * std::max(0.0, probability - reach));
    path.function_high.push_back(100 * std::min(1.0, probability + reach));
  }
  return path;
}

}  // namespace

std::vector<Section> effect_sections(const Ensemble& ensemble, const InputSample& sample,
                                     const scoring::IntervalOptions& interval, std::size_t outputs) {
  if (sample.is_empty()) return {};
  const TypicalRow typical(ensemble, sample);
  const Paths paths(ensemble, typical, interval);
  const std::vector<Reach> moved =
      reaches(typical, sample.inputs(), [&](const Walk& walk) { return paths.predict(walk).mean(); });
  std::vector<Section> sections;
  for (std::size_t k = 0; k < outputs && !moved.empty(); ++k) {
    const std::size_t most = std::clamp(most_charts_of_all / outputs, std::size_t{2}, most_charts);
    std::vector<Path> drawn;
    for (const std::size_t place : largest_reaches(moved, most, [k](const Reach& reach) { return reach.of[k]; })) {
      drawn.push_back(paths.of(moved[place].input, k));
    }
    const Range y_range = range_of(drawn);
    const std::string target = ensemble.state().schema.target_labels()[k];
    std::vector<Chart> charts;
    for (Path& path : drawn) {
      charts.push_back(chart_of(std::move(path), ensemble, typical, target, y_range, level_text(interval.level)));
    }
    const std::string caption = fmt::format(
        "How the prediction of {} goes with each input. All charts have one scale, so steep lines matter most. Where "
        "the inner "
        "area is wide, the model has seen little and more training rows would help; what the outer area adds is "
        "noise.{}",
        target, shown_text(drawn.size(), moved.size()));
    sections.push_back(section_of("What moves " + target, caption, std::move(charts)));
  }
  return sections;
}

std::vector<Section> class_effect_sections(const Ensemble& ensemble, const InputSample& sample) {
  if (sample.is_empty()) return {};
  const TypicalRow typical(ensemble, sample);
  const std::vector<Reach> moved = reaches(typical, sample.inputs(), [&](const Walk& walk) {
    return ensemble.predict_classes(typical.inputs_along(walk)).probability;
  });
  std::vector<Chart> charts;
  for (const std::size_t place :
       largest_reaches(moved, most_charts, [](const Reach& reach) { return std::ranges::max(reach.of); })) {
    const Values& of = moved[place].of;
    const auto label = static_cast<std::size_t>(std::ranges::max_element(of) - of.begin());
    const std::string y_title = fmt::format("probability of {} (%)", ensemble.classes()[label]);
    charts.push_back(chart_of(class_path(ensemble, typical, moved[place].input, label), ensemble, typical, y_title,
                              whole_percent, level_text(class_level)));
  }
  if (charts.empty()) return {};
  const std::string caption = fmt::format(
      "How the probability of a class goes with each input: that of the class which the input moves most. Where the "
      "area is "
      "wide, the model has seen little and more training rows would help.{}",
      shown_text(charts.size(), moved.size()));
  return {section_of("What moves the probabilities", caption, std::move(charts))};
}

}  // namespace credens::report
