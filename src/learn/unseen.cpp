// SPDX-License-Identifier: Apache-2.0

#include "learn/unseen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace credens::learn {

namespace {

/// The values of a column, evenly thinned to at most `most`.
std::vector<float> thinned(const std::vector<double>& sorted, const data::Scaler& scaler, std::size_t col) {
  constexpr std::size_t most = 1000;
  const std::size_t count = std::min(most, sorted.size());
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = (2 * i + 1) * sorted.size() / (2 * count);
    values.push_back(static_cast<float>(scaler.apply(col, sorted[place])));
  }
  return values;
}

}  // namespace

std::size_t drawn_value(const DrawPlace& place, std::size_t count) {
  base::RandomStream random(
      {.seed = place.seed, .purpose = base::Purpose::unseen, .member = place.column, .attempt = place.code});
  double whole = 0;
  const double turn = random.uniform(0, 1) + static_cast<double>(place.member) / std::numbers::phi;
  const double part = std::modf(turn, &whole);
  return std::min(count - 1, static_cast<std::size_t>(part * static_cast<double>(count)));
}

std::vector<std::vector<float>> number_values(const data::RowSample& sample, const data::Encoder& encoder) {
  std::vector<std::vector<float>> values;
  for (std::size_t col = 0; col < encoder.scaler.cols(); ++col) {
    const bool is_word = !encoder.columns().empty() && encoder.columns()[col].kind == ColumnKind::category;
    if (!is_word) values.push_back(thinned(sample.sorted_column(col), encoder.scaler, col));
  }
  return values;
}

std::vector<float> substitutes_for(const std::vector<std::vector<float>>& values, std::uint64_t seed,
                                   std::size_t member) {
  std::vector<float> substitutes;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const DrawPlace place{.seed = seed, .member = member, .column = j};
    substitutes.push_back(values[j].empty() ? 0.0F : values[j][drawn_value(place, values[j].size())]);
  }
  return substitutes;
}

/// The last two rows of a table, for what is missing and what was never seen, are no words to draw from.
void complete_tables(const std::vector<bool>& is_used, std::uint64_t seed, std::size_t member, model::Mlp& network) {
  float* table = network.tables().data();
  std::size_t first = 0;
  for (std::size_t t = 0; t < network.shape().tables.size(); ++t) {
    const auto [rows, width] = network.shape().tables[t];
    std::vector<std::size_t> words;
    for (std::size_t row = 0; row + 2 < rows; ++row) {
      if (is_used[first + row]) words.push_back(row);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (is_used[first + row]) continue;
      const DrawPlace place{.seed = seed, .member = member, .column = t, .code = row + 1};
      if (words.empty()) {
        std::fill_n(table + row * width, width, 0.0F);
      } else {
        std::copy_n(table + words[drawn_value(place, words.size())] * width, width, table + row * width);
      }
    }
    table += rows * width;
    first += rows;
  }
}

}  // namespace credens::learn
