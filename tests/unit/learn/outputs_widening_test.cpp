// SPDX-License-Identifier: Apache-2.0

#include <credens/outputs_widening.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "support/error_matchers.hpp"
#include "unit/learn/random_block.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t many_rows = 2 * math::statistics_block + 1000;

struct Shape {
  std::vector<std::size_t> features = {5, 3};
  std::size_t outputs = 2;
  bool shared = false;
  std::size_t rows = many_rows;
};

MemberOutputs random_outputs(const Shape& shape = {}) {
  MemberOutputs outputs;
  for (std::size_t l = 0; l < shape.features.size(); ++l) {
    RandomMember member = random_member(shape.rows, shape.features[l], shape.outputs, shape.shared, 10 + l);
    if (l == 0) outputs.targets = member.targets;
    Matrix one_column(shape.rows, 1);
    for (std::size_t i = 0; i < shape.rows; ++i) one_column(i, 0) = member.block.variance(i, 0);
    outputs.features.push_back(member.block.features);
    outputs.mean.push_back(member.block.mean);
    outputs.variance.push_back(shape.shared ? one_column : member.block.variance);
    outputs.last_layer.push_back(member.last_layer);
  }
  for (std::size_t i = 0; i < shape.rows; ++i) outputs.row_weights.push_back(static_cast<double>(i % 3));
  outputs.member_weights = {1, 3};
  return outputs;
}

OutputRows piece(const MemberOutputs& outputs, std::size_t first, std::size_t count) {
  OutputRows part(outputs);
  for (auto* arrays : {&part.features, &part.mean, &part.variance}) {
    for (MatrixView& array : *arrays) array = array.row_block(first, count);
  }
  if (!part.targets.empty()) part.targets = part.targets.row_block(first, count);
  if (!part.row_weights.empty()) part.row_weights = part.row_weights.subspan(first, count);
  return part;
}

Ensemble widened_in_pieces(const MemberOutputs& outputs, const WidenOptions& options, std::size_t size) {
  OutputsWidening widening(options, outputs);
  for (std::size_t first = 0; first < outputs.rows(); first += size) {
    widening.add(piece(outputs, first, std::min(size, outputs.rows() - first)));
  }
  EXPECT_EQ(widening.rows(), outputs.rows());
  return widening.finish();
}

void expect_identical(const Ensemble& a, const Ensemble& b) {
  EXPECT_EQ(a.prior_precision(), b.prior_precision());
  EXPECT_EQ(a.weights(), b.weights());
  EXPECT_EQ(a.state().data, b.state().data);
  for (std::size_t l = 0; l < a.members(); ++l) {
    const model::MemberPosterior& left = a.state().members[l].posterior;
    const model::MemberPosterior& right = b.state().members[l].posterior;
    EXPECT_EQ(left.gamma, right.gamma);
    EXPECT_EQ(left.variance, right.variance);
    EXPECT_EQ(left.factor, right.factor);
    EXPECT_EQ(left.elbo, right.elbo);
  }
}

constexpr PosteriorKind rungs[] = {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full};

TEST(OutputsWidening, GivesTheSameBitsHoweverRowsAreCut) {
  for (const bool shared : {false, true}) {
    const MemberOutputs outputs = random_outputs({.shared = shared});
    for (const PosteriorKind rung : rungs) {
      const WidenOptions options{.posterior = rung, .prior_precision = 0.5};
      const Ensemble expected = widen(outputs, options);
      for (const std::size_t size :
           {std::size_t{1}, std::size_t{777}, std::size_t{4096}, std::size_t{5000}, many_rows}) {
        expect_identical(widened_in_pieces(outputs, options, size), expected);
      }
    }
  }
}

TEST(OutputsWidening, GivesTheSameBitsForAnyNumberOfThreads) {
  const MemberOutputs outputs = random_outputs();
  const Ensemble one = widened_in_pieces(outputs, {.prior_precision = 0.5, .threads = 1}, 4500);
  expect_identical(widened_in_pieces(outputs, {.prior_precision = 0.5, .threads = 3}, 4500), one);
}

