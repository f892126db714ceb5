// SPDX-License-Identifier: Apache-2.0

#include <credens/uncertain_inputs.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "math/linalg.hpp"
#include "math/quasi_random.hpp"
#include "model/class_predictive.hpp"
#include "model/ensemble_state.hpp"
#include "model/input_slopes.hpp"
#include "model/marginal.hpp"
#include "model/member_source.hpp"

// Letters: N rows, d inputs, c uncertain ones, M draws of them, L members, q outputs, C covariance of the errors [c x
// c].

namespace credens {

namespace {

constexpr std::size_t usual_draws = 256;

/// Nodes of the integral over one uncertain input.
constexpr std::size_t nodes = 12;

std::size_t draws_of(const InputOptions& options, std::size_t inputs) {
  std::size_t least = 2 * (inputs + 1);
  if (options.draws > 0) {
    base::require(options.draws >= least, ErrorCode::usage, "{} draws of {} uncertain inputs, expected at least {}",
                  options.draws, inputs, least);
    return options.draws;
  }
  std::size_t draws = usual_draws;
  while (draws < 4 * least) draws *= 2;
  return draws;
}

void check_columns(const model::EnsembleState& state, const UncertainInputs& uncertain) {
  const std::vector<std::string> keys = state.schema.input_keys();
  std::vector<bool> seen(keys.size());
  base::require(!uncertain.columns.empty(), ErrorCode::usage, "no input is uncertain, expected at least one");
  for (const std::size_t column : uncertain.columns) {
    base::require(column < keys.size(), ErrorCode::usage, "uncertain input {} was named, expected one below {}", column,
                  keys.size());
    base::require(!seen[column], ErrorCode::usage, "input {} is given two uncertainties", base::quoted(keys[column]));
    seen[column] = true;
    const ColumnKind kind = state.schema.inputs[column].kind;
    base::require(kind == ColumnKind::number, ErrorCode::usage,
                  "input {} holds {}, which have no standard uncertainty here: only numbers have",
                  base::quoted(keys[column]), kind == ColumnKind::category ? "words" : "dates");
  }
}

void check_stds(const Matrix& std, std::size_t rows, std::size_t columns) {
  base::require((std.rows() == rows || std.rows() == 1) && std.cols() == columns, ErrorCode::usage,
                "standard uncertainties are {} x {}, expected {} x {} or 1 x {}", std.rows(), std.cols(), rows, columns,
                columns);
  for (std::size_t i = 0; i < std.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      base::require(std(i, j) >= 0 && std::isfinite(std(i, j)), ErrorCode::data,
                    "the standard uncertainty in row {}, column {} is {}, expected a number from 0", i, j, std(i, j));
    }
  }
}

void check_covariance(const Matrix& c, std::size_t columns) {
  base::require(c.rows() == columns && c.cols() == columns, ErrorCode::usage,
                "the covariance of the inputs is {} x {}, expected {} x {}", c.rows(), c.cols(), columns, columns);
  base::check_finite(c, "covariance of the inputs");
  double largest = 0;
  for (std::size_t a = 0; a < columns; ++a) {
    largest = std::max(largest, c(a, a));
    base::require(c(a, a) >= 0, ErrorCode::data,
                  "the covariance of the inputs has the variance {} in row {}, expected one from 0", c(a, a), a);
    for (std::size_t b = 0; b < a; ++b) {
      base::require(std::abs(c(a, b) - c(b, a)) <= 1e-9 * std::sqrt(c(a, a) * c(b, b)), ErrorCode::data,
                    "the covariance of the inputs is {} in row {}, column {}, but {} in row {}, column {}: expected a "
                    "symmetric one",
                    c(a, b), a, b, c(b, a), b, a);
    }
  }
  const double least = math::symmetric_eigenvalues(c).front();
  base::require(least >= -1e-9 * largest, ErrorCode::data,
                "the covariance of the inputs has the eigenvalue {:.3g}: no errors have it", least);
}

/// Lower F with F F^T = C, also where C is singular: what earlier columns leave of a variance, if anything.
Matrix factor_of(const Matrix& c) {
  Matrix factor(c.rows(), c.cols());
  for (std::size_t j = 0; j < c.cols(); ++j) {
    const auto left = [&](std::size_t i) {
      double value = c(i, j);
      for (std::size_t m = 0; m < j; ++m) value -= factor(i, m) * factor(j, m);
      return value;
    };
    const double pivot = left(j);
    if (pivot <= 1e-12 * c(j, j)) continue;
    for (std::size_t i = j; i < c.rows(); ++i) factor(i, j) = left(i) / std::sqrt(pivot);
  }
  return factor;
}

/// The errors of the inputs as one factor F with F F^T = C for all rows, or as stds of their own.
class Errors {
 public:
  Errors(const model::EnsembleState& state, const UncertainInputs& uncertain, std::size_t rows)
      : uncertain_(uncertain) {
    model::require_networks(state);
    model::check_task(state, false);
    check_columns(state, uncertain);
    base::require(uncertain.std.empty() != uncertain.covariance.empty(), ErrorCode::usage,
                  "uncertain inputs need standard uncertainties or a covariance, and not both");
    if (uncertain.covariance.empty()) {
      if (rows > 0) check_stds(uncertain.std, rows, inputs());
    } else {
      check_covariance(uncertain.covariance, inputs());
      factor_ = factor_of(uncertain.covariance);
    }
  }

