// SPDX-License-Identifier: Apache-2.0
//
// Conformal p values of the distance from training rows and of ignorance: the rank of a row among calibration rows,
// which the model has not seen either.

#include <credens/trust.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "decide/ignorance.hpp"
#include "decide/places.hpp"
#include "model/ensemble_state.hpp"

namespace credens {

namespace decide {

/// Calibration values of one kind of strangeness, ascending.
class Ranks {
 public:
  explicit Ranks(std::vector<double> values) : sorted_(std::move(values)) { std::ranges::sort(sorted_); }

  /// (1 + calibration rows at least as strange) / (n + 1); a calibration row itself is one of them already.
  double p_of(double value, bool is_among_them) const {
    const auto stranger = sorted_.end() - std::ranges::lower_bound(sorted_, value);
    return static_cast<double>(stranger + (is_among_them ? 0 : 1)) / (static_cast<double>(sorted_.size()) + 1);
  }

 private:
  std::vector<double> sorted_;
};

}  // namespace decide

namespace {

const Ensemble& checked(const Ensemble& ensemble) {
  base::require(ensemble.promise() && ensemble.promise()->judges_rows(), ErrorCode::usage,
                "the model keeps no rows to compare with: they come from `credens calibrate` with --train");
  return ensemble;
}

/// Epistemic uncertainty does not depend on the known noise of a row.
Predictive predict_without_noise(const Ensemble& ensemble, MatrixView inputs, int threads) {
  const Matrix any(ensemble.state().schema.has_noise ? inputs.rows() : 0, ensemble.outputs(), 1);
  return ensemble.predict(inputs, {.noise_std = any, .threads = threads});
}

}  // namespace

std::vector<std::size_t> RowTrust::strange_inputs(std::size_t row, double p) const {
  std::vector<std::size_t> strange;
  for (std::size_t input = 0; input < inputs.cols(); ++input) {
    if (inputs(row, input) <= p) strange.push_back(input);
  }
  std::ranges::stable_sort(strange, {}, [&](std::size_t input) { return inputs(row, input); });
  return strange;
}

struct TrustJudge::Impl {
  explicit Impl(Ensemble judged)
      : ensemble(std::move(judged)),
        places(ensemble.state().encoder, checked(ensemble).promise()->training_inputs) {
    const Matrix values = measures(ensemble.promise()->calibration_inputs, 0);
    for (std::size_t col = 0; col < values.cols(); ++col) {
      std::vector<double> of_one(values.rows());
      for (std::size_t row = 0; row < values.rows(); ++row) of_one[row] = values(row, col);
      ranks.emplace_back(std::move(of_one));
    }
    calibration = ranked(values, true);
    strangeness.emplace(calibration.strangeness);
    rank_strangeness(calibration, true);
  }

  /// [N x (3 d + 3)]: distances by input, the two nearest distances, ignorance.
  Matrix measures(MatrixView inputs, int threads) const {
    constexpr std::size_t rows_per_task = 64;
    const std::size_t by_input = decide::input_neighbours.size() * places.inputs();
    const std::vector<double> ignorance =
        decide::standardised_ignorance(ensemble, predict_without_noise(ensemble, inputs, threads));
    Matrix values(inputs.rows(), by_input + 3);
    base::parallel_for((inputs.rows() + rows_per_task - 1) / rows_per_task, threads, [&](std::size_t task) {
      const std::size_t end = std::min(inputs.rows(), (task + 1) * rows_per_task);
      for (std::size_t row = task * rows_per_task; row < end; ++row) {
        places.distances_by_input(inputs.row(row), values.row(row).first(by_input));
        const auto [plain, white] = places.nearest(inputs.row(row));
        values(row, by_input) = plain;
        values(row, by_input + 1) = white;
        values(row, by_input + 2) = ignorance[row];
      }
    });
    return values;
  }

  RowTrust ranked(const Matrix& values, bool is_calibration) const {
    const std::size_t inputs = places.inputs();
    const std::size_t by_input = decide::input_neighbours.size() * inputs;
    RowTrust trust{.inputs = Matrix(values.rows(), inputs, 1)};
    for (std::size_t row = 0; row < values.rows(); ++row) {
      const auto p = [&](std::size_t col) { return ranks[col].p_of(values(row, col), is_calibration); };
      double alone = 1;
      for (std::size_t col = 0; col < by_input; ++col) {
        double& least = trust.inputs(row, col % inputs);
        least = std::min(least, p(col));
        alone = std::min(alone, least);
      }
      const double plain = p(by_input);
      const double white = p(by_input + 1);
      trust.together.push_back(std::min(plain, white));
      trust.ignorance.push_back(p(by_input + 2));
      trust.strangeness.push_back(-std::log(alone) - std::log(plain) - std::log(white));
    }
    return trust;
  }

  void rank_strangeness(RowTrust& trust, bool is_calibration) const {
    for (const double value : trust.strangeness) {
      trust.trust.push_back(strangeness->p_of(value, is_calibration));
    }
  }

  Ensemble ensemble;
  decide::Places places;
  std::vector<decide::Ranks> ranks;  ///< by measure
  std::optional<decide::Ranks> strangeness;
  RowTrust calibration;
};

TrustJudge::TrustJudge(Ensemble ensemble) : impl_(std::make_unique<Impl>(std::move(ensemble))) {}
TrustJudge::~TrustJudge() = default;
TrustJudge::TrustJudge(TrustJudge&&) noexcept = default;

RowTrust TrustJudge::judge(MatrixView inputs, int threads) const {
  RowTrust trust = impl_->ranked(impl_->measures(inputs, threads), false);
  impl_->rank_strangeness(trust, false);
  return trust;
}

const RowTrust& TrustJudge::calibration() const {
  return impl_->calibration;
}

}  // namespace credens
