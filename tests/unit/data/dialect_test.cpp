// SPDX-License-Identifier: Apache-2.0

#include "data/dialect.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "base/text.hpp"
#include "data/csv_line.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"

namespace credens::data {
namespace {

char decimal_of(std::string_view text) {
  return recognise_dialect(text, {}).decimal;
}

TEST(RecogniseDecimal, IsAPointUnlessFractionsHaveCommas) {
  EXPECT_EQ(decimal_of("1;2\n3;4\n"), '.');
  EXPECT_EQ(decimal_of("a;b\n1.5;2\n"), '.');
  EXPECT_EQ(decimal_of("a;b\n1,5;2\n"), ',');
  EXPECT_EQ(decimal_of("a\tb\n1,5\t2\n"), ',');
  EXPECT_EQ(decimal_of("a,b\n1,5\n"), '.');
  EXPECT_EQ(recognise_dialect("1,5\n2,5\n", {.delimiter = ';'}).decimal, '.') << "a single column";
}

TEST(RecogniseDecimal, TakesTheMarkOfMostFractions) {
  EXPECT_EQ(decimal_of("a;b;c\n1,5;2,5;1.5\n"), ',');
  EXPECT_EQ(decimal_of("a;b;c\n1,5;2.5;1.5\n"), '.');
  EXPECT_EQ(decimal_of("a;b\n1,5;2.5\n"), '.');
}

TEST(RecogniseDecimal, DoesNotTakeThousandsForFractions) {
  EXPECT_EQ(decimal_of("a\tb\n1,234\t2,345\n"), '.') << "1234 or 1.234";
  EXPECT_EQ(decimal_of("a\tb\n0,234\t2,345\n"), ',') << "no number of thousands starts with 0";
  EXPECT_EQ(decimal_of("a\tb\n1,23\t2,345\n"), ',');
  EXPECT_EQ(decimal_of("a\tb\n1234,567\t2,345\n"), ',');
  EXPECT_EQ(decimal_of("a;b\n1,234;2,345\n"), ',') << "tables with semicolons come from where commas are decimal";
}

TEST(RecogniseDialect, SeesBlanksBetweenDecimalCommas) {
  EXPECT_EQ(recognise_dialect("1,5 2,5\n3,5 4\n", {}).delimiter, ' ');
  EXPECT_EQ(recognise_dialect("a b\n1,5 2,5\n3,5 4\n", {}).delimiter, ' ');
  EXPECT_EQ(recognise_dialect("1, 2\n3, 4\n", {}).delimiter, ',');
  EXPECT_EQ(recognise_dialect("1 ,2\n3 ,4\n", {}).delimiter, ',');
  EXPECT_EQ(recognise_dialect("1,5\n3,5\n", {}).delimiter, ',');
}

TEST(RecogniseDialect, LeavesCommasToNumbersIfTheyAreDecimal) {
  const Dialect dialect = recognise_dialect("1,5\n3,5\n", {.decimal = ','});
  EXPECT_NE(dialect.delimiter, ',');
  EXPECT_EQ(dialect.decimal, ',');
  EXPECT_EQ(recognise_dialect("1,5;2\n", {.decimal = '.'}).decimal, '.');
}

TEST(RecogniseDialect, RefusesMarksThatContradictEachOther) {
  EXPECT_THAT([] { recognise_dialect("1,5\n", {.delimiter = ',', .decimal = ','}); },
              test::Fails(ErrorCode::usage, "both the decimal mark and the delimiter are a comma, expected two marks"));
  EXPECT_THAT([] { recognise_dialect("1,5\n", {.decimal = ';'}); },
              test::Fails(ErrorCode::usage, "decimal mark \";\" is unknown, expected a point or a comma"));
  EXPECT_THAT([] { recognise_dialect("1;5\n", {.header = false, .unit_line = true}); },
              test::Fails(ErrorCode::usage, "a line of units is given, but no header above it"));
}

bool has_units(std::string_view text, const TableFormat& format = {}) {
  return recognise_dialect(text, format).unit_line;
}

TEST(RecogniseUnits, FindsWordsBetweenNamesAndNumbers) {
  EXPECT_TRUE(has_units("id;length;strength\n-;mm;MPa\n1;2;3\n"));
  EXPECT_TRUE(has_units("id;length\n;mm\n1;2\n3;\n")) << "empty cells";
  EXPECT_TRUE(has_units("name;length\n;mm\nbolt;2\nnut;3,5\n"));
  EXPECT_TRUE(has_units("x\nmm\n1\n"));
  EXPECT_TRUE(has_units("x,y,z\n[mm],-,[pieces of 8]\n1,2,3\n"));
  EXPECT_TRUE(has_units("x,y\nkg/m³,Stück\n1,2\n")) << "as many units as words that may be some";
}

TEST(RecogniseUnits, DoesNotTakeRowsForUnits) {
  EXPECT_FALSE(has_units("a,b\n1,2\n3,4\n"));
  EXPECT_FALSE(has_units("a,b\nx,2\n3,4\n")) << "a number beside the word";
  EXPECT_FALSE(has_units("a,b\nNA,NA\n3,4\n")) << "missing values";
  EXPECT_FALSE(has_units("colour,y\nred,\nblue,4\n")) << "words above words";
  EXPECT_FALSE(has_units("a,b\nmm,MPa\n")) << "no row";
  EXPECT_FALSE(has_units("1,2\nmm,MPa\n3,4\n")) << "no names";
  EXPECT_FALSE(has_units("a,b\nmm\n3,4\n")) << "fewer than names";
}

TEST(RecogniseUnits, DoesNotTakeMeasurementsForUnits) {
  const Dialect dialect = recognise_dialect("site,length,mass\nVic,n.d.,n.d.\nVic,1,2\nTas,3,4\n", {});
  EXPECT_FALSE(dialect.unit_line);
  EXPECT_TRUE(dialect.doubtful_units);
  EXPECT_FALSE(has_units("a,b,c\nlost,trace,mm\n1,2,3\n")) << "fewer units than other words";
  EXPECT_FALSE(has_units("a,b\n-,-\n1,2\n"));
  EXPECT_FALSE(recognise_dialect("a,b\n1,2\n3,4\n", {}).doubtful_units);
  EXPECT_FALSE(recognise_dialect("a,b\nmm,s\n3,4\n", {.unit_line = false}).doubtful_units);
}

TEST(RecogniseUnits, AsksTheUserFirst) {
  EXPECT_FALSE(has_units("a,b\nmm,MPa\n3,4\n", {.unit_line = false}));
  EXPECT_TRUE(has_units("a,b\n1,2\n3,4\n", {.header = true, .unit_line = true}));
  EXPECT_TRUE(has_units("2019,2020\n1,2\n3,4\n", {.unit_line = true})) << "and so a header";
  EXPECT_FALSE(has_units("a,b\nmm,MPa\n3,4\n", {.header = true, .delimiter = ','})) << "no line is looked at";
}

TEST(LinesToRecognise, AreNoneIfAllIsGiven) {
  EXPECT_EQ(lines_to_recognise({.header = true, .delimiter = ','}), 0);
  EXPECT_EQ(lines_to_recognise({.header = true, .delimiter = ';'}), sampled_lines);
  EXPECT_EQ(lines_to_recognise({.header = true, .delimiter = ';', .decimal = ','}), 0);
  EXPECT_EQ(lines_to_recognise({}), sampled_lines);
}

TEST(ReadCell, KnowsTheOtherMark) {
  EXPECT_EQ(read_cell("1,5", ',').value, 1.5);
  EXPECT_EQ(read_cell("-1,5e-3", ',').value, -1.5e-3);
  EXPECT_EQ(read_cell("12", ',').value, 12);
  EXPECT_EQ(read_cell("1.5", ',').kind, CellKind::decimal_point);
  EXPECT_EQ(read_cell("1.234,5", ',').kind, CellKind::grouped);
  EXPECT_EQ(read_cell("1.234.567", ',').kind, CellKind::grouped);
  EXPECT_EQ(read_cell("1,234,567", '.').kind, CellKind::grouped);
  EXPECT_EQ(read_cell("1,234.5", '.').kind, CellKind::grouped);
  EXPECT_EQ(read_cell("1,23,456", '.').kind, CellKind::text);
  EXPECT_EQ(read_cell("1,5,5", ',').kind, CellKind::text);
  EXPECT_EQ(read_cell("1e999", ',').kind, CellKind::overflow);
  EXPECT_EQ(complaint(CellKind::decimal_point, "1.5"), "\"1.5\" has a decimal point, expected a decimal comma");
  EXPECT_EQ(complaint(CellKind::grouped, "1.234,5"), "\"1.234,5\" has separated thousands, expected digits alone");
}

/// A table with points and the same one with commas, read to the same bits.
RC_GTEST_PROP(DecimalCommas, ReadAsPoints, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<double>>());
  std::string points = "a;b\n";
  for (const double value : values) points += base::to_text(value) + ";0.5\n";
  std::string commas = points;
  std::ranges::replace(commas, '.', ',');
  const Table expected = test::parse_csv(points, "points");
  const Table found = test::parse_csv(commas, "commas");
  RC_ASSERT(found.decimal == ',');
  RC_ASSERT(std::ranges::equal(found.values.values(), expected.values.values(), {},
                               std::bit_cast<std::uint64_t, double>, std::bit_cast<std::uint64_t, double>));
}

TEST(DecimalCommas, ComplainOfPointsByPlace) {
  const Table table = test::parse_csv("a;b\n1,5;2\n2,5;3\n1.5;4\n", "t.csv");
  ASSERT_TRUE(table.faults[0].has_value());
  EXPECT_EQ(table.faults[0]->sentence, "t.csv:4:1 (a): \"1.5\" has a decimal point, expected a decimal comma");
}

TEST(UnitLine, MovesTheRowsDown) {
  const Table table = test::parse_csv("a;b (s)\nmm;\n1;x\n2;3\n", "t.csv");
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.units, (std::vector<std::string>{"mm", "s"}));
  EXPECT_EQ(table.faults[1]->sentence, "t.csv:3:2 (b): \"x\" is not a number");
}

}  // namespace
}  // namespace credens::data
