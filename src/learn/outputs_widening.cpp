// SPDX-License-Identifier: Apache-2.0
//
// Arrays of networks trained elsewhere: sums over rows, block by block, then the closed forms.

#include <credens/outputs_widening.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "learn/array_ensemble.hpp"
#include "model/class_labels.hpp"
#include "model/member_source.hpp"

namespace credens {

using base::require;
using learn::BlockStatistics;
using learn::MemberStatistics;
using learn::MemberSums;
using learn::WidenPlan;

namespace {

model::Likelihood likelihood_of(const OutputRows& rows) {
  return {.task = rows.has_classes() ? Task::classification : Task::regression, .outputs = rows.outputs()};
}

std::size_t variance_cols(const OutputRows& rows, std::size_t member) {
  return rows.has_classes() ? 1 : rows.variance[member].cols();
}

/// The sums of one member: whole blocks, and the block that more rows may come to.
class ArraySums {
 public:
  ArraySums(std::size_t features, std::size_t variance_cols, const learn::StatisticsShape& shape)
      : features_(features),
        variance_cols_(variance_cols),
        total_(learn::no_rows(features, shape)),
        open_(features, shape) {}

  void check_fits(const OutputRows& rows, std::size_t member) const {
    require(rows.features[member].cols() == features_, ErrorCode::data,
            "{} have {} columns, those of the rows before had {}", model::of_member("features", member),
            rows.features[member].cols(), features_);
    require(variance_cols(rows, member) == variance_cols_, ErrorCode::data,
            "{} has {} columns, that of the rows before had {}", model::of_member("variance", member),
            variance_cols(rows, member), variance_cols_);
  }

  void add(const OutputRows& rows, std::size_t member) {
    for (std::size_t first = 0; first < rows.rows();) {
      const std::size_t count = std::min(math::statistics_block - open_rows_, rows.rows() - first);
      add_piece(rows, member, first, count);
      first += count;
      open_rows_ += count;
      if (open_rows_ == math::statistics_block) close_block();
    }
  }

  MemberStatistics value() const {
    MemberStatistics sums = total_;
    if (open_rows_ > 0) learn::add(sums, BlockStatistics(open_).value());
    return sums;
  }

 private:
  void add_piece(const OutputRows& rows, std::size_t member, std::size_t first, std::size_t count) {
    const bool is_spread = rows.has_classes() || (variance_cols_ < rows.outputs() && !rows.targets.empty());
    const Matrix spread = is_spread ? model::variances_of(rows, member, first, count) : Matrix();
    open_.add({.member = {.features = rows.features[member].row_block(first, count),
                          .mean = rows.head()[member].row_block(first, count),
                          .variance = is_spread ? spread.view() : rows.variance[member].row_block(first, count)},
               .targets = rows.targets.empty() ? MatrixView() : rows.targets.row_block(first, count),
               .weights = rows.row_weights.empty() ? rows.row_weights : rows.row_weights.subspan(first, count)});
  }

  void close_block() {
    learn::add(total_, std::move(open_).value());
    open_ = BlockStatistics(features_, total_.shape);
    open_rows_ = 0;
  }

  std::size_t features_;
  std::size_t variance_cols_;
  MemberStatistics total_;
  BlockStatistics open_;
  std::size_t open_rows_ = 0;
};

/// Rows below which threads cost more than they save, in values.
constexpr std::size_t values_worth_threads = 32768;

std::size_t values_of(const OutputRows& rows) {
  std::size_t cols = 0;
  for (const MatrixView& features : rows.features) cols += features.cols();
  return rows.rows() * cols;
}

}  // namespace

struct OutputsWidening::Impl {
  Impl(const WidenOptions& given_options, const MemberOutputs& given, bool with_full_elbo)
      : options(given_options),
        plan(learn::plan_for_arrays(options, Task::regression)),
        about(learn::without_rows(given)),
        full_elbo(with_full_elbo) {}

  WidenOptions options;
  WidenPlan plan;       ///< for the task of the first rows, once these are known
  MemberOutputs about;  ///< with the shapes, once the first rows are known
  bool full_elbo;
  std::size_t rows = 0;
  double weight_total = 0;
  bool has_targets = false;
  bool has_weights = false;
  std::vector<ArraySums> members = {};  ///< none before the first rows

