// SPDX-License-Identifier: Apache-2.0

#include "data/heavy_tails.hpp"

#include <algorithm>
#include <cmath>

namespace credens::data {

namespace {

/// Some of the values it is given, the first among them and evenly spread, whatever their number.
class EvenSample {
 public:
  void add(double value) {
    if (seen_ == next_) {
      if (values_.size() == most) thin_out();
      values_.push_back(value);
      next_ += step_;
    }
    ++seen_;
  }

  /// By linear interpolation between the sorted values, of which there must be one.
  double quantile(double share) {
    std::ranges::sort(values_);
    const double place = share * static_cast<double>(values_.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    const double above = values_[std::min(below + 1, values_.size() - 1)];
    return (1 - part) * values_[below] + part * above;
  }

 private:
  static constexpr std::size_t most = 10'000;  // even, so that the next value is one that thinner sampling takes

  void thin_out() {
    for (std::size_t i = 0; i < most / 2; ++i) values_[i] = values_[2 * i];
    values_.resize(most / 2);
    step_ *= 2;
  }

  std::vector<double> values_;
  std::size_t seen_ = 0;
  std::size_t next_ = 0;
  std::size_t step_ = 1;
};

/// Calls visit(inputs) for each row that counts, from the first on.
template <class Visit>
void for_each_row(RowSource& source, const Visit& visit) {
  source.rewind();
  for (RowBlock block; source.next(block);) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      if (block.weights.empty() || block.weights[row] > 0) visit(block.inputs.row(row));
    }
  }
}

void find_quantiles(RowSource& source, const std::vector<std::size_t>& columns, Scaler& scaler) {
  constexpr double normal_range = 1.349;  // interquartile range of the standard normal
  std::vector<EvenSample> samples(columns.size());
  for_each_row(source, [&](std::span<const double> row) {
    for (std::size_t i = 0; i < columns.size(); ++i) samples[i].add(row[columns[i]]);
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    scaler.centre[columns[i]] = samples[i].quantile(0.5);
    scaler.width[columns[i]] = (samples[i].quantile(0.75) - samples[i].quantile(0.25)) / normal_range;
  }
}

/// Of columns with half of their rows at one value.
void find_widths_off_centre(RowSource& source, const std::vector<std::size_t>& columns, Scaler& scaler) {
  if (columns.empty()) return;
  std::vector<EvenSample> distances(columns.size());
  for_each_row(source, [&](std::span<const double> row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double distance = std::abs(row[columns[i]] - scaler.centre[columns[i]]);
      if (distance > 0) distances[i].add(distance);
    }
  });
  for (std::size_t i = 0; i < columns.size(); ++i) scaler.width[columns[i]] = distances[i].quantile(0.5);
}

ColumnMoments bent_moments(RowSource& source, const Scaler& scaler) {
  ColumnMoments moments(scaler.width.size());
  Matrix bent;
  source.rewind();
  for (RowBlock block; source.next(block);) {
    bent.resize(block.rows(), block.inputs.cols());
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t col = 0; col < bent.cols(); ++col) bent(row, col) = scaler.bent(col, block.inputs(row, col));
    }
    moments.add(bent, block.weights);
  }
  return moments;
}

}  // namespace

double heavy_tail(std::size_t rows) {
  constexpr double distance = 6;
  constexpr std::size_t enough_rows = 20;  // fewer are far from their mean too easily
  return rows < enough_rows ? distance : std::min(distance, 0.9 * std::sqrt(static_cast<double>(rows - 1)));
}

Scaler bending_scaler(RowSource& source, const ColumnMoments& moments, std::span<const std::string> labels) {
  const std::vector<std::size_t> columns = moments.columns_with_outliers(heavy_tail(moments.rows()));
  if (columns.empty()) return moments.scaler(labels);
  Scaler bend;
  bend.centre.resize(source.layout().inputs.cols());
  bend.width.resize(bend.centre.size());
  find_quantiles(source, columns, bend);
  std::vector<std::size_t> without_width;
  std::ranges::copy_if(columns, std::back_inserter(without_width),
                       [&](std::size_t col) { return bend.width[col] == 0; });
  find_widths_off_centre(source, without_width, bend);

  Scaler scaler = bent_moments(source, bend).scaler(labels);
  scaler.centre = std::move(bend.centre);
  scaler.width = std::move(bend.width);
  source.rewind();
  return scaler;
}

}  // namespace credens::data
