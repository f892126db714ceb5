// SPDX-License-Identifier: Apache-2.0

#include "report/moons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace credens::report {

namespace {

constexpr Range across = {MoonsGrid::left, MoonsGrid::left + MoonsGrid::step* MoonsGrid::columns};
constexpr Range upward = {MoonsGrid::bottom, MoonsGrid::bottom + MoonsGrid::step* MoonsGrid::lines};

/// Distance of each cell's centre from the nearest training row.
std::vector<double> distances(MatrixView centres, MatrixView train) {
  std::vector<double> nearest;
  for (std::size_t cell = 0; cell < centres.rows(); ++cell) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < train.rows(); ++row) {
      least = std::min(least, std::hypot(centres(cell, 0) - train(row, 0), centres(cell, 1) - train(row, 1)));
    }
    nearest.push_back(least);
  }
  return nearest;
}

/// Mean of the values of the chosen cells.
template <class Choice>
double mean_where(const std::vector<double>& values, const Choice& is_chosen) {
  double sum = 0;
  double count = 0;
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (!is_chosen(cell)) continue;
    sum += values[cell];
    ++count;
  }
  return sum / count;
}

MoonsSide side_of(const ClassPredictive& map, const ClassPredictive& test, MatrixView targets,
                  const std::vector<double>& distance) {
  MoonsSide side{.scores = score(test, targets), .noise = map.aleatoric, .ignorance = map.epistemic};
  std::vector<double> confidence;
  for (std::size_t cell = 0; cell < map.rows(); ++cell) {
    side.probability.push_back(map.probability(cell, 0));
    confidence.push_back(std::ranges::max(map.probability.row(cell)));
  }
  const auto is_far = [&](std::size_t cell) { return distance[cell] > moons_far; };
  side.near_ignorance = mean_where(map.epistemic, [&](std::size_t cell) { return distance[cell] <= moons_near; });
  side.far_ignorance = mean_where(map.epistemic, is_far);
  side.far_confidence = mean_where(confidence, is_far);
  return side;
}

std::array<Matrix, 2> places_of(const Dataset& train) {
  std::array<std::vector<double>, 2> values;
  for (std::size_t row = 0; row < train.rows(); ++row) {
    std::vector<double>& of_class = values.at(static_cast<std::size_t>(train.targets()(row, 0)));
    of_class.insert(of_class.end(), {train.inputs()(row, 0), train.inputs()(row, 1)});
  }
  return {Matrix(values[0].size() / 2, 2, values[0]), Matrix(values[1].size() / 2, 2, values[1])};
}

Mark map_of(std::string label, const std::vector<double>& values) {
  Mark cells{.kind = MarkKind::cells, .label = std::move(label), .value = values};
  const Matrix centres = MoonsGrid::centres();
  for (std::size_t cell = 0; cell < centres.rows(); ++cell) {
    cells.x.push_back(centres(cell, 0) - MoonsGrid::step / 2);
    cells.x_end.push_back(centres(cell, 0) + MoonsGrid::step / 2);
    cells.y.push_back(centres(cell, 1) - MoonsGrid::step / 2);
    cells.y_end.push_back(centres(cell, 1) + MoonsGrid::step / 2);
  }
  for (double& value : cells.value) value = std::round(value * 1e4) / 1e4;  // as fine as colours are
  return cells;
}

Mark training_points(const Moons& moons, std::size_t number, Role role) {
  Mark points{.kind = MarkKind::points, .label = "training rows, " + moons.classes.at(number), .role = role};
  const Matrix& places = moons.train.at(number);
  for (std::size_t row = 0; row < places.rows(); ++row) {
    points.x.push_back(places(row, 0));
    points.y.push_back(places(row, 1));
  }
  return points;
}

Chart map_chart(const Moons& moons, std::string title, ColourScale colours, const std::vector<double>& values) {
  constexpr int height = 320;
  return {.title = std::move(title),
          .description = fmt::format("Map of the plane with the {}, and the training rows.", colours.title),
          .x_title = "x1",
          .y_title = "x2",
          .x_range = across,
          .y_range = upward,
          .colours = colours,
          .height = height,
          .marks = {map_of(colours.title, values), training_points(moons, 0, Role::estimate),
                    training_points(moons, 1, Role::fourth)}};
}

}  // namespace

