// SPDX-License-Identifier: Apache-2.0

#include "store/stored_member.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "model/likelihood.hpp"
#include "model/names.hpp"

namespace credens::store {

namespace {

std::string tensor_name(std::size_t member, std::string_view rest) {
  return fmt::format("members.{}.{}", member, rest);
}

std::string layer_name(std::size_t member, std::size_t layer) {
  return tensor_name(member, fmt::format("layers.{}", layer));
}

// ---- to the document and to tensors ----

Json elbo_to_json(const model::ElboLadder& elbo) {
  return {{"isotropic", number_or_null(elbo.isotropic)},
          {"diagonal", number_or_null(elbo.diagonal)},
          {"full", number_or_null(elbo.full)}};
}

template <class T>
void append(std::vector<Tensor>& tensors, std::string name, TensorShape shape, std::span<const T> values) {
  tensors.push_back({std::move(name), std::move(shape), std::vector<T>(values.begin(), values.end())});
}

/// Rows [first, first + count) of a layer as `part`.weight and `part`.bias.
void append_rows(std::vector<Tensor>& tensors, const std::string& part, const BasicMatrix<float>& weight,
                 std::span<const float> bias, std::size_t first, std::size_t count) {
  const std::size_t in = weight.cols();
  append(tensors, part + ".weight", {count, in}, weight.values().subspan(first * in, count * in));
  append(tensors, part + ".bias", {count}, bias.subspan(first, count));
}

// ---- from the document and from tensors ----

model::ElboLadder read_elbo(const JsonObject& member) {
  const JsonObject elbo = member.object("elbo", {"isotropic", "diagonal", "full"});
  return {elbo.number_or_null("isotropic"), elbo.number_or_null("diagonal"), elbo.number_or_null("full")};
}

/// A count that sizes something: at least 1.
std::size_t read_width(std::uint64_t width, const std::string& place) {
  // Far above any layer, and low enough that no product of a width and a number's size overflows.
  constexpr std::uint64_t widest = std::uint64_t{1} << 40;
  base::require(width >= 1 && width <= widest, ErrorCode::model, "{} is {}, expected a width from 1 to {}", place,
                width, widest);
  return width;
}

/// None for a member made from arrays.
std::optional<model::MlpShape> read_shape(const JsonObject& member, const model::MlpShape& common) {
  if (common.row_width() == 0) {
    for (const std::string_view key : {"frequencies", "hidden", "activation"}) {
      base::require(member.is_null(key), ErrorCode::model, "{} is given, expected null because the model has no inputs",
                    member.place_of(key));
    }
    return std::nullopt;
  }
  model::MlpShape shape = common;
  for (const std::uint64_t width : member.wholes("hidden")) {
    shape.hidden.push_back(read_width(width, member.place_of("hidden")));
  }
  shape.activation = member.choice<Activation>("activation");
  shape.frequencies = member.whole("frequencies");
  return shape;
}

struct LayerValues {
  std::vector<float> weight;  // [out x in]
  std::vector<float> bias;    // [out]
};

LayerValues take_layer(TensorMap& tensors, const std::string& part, std::size_t out, std::size_t in) {
  return {take<float>(tensors, part + ".weight", {out, in}), take<float>(tensors, part + ".bias", {out})};
}

/// The head: rows of the means, then those of the noise.
LayerValues take_head(TensorMap& tensors, std::size_t member, const model::MlpShape& shape) {
  const std::size_t p = shape.features();
  LayerValues head = take_layer(tensors, tensor_name(member, "mean"), shape.outputs, p);
  if (shape.noise_units() > 0) {
    const LayerValues noise = take_layer(tensors, tensor_name(member, "noise"), shape.noise_units(), p);
    head.weight.insert(head.weight.end(), noise.weight.begin(), noise.weight.end());
    head.bias.insert(head.bias.end(), noise.bias.begin(), noise.bias.end());
  }
  return head;
}

/// Those of a file that bounds no noise are none.
std::vector<model::NoiseRange> take_noise_ranges(TensorMap& tensors, std::size_t member, const model::MlpShape& shape) {
  const std::string name = tensor_name(member, "noise.range");
  if (!tensors.contains(name)) return {};
  const std::vector<float> ends = take<float>(tensors, name, {shape.noise_units(), 2});
  std::vector<model::NoiseRange> ranges;
  for (std::size_t at = 0; at < ends.size(); at += 2) {
    base::require(ends[at] <= ends[at + 1], ErrorCode::model,
                  "tensor {} has a range from {} to {}, expected the lower end first", name, ends[at], ends[at + 1]);
    ranges.push_back({ends[at], ends[at + 1]});
  }
  return ranges;
}

std::string table_name(std::size_t member, std::size_t table) {
  return tensor_name(member, fmt::format("tables.{}", table));
}

/// Learned vectors of words, table after table.
std::vector<float> take_tables(TensorMap& tensors, std::size_t member, const model::MlpShape& shape) {
  std::vector<float> values;
  for (std::size_t t = 0; t < shape.tables.size(); ++t) {
    const auto [rows, width] = shape.tables[t];
    const std::vector<float> table = take<float>(tensors, table_name(member, t), {rows, width});
    values.insert(values.end(), table.begin(), table.end());
  }
  return values;
}

model::Mlp read_network(std::size_t member, const model::MlpShape& shape, TensorMap& tensors) {
  // A network allocates what its shape says, so every tensor is found first. The frequencies before all others: the
  // width of the first layer is a product that may overflow where the file does not hold them.
  std::vector<float> frequencies;
  if (shape.frequencies > 0) {
    frequencies = take<float>(tensors, tensor_name(member, "frequencies"), {shape.inputs, shape.frequencies});
  }
  std::vector<LayerValues> layers;
  std::size_t in = shape.embedded_inputs();
  for (const std::size_t width : shape.hidden) {
    layers.push_back(take_layer(tensors, layer_name(member, layers.size()), width, in));
    in = width;
  }
  layers.push_back(take_head(tensors, member, shape));
  std::vector<float> raw_noise;
  if (shape.has_constant_noise()) {
    raw_noise = take<float>(tensors, tensor_name(member, "noise.raw"), {shape.outputs});
  }

  std::vector<model::NoiseRange> ranges = take_noise_ranges(tensors, member, shape);
  const std::vector<float> tables = take_tables(tensors, member, shape);
  std::vector<float> substitutes;
  if (tensors.contains(tensor_name(member, "substitutes"))) {
    substitutes = take<float>(tensors, tensor_name(member, "substitutes"), {shape.inputs});
  }

  model::Mlp network(shape);
  network.set_substitutes(std::move(substitutes));
  std::ranges::copy(tables, network.tables().begin());
  network.set_noise_ranges(std::move(ranges));
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerValues& layer = layers[index];
    const std::size_t out = layer.bias.size();
    network.set_layer(index, {layer.weight.data(), out, layer.weight.size() / out}, layer.bias);
  }
  std::ranges::copy(raw_noise, network.constant_noise().begin());
  std::ranges::copy(frequencies, network.frequencies().begin());
  return network;
}

std::vector<Matrix> read_factor(std::size_t member, std::size_t outputs, std::size_t size, TensorMap& tensors) {
  const std::string name = tensor_name(member, "posterior.factor");
  const auto found = tensors.find(name);
  const bool is_shared = found != tensors.end() && !found->second.shape.empty() && found->second.shape[0] == 1;
  const std::size_t count = is_shared ? 1 : outputs;
  const std::vector<double> values = take<double>(tensors, name, {count, size, size});
  std::vector<Matrix> factors;
  for (auto at = values.begin(); at != values.end(); at += static_cast<std::ptrdiff_t>(size * size)) {
    factors.emplace_back(size, size, std::vector<double>(at, at + static_cast<std::ptrdiff_t>(size * size)));
  }
  return factors;
}

}  // namespace

