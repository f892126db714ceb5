// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/chart_parts.hpp"
#include "report/class_page.hpp"
#include "report/confusions.hpp"
#include "report/table.hpp"

namespace credens::report {

namespace {

using scoring::ClassRow;
using scoring::ReliabilityBin;

/// Entropies below this are drawn at it.
constexpr double least_drawn_entropy = 1e-4;

Mark reliability_line(std::string label, Role role, const std::vector<ReliabilityBin>& bins) {
  Mark line{.kind = MarkKind::line, .label = std::move(label), .role = role};
  for (const ReliabilityBin& bin : bins) {
    line.x.push_back(100 * bin.confidence);
    line.y.push_back(100 * bin.accuracy);
  }
  return line;
}

Mark reliability_intervals(const std::vector<ReliabilityBin>& bins) {
  Mark strokes{.kind = MarkKind::intervals, .label = "95 % interval of the share"};
  for (const ReliabilityBin& bin : bins) {
    const auto [low, high] = wilson_interval(bin.accuracy, bin.effective_rows);
    strokes.x.push_back(100 * bin.confidence);
    strokes.y.push_back(100 * low);
    strokes.y_end.push_back(100 * high);
  }
  return strokes;
}

/// No confidence is below 1 / C.
Range confidence_range(std::size_t classes) {
  return {10 * std::floor(10.0 / static_cast<double>(classes)), 100};
}

Figure reliability_figure(const ChartedClasses& classes) {
  Mark points = reliability_line("", Role::estimate, classes.reliability);
  points.kind = MarkKind::points;
  const Range range = confidence_range(classes.names.size());
  std::vector<Mark> marks = {diagonal("right as often as announced", range),
                             reliability_intervals(classes.reliability)};
  if (classes.is_extended) {
    marks.push_back(reliability_line("classical ensemble", Role::second, classes.classical_reliability));
  }
  marks.push_back(reliability_line("this model", Role::estimate, classes.reliability));
  marks.push_back(std::move(points));
  return one_chart(
      "Rows in groups by the probability of their predicted class, and how many of them are of that class. Good: the "
      "strokes cross the dashed line. Points below it are predictions that are too sure, above it not sure enough. "
      "Long "
      "strokes stand for few rows.",
      {.title = "Reliability diagram",
       .subtitle = fmt::format("mean distance {} (ECE)", percent(classes.comparison->extended.scores.ece)),
       .description =
           fmt::format("Share of right classes of {} over the probability of the predicted class.", classes.target),
       .x_title = "probability of the predicted class (%)",
       .y_title = "right (% of the rows)",
       .x_range = range,
       .y_range = whole_percent,
       .marks = std::move(marks)});
}

/// Bars side by side: those of the first histogram take the left halves of their places, those of the second the right
/// ones.
std::pair<Mark, Mark> halved(std::pair<Mark, Mark> bars) {
  for (std::size_t i = 0; i < bars.first.x.size(); ++i)
    bars.first.x_end[i] = (bars.first.x[i] + bars.first.x_end[i]) / 2;
  for (std::size_t i = 0; i < bars.second.x.size(); ++i) {
    bars.second.x[i] = (bars.second.x[i] + bars.second.x_end[i]) / 2;
  }
  return bars;
}

/// Bars of the bins' shares, each times `part`.
template <class Part>
Mark bin_bars(std::string label, Role role, const std::vector<ReliabilityBin>& bins, const Part& part) {
  Mark bars{.kind = MarkKind::bars, .label = std::move(label), .role = role};
  for (const ReliabilityBin& bin : bins) {
    bars.x.push_back(100 * bin.low);
    bars.x_end.push_back(100 * bin.high);
    bars.y.push_back(100 * bin.share * part(bin));
  }
  return bars;
}

/// All rows or, with targets, right and wrong ones.
std::vector<Mark> confidence_bars(const ChartedClasses& classes) {
  const std::vector<ReliabilityBin>& bins = classes.reliability;
  if (classes.comparison == nullptr) {
    return {bin_bars("rows", Role::estimate, bins, [](const ReliabilityBin&) { return 1.0; })};
  }
  auto [right, wrong] = halved(
      {bin_bars("rows, predicted class right", Role::estimate, bins, [](const auto& bin) { return bin.accuracy; }),
       bin_bars("rows, predicted class wrong", Role::truth, bins, [](const auto& bin) { return 1 - bin.accuracy; })});
  return {std::move(right), std::move(wrong)};
}

Figure confidence_figure(const ChartedClasses& classes) {
  std::vector<Mark> marks = confidence_bars(classes);
  double top = 0;
  for (const Mark& mark : marks) top = std::max(top, std::ranges::max(mark.y));
  double mean = 0;
  for (const ReliabilityBin& bin : classes.reliability) mean += bin.share * bin.confidence;
  return one_chart(
      "How the rows divide by the probability of their predicted class. Bars on the left are rows that the model "
      "leaves "
      "open. Good: many rows on the right, and few wrong ones among them.",
      {.title = "How sure the predictions are",
       .subtitle = fmt::format("mean probability of the predicted class {}", percent(mean)),
       .description = fmt::format("Histogram of the probability of the predicted class of {}.", classes.target),
       .x_title = "probability of the predicted class (%)",
       .y_title = "share of rows (%)",
       .x_range = confidence_range(classes.names.size()),
       .y_range = Range{0, 1.05 * top},
       .marks = std::move(marks)});
}

Mark risk_line(std::string label, Role role, const RiskByPercent& risk) {
  Mark line{.kind = MarkKind::line, .label = std::move(label), .role = role};
  for (std::size_t i = 0; i < risk.size(); ++i) {
    line.x.push_back(static_cast<double>(i + 1));
    line.y.push_back(100 * risk[i]);
  }
  return line;
}

/// Every wrong row comes after every right one.
RiskByPercent least_risk(double wrong) {
  RiskByPercent risk{};
  for (std::size_t i = 0; i < risk.size(); ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(risk.size());
    risk[i] = std::max(0.0, 1 - (1 - wrong) / share);
  }
  return risk;
}

Figure risk_figure(const ChartedClasses& classes) {
  const ClassJudgement& extended = classes.comparison->extended;
  const double wrong = 1 - extended.scores.accuracy;
  std::vector<Mark> marks = {horizontal("in any order", whole_percent, 100 * wrong),
                             risk_line("best possible: all wrong ones last", Role::truth, least_risk(wrong))};
  if (classes.is_extended) {
    marks.push_back(
        risk_line("classical, by probability", Role::second, classes.comparison->classical.risk_by_percent));
  }
  marks.push_back(risk_line("this model, by ignorance", Role::third, risk_by_percent(classes.risk_by_ignorance)));
  marks.push_back(risk_line("this model, by probability", Role::estimate, extended.risk_by_percent));
  double top = 0;
  for (const Mark& mark : marks) top = std::max(top, std::ranges::max(mark.y));
  return one_chart(
      "If only the surest rows are answered and the others are given to somebody else: how many answers are wrong? "
      "Good: "
      "the curves are low on the left and rise late, near the best possible one. AURC is the mean height of the solid "
      "curve. A curve along the dashed line is no "
      "better than answering rows at random.",
      {.title = "Risk against coverage",
       .subtitle = fmt::format("AURC {}, by ignorance {}", significant(extended.scores.aurc),
                               significant(classes.risk_by_ignorance.area)),
       .description =
           fmt::format("Share of wrong classes of {} among the surest rows, over their share.", classes.target),
       .x_title = "rows answered, surest first (%)",
       .y_title = "wrong among them (%)",
       .x_range = whole_percent,
       .y_range = Range{0, top > 0 ? 1.05 * top : 1},
       .marks = std::move(marks)});
}

double least_entropy(const std::vector<ClassRow>& rows) {
  double least = 1;
  for (const ClassRow& row : rows) least = std::min({least, row.aleatoric, row.epistemic});
  return least;
}

/// The power of ten below all drawn entropies.
double least_power(double entropy) {
  return std::pow(10, std::floor(std::log10(std::max(entropy, least_drawn_entropy))));
}

void add_point(const ClassRow& row, Mark& points) {
  points.x.push_back(std::max(row.aleatoric, least_drawn_entropy));
  points.y.push_back(std::max(row.epistemic, least_drawn_entropy));
}

std::vector<Mark> entropy_points(const ChartedClasses& classes) {
  Mark right{.kind = MarkKind::points, .label = "rows"};
  Mark wrong{.kind = MarkKind::points, .label = "rows, predicted class wrong", .role = Role::truth};
  if (classes.comparison != nullptr) right.label = "rows, predicted class right";
  for (const ClassRow& row : classes.sample.rows()) {
    add_point(row, classes.comparison != nullptr && !row.is_right() ? wrong : right);
  }
  return {std::move(right), std::move(wrong)};
}

Figure noise_and_ignorance_figure(const ChartedClasses& classes) {
  const double most = std::log(static_cast<double>(classes.names.size()));
  const double least = least_entropy(classes.sample.rows());
  const Range range = {least_power(least) / 1.1, 1.2 * most};
  std::vector<Mark> marks = entropy_points(classes);
  marks.insert(marks.begin(), diagonal("as much ignorance as noise", range));
  if (marks.back().x.empty()) marks.pop_back();
  return one_chart(
      fmt::format(
          "Where the uncertainty of each row comes from, in nats. Above the dashed line it is mostly ignorance: "
          "the model has seen little like these rows, and more training rows would help. Below it is mostly "
          "noise: such rows really have one class or another.{}{}",
          least < least_drawn_entropy ? fmt::format(" Entropies below {0} are drawn at {0}.", least_drawn_entropy) : "",
          selection(classes.sample.rows().size(), classes.sample.seen(), "the data")),
      {.title = "Noise and ignorance by row",
       .subtitle = fmt::format("no row can have more than log {} = {} nats", classes.names.size(), significant(most)),
       .description = fmt::format("Epistemic over aleatoric entropy of {}, row by row.", classes.target),
       .x_title = "noise: aleatoric entropy (nats)",
       .y_title = "ignorance: epistemic entropy (nats)",
       .x_logarithmic = true,
       .y_logarithmic = true,
       .x_range = range,
       .y_range = range,
       .marks = std::move(marks)});
}

Figure entropy_figure(const ChartedClasses& classes) {
  constexpr std::size_t most_groups = 100;
  Mark noise{.kind = MarkKind::band, .label = "noise: aleatoric entropy"};
  Mark ignorance{.kind = MarkKind::band, .label = "ignorance: epistemic entropy", .role = Role::fourth};
  for (const scoring::EntropyGroup& group : scoring::entropy_groups(classes.sample.rows(), most_groups)) {
    for (Mark* band : {&noise, &ignorance}) band->x.push_back(100 * group.share);
    noise.y.push_back(0);
    noise.y_end.push_back(group.aleatoric);
    ignorance.y.push_back(group.aleatoric);
    ignorance.y_end.push_back(group.aleatoric + group.epistemic);
  }
  const double top = std::ranges::max(ignorance.y_end);
  return one_chart(
      fmt::format(
          "Rows in the order of their entropy, which is the height of both areas together. The lower area is what "
          "would stay with any number of training rows, the upper one what more of them would take away.{}",
          selection(classes.sample.rows().size(), classes.sample.seen(), "the data")),
      {.title = "Entropy from sure to unsure rows",
       .subtitle = "split into noise and ignorance",
       .description =
           fmt::format("Aleatoric and epistemic entropy of {}, rows in the order of their entropy.", classes.target),
       .x_title = "rows, surest first (%)",
       .y_title = "entropy (nats)",
       .x_range = whole_percent,
       .y_range = Range{0, top > 0 ? 1.05 * top : 1},
       .marks = {std::move(noise), std::move(ignorance)}});
}

Mark foreign_bars(std::string label, Role role, const std::vector<double>& shares, double high) {
  Mark bars = percent_bars(std::move(label), shares, role);
  bars.x = times(high / 100, bars.x);
  bars.x_end = times(high / 100, bars.x_end);
  return bars;
}

Figure foreign_histogram(const std::vector<scoring::RankedPair>& pairs, const std::string& name, double auroc) {
  constexpr std::size_t bins = 20;
  const scoring::PairHistogram histogram = scoring::pair_histogram(pairs, bins);
  const double high = histogram.high > 0 ? histogram.high : 1;
  const double top = std::max(std::ranges::max(histogram.first), std::ranges::max(histogram.second));
  auto [own, foreign] = halved({foreign_bars("rows of the data", Role::estimate, histogram.second, high),
                                foreign_bars("foreign rows", Role::truth, histogram.first, high)});
  return one_chart(
      fmt::format(
          "How the rows divide by their {}. Good: foreign rows stand on the right, where few others do. Where both "
          "stand in the same place, {} cannot tell them apart. AUROC is the share of pairs of which the foreign row "
          "has "
          "more of it: 0.5 is chance, 1 is perfect.",
          name, name),
      {.title = fmt::format("Foreign rows by {}", name),
       .subtitle = fmt::format("AUROC {}", significant(auroc)),
       .description = fmt::format("Histograms of the {} of own and of foreign rows.", name),
       .x_title = fmt::format("{} (nats)", name),
       .y_title = "share of rows (%)",
       .x_range = Range{0, high},
       .y_range = Range{0, 105 * top},
       .marks = {std::move(own), std::move(foreign)}});
}

}  // namespace

std::vector<Figure> class_figures(const ChartedClasses& classes) {
  std::vector<Figure> figures;
  if (classes.comparison != nullptr) {
    figures = {reliability_figure(classes), risk_figure(classes)};
    figures.push_back(confusion_figure(classes.comparison->extended.confusion, classes.names));
  }
  figures.push_back(confidence_figure(classes));
  figures.push_back(noise_and_ignorance_figure(classes));
  figures.push_back(entropy_figure(classes));
  return figures;
}

std::vector<Figure> foreign_figures(const scoring::ForeignScorer& foreign) {
  const ForeignScores scores = foreign.scores();
  return {foreign_histogram(foreign.by_epistemic(), "ignorance", scores.by_epistemic),
          foreign_histogram(foreign.by_entropy(), "entropy", scores.by_entropy)};
}

}  // namespace credens::report
