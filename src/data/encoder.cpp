// SPDX-License-Identifier: Apache-2.0

#include "data/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.hpp"
#include "data/date.hpp"

namespace credens::data {

namespace {

/// Vectors of words are no longer than this: words that behave alike are told apart by few numbers.
constexpr std::size_t widest_table = 8;

/// Writes the floats of a row in their three parts.
struct RowParts {
  float* number;
  float* flag;
  float* code;
};

/// Zeros where the date is missing.
void write_waves(Cycle cycle, double date, RowParts& at) {
  const double turn = 2 * std::numbers::pi * std::fmod(date, seconds_of(cycle)) / seconds_of(cycle);
  for (std::size_t wave = 1; wave <= waves_of(cycle); ++wave) {
    const double angle = static_cast<double>(wave) * turn;
    *at.flag++ = std::isnan(date) ? 0.0F : static_cast<float>(std::sin(angle));
    *at.flag++ = std::isnan(date) ? 0.0F : static_cast<float>(std::cos(angle));
  }
}

bool encode_number(const InputEncoding& column, const Scaler& scaler, std::size_t col, double value, RowParts& at,
                   bool& has_missing) {
  const bool is_missing = std::isnan(value);
  const double scaled = is_missing ? 0 : scaler.apply(col, value);
  if (!(std::abs(scaled) <= largest_scaled)) return false;
  *at.number++ =
      is_missing && !column.flags_missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(scaled);
  has_missing = has_missing || (is_missing && !column.flags_missing);
  if (column.flags_missing) *at.flag++ = is_missing ? 1.0F : 0.0F;
  for (const Cycle cycle : column.cycles) write_waves(cycle, value, at);
  if (column.has_table()) {
    const double day = is_missing ? value : static_cast<double>(calendar_day(value));
    *at.code++ = static_cast<float>(column.code_of(day));
  }
  return true;
}

}  // namespace

double seconds_of(Cycle cycle) {
  constexpr double day = 86400;
  switch (cycle) {
    case Cycle::day:
      return day;
    case Cycle::week:
      return 7 * day;
    case Cycle::year:
      return 365.2425 * day;
  }
  return day;
}

std::size_t waves_of(Cycle cycle) {
  return cycle == Cycle::week ? 3 : 1;
}

LevelTable InputEncoding::table() const {
  const std::size_t known = learned + 2;  // with those too rare and what is missing
  return {.rows = learned + 3, .width = std::min(known, widest_table)};
}

std::uint32_t InputEncoding::code_of(double level) const {
  if (std::isnan(level)) return missing_code();
  return level >= 0 && level < static_cast<double>(codes.size()) ? codes[static_cast<std::size_t>(level)]
                                                                 : unseen_code();
}

Encoder::Encoder(Scaler of_inputs, std::vector<InputEncoding> encodings)
    : scaler(std::move(of_inputs)), columns_(std::move(encodings)) {
  for (const InputEncoding& column : columns_) {
    words_ += column.kind == ColumnKind::category ? 1 : 0;
    flags_ += column.flags_missing ? 1 : 0;
    for (const Cycle cycle : column.cycles) flags_ += 2 * waves_of(cycle);
    if (column.has_table()) tables_.push_back(column.table());
  }
}

Encoded encode(const Encoder& encoder, MatrixView inputs, float* out, std::size_t stride) {
  if (encoder.columns().empty() && scale_in_range(encoder.scaler, inputs, out, stride)) return {};
  static const InputEncoding plain_number;
  Encoded result;
  const std::size_t numbers = encoder.numbers();
  const std::size_t flags = encoder.flags();
  for (std::size_t row = 0; row < inputs.rows(); ++row, out += stride) {
    RowParts at{.number = out, .flag = out + numbers, .code = out + numbers + flags};
    for (std::size_t col = 0; col < inputs.cols(); ++col) {
      const InputEncoding& column = encoder.columns().empty() ? plain_number : encoder.columns()[col];
      const double value = inputs(row, col);
      if (column.kind == ColumnKind::category) {
        *at.code++ = static_cast<float>(column.code_of(value));
      } else if (!encode_number(column, encoder.scaler, col, value, at, result.has_missing)) {
        return {.in_range = false};
      }
    }
    std::fill(at.code, out + stride, 0.0F);
  }
  return result;
}

std::pair<std::size_t, std::size_t> refused_cell(const Encoder& encoder, MatrixView inputs) {
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    for (std::size_t col = 0; col < inputs.cols(); ++col) {
      const bool is_word = !encoder.columns().empty() && encoder.columns()[col].kind == ColumnKind::category;
      const double value = inputs(row, col);
      if (is_word || std::isnan(value) || std::abs(encoder.scaler.apply(col, value)) <= largest_scaled) continue;
      return {row, col};
    }
  }
  base::fail(ErrorCode::failure, "inputs that can be encoded were refused");
}

}  // namespace credens::data
