// SPDX-License-Identifier: Apache-2.0

#include <credens/ensemble.hpp>
#include <credens/onnx.hpp>
#include <credens/store.hpp>
#include <credens/uncertain_inputs.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.hpp"
#include "data/kinds.hpp"
#include "decide/names.hpp"
#include "frame.hpp"
#include "interruptible.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "module.hpp"
#include "report/expectation.hpp"
#include "store/model_file.hpp"

namespace credens::python {

namespace {

nb::bytes to_bytes(const Ensemble& ensemble) {
  const std::string bytes = unlocked([&] { return store::encode_model(ensemble); });
  return nb::bytes(bytes.data(), bytes.size());
}

Ensemble from_bytes(const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  return unlocked([&] { return store::decode_model(view); });
}

Predictive predict(const Ensemble& ensemble, const Array2& inputs, const std::optional<Array2>& noise_std,
                   int threads) {
  return unlocked(
      [&] { return ensemble.predict(view_of(inputs), {.noise_std = view_of(noise_std), .threads = threads}); });
}

Matrix matrix_of(const std::optional<Array2>& array) {
  if (!array) return {};
  return {array->shape(0), array->shape(1), std::vector<double>(array->data(), array->data() + array->size())};
}

Predictive predict_uncertain(const Ensemble& ensemble, const Array2& inputs, const std::vector<std::size_t>& columns,
                             const std::optional<Array2>& std, const std::optional<Array2>& covariance,
                             const std::string& method, std::size_t draws, std::uint64_t seed,
                             const std::optional<Array2>& noise_std, int threads) {
  const UncertainInputs uncertain{.columns = columns, .std = matrix_of(std), .covariance = matrix_of(covariance)};
  const InputOptions options{.method = base::parse_enum<InputMethod>(method), .draws = draws, .seed = seed};
  return unlocked([&] {
    return credens::predict(ensemble, view_of(inputs), uncertain, options,
                            {.noise_std = view_of(noise_std), .threads = threads});
  });
}

ClassPredictive predict_classes(const Ensemble& ensemble, const Array2& inputs, bool classical, int threads) {
  return unlocked(
      [&] { return ensemble.predict_classes(view_of(inputs), {.classical = classical, .threads = threads}); });
}

NumpyArray sample(const Ensemble& ensemble, const Array2& inputs, std::size_t draws, const std::string& of,
                  std::uint64_t seed, const std::optional<Array2>& noise_std, int threads) {
  SampleOptions options{.draws = draws,
                        .of = base::parse_enum<Draw>(of),
                        .seed = seed,
                        .noise_std = view_of(noise_std),
                        .threads = threads};
  const auto work = [&](const std::stop_token& stop) {
    options.stop = stop;
    return ensemble.sample(view_of(inputs), options);
  };
  Samples samples = interruptible(work, check_signals);
  return to_array(std::move(samples.values), {samples.draws, samples.rows, samples.outputs});
}

NumpyArray sample_uncertain(const Ensemble& ensemble, const Array2& inputs, const std::vector<std::size_t>& columns,
                            const std::optional<Array2>& std, const std::optional<Array2>& covariance,
                            std::size_t draws, const std::string& of, std::uint64_t seed,
                            const std::optional<Array2>& noise_std, int threads) {
  const UncertainInputs uncertain{.columns = columns, .std = matrix_of(std), .covariance = matrix_of(covariance)};
  const SampleOptions options{.draws = draws,
                              .of = base::parse_enum<Draw>(of),
                              .seed = seed,
                              .noise_std = view_of(noise_std),
                              .threads = threads};
  Samples samples = unlocked([&] { return credens::sample(ensemble, view_of(inputs), uncertain, options); });
  return to_array(std::move(samples.values), {samples.draws, samples.rows, samples.outputs});
}

/// [q x N x N]
NumpyArray joint_covariance(const Ensemble& ensemble, const Array2& inputs) {
  const std::vector<Matrix> all = unlocked([&] { return ensemble.joint_epistemic_covariance(view_of(inputs)); });
  std::vector<double> values;
  for (const Matrix& matrix : all) values.insert(values.end(), matrix.values().begin(), matrix.values().end());
  return to_array(std::move(values), {all.size(), inputs.shape(0), inputs.shape(0)});
}

}  // namespace

void register_ensemble(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Ensemble>(module, "Ensemble", "An immutable ensemble.")
      .def_static("from_bytes", &from_bytes, "bytes"_a)
      .def("to_bytes", &to_bytes, "The bytes of its model file.")
      .def_prop_ro("members", &Ensemble::members)
      .def_prop_ro("inputs", &Ensemble::inputs)
      .def_prop_ro("outputs", &Ensemble::outputs)
      .def_prop_ro("task", [](const Ensemble& ensemble) { return std::string(base::name_of(ensemble.task())); })
      .def_prop_ro("classes", &Ensemble::classes)
      .def_prop_ro("has_number_classes",
                   [](const Ensemble& ensemble) { return has_number_classes(ensemble.state().schema); })
      .def_prop_ro("input_names", &Ensemble::input_names)
      .def_prop_ro("target_names", &Ensemble::target_names)
      .def_prop_ro("input_units", [](const Ensemble& model) { return data::units_of(model.state().schema.inputs); })
      .def_prop_ro("target_units", [](const Ensemble& model) { return data::units_of(model.state().schema.targets); })
      .def(
          "check_units",
          [](const Ensemble& model, const Dataset& rows) {
            const data::Schema& expected = model.state().schema;
            const data::Schema& found = rows.schema();
            for (std::size_t k = 0; k < std::min(expected.targets.size(), found.targets.size()); ++k) {
              data::check_unit(expected.targets[k], found.targets[k].unit, "targets");
            }
          },
          "rows"_a, "Refuses targets in other units than those of training.")
      .def_prop_ro("input_kinds", [](const Ensemble& ensemble) { return kind_names(ensemble.state().schema); })
      .def_prop_ro("has_networks", &Ensemble::has_networks)
      .def_prop_ro("has_known_noise", [](const Ensemble& ensemble) { return ensemble.state().schema.has_noise; })
      .def_prop_ro("fingerprint", [](const Ensemble& ensemble) { return ensemble.state().data.fingerprint; })
      .def_prop_ro("posterior",
                   [](const Ensemble& ensemble) { return std::string(base::name_of(ensemble.posterior())); })
      .def_prop_ro("prior_precision", &Ensemble::prior_precision)
      .def_prop_ro("target_scale", [](const Ensemble& ensemble) { return to_array(ensemble.state().target_scaler.scale); })
      .def_prop_ro("target_shift", [](const Ensemble& ensemble) { return to_array(ensemble.state().target_scaler.shift); })
      .def_prop_ro("gamma", [](const Ensemble& ensemble) { return to_array(ensemble.gamma()); })
      .def_prop_ro("weights", [](const Ensemble& ensemble) { return to_array(ensemble.weights()); })
      .def(
          "elbo",
          [](const Ensemble& ensemble, const std::string& kind) {
            return ensemble.elbo(base::parse_enum<PosteriorKind>(kind));
          },
          "kind"_a)
      .def_prop_ro(
          "expected", [](const Ensemble& ensemble) { return report::expectation_json(ensemble).dump(); },
          "JSON; null: not known.")
      .def("predict", &predict, "inputs"_a.noconvert(), "noise_std"_a.noconvert().none(), "threads"_a)
      .def("predict_classes", &predict_classes, "inputs"_a.noconvert(), "classical"_a, "threads"_a)
      .def("sample", &sample, "inputs"_a.noconvert(), "draws"_a, "of"_a, "seed"_a, "noise_std"_a.noconvert().none(),
           "threads"_a)
      .def("predict_uncertain", &predict_uncertain, "inputs"_a.noconvert(), "columns"_a, "std"_a.noconvert().none(),
           "covariance"_a.noconvert().none(), "method"_a, "draws"_a, "seed"_a, "noise_std"_a.noconvert().none(),
           "threads"_a)
      .def("sample_uncertain", &sample_uncertain, "inputs"_a.noconvert(), "columns"_a, "std"_a.noconvert().none(),
           "covariance"_a.noconvert().none(), "draws"_a, "of"_a, "seed"_a, "noise_std"_a.noconvert().none(),
           "threads"_a)
      .def_prop_ro("input_keys", [](const Ensemble& ensemble) { return ensemble.state().schema.input_keys(); })
      .def("joint_epistemic_covariance", &joint_covariance, "inputs"_a.noconvert())
      .def("with_weights", &Ensemble::with_weights, "weights"_a);

  module.def("save", &save, "ensemble"_a, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def("export_onnx", &export_onnx, "ensemble"_a, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def("load", &load, "path"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace credens::python
