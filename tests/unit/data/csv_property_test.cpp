// SPDX-License-Identifier: Apache-2.0
//
// Laws of reading text: a table comes back bit for bit however it was written, and no bytes do more than throw data.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"
#include "data/compression.hpp"
#include "data/table.hpp"
#include "support/tables.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

using test::parse_csv;

/// How a table is written.
struct Way {
  char delimiter;
  std::string line_end;
  bool header;
  bool mark;      ///< byte order mark
  bool quotes;    ///< around every cell
  bool padding;   ///< blanks around cells
  bool last_end;  ///< after the last row
  test::Archive archive;
};

Way any_way() {
  return {
      .delimiter = *rc::gen::element(',', ';', '\t', ' '),
      .line_end = *rc::gen::element<std::string>("\n", "\r\n"),
      .header = *rc::gen::arbitrary<bool>(),
      .mark = *rc::gen::arbitrary<bool>(),
      .quotes = *rc::gen::arbitrary<bool>(),
      .padding = *rc::gen::arbitrary<bool>(),
      .last_end = *rc::gen::arbitrary<bool>(),
      .archive = *rc::gen::element(test::Archive::none, test::Archive::gzip, test::Archive::xz, test::Archive::zstd)};
}

std::string line_of(const std::vector<std::string>& cells, const Way& way) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty()) line += way.delimiter;
    if (way.padding) line += "  ";
    line += way.quotes ? "\"" + cell + "\"" : cell;
    if (way.padding) line += ' ';
  }
  return line;
}

std::string written(const Matrix& values, const Way& way) {
  std::vector<std::string> lines;
  if (way.header) {
    std::vector<std::string> names;
    for (std::size_t col = 0; col < values.cols(); ++col) names.push_back("x" + std::to_string(col));
    lines.push_back(line_of(names, way));
  }
  for (std::size_t row = 0; row < values.rows(); ++row) {
    std::vector<std::string> cells;
    for (const double value : values.row(row)) cells.push_back(base::to_text(value));
    lines.push_back(line_of(cells, way));
  }
  const std::string text = (way.mark ? "\xef\xbb\xbf" : "") + base::join(lines, way.line_end);
  return test::pack(way.archive, way.last_end ? text + way.line_end : text);
}

Matrix any_matrix() {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 12);
  const auto cols = *rc::gen::inRange<std::size_t>(1, 6);
  const auto finite = rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      [](double value) { return std::isfinite(value); });
  const auto any = rc::gen::oneOf(finite, rc::gen::cast<double>(rc::gen::arbitrary<int>()));
  return {rows, cols, *rc::gen::container<std::vector<double>>(rows * cols, any)};
}

std::vector<std::uint64_t> bits_of(const Matrix& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values.values()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

RC_GTEST_PROP(ParseCsv, GivesBackEveryBitHoweverItWasWritten, ()) {
  const Matrix values = any_matrix();
  const Way way = any_way();
  const std::string bytes = written(values, way);
  const Table table = parse_csv(decompress(bytes, "t"), "t");
  RC_ASSERT(table.rows() == values.rows());
  RC_ASSERT(table.cols() == values.cols());
  RC_ASSERT(table.names.size() == (way.header ? values.cols() : 0));
  RC_ASSERT(table.faults.empty());
  RC_ASSERT(bits_of(table.values) == bits_of(values));
}

void mutate(std::string& text) {
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const char c = *rc::gen::weightedOneOf<char>(
      {{3, rc::gen::element(',', ';', '\t', ' ', '"', '\n', '\r', '\0', '.', '-', 'e', '9', 'x')},
       {1, rc::gen::arbitrary<char>()}});
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0 || at == text.size()) {
    text.insert(at, 1, c);
  } else if (kind == 1) {
    text.erase(at, 1);
  } else if (kind == 2) {
    text[at] = c;
  } else {
    text.resize(at);
  }
}

RC_GTEST_PROP(ParseCsv, ReadsOrRefusesWhateverTheBytes, ()) {
  std::string bytes = written(any_matrix(), any_way());
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) mutate(bytes);
  try {
    const Table table = parse_csv(decompress(bytes, "t"), "t");
    RC_ASSERT(table.rows() > 0 && table.cols() > 0);
    RC_ASSERT(table.names.empty() || table.names.size() == table.cols());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (std::size_t col = 0; col < table.cols(); ++col) {
        const bool is_named =
            (!table.faults.empty() && table.faults[col]) || (!table.missing.empty() && table.missing[col]);
        RC_ASSERT(std::isfinite(table.values(row, col)) || is_named);
      }
    }
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::data);
  }
}

}  // namespace
}  // namespace credens::data
