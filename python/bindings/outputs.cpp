// SPDX-License-Identifier: Apache-2.0
//
// Networks trained elsewhere: arrays, sums and outputs folders.

#include <credens/outputs_folder.hpp>
#include <credens/outputs_widening.hpp>
#include <credens/store.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "model/ensemble_state.hpp"
#include "model/logit_rows.hpp"
#include "model/names.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

using Arrays2 = std::vector<Array2>;

std::vector<MatrixView> views_of(const Arrays2& arrays) {
  std::vector<MatrixView> views;
  for (const Array2& array : arrays) views.push_back(view_of(array));
  return views;
}

std::vector<Matrix> copies_of(const Arrays2& arrays) {
  std::vector<Matrix> copies;
  for (const Array2& array : arrays) copies.push_back(copy_of(array));
  return copies;
}

/// `head` are means, or logits where `variance` is none.
OutputRows rows_of(const Arrays2& features, const Arrays2& head, const std::optional<Arrays2>& variance,
                   const std::optional<Array2>& targets = {}, const std::optional<Array1>& row_weights = {}) {
  OutputRows rows;
  rows.features = views_of(features);
  (variance ? rows.mean : rows.logits) = views_of(head);
  if (variance) rows.variance = views_of(*variance);
  rows.targets = view_of(targets);
  rows.row_weights = span_of(row_weights);
  return rows;
}

/// Without posterior the default of the task.
WidenOptions options_of(std::optional<double> prior_precision, const std::optional<std::string>& posterior,
                        bool random_bias, int threads) {
  return {.posterior = posterior ? std::optional(base::parse_enum<PosteriorKind>(*posterior)) : std::nullopt,
          .prior_precision = prior_precision,
          .evidence = !prior_precision,
          .random_bias = random_bias,
          .threads = threads};
}

// ---- arrays that own their values ----

MemberOutputs make_outputs(const Arrays2& features, const Arrays2& head, const std::optional<Arrays2>& variance,
                           const std::optional<Array2>& targets, const Arrays2& last_layer,
                           const std::optional<Array1>& row_weights, std::vector<double> member_weights,
                           std::vector<double> target_scale, std::vector<double> target_shift,
                           std::vector<std::string> target_names, std::vector<std::string> classes,
                           bool has_number_classes) {
  MemberOutputs outputs{.features = copies_of(features),
                        .targets = targets ? copy_of(*targets) : Matrix(),
                        .last_layer = copies_of(last_layer),
                        .row_weights = copy_of(row_weights),
                        .member_weights = std::move(member_weights),
                        .target_scale = std::move(target_scale),
                        .target_shift = std::move(target_shift),
                        .target_names = std::move(target_names),
                        .classes = std::move(classes),
                        .has_number_classes = has_number_classes};
  (variance ? outputs.mean : outputs.logits) = copies_of(head);
  if (variance) outputs.variance = copies_of(*variance);
  return outputs;
}

/// Arrays over the matrices of an object, which they keep alive.
template <std::vector<Matrix> MemberOutputs::*part>
nb::list shared_arrays(nb::handle_t<MemberOutputs> self) {
  nb::list arrays;
  for (const Matrix& matrix : nb::cast<const MemberOutputs&>(self).*part) arrays.append(shared_array(matrix, self));
  return arrays;
}

nb::object shared_targets(nb::handle_t<MemberOutputs> self) {
  const Matrix& targets = nb::cast<const MemberOutputs&>(self).targets;
  return targets.empty() ? nb::object(nb::none()) : shared_array(targets, self);
}

nb::object shared_row_weights(nb::handle_t<MemberOutputs> self) {
  const std::vector<double>& weights = nb::cast<const MemberOutputs&>(self).row_weights;
  return weights.empty() ? nb::object(nb::none()) : shared_array(weights.data(), {weights.size()}, self);
}