  void begin(const OutputRows& first);
  void check_fits(const OutputRows& next) const;
  void add_rows(const OutputRows& next);
};

/// Shapes come from the first piece.
void OutputsWidening::Impl::begin(const OutputRows& first) {
  std::vector<std::size_t> features;
  for (const MatrixView& member : first.features) features.push_back(member.cols());
  const model::Likelihood likelihood = likelihood_of(first);
  plan = learn::plan_for_arrays(options, likelihood.task);
  MemberOutputs described = learn::with_shapes(about, features, likelihood);
  const bool wants_gram = full_elbo && first.targets.cols() > 0 && learn::squared_norm(described, 0, plan.random_bias);
  for (std::size_t l = 0; l < features.size(); ++l) {
    const std::size_t cols = variance_cols(first, l);
    members.emplace_back(features[l], cols,
                         learn::statistics_shape(plan, likelihood, features[l], cols == 1, wants_gram));
  }
  about = std::move(described);
}

void OutputsWidening::Impl::check_fits(const OutputRows& next) const {
  require(next.members() == members.size(), ErrorCode::data, "the outputs are those of {} members, before of {}",
          next.members(), members.size());
  require(next.has_classes() == about.has_classes(), ErrorCode::data, "the outputs are {}, those of the rows before {}",
          next.has_classes() ? "logits" : "means", about.has_classes() ? "logits" : "means");
  require(next.outputs() == about.outputs(), ErrorCode::data,
          "the {} of the outputs has {} columns, that of the rows before had {}",
          next.has_classes() ? "array of logits" : "mean", next.outputs(), about.outputs());
  for (std::size_t l = 0; l < members.size(); ++l) members[l].check_fits(next, l);
  if (rows == 0 || next.rows() == 0) return;
  const auto same = [](bool now, bool before, std::string_view what) {
    require(now == before, ErrorCode::data, "{} are given for some of the rows only, expected all or none", what);
  };
  same(!next.targets.empty(), has_targets, "targets");
  same(!next.row_weights.empty(), has_weights, "row_weights");
}

/// Counts of classes become shares and weights.
void OutputsWidening::Impl::add_rows(const OutputRows& next) {
  OutputRows counted = next;
  model::WeightedLabels labelled;
  if (next.has_classes() && !next.targets.empty()) {
    labelled = model::weighted_labels(next.targets, next.row_weights);
    counted.targets = labelled.labels;
    counted.row_weights = labelled.weights;
  }
  const int threads = values_of(next) < values_worth_threads ? 1 : plan.threads;
  base::parallel_for(members.size(), threads, [&](std::size_t l) { members[l].add(counted, l); });
}

OutputsWidening::OutputsWidening(const WidenOptions& options, const MemberOutputs& about, bool full_elbo)
    : impl_(std::make_unique<Impl>(options, about, full_elbo)) {}
OutputsWidening::~OutputsWidening() = default;
OutputsWidening::OutputsWidening(OutputsWidening&&) noexcept = default;
OutputsWidening& OutputsWidening::operator=(OutputsWidening&&) noexcept = default;

void OutputsWidening::add(const OutputRows& rows) {
  check(rows, impl_->rows);
  if (impl_->members.empty()) impl_->begin(rows);
  impl_->check_fits(rows);
  if (rows.rows() == 0) return;
  impl_->add_rows(rows);
  impl_->has_targets = !rows.targets.empty();
  impl_->has_weights = !rows.row_weights.empty();
  for (const double weight : rows.row_weights) impl_->weight_total += weight;
  impl_->rows += rows.rows();
}

std::size_t OutputsWidening::rows() const {
  return impl_->rows;
}

Ensemble OutputsWidening::finish() const {
  require(!impl_->members.empty(), ErrorCode::data, "no outputs were added, expected those of at least 1 member");
  require(!impl_->has_weights || (impl_->weight_total > 0 && std::isfinite(impl_->weight_total)), ErrorCode::data,
          "row_weights has the sum {}, expected a finite number above 0", impl_->weight_total);
  std::vector<MemberSums> sums;
  for (const ArraySums& member : impl_->members) {
    sums.push_back({member.value(), learn::squared_norm(impl_->about, sums.size(), impl_->plan.random_bias)});
  }
  return learn::with_posteriors(learn::array_state(impl_->about, impl_->rows), impl_->plan, sums, impl_->has_targets);
}

Ensemble widen(const MemberOutputs& outputs, const WidenOptions& options) {
  check(outputs);
  OutputsWidening widening(options, outputs);
  widening.add(outputs);
  return widening.finish();
}

// ---- sums ----

namespace {

void check_not_negative(const Matrix& diagonal, std::size_t member) {
  for (const double value : diagonal.values()) {
    require(std::isfinite(value) && value >= 0, ErrorCode::data,
            "{} has the value {}, expected finite numbers that are not negative", model::of_member("diagonal", member),
            value);
  }
}

/// [1 x P] or [q x P] of the diagonals of some Gram matrices.
Matrix diagonals_of(const std::vector<Matrix>& grams, std::size_t member) {
  const std::size_t width = grams.empty() ? 0 : grams.front().rows();
  Matrix diagonal(grams.size(), width);
  for (std::size_t k = 0; k < grams.size(); ++k) {
    base::check_shape(grams[k], width, width, model::of_member("gram", member));
    base::check_finite(grams[k], model::of_member("gram", member));
    for (std::size_t j = 0; j < width; ++j) diagonal(k, j) = grams[k](j, j);
  }
  return diagonal;
}

MemberStatistics statistics_of(const OutputSums& sums, const WidenPlan& plan, std::size_t member) {
  const bool has_gram = !sums.gram.empty();
  const Matrix diagonal = has_gram ? diagonals_of(sums.gram[member], member) : sums.diagonal[member];
  check_not_negative(diagonal, member);
  const std::size_t bias = plan.random_bias ? 1 : 0;
  require(diagonal.cols() > bias, ErrorCode::data, "the sums of member {} have no features, expected at least 1",
          member);
  const model::Likelihood likelihood{.task = sums.task, .outputs = sums.outputs};
  require(diagonal.rows() == 1 || diagonal.rows() == likelihood.covariances(), ErrorCode::data,
          "the sums of member {} are those of {} outputs, expected {}", member, diagonal.rows(),
          sums.task == Task::classification ? "1" : fmt::format("{} or 1", sums.outputs));
  MemberStatistics statistics = learn::no_rows(diagonal.cols() - bias, {.outputs = likelihood.contrasts(),
                                                                        .task = sums.task,
                                                                        .random_bias = plan.random_bias,
                                                                        .shared_noise = diagonal.rows() == 1,
                                                                        .with_gram = false});
  statistics.shape.with_gram = has_gram;
  if (has_gram) statistics.gram = sums.gram[member];
  for (std::size_t k = 0; k < diagonal.rows(); ++k)
    statistics.diagonal[k].assign(diagonal.row(k).begin(), diagonal.row(k).end());
  if (!sums.log_likelihood.empty()) statistics.log_likelihood = sums.log_likelihood[member];
  return statistics;
}

void check(const OutputSums& sums, const WidenPlan& plan) {
  require(sums.diagonal.empty() != sums.gram.empty(), ErrorCode::data,
          "the sums have {} diagonal and gram, expected one of them", sums.gram.empty() ? "neither" : "both");
  require(!plan.needs_gram() || !sums.gram.empty(), ErrorCode::usage,
          "the full posterior and evidence for lambda need gram, but only diagonal is given");
  require(sums.outputs > 0, ErrorCode::data, "the sums have no outputs, expected at least 1");
  const std::size_t members = sums.gram.empty() ? sums.diagonal.size() : sums.gram.size();
  require(sums.log_likelihood.empty() || sums.log_likelihood.size() == members, ErrorCode::data,
          "log_likelihood has {} values, expected {}", sums.log_likelihood.size(), members);
  base::check_finite(sums.log_likelihood, "log_likelihood");
}

}  // namespace

Ensemble widen(const OutputSums& sums, const WidenOptions& options, const MemberOutputs& about) {
  const WidenPlan plan = learn::plan_for_arrays(options, sums.task);
  check(sums, plan);
  std::vector<MemberSums> members;
  std::vector<std::size_t> features;
  for (std::size_t l = 0; l < std::max(sums.diagonal.size(), sums.gram.size()); ++l) {
    members.push_back({.statistics = statistics_of(sums, plan, l), .squared_norm = std::nullopt});
    features.push_back(members[l].statistics.width - (plan.random_bias ? 1 : 0));
  }
  const MemberOutputs described = learn::with_shapes(about, features, {.task = sums.task, .outputs = sums.outputs});
  for (std::size_t l = 0; l < members.size(); ++l)
    members[l].squared_norm = learn::squared_norm(described, l, plan.random_bias);
  return learn::with_posteriors(learn::array_state(described, sums.rows), plan, members, !sums.log_likelihood.empty());
}

}  // namespace credens
