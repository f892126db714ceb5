// SPDX-License-Identifier: Apache-2.0

#include "model/class_labels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_matchers.hpp"

namespace credens::model {
namespace {

void expect_refused(const Matrix& labels, const std::string& sentence) {
  EXPECT_THAT([&] { check_labels(labels, 3, "targets", 100); }, test::Fails(ErrorCode::data, sentence));
}

TEST(ClassLabels, AreNumbersOfClassesCountsOrShares) {
  check_labels(Matrix(3, 1, {0, 2, 1}), 3, "targets");
  check_labels(Matrix(2, 3, {0, 2, 5, 0.25, 0.5, 0.25}), 3, "targets");
  check_labels(Matrix(0, 1), 3, "targets");
}

TEST(ClassLabels, AreRefusedWithTheirRow) {
  expect_refused(Matrix(2, 1, {0, 3}), "targets: row 101 is 3, expected the number of a class, 0 to 2");
  expect_refused(Matrix(1, 1, -1), "targets: row 100 is -1, expected the number of a class, 0 to 2");
  expect_refused(Matrix(1, 1, 0.5), "targets: row 100 is 0.5, expected the number of a class, 0 to 2");
  expect_refused(Matrix(1, 1, std::nan("")), "targets: row 100 is nan, expected the number of a class");
  expect_refused(Matrix(1, 1, INFINITY), "targets: row 100 is inf, expected the number of a class");
  expect_refused(Matrix(1, 3, {1, -1, 1}), "targets: row 100, class 1 is -1, expected a count or a share, from 0");
  expect_refused(Matrix(1, 3, {1, 1, std::nan("")}), "row 100, class 2 is nan");
  expect_refused(Matrix(1, 3, {1, 1, INFINITY}), "row 100, class 2 is inf");
  expect_refused(Matrix(1, 3), "targets: row 100 has the sum 0, expected a count or a share above 0");
  expect_refused(Matrix(1, 3, {1e308, 1e308, 0}), "targets: row 100 has the sum inf");
  expect_refused(Matrix(1, 2, {1, 1}), "targets has 2 columns, expected 1, numbers of classes, or 3, counts or shares");
}

TEST(ClassLabels, OfCountsWeighAsMuchAsTheirSum) {
  const std::vector<double> weights{2, 3};
  const WeightedLabels found = weighted_labels(Matrix(2, 2, {1, 3, 0, 5}), weights);
  EXPECT_EQ(found.labels, Matrix(2, 2, {0.25, 0.75, 0, 1}));
  EXPECT_EQ(found.weights, (std::vector<double>{8, 15}));
  EXPECT_EQ(weighted_labels(Matrix(1, 2, {1, 3}), {}).weights, std::vector<double>{4});
}

TEST(ClassLabels, OfSharesCountOnceAlsoInSinglePrecision) {
  const auto third = static_cast<double>(1.0F / 3);
  const WeightedLabels found = weighted_labels(Matrix(1, 3, {third, third, third}), {});
  EXPECT_EQ(found.weights, std::vector<double>{1});
  EXPECT_DOUBLE_EQ(found.labels(0, 0), 1.0 / 3);
}

TEST(ClassLabels, ThatAreNumbersStayAsTheyAre) {
  const std::vector<double> weights{2, 0};
  const WeightedLabels found = weighted_labels(Matrix(2, 1, {1, 2}), weights);
  EXPECT_EQ(found.labels, Matrix(2, 1, {1, 2}));
  EXPECT_EQ(found.weights, weights);
  EXPECT_TRUE(weighted_labels(Matrix(2, 1, {1, 2}), {}).weights.empty());
}

TEST(ClassLabels, HaveTwoToAThousandClasses) {
  check_class_count(2, "logits");
  check_class_count(1000, "logits");
  for (const auto& [classes, found] : {std::pair{0U, "0 columns"}, {1U, "1 column"}, {1001U, "1001 columns"}}) {
    const std::string sentence = std::string("logits has ") + found + ", expected one for each class, 2 to 1000";
    EXPECT_THAT([&] { check_class_count(classes, "logits"); }, test::Fails(ErrorCode::data, sentence));
  }
}

}  // namespace
}  // namespace credens::model
