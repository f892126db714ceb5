// SPDX-License-Identifier: Apache-2.0

#include <credens/output_rows.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr std::size_t rows = 6;

MemberOutputs logits_of_two() {
  return {.features = {random_matrix(rows, 2, 1), random_matrix(rows, 4, 2)},
          .logits = {random_matrix(rows, 3, 3), random_matrix(rows, 3, 4)},
          .targets = Matrix(rows, 1, {0, 1, 2, 0, 1, 2}),
          .last_layer = {Matrix(3, 2), Matrix(3, 4)},
          .target_names = {"species"},
          .classes = {"a", "b", "c"}};
}

TEST(ClassOutputRows, AreViewsOfTheArrays) {
  const MemberOutputs outputs = logits_of_two();
  check(outputs);
  const OutputRows views(outputs);
  EXPECT_TRUE(views.has_classes());
  EXPECT_EQ(views.members(), 2U);
  EXPECT_EQ(views.rows(), rows);
  EXPECT_EQ(views.outputs(), 3U);
  EXPECT_EQ(views.logits[1].data(), outputs.logits[1].data());
}

TEST(ClassOutputRows, AreRefusedWhereTheyContradictThemselves) {
  const auto refused = [](const auto& change, const std::string& sentence) {
    MemberOutputs outputs = logits_of_two();
    change(outputs);
    EXPECT_THAT([&] { check(outputs); }, test::Fails(ErrorCode::data, sentence));
  };
  refused([](auto& o) { o.mean = {Matrix(rows, 3)}; }, "logits are given beside a mean, expected one of the two");
  refused([](auto& o) { o.variance = {Matrix(rows, 3, 1.0)}; }, "variance is given beside logits, which have none");
  refused([](auto& o) { o.logits[1](4, 2) = NAN; }, "logits of member 1: row 4, column 2 is nan");
  refused([](auto& o) { o.logits[1] = Matrix(rows, 2); }, "logits of member 1 is 6 x 2, expected 6 x 3");
  refused([](auto& o) { o.logits[0] = Matrix(rows, 1); },
          "logits has 1 column, expected one for each class, 2 to 1000");
  refused([](auto& o) { o.features.pop_back(); }, "features is given for 1 members, expected 2");
  refused([](auto& o) { o.features[0](0, 0) = INFINITY; }, "features of member 0: row 0, column 0 is inf");
  refused([](auto& o) { o.targets(3, 0) = 3; }, "targets: row 3 is 3, expected the number of a class, 0 to 2");
  refused([](auto& o) { o.targets = Matrix(5, 1); }, "targets has 5 rows, expected 6");
  refused([](auto& o) { o.targets = Matrix(rows, 3); }, "targets: row 0 has the sum 0");
  refused([](auto& o) { o.last_layer[0] = Matrix(2, 2); }, "last_layer of member 0 is 2 x 2, expected 3 x 2");
  refused(
      [](auto& o) {
        o.target_scale = {1, 1, 1};
      },
      "target_scale is given beside logits, whose targets have no scale");
  refused([](auto& o) { o.target_shift = {1}; }, "target_shift is given beside logits");
  refused([](auto& o) { o.target_names = {"a", "b", "c"}; }, "target_names has 3 names, expected one for all classes");
  refused([](auto& o) { o.classes.pop_back(); }, "classes has 2 names, expected 3");
  refused([](auto& o) { o.classes[1] = "a"; }, "classes has \"a\" twice");
  refused([](auto& o) { o.classes[1] = ""; }, "classes has an empty name");
  refused([](auto& o) { o.has_number_classes = true; },
          "classes has the name \"a\", expected a number as its type says");
  refused([](auto& o) { o.row_weights = {1, 1}; }, "row_weights has 2 values, expected 6");
}

TEST(ClassOutputRows, OfNumbersHaveNoClasses) {
  MemberOutputs outputs = random_ensemble({}).member_outputs(random_matrix(5, 3, 2));
  outputs.classes = {"a", "b"};
  EXPECT_THAT([&] { check(outputs); }, test::Fails(ErrorCode::data, "classes are given, but there are no logits"));
}

}  // namespace
}  // namespace credens::model