void register_member_outputs(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<MemberOutputs>(module, "MemberOutputs", "Outputs of members at some rows.")
      .def_static("make", &make_outputs, "features"_a, "head"_a, "variance"_a.none(), "targets"_a.none(),
                  "last_layer"_a, "row_weights"_a.none(), "member_weights"_a, "target_scale"_a, "target_shift"_a,
                  "target_names"_a, "classes"_a, "has_number_classes"_a)
      .def_prop_ro("features", &shared_arrays<&MemberOutputs::features>)
      .def_prop_ro("mean", &shared_arrays<&MemberOutputs::mean>)
      .def_prop_ro("variance", &shared_arrays<&MemberOutputs::variance>)
      .def_prop_ro("logits", &shared_arrays<&MemberOutputs::logits>)
      .def_prop_ro("last_layer", &shared_arrays<&MemberOutputs::last_layer>)
      .def_prop_ro("targets", &shared_targets)
      .def_prop_ro("row_weights", &shared_row_weights)
      .def_ro("member_weights", &MemberOutputs::member_weights)
      .def_ro("target_scale", &MemberOutputs::target_scale)
      .def_ro("target_shift", &MemberOutputs::target_shift)
      .def_ro("target_names", &MemberOutputs::target_names)
      .def_ro("classes", &MemberOutputs::classes)
      .def_ro("has_number_classes", &MemberOutputs::has_number_classes);
}

// ---- widening ----

OutputsWidening make_widening(std::optional<double> prior_precision, const std::optional<std::string>& posterior,
                              bool random_bias, int threads, bool full_elbo, const MemberOutputs& about) {
  return OutputsWidening(options_of(prior_precision, posterior, random_bias, threads), about, full_elbo);
}

void add_rows(OutputsWidening& widening, const Arrays2& features, const Arrays2& head,
              const std::optional<Arrays2>& variance, const std::optional<Array2>& targets,
              const std::optional<Array1>& row_weights) {
  const OutputRows rows = rows_of(features, head, variance, targets, row_weights);
  unlocked([&] { widening.add(rows); });
}

/// `sums` are diagonals, one array per member, or Gram matrices, a list of arrays per member.
Ensemble widen_sums(std::size_t rows, std::size_t outputs, const Arrays2& diagonal, const std::vector<Arrays2>& gram,
                    std::vector<double> log_likelihood, std::optional<double> prior_precision,
                    const std::optional<std::string>& posterior, bool random_bias, const MemberOutputs& about,
                    bool has_classes) {
  OutputSums sums{.rows = rows,
                  .outputs = outputs,
                  .diagonal = copies_of(diagonal),
                  .log_likelihood = std::move(log_likelihood),
                  .task = has_classes ? Task::classification : Task::regression};
  for (const Arrays2& member : gram) sums.gram.push_back(copies_of(member));
  return unlocked([&] { return widen(sums, options_of(prior_precision, posterior, random_bias, 0), about); });
}

void register_widening(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<OutputsWidening>(module, "OutputsWidening", "Sums over rows that come in pieces.")
      .def_static("make", &make_widening, "prior_precision"_a.none(), "posterior"_a.none(), "random_bias"_a,
                  "threads"_a, "full_elbo"_a, "about"_a)
      .def("add", &add_rows, "features"_a, "head"_a, "variance"_a.none(), "targets"_a.none(), "row_weights"_a.none())
      .def_prop_ro("rows", &OutputsWidening::rows)
      .def("finish", &OutputsWidening::finish, nb::call_guard<nb::gil_scoped_release>());
  module.def("widen_sums", &widen_sums, "rows"_a, "outputs"_a, "diagonal"_a, "gram"_a, "log_likelihood"_a,
             "prior_precision"_a.none(), "posterior"_a.none(), "random_bias"_a, "about"_a, "has_classes"_a);
}

// ---- predictions ----

Predictive predict_outputs(const Ensemble& ensemble, const Arrays2& features, const Arrays2& mean,
                           const Arrays2& variance, int threads) {
  const OutputRows rows = rows_of(features, mean, variance);
  return unlocked([&] { return predict(ensemble, rows, threads); });
}

ClassPredictive predict_class_outputs(const Ensemble& ensemble, const Arrays2& features, const Arrays2& logits,
                                      bool classical, int threads) {
  const OutputRows rows = rows_of(features, logits, {});
  return unlocked([&] { return predict_classes(ensemble, rows, {.classical = classical, .threads = threads}); });
}

