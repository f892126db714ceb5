// SPDX-License-Identifier: Apache-2.0

#include <credens/ensemble.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "data/match.hpp"
#include "math/statistics.hpp"
#include "model/class_predictive.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_source.hpp"
#include "model/weights.hpp"

namespace credens {

namespace {

void check_threads(int threads) {
  base::require(threads >= 0, ErrorCode::usage, "threads is {}, expected 0 (all cores) or more", threads);
}

void check_array_options(const SampleOptions& options) {
  check_threads(options.threads);
  base::require(options.noise_std.empty(), ErrorCode::usage,
                "noise_std is given beside the outputs of members, whose variance holds all noise already");
}

model::Width width_of(const ClassOptions& options) {
  return options.classical ? model::Width::none : model::Width::of_posterior;
}

void write_rows(const Matrix& block, std::size_t first, Matrix& all) {
  std::copy(block.values().begin(), block.values().end(),
            all.values().begin() + static_cast<std::ptrdiff_t>(first * all.cols()));
}

/// Counts have a column for each class, and no column that they all stand for.
void describe_classes(const data::Schema& schema, MemberOutputs& outputs) {
  if (!schema.has_counts()) outputs.target_names = schema.target_names();
  outputs.classes = schema.classes;
  outputs.has_number_classes = !schema.has_counts() && schema.targets.front().kind != ColumnKind::category;
}

/// The parts that do not depend on the rows; room for `rows` rows of the rest.
MemberOutputs empty_outputs(const model::EnsembleState& state, std::size_t rows) {
  const std::size_t q = state.target_scaler.cols();
  const bool has_classes = state.schema.is_classification();
  MemberOutputs outputs{.member_weights = state.weights};
  if (has_classes) {
    describe_classes(state.schema, outputs);
  } else {
    outputs.target_scale = state.target_scaler.scale;
    outputs.target_shift = state.target_scaler.shift;
    outputs.target_names = state.schema.target_names();
  }
  for (const model::Member& member : state.members) {
    outputs.features.emplace_back(rows, member.features);
    (has_classes ? outputs.logits : outputs.mean).emplace_back(rows, q);
    if (!has_classes) outputs.variance.emplace_back(rows, q);
    outputs.last_layer.push_back(member.network->mean_weight());
  }
  return outputs;
}

}  // namespace

std::size_t Ensemble::members() const {
  return state_->members.size();
}

std::size_t Ensemble::inputs() const {
  return state_->encoder.inputs();
}

std::size_t Ensemble::outputs() const {
  return state_->target_scaler.cols();
}

Task Ensemble::task() const {
  return state_->schema.task;
}

std::vector<std::string> Ensemble::classes() const {
  return state_->schema.is_classification() ? state_->schema.classes : std::vector<std::string>();
}

std::vector<std::string> Ensemble::input_names() const {
  return state_->schema.input_names();
}

std::vector<std::string> Ensemble::target_names() const {
  return state_->schema.target_names();
}

bool Ensemble::has_networks() const {
  return state_->has_networks();
}

PosteriorKind Ensemble::posterior() const {
  return state_->posterior;
}

double Ensemble::prior_precision() const {
  return state_->prior_precision;
}

std::vector<double> Ensemble::gamma() const {
  std::vector<double> gamma;
  for (const model::Member& member : state_->members) gamma.push_back(member.posterior.gamma);
  return gamma;
}

const std::vector<double>& Ensemble::weights() const {
  return state_->weights;
}

const std::optional<Expectation>& Ensemble::expected() const {
  return state_->expected;
}

const std::optional<ClassExpectation>& Ensemble::expected_classes() const {
  return state_->expected_classes;
}

const std::optional<Promise>& Ensemble::promise() const {
  return state_->promise;
}

Ensemble Ensemble::with_promise(Promise promise) const {
  auto state = std::make_shared<model::EnsembleState>(*state_);
  state->promise = std::move(promise);
  model::check_promise(*state);
  return Ensemble(std::move(state));
}

std::optional<double> Ensemble::elbo(PosteriorKind kind) const {
  // The value for all members of the mixture: sum_l w_l ELBO_l - sum_l w_l log w_l; none if a member has none.
  double sum = 0;
  for (std::size_t l = 0; l < members(); ++l) {
    const double weight = state_->weights[l];
    if (weight == 0) continue;
    const std::optional<double> elbo = state_->members[l].posterior.elbo.of(kind);
    if (!elbo) return std::nullopt;
    sum += weight * (*elbo - std::log(weight));
  }
  return sum;
}

Matrix Ensemble::inputs_of(const Dataset& rows) const {
  model::require_networks(*state_);
  return data::select_inputs(rows, state_->schema);
}

Matrix Ensemble::read_inputs(const std::filesystem::path& path, const TableFormat& format) const {
  model::require_networks(*state_);
  data::Schema schema = state_->schema;
  schema.has_noise = false;  // whose columns are not asked for
  return data::read_inputs(*data::open_rows_for(path, data::open_table(path, format, schema), schema, {}));
}

Predictive Ensemble::predict(MatrixView inputs, const PredictOptions& options) const {
  check_threads(options.threads);
  model::check_task(*state_, false);
  model::require_known_noise(*state_, inputs.rows(), options.noise_std);
  return model::predictive_of(*state_, model::networks_at(*state_, inputs, options.noise_std), options.threads);
}

Predictive Ensemble::predict(const MemberOutputs& outputs) const {
  model::check_task(*state_, false);
  return model::predictive_of(*state_, model::arrays_at(*state_, outputs), 0);
}

ClassPredictive Ensemble::predict_classes(MatrixView inputs, const ClassOptions& options) const {
  check_threads(options.threads);
  model::check_task(*state_, true);
  return model::class_predictive_of(*state_, model::networks_at(*state_, inputs, {}), options.threads,
                                    width_of(options));
}

ClassPredictive Ensemble::predict_classes(const MemberOutputs& outputs, const ClassOptions& options) const {
  check_threads(options.threads);
  model::check_task(*state_, true);
  return model::class_predictive_of(*state_, model::arrays_at(*state_, outputs), options.threads, width_of(options));
}

void Ensemble::predict_blocks(const BlockSource& source, const BlockSink& sink, int threads) const {
  for (;;) {
    Matrix inputs;
    Matrix noise_std;
    if (!source(inputs, noise_std)) return;
    sink(predict(inputs, {.noise_std = noise_std, .threads = threads}));
  }
}

Samples Ensemble::sample(MatrixView inputs, const SampleOptions& options) const {
  check_threads(options.threads);
  if (options.of == Draw::observation) model::require_known_noise(*state_, inputs.rows(), options.noise_std);
  return model::draw_samples(*state_, model::networks_at(*state_, inputs, options.noise_std), options);
}

Samples Ensemble::sample(const MemberOutputs& outputs, const SampleOptions& options) const {
  check_array_options(options);
  return model::draw_samples(*state_, model::arrays_at(*state_, outputs), options);
}

std::vector<Matrix> Ensemble::joint_epistemic_covariance(MatrixView inputs) const {
  model::check_task(*state_, false);
  return model::joint_covariance(*state_, model::networks_at(*state_, inputs, {}));
}

std::vector<Matrix> Ensemble::joint_epistemic_covariance(const MemberOutputs& outputs) const {
  model::check_task(*state_, false);
  return model::joint_covariance(*state_, model::arrays_at(*state_, outputs));
}

MemberOutputs Ensemble::member_outputs(MatrixView inputs, const PredictOptions& options) const {
  check_threads(options.threads);
  model::require_networks(*state_);
  model::require_known_noise(*state_, inputs.rows(), options.noise_std);
  const auto source = model::networks_at(*state_, inputs, options.noise_std);
  MemberOutputs outputs = empty_outputs(*state_, inputs.rows());
  const std::size_t blocks = (inputs.rows() + math::statistics_block - 1) / math::statistics_block;
  base::parallel_for(blocks, options.threads, [&](std::size_t index) {
    const std::size_t first = index * math::statistics_block;
    const std::size_t count = std::min(math::statistics_block, inputs.rows() - first);
    const auto reader = source.reader();
    reader->take(first, count);
    for (std::size_t l = 0; l < members(); ++l) {
      const model::MemberBlock block = model::member_block(*reader, l, count);
      write_rows(block.features, first, outputs.features[l]);
      write_rows(block.mean, first, (outputs.has_classes() ? outputs.logits : outputs.mean)[l]);
      if (!outputs.has_classes()) write_rows(block.variance, first, outputs.variance[l]);
    }
  });
  return outputs;
}

Ensemble Ensemble::with_weights(std::vector<double> weights) const {
  model::check_weights(weights, members(), "weights");
  auto state = std::make_shared<model::EnsembleState>(*state_);
  state->weights = model::normalised(std::move(weights));
  state->expected.reset();
  state->expected_classes.reset();
  state->promise.reset();
  return Ensemble(std::move(state));
}

Predictive predict(const Ensemble& ensemble, const OutputRows& rows, int threads) {
  model::check_task(ensemble.state(), false);
  return model::predictive_of(ensemble.state(), model::arrays_at(ensemble.state(), rows), threads);
}

ClassPredictive predict_classes(const Ensemble& ensemble, const OutputRows& rows, const ClassOptions& options) {
  check_threads(options.threads);
  model::check_task(ensemble.state(), true);
  return model::class_predictive_of(ensemble.state(), model::arrays_at(ensemble.state(), rows), options.threads,
                                    width_of(options));
}

Samples sample(const Ensemble& ensemble, const OutputRows& rows, const SampleOptions& options) {
  check_array_options(options);
  return model::draw_samples(ensemble.state(), model::arrays_at(ensemble.state(), rows), options);
}

}  // namespace credens