const std::vector<std::string>& member_keys() {
  static const std::vector<std::string> keys = {"index",    "frequencies", "hidden", "activation",
                                                "features", "gamma",       "elbo"};
  return keys;
}

Json member_to_json(const model::Member& member) {
  Json json = {{"index", member.index}, {"frequencies", nullptr}, {"hidden", nullptr}, {"activation", nullptr}};
  if (member.network) {
    json["frequencies"] = member.network->shape().frequencies;
    json["hidden"] = member.network->shape().hidden;
    json["activation"] = base::name_of(member.network->shape().activation);
  }
  json["features"] = member.features;
  json["gamma"] = member.posterior.gamma;
  json["elbo"] = elbo_to_json(member.posterior.elbo);
  return json;
}

void append_posterior_tensors(const model::Member& member, std::vector<Tensor>& tensors) {
  const model::MemberPosterior& posterior = member.posterior;
  if (posterior.kind == PosteriorKind::diagonal) {
    const std::string name = tensor_name(member.index, "posterior.variance");
    const Matrix& variance = posterior.variance;
    append(tensors, name, {variance.rows(), variance.cols()}, variance.values());
  }
  if (posterior.kind == PosteriorKind::full) {
    const std::string name = tensor_name(member.index, "posterior.factor");
    const std::size_t size = posterior.factor.front().rows();
    std::vector<double> values;
    for (const Matrix& factor : posterior.factor) {
      values.insert(values.end(), factor.values().begin(), factor.values().end());
    }
    append<double>(tensors, name, {posterior.factor.size(), size, size}, values);
  }
}

