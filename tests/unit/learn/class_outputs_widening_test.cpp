// SPDX-License-Identifier: Apache-2.0
//
// Arrays of members that predict classes.

#include <credens/fit.hpp>
#include <credens/outputs_widening.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "support/error_matchers.hpp"
#include "unit/learn/random_block.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t classes = 3;
constexpr std::size_t many_rows = math::statistics_block + 700;
constexpr double lambda = 0.5;
constexpr PosteriorKind rungs[] = {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full};

/// The worked example of docs/method.md, whose numbers class_widths_test.cpp has too.
MemberOutputs worked_example() {
  const Matrix phi(3, 2, {1, 0, 1, 1, 0, 2});
  const Matrix last_layer(classes, 2, {1, 0, 0, 1, -1, -1});
  Matrix logits(3, classes);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < classes; ++c)
      logits(i, c) = last_layer(c, 0) * phi(i, 0) + last_layer(c, 1) * phi(i, 1);
  }
  return {.features = {phi},
          .logits = {logits},
          .targets = Matrix(3, 1, {0, 1, 2}),
          .last_layer = {last_layer},
          .row_weights = {1, 2, 1}};
}

MemberOutputs random_logits() {
  MemberOutputs outputs;
  for (std::size_t l = 0; l < 2; ++l) {
    RandomMember member = random_member(many_rows, 5 - l, classes, true, 10 + l);
    outputs.features.push_back(member.block.features);
    outputs.logits.push_back(member.block.mean);
    outputs.last_layer.push_back(member.last_layer);
  }
  outputs.targets = Matrix(many_rows, 1);
  for (std::size_t i = 0; i < many_rows; ++i) {
    outputs.targets(i, 0) = static_cast<double>(i % classes);
    outputs.row_weights.push_back(static_cast<double>(i % 4));
  }
  outputs.member_weights = {1, 3};
  return outputs;
}

OutputRows piece(const MemberOutputs& outputs, std::size_t first, std::size_t count) {
  OutputRows part(outputs);
  for (auto* arrays : {&part.features, &part.logits}) {
    for (MatrixView& array : *arrays) array = array.row_block(first, count);
  }
  part.targets = part.targets.row_block(first, count);
  part.row_weights = part.row_weights.subspan(first, count);
  return part;
}

void expect_same_posteriors(const Ensemble& a, const Ensemble& b) {
  EXPECT_EQ(a.prior_precision(), b.prior_precision());
  for (std::size_t l = 0; l < a.members(); ++l) {
    const model::MemberPosterior& left = a.state().members[l].posterior;
    const model::MemberPosterior& right = b.state().members[l].posterior;
    EXPECT_EQ(left.gamma, right.gamma);
    EXPECT_EQ(left.variance, right.variance);
    EXPECT_EQ(left.factor, right.factor);
    EXPECT_EQ(left.elbo, right.elbo);
  }
}

