// SPDX-License-Identifier: Apache-2.0

#include "decide/places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/linalg.hpp"

namespace credens::decide {

namespace {

/// Words beyond these share one number of a place with words that are new.
constexpr std::size_t most_words = 32;

/// A missing number lies this many standard deviations out where training rows have none.
constexpr double place_of_missing = 10;

/// Rarer words and gaps are farther than numbers ever are.
double rarity(std::size_t rows) {
  constexpr double far = 1e6;
  return far / (1 + static_cast<double>(rows));
}

/// |value - s| for the k-th nearest of the sorted numbers s, or for the farthest where they are fewer.
double distance_to_neighbour(const std::vector<double>& sorted, double value, std::size_t k) {
  if (sorted.empty()) return rarity(0);
  auto above = std::ranges::lower_bound(sorted, value);
  auto below = above;
  double distance = 0;
  for (std::size_t step = 0; step < std::min(k, sorted.size()); ++step) {
    const double down = below == sorted.begin() ? std::numeric_limits<double>::infinity() : value - *(below - 1);
    const double up = above == sorted.end() ? std::numeric_limits<double>::infinity() : *above - value;
    distance = std::min(down, up);
    if (down <= up) {
      --below;
    } else {
      ++above;
    }
  }
  return distance;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double nearest_row(MatrixView rows, std::span<const double> row) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.rows(); ++i) nearest = std::min(nearest, squared_distance(rows.row(i), row));
  return nearest;
}

/// S = L^-T of the covariance C = L L^T, with a little on its diagonal for inputs that depend on each other.
Matrix whitening_of(MatrixView rows) {
  constexpr double ridge = 1e-3;
  const auto count = static_cast<double>(rows.rows());
  std::vector<double> mean(rows.cols());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (std::size_t col = 0; col < rows.cols(); ++col) mean[col] += rows(row, col) / count;
  }
  Matrix covariance(rows.cols(), rows.cols());
  for (std::size_t a = 0; a < rows.cols(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t row = 0; row < rows.rows(); ++row) sum += (rows(row, a) - mean[a]) * (rows(row, b) - mean[b]);
      covariance(a, b) = covariance(b, a) = sum / count + (a == b ? ridge : 0);
    }
  }
  return math::inverse_transpose(math::cholesky(covariance).value());
}

}  // namespace

Places::Places(const data::Encoder& encoder, MatrixView training) : encoder_(encoder), columns_(training.cols()) {
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    Column& column = columns_[col];
    const bool is_word = !encoder.columns().empty() && encoder.columns()[col].kind == ColumnKind::category;
    if (is_word) column.words.resize(encoder.columns()[col].codes.size());
    for (std::size_t row = 0; row < training.rows(); ++row) {
      const double value = training(row, col);
      if (std::isnan(value)) {
        ++column.missing;
      } else if (!is_word) {
        column.sorted.push_back(encoder.scaler.apply(col, value));
      } else if (value < static_cast<double>(column.words.size())) {
        ++column.words[static_cast<std::size_t>(value)];
      }
    }
    std::ranges::sort(column.sorted);
    column.first = width_;
    width_ += is_word ? std::min(column.words.size(), most_words) + 2 : 2;
  }
  places_ = Matrix(training.rows(), width_);
  for (std::size_t row = 0; row < training.rows(); ++row) place_of(training.row(row), places_.row(row));
  whitening_ = whitening_of(places_);
  white_ = Matrix(training.rows(), width_);
  for (std::size_t row = 0; row < training.rows(); ++row) whiten(places_.row(row), white_.row(row));
}

void Places::distances_by_input(std::span<const double> row, std::span<double> distances) const {
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    const Column& column = columns_[col];
    const bool is_number = column.words.empty();
    const auto word = is_number || std::isnan(row[col]) ? 0 : static_cast<std::size_t>(row[col]);
    for (std::size_t k = 0; k < input_neighbours.size(); ++k) {
      double& distance = distances[k * columns_.size() + col];
      if (std::isnan(row[col])) {
        distance = rarity(column.missing);
      } else if (is_number) {
        distance = distance_to_neighbour(column.sorted, encoder_.scaler.apply(col, row[col]), input_neighbours[k]);
      } else {
        distance = rarity(word < column.words.size() ? column.words[word] : 0);
      }
    }
  }
}

/// A number: itself and whether it is missing. A word: 1 at its place, or at the last but one where it has none, or at
/// the last where it is missing.
void Places::place_of(std::span<const double> row, std::span<double> place) const {
  std::ranges::fill(place, 0);
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    const Column& column = columns_[col];
    const auto at = place.subspan(column.first);
    const bool is_missing = std::isnan(row[col]);
    if (column.words.empty()) {
      at[0] = is_missing ? (column.missing > 0 ? 0 : place_of_missing) : encoder_.scaler.apply(col, row[col]);
      at[1] = is_missing && column.missing > 0 ? 1 : 0;
      continue;
    }
    const std::size_t own = std::min(column.words.size(), most_words);
    at[is_missing ? own + 1 : std::min(static_cast<std::size_t>(row[col]), own)] = 1;
  }
}

void Places::whiten(std::span<const double> place, std::span<double> white) const {
  std::ranges::fill(white, 0);
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (std::size_t k = i; k < place.size(); ++k) white[k] += whitening_(i, k) * place[i];
  }
}

std::array<double, 2> Places::nearest(std::span<const double> row) const {
  std::vector<double> place(width_);
  std::vector<double> white(width_);
  place_of(row, place);
  whiten(place, white);
  return {nearest_row(places_, place), nearest_row(white_, white)};
}

}  // namespace credens::decide
