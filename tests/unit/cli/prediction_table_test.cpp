// SPDX-License-Identifier: Apache-2.0

#include "cli/prediction_table.hpp"

#include <gmock/gmock.h>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/read_npy.hpp"

namespace credens::cli {
namespace {

using testing::ElementsAre;

/// Two rows, one member, two outputs, with numbers that show where each lands.
Predictive example() {
  return Predictive({.rows = 2,
                     .outputs = 2,
                     .weights = {1},
                     .mean = {1, 10, 2, 20},
                     .aleatoric_variance = {9, 9, 9, 9},
                     .epistemic_variance = {16, 16, 16, 16}});
}

std::vector<std::string> names_of(const std::vector<data::Column>& outputs, const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  for (const WrittenColumn& column : prediction_columns(outputs, quantities)) names.push_back(column.name);
  return names;
}

TEST(PredictionValues, StandInTheOrderOfTheirColumns) {
  const PredictionOptions options{.coverage_factor = 2};
  const std::vector<Quantity> quantities = quantities_of(example(), options);
  const std::vector<std::string> names = names_of({data::Column{"u"}, data::Column{"v"}}, quantities);
  const Matrix values = prediction_values(quantities);
  ASSERT_EQ(names.size(), 16U);
  EXPECT_EQ(names[0], "u_mean");
  EXPECT_EQ(names[8], "v_mean");
  EXPECT_EQ(names[15], "v_function_upper");
  EXPECT_THAT(values.row(0).first(8), ElementsAre(1, 3, 4, 5, -9, 11, -7, 9));
  EXPECT_THAT(values.row(1).last(8), ElementsAre(20, 3, 4, 5, 10, 30, 12, 28));
}

TEST(PredictionValues, EndWithTheQuantiles) {
  const PredictionOptions options{.quantiles = {0.05, 0.5}};
  const std::vector<Quantity> quantities = quantities_of(example(), options);
  EXPECT_THAT(names_of({data::Column{"y"}}, quantities), testing::IsSupersetOf({"y_quantile_0.05", "y_quantile_0.5"}));
  const Matrix values = prediction_values(quantities);
  EXPECT_EQ(values.cols(), 20U);
  EXPECT_NEAR(values(0, 9), 1, 1e-9);
}

TEST(PredictionColumns, HaveTheUnitsOfTheirOutputs) {
  const std::vector<data::Column> outputs = {{.name = "u", .unit = "MPa"}, {.name = "v"}};
  std::vector<Quantity> quantities = quantities_of(example(), {.quantiles = {0.5}});
  quantities.push_back({.name = "chance", .values = Matrix(2, 2), .has_unit = false});
  const std::vector<std::string> names = names_of(outputs, quantities);
  EXPECT_EQ(names[0], "u_mean [MPa]");
  EXPECT_EQ(names[8], "u_quantile_0.5 [MPa]");
  EXPECT_EQ(names[9], "u_chance");
  EXPECT_EQ(names[10], "v_mean");
}

class Writer : public testing::Test {
 protected:
  void write(const std::string& path, char decimal = '.') {
    const Matrix left(2, 1, {0.1, 1e300});
    const Matrix right(2, 2, {1, 2, 3, -0.5});
    TableWriter writer(path, {{"a, b"}, {"c"}, {"5\" pipe"}}, 2, decimal);
    const MatrixView parts[] = {left, right};
    writer.write(parts);
    writer.commit();
  }

  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_;
};

TEST_F(Writer, WritesTextThatRoundTrips) {
  path_ = testing::TempDir() + "credens_writer_test.csv";
  write(path_);
  EXPECT_EQ(base::read_file(path_), "\"a, b\",c,\"5\"\" pipe\"\n0.1,1,2\n1e+300,3,-0.5\n");
}

TEST_F(Writer, SeparatesDecimalCommasBySemicolons) {
  path_ = testing::TempDir() + "credens_writer_comma_test.csv";
  write(path_, ',');
  EXPECT_EQ(base::read_file(path_), "a, b;c;\"5\"\" pipe\"\n0,1;1;2\n1e+300;3;-0,5\n");
}

TEST_F(Writer, WritesWordsInPlaceOfTheirNumbers) {
  path_ = testing::TempDir() + "credens_writer_words_test.csv";
  TableWriter writer(path_, {{"kept"}, {"a"}, {"verdict", {"fail", "pass, just"}}}, 2);
  const Matrix numbers(2, 1, {0.5, 1});
  const Matrix codes(2, 1, {1, 0});
  const MatrixView parts[] = {numbers, codes};
  writer.write(parts, std::vector<std::string>{"x,", "y,"});
  writer.commit();
  EXPECT_EQ(base::read_file(path_), "kept,a,verdict\nx,0.5,\"pass, just\"\ny,1,fail\n");
}

TEST_F(Writer, WritesArraysByTheirName) {
  path_ = testing::TempDir() + "credens_writer_test.npy";
  write(path_);
  const data::NpyArray array = test::read_npy(path_);
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values, ElementsAre(0.1, 1, 2, 1e300, 3, -0.5));
}

}  // namespace
}  // namespace credens::cli