/// q p / sum_k (p lambda + sum_i u_i |phi_i|^2 / s_ik^2).
double plain_gamma(const MemberOutputs& outputs, std::size_t l, double lambda) {
  const Matrix& features = outputs.features[l];
  const std::size_t q = outputs.outputs();
  double sum = 0;
  for (std::size_t i = 0; i < outputs.rows(); ++i) {
    double norm = 0;
    for (const double phi : features.row(i)) norm += phi * phi;
    for (std::size_t k = 0; k < q; ++k) {
      const double variance = outputs.variance[l](i, outputs.variance[l].cols() == 1 ? 0 : k);
      sum += outputs.row_weights[i] * norm / variance;
    }
  }
  const auto weights = static_cast<double>(q * features.cols());
  return weights / (sum + weights * lambda);
}

TEST(OutputsWidening, HasTheWidthOfTheFormula) {
  for (const bool shared : {false, true}) {
    const MemberOutputs outputs = random_outputs({.shared = shared});
    const Ensemble wide = widened_in_pieces(outputs, {.prior_precision = 0.5}, 1000);
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(wide.gamma()[l], plain_gamma(outputs, l, 0.5), 1e-12 * wide.gamma()[l]);
    }
  }
}

TEST(OutputsWidening, CanBeFinishedAndGoOn) {
  const MemberOutputs outputs = random_outputs();
  OutputsWidening widening({.prior_precision = 0.5}, outputs);
  widening.add(piece(outputs, 0, 5000));
  const Ensemble early = widening.finish();
  EXPECT_EQ(early.state().data.rows, 5000U);
  widening.add(piece(outputs, 5000, many_rows - 5000));
  expect_identical(widening.finish(), widen(outputs, {.prior_precision = 0.5}));
  EXPECT_GT(early.gamma()[0], widening.finish().gamma()[0]);
}

TEST(OutputsWidening, LeavesTheFullElboOutWhereItIsNotAskedFor) {
  const MemberOutputs outputs = random_outputs();
  OutputsWidening widening({.prior_precision = 0.5}, outputs, false);
  widening.add(outputs);
  const Ensemble cheap = widening.finish();
  const Ensemble whole = widen(outputs, {.prior_precision = 0.5});
  EXPECT_FALSE(cheap.elbo(PosteriorKind::full));
  ASSERT_TRUE(whole.elbo(PosteriorKind::full));
  EXPECT_NEAR(*cheap.elbo(PosteriorKind::diagonal), *whole.elbo(PosteriorKind::diagonal), 1e-6);
  EXPECT_NEAR(cheap.gamma()[1], whole.gamma()[1], 1e-12 * whole.gamma()[1]);
}

TEST(OutputsWidening, IsThePriorWithoutRows) {
  const MemberOutputs outputs = random_outputs({.rows = 0});
  OutputsWidening widening({.prior_precision = 4.0});
  widening.add(outputs);
  EXPECT_EQ(widening.finish().gamma(), (std::vector<double>{0.25, 0.25}));
}

TEST(OutputsWidening, CountsRowsThroughThePiecesInSentences) {
  MemberOutputs outputs = random_outputs();
  outputs.features[1](5000, 2) = std::nan("");
  OutputsWidening widening({.prior_precision = 0.5});
  widening.add(piece(outputs, 0, 4900));
  EXPECT_THAT([&] { widening.add(piece(outputs, 4900, 200)); },
              test::Fails(ErrorCode::data, "features of member 1: row 5000, column 2 is nan"));
  EXPECT_EQ(widening.rows(), 4900U);
  outputs.features[1](5000, 2) = 1;
  outputs.row_weights[4999] = -2;
  EXPECT_THAT([&] { widening.add(piece(outputs, 4900, 200)); },
              test::Fails(ErrorCode::data, "row_weights: value 4999 is -2"));
}