  std::size_t inputs() const { return uncertain_.columns.size(); }
  const std::vector<std::size_t>& columns() const { return uncertain_.columns; }

  double std(std::size_t row, std::size_t j) const {
    if (!factor_.empty()) return std::sqrt(uncertain_.covariance(j, j));
    return uncertain_.std(uncertain_.std.rows() == 1 ? 0 : row, j);
  }
  double covariance(std::size_t row, std::size_t a, std::size_t b) const {
    if (!factor_.empty()) return uncertain_.covariance(a, b);
    return a == b ? std(row, a) * std(row, a) : 0;
  }
  bool are_zero(std::size_t rows) const {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < inputs(); ++j) {
        if (std(i, j) > 0) return false;
      }
    }
    return true;
  }

  /// x + F z for standard normal z [c].
  void add(std::size_t row, std::span<const double> z, std::span<double> x) const {
    for (std::size_t j = 0; j < inputs(); ++j) {
      double error = 0;
      if (factor_.empty()) {
        error = std(row, j) * z[j];
      } else {
        for (std::size_t m = 0; m <= j; ++m) error += factor_(j, m) * z[m];
      }
      x[uncertain_.columns[j]] += error;
    }
  }

 private:
  const UncertainInputs& uncertain_;
  Matrix factor_;  ///< empty: rows have stds
};

/// Rows in the place of each row of `values`, all the same.
Matrix repeated(MatrixView values, std::size_t times) {
  Matrix result(values.rows() * times, values.cols());
  for (std::size_t i = 0; i < result.rows(); ++i) std::ranges::copy(values.row(i / times), result.row(i).begin());
  return result;
}

std::vector<std::string> names_of(const model::EnsembleState& state, const std::vector<std::size_t>& columns) {
  const std::vector<std::string> keys = state.schema.input_keys();
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(keys[column]);
  return names;
}

InputSpread exact_inputs(std::vector<std::string> names, const MixtureComponents& components) {
  const std::size_t values = components.rows * components.outputs;
  InputSpread spread{.names = std::move(names)};
  spread.covariance.resize(values * components.outputs);
  spread.std.resize(values * spread.names.size());
  return spread;
}

/// Components of all rows, [N x M] points each.
MixtureComponents components_at(const model::EnsembleState& state, MatrixView points, MatrixView noise_std,
                                const PredictOptions& options) {
  const Matrix noise = noise_std.empty() ? Matrix() : repeated(noise_std, points.rows() / noise_std.rows());
  return model::predictive_of(state, model::networks_at(state, points, noise), options.threads).components();
}

