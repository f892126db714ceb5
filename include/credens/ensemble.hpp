// SPDX-License-Identifier: Apache-2.0
//
// An immutable ensemble: narrow or wide, with networks or, made from arrays of a foreign ensemble, without.

#pragma once

#include <credens/class_predictive.hpp>
#include <credens/dataset.hpp>
#include <credens/expectation.hpp>
#include <credens/matrix.hpp>
#include <credens/member_outputs.hpp>
#include <credens/predictive.hpp>
#include <credens/promise.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace credens {

namespace model {
struct EnsembleState;
}

/// The ladder of posteriors over a member's last linear layer.
enum class PosteriorKind {
  delta,      ///< a point: the classical deep ensemble
  isotropic,  ///< gamma I, the paper's
  diagonal,   ///< one variance per weight
  full,       ///< A^-1
};

struct PredictOptions {
  /// [N x q] or empty: known noise of each row, in the units of the data. Needed where the model was trained with known
  /// noise; a model without it adds what is given to its own noise.
  MatrixView noise_std = {};
  int threads = 0;  ///< 0: all cores
};

struct ClassOptions {
  bool classical = false;  ///< the ensemble before widening: its members' softmax probabilities averaged
  int threads = 0;         ///< 0: all cores
};

enum class Draw {
  function,     ///< the regression function; one draw of weights gives one function over all rows
  observation,  ///< the function plus noise, independent between rows
};

struct SampleOptions {
  std::size_t draws = 1000;
  Draw of = Draw::function;
  std::uint64_t seed = 0;
  MatrixView noise_std = {};  ///< as in PredictOptions; not for draws from arrays, whose variance holds all noise
  int threads = 0;            ///< 0: all cores
  std::stop_token stop = {};  ///< a request to stop ends it with the error `interrupted`
};

/// Draw j at row i and output k lies at (j N + i) q + k.
struct Samples {
  std::size_t draws = 0;
  std::size_t rows = 0;
  std::size_t outputs = 0;
  std::vector<double> values;
};

/// Fills `inputs` with the next rows [n x d] and, where the model needs it, `noise_std` [n x q]; false at the end.
using BlockSource = std::function<bool(Matrix& inputs, Matrix& noise_std)>;
using BlockSink = std::function<void(const Predictive& block)>;

class Ensemble {
 public:
  explicit Ensemble(std::shared_ptr<const model::EnsembleState> state) : state_(std::move(state)) {}

  std::size_t members() const;
  std::size_t inputs() const;                    ///< d; 0 without networks
  std::size_t outputs() const;                   ///< q; C for classes
  Task task() const;                             ///< regression or classification
  std::vector<std::string> classes() const;      ///< in their order; none for a regression
  std::vector<std::string> input_names() const;  ///< empty: the training table had no names
  std::vector<std::string> target_names() const;
  bool has_networks() const;
  PosteriorKind posterior() const;
  double prior_precision() const;     ///< lambda
  std::vector<double> gamma() const;  ///< isotropic width per member; 0 before widening
  const std::vector<double>& weights() const;
  /// The evidence lower bound of a rung, in network units; none for `delta` and where targets or weights were missing.
  std::optional<double> elbo(PosteriorKind kind) const;

  /// Scores that new rows may expect, by held-out rows; none where `fit` held out no rows, and where weights, posterior
  /// or rows have changed since.
  const std::optional<Expectation>& expected() const;
  const std::optional<ClassExpectation>& expected_classes() const;  ///< the same of a classification

  /// Lessons of calibration rows (credens/guarantee.hpp); none before `calibrate`, and where weights or posterior have
  /// changed since.
  const std::optional<Promise>& promise() const;
  Ensemble with_promise(Promise promise) const;  ///< throws usage for one that does not fit

  /// The inputs of this model [N x d] among those of other rows: found by name, words with the codes of training.
  Matrix inputs_of(const Dataset& rows) const;

  /// The inputs of this model [N x d] in a table, which needs no targets: read as `credens predict` reads it.
  Matrix read_inputs(const std::filesystem::path& path, const TableFormat& format = {}) const;

  /// `inputs` [N x d] as `inputs_of` and `read_inputs` give them; those of a Dataset where the model knows no words.
  Predictive predict(MatrixView inputs, const PredictOptions& options = {}) const;
  Predictive predict(const MemberOutputs& outputs) const;
  void predict_blocks(const BlockSource& source, const BlockSink& sink, int threads = 0) const;

  /// Class probabilities of a classification, at `inputs` as `predict` takes them.
  ClassPredictive predict_classes(MatrixView inputs, const ClassOptions& options = {}) const;
  ClassPredictive predict_classes(const MemberOutputs& outputs, const ClassOptions& options = {}) const;

  Samples sample(MatrixView inputs, const SampleOptions& options = {}) const;
  Samples sample(const MemberOutputs& outputs, const SampleOptions& options = {}) const;

  /// Covariance of the regression function between rows, one [N x N] matrix per output.
  std::vector<Matrix> joint_epistemic_covariance(MatrixView inputs) const;
  std::vector<Matrix> joint_epistemic_covariance(const MemberOutputs& outputs) const;

  /// The arrays of section "outputs folder": features, means and variances in network units, with last layers and
  /// scales.
  MemberOutputs member_outputs(MatrixView inputs, const PredictOptions& options = {}) const;

  /// This ensemble with other member weights (>= 0, any sum; stored with sum 1).
  Ensemble with_weights(std::vector<double> weights) const;

  const model::EnsembleState& state() const { return *state_; }

 private:
  std::shared_ptr<const model::EnsembleState> state_;
};

}  // namespace credens