TEST(OutputsWidening, RefusesPiecesThatDoNotFitTheFirst) {
  const MemberOutputs outputs = random_outputs({.rows = 10});
  OutputsWidening widening({.prior_precision = 0.5}, outputs);
  EXPECT_THAT([&] { widening.finish(); }, test::Fails(ErrorCode::data, "no outputs were added"));
  widening.add(outputs);
  const auto adding = [&](const MemberOutputs& other) { return [&widening, other] { widening.add(other); }; };
  EXPECT_THAT(adding(random_outputs({.features = {5}, .rows = 10})),
              test::Fails(ErrorCode::data, "those of 1 members, before of 2"));
  EXPECT_THAT(adding(random_outputs({.features = {5, 4}, .rows = 10})),
              test::Fails(ErrorCode::data, "features of member 1 have 4 columns, those of the rows before had 3"));
  EXPECT_THAT(adding(random_outputs({.outputs = 3, .rows = 10})),
              test::Fails(ErrorCode::data, "has 3 columns, that of the rows before had 2"));
  EXPECT_THAT(adding(random_outputs({.shared = true, .rows = 10})),
              test::Fails(ErrorCode::data, "variance of member 0 has 1 columns, that of the rows before had 2"));
  MemberOutputs without = outputs;
  without.targets = Matrix();
  EXPECT_THAT(adding(without), test::Fails(ErrorCode::data, "targets are given for some of the rows only"));
  without = outputs;
  without.row_weights.clear();
  EXPECT_THAT(adding(without), test::Fails(ErrorCode::data, "row_weights are given for some of the rows only"));
  EXPECT_EQ(widening.rows(), 10U);
}

TEST(OutputsWidening, RefusesOptionsAndFactsThatCannotBe) {
  EXPECT_THAT([] { OutputsWidening({}); }, test::Fails(ErrorCode::usage, "widening arrays needs lambda"));
  const MemberOutputs outputs = random_outputs({.rows = 10});
  MemberOutputs about{.member_weights = {1, 2, 3}};
  OutputsWidening widening({.prior_precision = 1.0}, about);
  EXPECT_THAT([&] { widening.add(outputs); }, test::Fails(ErrorCode::data, "member_weights has 3 values, expected 2"));
  OutputsWidening by_evidence({.evidence = true});
  by_evidence.add(outputs);
  EXPECT_THAT([&] { by_evidence.finish(); }, test::Fails(ErrorCode::usage, "needs the last layers"));
  MemberOutputs weightless = outputs;
  weightless.row_weights.assign(10, 0.0);
  OutputsWidening none({.prior_precision = 1.0});
  none.add(weightless);
  EXPECT_THAT([&] { none.finish(); }, test::Fails(ErrorCode::data, "row_weights has the sum 0"));
}

// ---- sums ----

/// G_k of every member, added up plainly, and their log likelihood.
OutputSums plain_sums(const MemberOutputs& outputs, bool with_gram) {
  OutputSums sums{.rows = outputs.rows(), .outputs = outputs.outputs()};
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    const Matrix& phi = outputs.features[l];
    std::vector<Matrix> grams(outputs.variance[l].cols(), Matrix(phi.cols(), phi.cols()));
    Matrix diagonal(grams.size(), phi.cols());
    double log_likelihood = 0;
    for (std::size_t i = 0; i < outputs.rows(); ++i) {
      const double weight = outputs.row_weights[i];
      for (std::size_t k = 0; k < grams.size(); ++k) {
        for (std::size_t a = 0; a < phi.cols(); ++a) {
          for (std::size_t b = 0; b < phi.cols(); ++b) {
            grams[k](a, b) += weight * phi(i, a) * phi(i, b) / outputs.variance[l](i, k);
          }
        }
      }
      for (std::size_t k = 0; k < outputs.outputs(); ++k) {
        const double variance = outputs.variance[l](i, grams.size() == 1 ? 0 : k);
        const double residual = outputs.targets(i, k) - outputs.mean[l](i, k);
        log_likelihood -= weight * (std::log(2 * M_PI * variance) + residual * residual / variance) / 2;
      }
    }
    for (std::size_t k = 0; k < grams.size(); ++k) {
      for (std::size_t a = 0; a < phi.cols(); ++a) diagonal(k, a) = grams[k](a, a);
    }
    if (with_gram) sums.gram.push_back(grams);
    if (!with_gram) sums.diagonal.push_back(diagonal);
    sums.log_likelihood.push_back(log_likelihood);
  }
  return sums;
}