/// One member at some rows: logits [n x C] and their variance [n].
using LogitArrays = std::pair<Array2, Array1>;

ClassPredictive mix_logits(const std::vector<LogitArrays>& members, const std::vector<double>& weights, int threads) {
  std::vector<model::LogitRows> rows;
  for (const auto& [logits, variance] : members) {
    rows.push_back({.logits = view_of(logits), .variance = {variance.data(), variance.size()}});
  }
  return unlocked([&] { return model::class_predictive_of(rows, weights, threads); });
}

nb::object sample_outputs(const Ensemble& ensemble, const Arrays2& features, const Arrays2& head,
                          const std::optional<Arrays2>& variance, std::size_t draws, const std::string& of,
                          std::uint64_t seed, int threads) {
  const OutputRows rows = rows_of(features, head, variance);
  SampleOptions options{
      .draws = draws, .of = base::parse_enum<Draw>(of), .seed = seed, .noise_std = {}, .threads = threads};
  const auto work = [&](const std::stop_token& stop) {
    options.stop = stop;
    return sample(ensemble, rows, options);
  };
  Samples samples = interruptible(work, check_signals);
  return to_array(std::move(samples.values), {samples.draws, samples.rows, samples.outputs});
}

/// (variance [q x P] of the diagonal rung, [S_k] of the full one); what the rung does not have is None or empty.
nb::object posterior_of(const Ensemble& ensemble, std::size_t member) {
  const model::MemberPosterior& posterior = ensemble.state().members.at(member).posterior;
  nb::list factors;
  for (const Matrix& factor : posterior.factor) factors.append(to_array(factor));
  return nb::make_tuple(posterior.variance.empty() ? nb::object(nb::none()) : to_array(posterior.variance), factors);
}

// ---- folders ----

nb::object load_folder(const std::filesystem::path& path) {
  OutputsFolder folder = unlocked([&] { return load_outputs(path); });
  return nb::make_tuple(std::move(folder.outputs), folder.prior_precision);
}

void save_folder(const MemberOutputs& outputs, double prior_precision, const std::filesystem::path& path) {
  unlocked([&] { save_outputs({outputs, prior_precision}, path); });
}

/// Lambda of the folder where `use_prior` asks for it; else `prior_precision`, or evidence where that is none.
Ensemble widen_folder(const std::filesystem::path& path, bool use_prior, std::optional<double> prior_precision,
                      const std::optional<std::string>& posterior, bool random_bias, int threads) {
  const nb::gil_scoped_release released;
  OutputsReader reader(path);
  if (use_prior) prior_precision = reader.prior_precision();
  OutputsWidening widening(options_of(prior_precision, posterior, random_bias, threads), reader.about());
  for (std::size_t first = 0; first == 0 || first < reader.rows(); first += reader.block_rows()) {
    widening.add(reader.read(first, reader.block_rows()));
  }
  return widening.finish();
}

}  // namespace

void register_outputs(nb::module_& module) {
  using namespace nb::literals;
  register_member_outputs(module);
  register_widening(module);
  module.def("predict_outputs", &predict_outputs, "ensemble"_a, "features"_a, "mean"_a, "variance"_a, "threads"_a);
  module.def("predict_class_outputs", &predict_class_outputs, "ensemble"_a, "features"_a, "logits"_a, "classical"_a,
             "threads"_a);
  module.def("mix_logits", &mix_logits, "members"_a, "weights"_a, "threads"_a);
  module.def("sample_outputs", &sample_outputs, "ensemble"_a, "features"_a, "head"_a, "variance"_a.none(), "draws"_a,
             "of"_a, "seed"_a, "threads"_a);
  module.def("posterior_of", &posterior_of, "ensemble"_a, "member"_a);
  module.def("load_outputs", &load_folder, "path"_a);
  module.def("save_outputs", &save_folder, "outputs"_a, "prior_precision"_a, "path"_a);
  module.def("widen_folder", &widen_folder, "path"_a, "use_prior"_a, "prior_precision"_a.none(), "posterior"_a.none(),
             "random_bias"_a, "threads"_a);
}

}  // namespace credens::python
