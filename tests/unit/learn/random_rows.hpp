// SPDX-License-Identifier: Apache-2.0
//
// Made-up rows and network shapes, for tests of the training part.

#pragma once

#include <credens/dataset.hpp>

#include <string>
#include <vector>

#include "base/random.hpp"
#include "learn/training_rows.hpp"
#include "model/names.hpp"
#include "unit/learn/plain_loss.hpp"

namespace credens::learn {

/// Rows whose values are floats, so that the plain and the fast path see the same numbers.
struct RandomRows {
  Matrix inputs;
  Matrix targets;
  Matrix noise_std;             ///< or empty
  std::vector<double> weights;  ///< or none
  std::size_t classes = 0;      ///< targets are numbers of classes, or shares of them; 0: no classes

  Matrix known_variance() const {
    Matrix variance = noise_std;
    for (double& value : variance.values()) value = static_cast<float>(value * value);
    return variance;
  }
  Dataset dataset() const {
    return Dataset({.inputs = inputs,
                    .targets = targets,
                    .weights = weights,
                    .noise_std = noise_std,
                    .task = classes > 0 ? Task::classification : Task::regression});
  }
  std::vector<std::string> class_names() const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < classes; ++c) names.push_back(fmt::format("{}", c));
    return names;
  }
  TrainingSet training_set() const {
    return make_training_set(dataset(), {data::identity_scaler(inputs.cols()), data::identity_scaler(targets.cols()),
                                         data::Classes(dataset().schema(), class_names())});
  }
};

struct RowsShape {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 1;
  bool noise = false;
  bool weights = false;
};

inline Matrix random_floats(base::RandomStream& random, std::size_t rows, std::size_t cols, double low, double high) {
  Matrix values(rows, cols);
  for (double& value : values.values()) value = static_cast<float>(random.uniform(low, high));
  return values;
}

inline RandomRows random_rows(const RowsShape& shape, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  RandomRows rows{.inputs = random_floats(random, shape.rows, shape.inputs, -1.5, 1.5),
                  .targets = random_floats(random, shape.rows, shape.outputs, -2, 2)};
  if (shape.noise) rows.noise_std = random_floats(random, shape.rows, shape.outputs, 0.3, 1.2);
  if (shape.weights) {
    for (std::size_t i = 0; i < shape.rows; ++i) rows.weights.push_back(random.uniform(0.2, 3));
  }
  return rows;
}

enum class Labels { numbers, shares };

/// Rows of classes.
inline RandomRows random_class_rows(const RowsShape& shape, std::size_t classes, Labels labels, std::uint64_t seed) {
  RandomRows rows = random_rows(shape, seed);
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test, .member = 1});
  rows.classes = classes;
  rows.targets = Matrix(shape.rows, labels == Labels::shares ? classes : 1);
  for (std::size_t i = 0; i < shape.rows; ++i) {
    if (labels == Labels::numbers) {
      rows.targets(i, 0) = static_cast<double>(random.below(classes));
      continue;
    }
    for (double& share : rows.targets.row(i)) share = 1 / static_cast<double>(classes);
    rows.targets(i, i % classes) *= 1.5;
    rows.targets(i, (i + 1) % classes) *= 0.5;
  }
  return rows;
}

/// A kind of network with or without noise that comes with the data.
struct NetworkCase {
  model::MlpShape shape;
  bool known_noise = false;

  std::string text() const {
    return fmt::format("{}, noise {} through {}{}, {} hidden layers, {} outputs", base::name_of(shape.activation),
                       base::name_of(shape.noise), base::name_of(shape.noise_link), known_noise ? " plus known" : "",
                       shape.hidden.size(), shape.outputs);
  }
};

/// Every activation x noise x link x depth 0 to 4 x 1 to 3 outputs, with and without known noise. `widths` are those of
/// the deepest.
inline std::vector<NetworkCase> every_network(std::size_t inputs, const std::vector<std::size_t>& widths) {
  std::vector<NetworkCase> cases;
  for (const auto& [activation, activation_name] : base::EnumNames<Activation>::entries) {
    for (const auto& [noise, noise_name] : base::EnumNames<NoiseKind>::entries) {
      for (const NoiseLink link : {NoiseLink::softplus, NoiseLink::exp}) {
        for (std::size_t depth = 0; depth <= widths.size(); ++depth) {
          for (std::size_t outputs = 1; outputs <= 3; ++outputs) {
            const model::MlpShape shape{.inputs = inputs,
                                        .hidden = {widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(depth)},
                                        .activation = activation,
                                        .outputs = outputs,
                                        .noise = noise,
                                        .noise_link = link};
            if (noise != NoiseKind::known) cases.push_back({.shape = shape, .known_noise = false});
            cases.push_back({.shape = shape, .known_noise = true});
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace credens::learn