Matrix MoonsGrid::centres() {
  Matrix places(lines * columns, 2);
  for (std::size_t cell = 0; cell < places.rows(); ++cell) {
    places(cell, 0) = left + step * (static_cast<double>(cell % columns) + 0.5);
    places(cell, 1) = bottom + step * (static_cast<double>(cell / columns) + 0.5);
  }
  return places;
}

Moons make_moons(const Ensemble& wide, const Dataset& train, const Dataset& test, int threads) {
  const Matrix centres = MoonsGrid::centres();
  const std::vector<double> distance = distances(centres, train.inputs());
  const auto side = [&](bool classical) {
    const ClassOptions options{.classical = classical, .threads = threads};
    return side_of(wide.predict_classes(centres, options), wide.predict_classes(test.inputs(), options), test.targets(),
                   distance);
  };
  const std::vector<std::string> classes = wide.classes();
  return {.classes = {classes.at(0), classes.at(1)},
          .train = places_of(train),
          .test_rows = test.rows(),
          .classical = side(true),
          .extended = side(false)};
}

Table moons_scores(const Moons& moons) {
  const auto row = [&](std::string name, const auto& value, const auto& text) {
    return std::vector<std::string>{std::move(name), text(value(moons.classical)), text(value(moons.extended))};
  };
  const auto number = [](double value) { return significant(value); };
  return {
      .caption = fmt::format("Two moons, at {} test rows", moons.test_rows),
      .headings = {"", "classical", "extended"},
      .rows = {
          row(
              "log loss (nats per row)", [](const MoonsSide& side) { return side.scores.log_loss; }, number),
          row(
              "accuracy", [](const MoonsSide& side) { return side.scores.accuracy; }, percent),
          row(
              "mean ignorance near training rows (nats)", [](const MoonsSide& side) { return side.near_ignorance; },
              number),
          row(
              "mean ignorance far from them (nats)", [](const MoonsSide& side) { return side.far_ignorance; }, number),
          row(
              "mean confidence far from them", [](const MoonsSide& side) { return side.far_confidence; }, percent)}};
}

Figure moons_maps(const Moons& moons) {
  Figure maps{
      .caption =
          "First row: the classical ensemble. Second row: the extended one. From left to right: the probability "
          "of a class, the noise (aleatoric entropy) and the ignorance (epistemic entropy). Noise is strong "
          "where the moons meet: a new row there may be of either class, and more training rows would not help. "
          "Ignorance is strong where the ensemble does not know how the border between the classes goes on, because "
          "no training rows are there.",
      .columns = 3};
  const double most_ignorance =
      std::max(std::ranges::max(moons.classical.ignorance), std::ranges::max(moons.extended.ignorance));
  for (const auto& [side, name] : {std::pair(&moons.classical, "classical"), std::pair(&moons.extended, "extended")}) {
    maps.charts.push_back(map_chart(moons, fmt::format("Probability of {}, {}", moons.classes[0], name),
                                    {.title = "probability of " + moons.classes[0], .has_middle = true},
                                    side->probability));
    maps.charts.push_back(map_chart(moons, fmt::format("Noise, {}", name),
                                    {.title = "aleatoric entropy (nats)", .range = {0, std::numbers::ln2}},
                                    side->noise));
    maps.charts.push_back(map_chart(moons, fmt::format("Ignorance, {}", name),
                                    {.title = "epistemic entropy (nats)", .range = {0, most_ignorance}},
                                    side->ignorance));
  }
  return maps;
}

Section moons_section(const Moons& moons) {
  const std::string setting = fmt::format(
      "The same for classes: {} rows from two half circles that reach into each other, one class each, with noise in "
      "both "
      "coordinates. Ten networks learned to tell the classes. The uncertainty of a row is the entropy of its class "
      "probabilities, split into noise and ignorance.",
      moons.train[0].rows() + moons.train[1].rows());
  const std::string answer = fmt::format(
      "Near the training rows both ensembles agree. Far from them, where no row says anything, the classical one gives "
      "its class a probability of {} on average and has an ignorance of {} nats; the extended one {} and {}. Near is "
      "up "
      "to {} from a training row, far is more than {} from all of them.",
      percent(moons.classical.far_confidence), significant(moons.classical.far_ignorance),
      percent(moons.extended.far_confidence), significant(moons.extended.far_ignorance), moons_near, moons_far);
  return {.title = "Two moons",
          .paragraphs = {setting, answer},
          .figures = {moons_maps(moons)},
          .tables = {moons_scores(moons)}};
}

}  // namespace credens::report