/// The covariance between outputs of the means at M points, which stand at [first, first + M), by their weights.
void add_covariance(const Matrix& mean, std::size_t first, std::span<const double> weight,
                    std::span<double> covariance) {
  const std::size_t q = mean.cols();
  std::vector<double> centre(q);
  for (std::size_t d = 0; d < weight.size(); ++d) {
    for (std::size_t k = 0; k < q; ++k) centre[k] += weight[d] * (mean(first + d, k) - mean(first, k));
  }
  for (std::size_t d = 0; d < weight.size(); ++d) {
    for (std::size_t a = 0; a < q; ++a) {
      for (std::size_t b = 0; b < q; ++b) {
        covariance[a * q + b] += weight[d] * (mean(first + d, a) - mean(first, a) - centre[a]) *
                                 (mean(first + d, b) - mean(first, b) - centre[b]);
      }
    }
  }
}

/// Standard deviations of the mixture's mean where one input is uncertain and the others have their values: a rule of
/// integration over each.
void fill_stds(const model::EnsembleState& state, MatrixView inputs, const Errors& errors,
               const PredictOptions& options, MixtureComponents& components) {
  const std::size_t q = components.outputs;
  const std::size_t c = errors.inputs();
  if (c == 1) {  // the part is the whole
    for (std::size_t i = 0; i < components.inputs.std.size(); ++i) {
      components.inputs.std[i] = std::sqrt(components.inputs.covariance[i * q + i % q]);
    }
    return;
  }
  const math::QuadratureRule rule = math::normal_quadrature(nodes);
  for (std::size_t j = 0; j < c; ++j) {
    Matrix points = repeated(inputs, nodes);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      points(i, errors.columns()[j]) += errors.std(i / nodes, j) * rule.at[i % nodes];
    }
    const Matrix mean = Predictive(components_at(state, points, options.noise_std, options)).mean();
    std::vector<double> covariance(q * q);
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      std::ranges::fill(covariance, 0.0);
      add_covariance(mean, i * nodes, rule.weight, covariance);
      for (std::size_t k = 0; k < q; ++k) components.inputs.std[(i * q + k) * c + j] = std::sqrt(covariance[k * q + k]);
    }
  }
}

Predictive by_draws(const model::EnsembleState& state, MatrixView inputs, const Errors& errors,
                    const InputOptions& options, const PredictOptions& predict_options) {
  const std::size_t m = draws_of(options, errors.inputs());
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::input_draws});
  const Matrix z = math::normal_points(m, errors.inputs(), random);
  Matrix points = repeated(inputs, m);
  for (std::size_t i = 0; i < points.rows(); ++i) errors.add(i / m, z.row(i % m), points.row(i));
  MixtureComponents components = components_at(state, points, predict_options.noise_std, predict_options);
  const Matrix mean = Predictive(components).mean();

  const std::size_t q = components.outputs;
  const std::vector<double> equal(m, 1 / static_cast<double>(m));
  components.rows = inputs.rows();
  components.inputs = exact_inputs(names_of(state, errors.columns()), components);
  components.inputs.draws = m;
  components.weights.clear();
  for (std::size_t d = 0; d < m; ++d) {
    for (const double weight : state.weights) components.weights.push_back(weight / static_cast<double>(m));
  }
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    add_covariance(mean, i * m, equal, std::span(components.inputs.covariance).subspan(i * q * q, q * q));
  }
  fill_stds(state, inputs, errors, predict_options, components);
  return Predictive(std::move(components));
}

/// Slopes of the members' means at some rows: value (row i, member l, output k, uncertain input j) at ((i L + l) q + k)
/// c + j.
std::vector<double> slopes_at(const model::EnsembleState& state, MatrixView inputs, const Errors& errors, int threads) {
  const std::size_t q = state.target_scaler.cols();
  const std::size_t c = errors.inputs();
  const std::size_t members = state.members.size();
  std::vector<double> slopes(inputs.rows() * members * q * c);
  const std::size_t blocks = (inputs.rows() + model::forward_rows - 1) / model::forward_rows;
  base::parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t first = block * model::forward_rows;
    const std::size_t count = std::min(model::forward_rows, inputs.rows() - first);
    model::SlopeReader reader(state);
    reader.take(inputs.row_block(first, count));
    for (std::size_t l = 0; l < members; ++l) {
      const Matrix& mean = reader.member(l).mean;
      for (std::size_t i = 0; i < count * q; ++i) {
        const std::size_t at = (((first + i / q) * members + l) * q + i % q) * c;
        for (std::size_t j = 0; j < c; ++j) slopes[at + j] = mean(i, errors.columns()[j]);
      }
    }
  });
  return slopes;
}