TEST(OutputSums, GiveWhatTheRowsGive) {
  for (const bool shared : {false, true}) {
    const MemberOutputs outputs = random_outputs({.shared = shared, .rows = 300});
    for (const PosteriorKind rung : rungs) {
      const WidenOptions options{.posterior = rung, .prior_precision = 0.5};
      const Ensemble expected = widen(outputs, options);
      const Ensemble found = widen(plain_sums(outputs, rung == PosteriorKind::full), options, outputs);
      EXPECT_EQ(found.state().data.rows, 300U);
      EXPECT_EQ(found.weights(), expected.weights());
      EXPECT_NEAR(*found.elbo(rung), *expected.elbo(rung), 1e-8);
      const Matrix left = found.predict(outputs).epistemic_variance();
      const Matrix right = expected.predict(outputs).epistemic_variance();
      for (std::size_t i = 0; i < left.values().size(); ++i) {
        EXPECT_NEAR(left.values()[i], right.values()[i], 1e-10 * right.values()[i]);
      }
    }
  }
}

TEST(OutputSums, FindLambdaByEvidence) {
  const MemberOutputs outputs = random_outputs({.rows = 300});
  const double expected = widen(outputs, {.evidence = true}).prior_precision();
  EXPECT_NEAR(widen(plain_sums(outputs, true), {.evidence = true}, outputs).prior_precision(), expected,
              1e-9 * expected);
}

TEST(OutputSums, HaveAnElboOnlyWithLikelihoodAndLastLayers) {
  const MemberOutputs outputs = random_outputs({.rows = 30});
  OutputSums sums = plain_sums(outputs, false);
  EXPECT_FALSE(widen(sums, {.prior_precision = 1.0}).elbo(PosteriorKind::isotropic));
  EXPECT_TRUE(widen(sums, {.prior_precision = 1.0}, outputs).elbo(PosteriorKind::isotropic));
  sums.log_likelihood.clear();
  EXPECT_FALSE(widen(sums, {.prior_precision = 1.0}, outputs).elbo(PosteriorKind::isotropic));
}

TEST(OutputSums, AreRefusedWithAReason) {
  const MemberOutputs outputs = random_outputs({.rows = 30});
  const OutputSums good = plain_sums(outputs, false);
  const auto widening = [&](const std::function<void(OutputSums&)>& spoil, const WidenOptions& options) {
    return [=, &outputs] {
      OutputSums sums = good;
      spoil(sums);
      widen(sums, options, outputs);
    };
  };
  const WidenOptions plain{.prior_precision = 1.0};
  const auto nothing = [](OutputSums&) {};
  EXPECT_THAT(widening(nothing, {}), test::Fails(ErrorCode::usage, "needs lambda"));
  EXPECT_THAT(widening(nothing, {.posterior = PosteriorKind::full, .prior_precision = 1.0}),
              test::Fails(ErrorCode::usage, "need gram"));
  EXPECT_THAT(widening(nothing, {.evidence = true}), test::Fails(ErrorCode::usage, "need gram"));
  EXPECT_THAT(widening([](auto& sums) { sums.diagonal.clear(); }, plain), test::Fails(ErrorCode::data, "neither"));
  EXPECT_THAT(widening([](auto& sums) { sums.outputs = 3; }, plain),
              test::Fails(ErrorCode::data, "those of 2 outputs, expected 3 or 1"));
  EXPECT_THAT(widening([](auto& sums) { sums.diagonal[1](0, 1) = -1; }, plain),
              test::Fails(ErrorCode::data, "diagonal of member 1 has the value -1"));
  EXPECT_THAT(widening([](auto& sums) { sums.log_likelihood.pop_back(); }, plain),
              test::Fails(ErrorCode::data, "log_likelihood has 1 values, expected 2"));
  EXPECT_THAT(widening([](auto& sums) { sums.diagonal.pop_back(); }, plain),
              test::Fails(ErrorCode::data, "expected 1"));
}

}  // namespace
}  // namespace credens::learn