void append_network_tensors(const model::Member& member, std::vector<Tensor>& tensors) {
  if (!member.network) return;
  const model::Mlp& network = *member.network;
  const model::MlpShape& shape = network.shape();
  const std::size_t head = shape.hidden.size();
  if (shape.frequencies > 0) {
    append(tensors, tensor_name(member.index, "frequencies"), {shape.inputs, shape.frequencies}, network.frequencies());
  }
  for (std::size_t index = 0; index < head; ++index) {
    append_rows(tensors, layer_name(member.index, index), network.weight(index), network.bias(index), 0,
                shape.hidden[index]);
  }
  const BasicMatrix<float> weight = network.weight(head);
  const std::vector<float> bias = network.bias(head);
  append_rows(tensors, tensor_name(member.index, "mean"), weight, bias, 0, shape.outputs);
  if (shape.noise_units() > 0) {
    append_rows(tensors, tensor_name(member.index, "noise"), weight, bias, shape.outputs, shape.noise_units());
  }
  if (shape.has_constant_noise()) {
    append(tensors, tensor_name(member.index, "noise.raw"), {shape.outputs}, network.constant_noise());
  }
  if (!network.noise_ranges().empty()) {
    std::vector<float> ends;
    for (const auto& [low, high] : network.noise_ranges()) ends.insert(ends.end(), {low, high});
    append<float>(tensors, tensor_name(member.index, "noise.range"), {shape.noise_units(), 2}, ends);
  }
  std::size_t at = 0;
  for (std::size_t t = 0; t < shape.tables.size(); ++t) {
    const auto [rows, width] = shape.tables[t];
    append(tensors, table_name(member.index, t), {rows, width}, network.tables().subspan(at, rows * width));
    at += rows * width;
  }
  if (!network.substitutes().empty()) {
    append<float>(tensors, tensor_name(member.index, "substitutes"), {shape.inputs}, network.substitutes());
  }
}

model::Member read_member(const JsonObject& object, const CommonParts& common, TensorMap& tensors) {
  model::Member member;
  member.index = object.whole("index");
  member.features = read_width(object.whole("features"), object.place_of("features"));
  const std::optional<model::MlpShape> shape = read_shape(object, common.shape);
  member.posterior = common.posterior;
  member.posterior.gamma = object.number("gamma");
  member.posterior.elbo = read_elbo(object);

  const std::size_t outputs = model::likelihood_of(common.shape).covariances();
  const std::size_t size = model::random_weights(member.posterior, member.features);
  if (member.posterior.kind == PosteriorKind::diagonal) {
    const std::string name = tensor_name(member.index, "posterior.variance");
    member.posterior.variance = Matrix(outputs, size, take<double>(tensors, name, {outputs, size}));
  }
  if (member.posterior.kind == PosteriorKind::full) {
    member.posterior.factor = read_factor(member.index, outputs, size, tensors);
  }
  if (shape) member.network = std::make_shared<const model::Mlp>(read_network(member.index, *shape, tensors));
  return member;
}

void check_all_taken(const TensorMap& tensors) {
  if (!tensors.empty()) {
    base::fail(ErrorCode::model, "tensor {} belongs to no member", base::quoted(tensors.begin()->first));
  }
}

}  // namespace credens::store