/// a^T C b of a row.
double through(const Errors& errors, std::size_t row, std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sum += a[i] * errors.covariance(row, i, j) * b[j];
  }
  return sum;
}

/// With g_lk the slope of member l's mean and g_k = sum_l w_l g_lk: the mixture's mean gets the covariance g_a^T C g_b,
/// the mean of a member the variance g_lk^T C g_lk.
Predictive by_slopes(const Ensemble& ensemble, MatrixView inputs, const Errors& errors, const PredictOptions& options) {
  const model::EnsembleState& state = ensemble.state();
  MixtureComponents components = ensemble.predict(inputs, options).components();
  const std::vector<double> slopes = slopes_at(state, inputs, errors, options.threads);
  const std::size_t q = components.outputs;
  const std::size_t c = errors.inputs();
  const std::size_t members = state.members.size();
  InputSpread& spread = components.inputs = exact_inputs(names_of(state, errors.columns()), components);
  spread.slope_variance.resize(components.mean.size());
  Matrix mean(q, c);
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    std::ranges::fill(mean.values(), 0.0);
    for (std::size_t l = 0; l < members; ++l) {
      for (std::size_t k = 0; k < q; ++k) {
        const std::size_t at = (i * members + l) * q + k;
        const auto slope = std::span(slopes).subspan(at * c, c);
        spread.slope_variance[at] = std::max(through(errors, i, slope, slope), 0.0);
        for (std::size_t j = 0; j < c; ++j) mean(k, j) += state.weights[l] * slope[j];
      }
    }
    for (std::size_t a = 0; a < q; ++a) {
      for (std::size_t b = 0; b < q; ++b) {
        spread.covariance[(i * q + a) * q + b] = through(errors, i, mean.row(a), mean.row(b));
      }
      spread.covariance[(i * q + a) * q + a] = std::max(spread.covariance[(i * q + a) * q + a], 0.0);
      for (std::size_t j = 0; j < c; ++j) spread.std[(i * q + a) * c + j] = std::abs(mean(a, j)) * errors.std(i, j);
    }
  }
  return Predictive(std::move(components));
}

}  // namespace

Predictive predict(const Ensemble& ensemble, MatrixView inputs, const UncertainInputs& uncertain,
                   const InputOptions& options, const PredictOptions& predict_options) {
  const model::EnsembleState& state = ensemble.state();
  const Errors errors(state, uncertain, inputs.rows());
  draws_of(options, errors.inputs());
  model::require_known_noise(state, inputs.rows(), predict_options.noise_std);
  model::check_rows(state, inputs, predict_options.noise_std);
  if (inputs.rows() == 0 || errors.are_zero(inputs.rows())) {
    MixtureComponents components = ensemble.predict(inputs, predict_options).components();
    components.inputs = exact_inputs(names_of(state, errors.columns()), components);
    return Predictive(std::move(components));
  }
  if (options.method == InputMethod::first_order) return by_slopes(ensemble, inputs, errors, predict_options);
  return by_draws(state, inputs, errors, options, predict_options);
}

Samples sample(const Ensemble& ensemble, MatrixView inputs, const UncertainInputs& uncertain,
               const SampleOptions& options, std::size_t first_row) {
  const model::EnsembleState& state = ensemble.state();
  const Errors errors(state, uncertain, inputs.rows());
  if (options.of == Draw::observation) model::require_known_noise(state, inputs.rows(), options.noise_std);
  model::check_rows(state, inputs, options.noise_std);
  std::vector<double> z(errors.inputs());
  const auto inputs_of = [&](std::size_t draw) {
    Matrix drawn(inputs.rows(), inputs.cols());
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      base::RandomStream random(
          {.seed = options.seed, .purpose = base::Purpose::input_draws, .member = draw, .epoch = 1 + first_row + i});
      for (double& value : z) value = random.normal();
      std::ranges::copy(inputs.row(i), drawn.row(i).begin());
      errors.add(i, z, drawn.row(i));
    }
    return drawn;
  };
  return model::draw_samples_at(state, inputs_of, inputs.rows(), options, first_row);
}

}  // namespace credens
