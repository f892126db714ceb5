// SPDX-License-Identifier: Apache-2.0

#include "given_logits.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace credens::test {

void add_classes(model::EnsembleState& state, std::size_t count) {
  state.schema.task = Task::classification;
  state.schema.targets = {{.name = "y"}};
  for (std::size_t c = 0; c < count; ++c) state.schema.classes.push_back(fmt::format("{}", c));
  state.target_scaler = data::identity_scaler(count);
}

model::EnsembleState state_of_given_logits(std::size_t classes) {
  model::EnsembleState state;
  state.posterior = PosteriorKind::diagonal;
  state.schema.has_names = true;
  state.schema.table_columns = classes + 1;
  for (std::size_t j = 0; j <= classes; ++j) {
    state.schema.inputs.push_back({.name = fmt::format("x{}", j), .position = j});
  }
  state.encoder = {data::identity_scaler(classes + 1), {}};
  add_classes(state, classes);
  model::Mlp network({.inputs = classes + 1, .outputs = classes, .task = Task::classification});
  BasicMatrix<float> weight(classes, classes + 1);
  for (std::size_t c = 0; c < classes; ++c) weight(c, c) = 1;
  network.set_layer(0, weight, std::vector<float>(classes));
  model::MemberPosterior posterior{.kind = PosteriorKind::diagonal, .gamma = 1, .variance = Matrix(1, classes + 1)};
  posterior.variance(0, classes) = 1;
  state.members.push_back({.features = classes + 1,
                           .network = std::make_shared<const model::Mlp>(std::move(network)),
                           .posterior = std::move(posterior)});
  state.total_members = 1;
  state.weights = {1.0};
  return state;
}

std::string rows_of_given_logits(std::size_t classes, base::RandomStream& random) {
  const model::EnsembleState state = state_of_given_logits(classes);
  std::string text = base::join(state.schema.input_names(), ",") + "\n";
  for (const double spread : {0.0, 0.5, 2.0, 5.0, 50.0, 1e4, 1e25}) {
    for (const double variance : {0.0, 1e-6, 0.999e-3, 1.001e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 2.99, 3.01, 6.0, 8.0, 10.0,
                                  10.1, 30.0, 1e3, 1e12, 1e30}) {
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < classes; ++c) {
        cells.push_back(base::to_text(static_cast<double>(static_cast<float>(spread * random.normal()))));
      }
      cells.push_back(base::to_text(static_cast<double>(static_cast<float>(std::sqrt(variance)))));
      text += base::join(cells, ",") + "\n";
    }
  }
  return text;
}

}  // namespace credens::test
