// SPDX-License-Identifier: Apache-2.0

#include "report/confusions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "math/statistics.hpp"
#include "report/chart_parts.hpp"
#include "report/table.hpp"

namespace credens::report {

namespace {

constexpr std::size_t most_matrix_classes = 20;
constexpr std::size_t most_tabled_classes = 12;  ///< of which `evaluate` prints the whole matrix
constexpr std::size_t most_confusions = 15;

/// Weight of the rows of each class, and of those that are predicted as such.
struct ClassWeights {
  std::vector<double> observed;
  std::vector<double> predicted;
};

ClassWeights class_weights_of(const Matrix& confusion) {
  const std::size_t classes = confusion.rows();
  ClassWeights weights{std::vector<double>(classes), std::vector<double>(classes)};
  for (std::size_t k = 0; k < classes; ++k) {
    math::CompensatedSum observed;
    math::CompensatedSum predicted;
    for (std::size_t other = 0; other < classes; ++other) {
      observed.add(confusion(k, other));
      predicted.add(confusion(other, k));
    }
    weights.observed[k] = observed.value();
    weights.predicted[k] = predicted.value();
  }
  return weights;
}

/// The part of a weight, as a percentage; a dash where there is no weight.
std::string share_text(double part, double weight) {
  return weight > 0 ? percent(part / weight) : "–";
}

std::string limit_sentence(std::size_t shown, std::size_t classes) {
  return shown == classes ? "" : fmt::format("Of {} classes the {} that are confused most are shown.", classes, shown);
}

Table classes_table(const Matrix& confusion, std::span<const std::string> names) {
  const ClassWeights weights = class_weights_of(confusion);
  const std::vector<std::size_t> shown = most_confused_classes(confusion, most_matrix_classes);
  Table table{.caption = "The classes: rows that are of each, and rows that are predicted as such",
              .headings = {"class", "rows", "predicted", "found", "right where predicted"}};
  if (shown.size() < names.size()) table.caption += ". " + limit_sentence(shown.size(), names.size());
  for (const std::size_t k : shown) {
    table.rows.push_back({names[k], weight_text(weights.observed[k]), weight_text(weights.predicted[k]),
                          share_text(confusion(k, k), weights.observed[k]),
                          share_text(confusion(k, k), weights.predicted[k])});
  }
  return table;
}

Table largest_confusions_table(const Matrix& confusion, std::span<const std::string> names) {
  Table table{.caption = "The most frequent confusions",
              .headings = {"observed", "predicted", "rows", "of the rows observed"}};
  for (const Confusion& one : largest_confusions(confusion, most_confusions)) {
    table.rows.push_back({names[one.observed], names[one.predicted], weight_text(one.weight), percent(one.share)});
  }
  return table;
}

Mark matrix_cells(const Matrix& confusion, std::span<const std::size_t> shown) {
  const ClassWeights weights = class_weights_of(confusion);
  Mark cells{.kind = MarkKind::cells, .label = "share of the class"};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (weights.observed[shown[i]] == 0) continue;
    for (std::size_t j = 0; j < shown.size(); ++j) {
      cells.x.push_back(static_cast<double>(j) + 0.5);
      cells.x_end.push_back(static_cast<double>(j) + 1.5);
      cells.y.push_back(static_cast<double>(i) + 0.5);
      cells.y_end.push_back(static_cast<double>(i) + 1.5);
      cells.value.push_back(100 * confusion(shown[i], shown[j]) / weights.observed[shown[i]]);
    }
  }
  return cells;
}

}  // namespace

std::string weight_text(double weight) {
  constexpr double largest_shown_whole = 1e7;
  return weight == std::floor(weight) && weight < largest_shown_whole ? fixed(weight, 0) : significant(weight, 4);
}

std::vector<Confusion> largest_confusions(const Matrix& confusion, std::size_t most) {
  const ClassWeights weights = class_weights_of(confusion);
  std::vector<Confusion> found;
  for (std::size_t k = 0; k < confusion.rows(); ++k) {
    for (std::size_t other = 0; other < confusion.cols(); ++other) {
      const double weight = confusion(k, other);
      if (other == k || weight == 0) continue;
      found.push_back({.observed = k, .predicted = other, .weight = weight, .share = weight / weights.observed[k]});
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Confusion::weight);
  found.resize(std::min(most, found.size()));
  return found;
}

std::vector<std::size_t> most_confused_classes(const Matrix& confusion, std::size_t most) {
  const ClassWeights weights = class_weights_of(confusion);
  const auto rank = [&](std::size_t k) {
    const double confused = weights.observed[k] + weights.predicted[k] - 2 * confusion(k, k);
    return std::pair(confused, weights.observed[k]);
  };
  std::vector<std::size_t> order(confusion.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), rank);
  order.resize(std::min(most, order.size()));
  std::ranges::sort(order);
  return order;
}

ConstantScores constant_scores(const Matrix& confusion) {
  const std::vector<double> observed = class_weights_of(confusion).observed;
  const double total = std::accumulate(observed.begin(), observed.end(), 0.0);
  ConstantScores scores{.accuracy = std::ranges::max(observed) / total};
  for (const double weight : observed) {
    if (weight > 0) scores.log_loss -= weight / total * std::log(weight / total);
  }
  return scores;
}

Figure confusion_figure(const Matrix& confusion, std::span<const std::string> names) {
  constexpr int height_of_frame = 150;  // pixels for title, names and colours
  constexpr int height_of_row = 22;
  const std::vector<std::size_t> shown = most_confused_classes(confusion, most_matrix_classes);
  const Range places = {0.5, static_cast<double>(shown.size()) + 0.5};
  Chart chart{.title = "Confusion matrix",
              .description = "Share of the rows of each observed class that each class is predicted for.",
              .x_title = "predicted class",
              .y_title = "observed class",
              .x_range = places,
              .y_range = places,
              .colours = {.title = "rows of the observed class (%)", .range = whole_percent},
              .height = std::max(usual_chart_height, height_of_frame + height_of_row * static_cast<int>(shown.size())),
              .marks = {matrix_cells(confusion, shown)}};
  for (const std::size_t k : shown) chart.x_names.push_back(names[k]);
  chart.y_names = chart.x_names;
  const std::string limit = limit_sentence(shown.size(), names.size());
  return one_chart(
      "Each line of the matrix is an observed class and shows what its rows were predicted as. Good: full colour on "
      "the "
      "diagonal only. A coloured field beside it is a class that is often taken for another. A line without any colour "
      "has no rows." +
          (limit.empty() ? limit : " " + limit),
      std::move(chart));
}

std::vector<Table> confusion_tables(const Matrix& confusion, std::span<const std::string> names) {
  std::vector<Table> tables = {classes_table(confusion, names)};
  if (names.size() > most_tabled_classes) {
    Table largest = largest_confusions_table(confusion, names);
    if (!largest.rows.empty()) tables.push_back(std::move(largest));
  }
  return tables;
}

}  // namespace credens::report