TEST(ClassOutputsWidening, HasTheWidthsAndBoundsOfTheWorkedExample) {
  const Ensemble wide = widen(worked_example(), {.prior_precision = lambda});
  EXPECT_EQ(wide.posterior(), PosteriorKind::full);
  EXPECT_DOUBLE_EQ(wide.gamma()[0], 0.5);
  EXPECT_NEAR(*wide.elbo(PosteriorKind::isotropic), -9.7585981525, 1e-9);
  EXPECT_NEAR(*wide.elbo(PosteriorKind::diagonal), -9.6940596314, 1e-9);
  EXPECT_NEAR(*wide.elbo(PosteriorKind::full), -9.5679083461, 1e-9);
  EXPECT_EQ(wide.task(), Task::classification);
  EXPECT_EQ(wide.classes(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(wide.target_names(), std::vector<std::string>{"y"});
}

TEST(ClassOutputsWidening, DoesNotCountWhatAllClassesShare) {
  MemberOutputs shifted = worked_example();
  for (std::size_t c = 0; c < classes; ++c) shifted.last_layer[0](c, 0) += 7;
  const Ensemble expected = widen(worked_example(), {.prior_precision = lambda});
  const Ensemble found = widen(shifted, {.prior_precision = lambda});
  for (const PosteriorKind rung : rungs) EXPECT_NEAR(*found.elbo(rung), *expected.elbo(rung), 1e-12);
}

TEST(ClassOutputsWidening, GivesTheSameBitsHoweverRowsAreCut) {
  const MemberOutputs outputs = random_logits();
  for (const PosteriorKind rung : rungs) {
    const WidenOptions options{.posterior = rung, .prior_precision = lambda};
    const Ensemble expected = widen(outputs, options);
    for (const std::size_t size : {std::size_t{113}, std::size_t{4096}, many_rows}) {
      OutputsWidening widening(options, outputs);
      for (std::size_t first = 0; first < many_rows; first += size) {
        widening.add(piece(outputs, first, std::min(size, many_rows - first)));
      }
      expect_same_posteriors(widening.finish(), expected);
    }
  }
}

TEST(ClassOutputsWidening, OfCountsIsThatOfWeightedRows) {
  MemberOutputs counts = worked_example();
  counts.targets = Matrix(3, classes, {1, 0, 0, 0, 2, 0, 0, 0, 1});
  counts.row_weights.clear();
  expect_same_posteriors(widen(counts, {.prior_precision = lambda}),
                         widen(worked_example(), {.prior_precision = lambda}));
  MemberOutputs shares = worked_example();
  shares.targets = Matrix(3, classes, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_same_posteriors(widen(shares, {.prior_precision = lambda}),
                         widen(worked_example(), {.prior_precision = lambda}));
}

TEST(ClassOutputsWidening, OfSumsIsThatOfRows) {
  const MemberOutputs outputs = worked_example();
  const Ensemble expected = widen(outputs, {.prior_precision = lambda});
  double log_likelihood = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(outputs.logits[0](i, c) - outputs.logits[0](i, i));
    log_likelihood -= outputs.row_weights[i] * std::log(sum);
  }
  OutputSums sums{.rows = 3,
                  .outputs = classes,
                  .gram = {{Matrix(2, 2, {1, 2.0 / 3, 2.0 / 3, 2})}},
                  .log_likelihood = {log_likelihood},
                  .task = Task::classification};
  const Ensemble found =
      widen(sums, {.prior_precision = lambda}, {.last_layer = outputs.last_layer, .classes = {"a", "b", "c"}});
  for (const PosteriorKind rung : rungs) EXPECT_NEAR(*found.elbo(rung), *expected.elbo(rung), 1e-12);
  EXPECT_EQ(found.posterior(), PosteriorKind::full);
  EXPECT_EQ(found.classes(), (std::vector<std::string>{"a", "b", "c"}));
  sums.gram[0].push_back(sums.gram[0][0]);
  EXPECT_THAT([&] { widen(sums, {.prior_precision = lambda}); },
              test::Fails(ErrorCode::data, "the sums of member 0 are those of 2 outputs, expected 1"));
}

/// (C-1) sum_j d_j / (lambda + d_j) = lambda |W|_c^2, d the eigenvalues of [[1, 2/3], [2/3, 2]].
TEST(ClassOutputsWidening, FindsTheLambdaOfMostEvidence) {
  const double found = widen(worked_example(), {.evidence = true}).prior_precision();
  const double middle = 1.5;
  const double half = std::sqrt(0.25 + 4.0 / 9);
  double effective = 0;
  for (const double d : {middle - half, middle + half}) effective += d / (found + d);
  EXPECT_NEAR((classes - 1) * effective, found * 4, 1e-9);
}

Dataset labelled_rows(std::size_t rows) {
  Matrix inputs(rows, 2);
  Matrix labels(rows, 1);
  base::RandomStream random({.seed = 5, .purpose = base::Purpose::test});
  for (std::size_t i = 0; i < rows; ++i) {
    inputs(i, 0) = random.normal();
    inputs(i, 1) = random.normal();
    const double z = inputs(i, 0) + 0.5 * random.normal();
    labels(i, 0) = z < -0.5 ? 1 : z < 0.5 ? 0 : 2;
  }
  return Dataset({.inputs = std::move(inputs), .targets = std::move(labels), .target_levels = {"mid", "low", "high"}});
}

/// The numbers of the classes high, low, mid, which are sorted.
Matrix class_numbers(const Dataset& rows) {
  constexpr double of_code[] = {2, 1, 0};
  Matrix numbers(rows.rows(), 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    numbers(i, 0) = of_code[static_cast<std::size_t>(rows.targets()(i, 0))];
  }
  return numbers;
}

/// Four members of weight 1/4, so that normalising them again changes no bit.
TEST(ClassOutputsWidening, OfAFittedModelPredictsItsBits) {
  const Dataset rows = labelled_rows(150);
  const Ensemble fitted =
      fit(rows, {.effort = Effort::quick, .members = 4, .hidden = {{8}}, .epochs = 10, .seed = 3, .threads = 2});
  ASSERT_EQ(fitted.weights(), std::vector<double>(4, 0.25));
  const Matrix inputs = fitted.inputs_of(rows);
  MemberOutputs outputs = fitted.member_outputs(inputs);
  EXPECT_TRUE(outputs.variance.empty());
  EXPECT_EQ(outputs.classes, (std::vector<std::string>{"high", "low", "mid"}));
  outputs.targets = class_numbers(rows);
  for (const PosteriorKind rung : rungs) {
    const Ensemble own = widen(fitted, rows, {.posterior = rung});
    const Ensemble again = widen(outputs, {.posterior = rung, .prior_precision = own.prior_precision()});
    expect_same_posteriors(again, own);
    EXPECT_EQ(again.classes(), own.classes());
    EXPECT_EQ(again.predict_classes(outputs), own.predict_classes(inputs));
    EXPECT_EQ(predict_classes(again, OutputRows(outputs)), own.predict_classes(inputs));
    EXPECT_EQ(again.sample(outputs, {.draws = 5}).values, own.sample(inputs, {.draws = 5}).values);
  }
}

TEST(ClassOutputsWidening, RefusesWhatDoesNotGoTogether) {
  const MemberOutputs outputs = worked_example();
  const Ensemble wide = widen(outputs, {.prior_precision = lambda});
  MemberOutputs means{.features = outputs.features, .mean = outputs.logits, .variance = {Matrix(3, 1, 1.0)}};
  EXPECT_THAT([&] { wide.predict_classes(means); },
              test::Fails(ErrorCode::data, "the outputs are means, but the model predicts classes: expected logits"));
  const Ensemble numbers = widen(means, {.prior_precision = lambda});
  EXPECT_THAT([&] { numbers.predict(outputs); },
              test::Fails(ErrorCode::data, "the outputs are logits of classes, but the model predicts numbers"));
  EXPECT_THAT([&] { wide.predict(outputs); }, test::Fails(ErrorCode::usage, "predicts classes"));
  MemberOutputs others = outputs;
  others.classes = {"a", "b", "c"};
  EXPECT_THAT([&] { wide.predict_classes(others); },
              test::Fails(ErrorCode::data, "the classes of the outputs are a, b, c, in the model 0, 1, 2"));
  OutputsWidening widening({.prior_precision = lambda});
  widening.add(outputs);
  EXPECT_THAT([&] { widening.add(means); },
              test::Fails(ErrorCode::data, "the outputs are means, those of the rows before logits"));
  EXPECT_THAT([&] { widen(outputs, {.prior_precision = 0}); },
              test::Fails(ErrorCode::usage, "the full posterior needs lambda above 0"));
  EXPECT_THAT([&] { widen(outputs, {}); }, test::Fails(ErrorCode::usage, "needs lambda"));
}

}  // namespace
}  // namespace credens::learn
