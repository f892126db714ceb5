// SPDX-License-Identifier: Apache-2.0

#include "store/onnx_graph.hpp"

#include <credens/version.hpp>

#include <bit>

#include "base/bytes.hpp"
#include "base/check.hpp"

namespace credens::store {

namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores raw values with their lowest byte first");

constexpr std::int64_t ir_version = 7;
constexpr std::int64_t operator_set = 13;
constexpr std::string_view label_domain = "ai.onnx.ml";
constexpr std::int64_t label_operator_set = 2;

/// Numbers of the fields in onnx.proto.
namespace field {
enum Model : std::uint32_t { ir = 1, producer = 2, producer_version = 3, graph = 7, operators = 8, metadata = 14 };
enum Graph : std::uint32_t { node = 1, graph_name = 2, initializer = 5, input = 11, output = 12 };
enum Node : std::uint32_t {
  node_input = 1,
  node_output = 2,
  node_name = 3,
  operation = 4,
  attribute = 5,
  node_domain = 7
};
enum Attribute : std::uint32_t {
  attribute_name = 1,
  whole_number = 3,
  body = 6,
  whole_numbers = 8,
  texts = 9,
  attribute_type = 20
};
enum Tensor : std::uint32_t { dimension = 1, element_type = 2, tensor_name = 8, raw_values = 9 };
enum ValueInfo : std::uint32_t { value_name = 1, value_type = 2, value_meaning = 3 };
enum TensorType : std::uint32_t { tensor = 1, type_of_elements = 1, shape = 2 };
enum Shape : std::uint32_t { axis = 1, axis_size = 1, axis_name = 2 };
enum Entry : std::uint32_t { entry_key = 1, entry_value = 2 };
enum Operators : std::uint32_t { domain = 1, set_version = 2 };
}  // namespace field

enum AttributeType : std::int64_t { is_whole_number = 2, is_body = 5, is_whole_numbers = 7, is_texts = 8 };

void check_size(std::size_t bytes) {
  base::require(bytes <= largest_onnx_file, ErrorCode::failure,
                "the graph needs more than {} bytes, which is all that an ONNX file can hold", largest_onnx_file);
}

ProtobufMessage axis_message(std::int64_t size) {
  ProtobufMessage axis;
  if (size == open_rows) {
    axis.add(field::axis_name, "rows");
  } else {
    axis.add(field::axis_size, size);
  }
  return axis;
}

ProtobufMessage type_message(const OnnxShape& sizes, OnnxType element_type) {
  ProtobufMessage shape;
  for (const std::int64_t size : sizes) shape.add(field::axis, axis_message(size));
  ProtobufMessage tensor;
  tensor.add(field::type_of_elements, static_cast<std::int64_t>(element_type));
  tensor.add(field::shape, shape);
  ProtobufMessage type;
  type.add(field::tensor, tensor);
  return type;
}

ProtobufMessage value_info(std::string_view name, const OnnxShape& shape, std::string_view meaning,
                           OnnxType element_type) {
  ProtobufMessage info;
  info.add(field::value_name, name);
  info.add(field::value_type, type_message(shape, element_type));
  info.add(field::value_meaning, meaning);
  return info;
}

/// `values` are whole numbers, texts or bodies.
template <class Values>
ProtobufMessage attribute_message(std::string_view name, const Values& values, field::Attribute number,
                                  AttributeType type) {
  ProtobufMessage attribute;
  attribute.add(field::attribute_name, name);
  for (const auto& value : values) attribute.add(number, value);
  attribute.add(field::attribute_type, type);
  return attribute;
}

ProtobufMessage attribute_message(std::string_view name, std::int64_t value) {
  return attribute_message(name, std::span(&value, 1), field::whole_number, is_whole_number);
}

/// The node has the name of its first output.
ProtobufMessage node_message(std::string_view operation, const std::vector<OnnxValue>& inputs,
                             const std::vector<OnnxValue>& outputs, const OnnxAttributes& attributes) {
  ProtobufMessage node;
  for (const OnnxValue& input : inputs) node.add(field::node_input, input);
  for (const OnnxValue& output : outputs) node.add(field::node_output, output);
  node.add(field::node_name, outputs.front());
  node.add(field::operation, operation);
  for (const auto& [name, value] : attributes) node.add(field::attribute, attribute_message(name, value));
  return node;
}

ProtobufMessage operators_message(std::string_view domain, std::int64_t version) {
  ProtobufMessage operators;
  operators.add(field::domain, domain);
  operators.add(field::set_version, version);
  return operators;
}

}  // namespace

OnnxValue OnnxGraph::input(std::string_view name, std::size_t cols, std::string_view meaning, OnnxType type) {
  graph_.add(field::input, value_info(name, {open_rows, static_cast<std::int64_t>(cols)}, meaning, type));
  return OnnxValue(name);
}

void OnnxGraph::output(std::string_view name, const OnnxValue& value, const OnnxShape& shape, std::string_view meaning,
                       OnnxType type) {
  graph_.add(field::node, node_message("Identity", {value}, {OnnxValue(name)}, {}));
  graph_.add(field::output, value_info(name, shape, meaning, type));
}

OnnxValue OnnxGraph::block_input(std::string_view name, const OnnxShape& shape) {
  OnnxValue value = numbered(name);
  graph_.add(field::input, value_info(value, shape, "", OnnxType::f64));
  return value;
}

void OnnxGraph::block_output(const OnnxValue& value, const OnnxShape& shape) {
  graph_.add(field::output, value_info(value, shape, "", OnnxType::f64));
  ++outputs_;
}

std::vector<OnnxValue> OnnxGraph::scan(const OnnxGraph& body, const std::vector<OnnxValue>& inputs) {
  std::vector<OnnxValue> results;
  for (std::size_t i = 0; i < body.outputs_; ++i) results.push_back(numbered("Scan"));
  ProtobufMessage graph = body.graph_;
  graph.add(field::graph_name, "block");
  ProtobufMessage node =
      node_message("Scan", inputs, results, {{"num_scan_inputs", static_cast<std::int64_t>(inputs.size())}});
  node.add(field::attribute, attribute_message("body", std::span(&graph, 1), field::body, is_body));
  graph_.add(field::node, node);
  return results;
}

OnnxValue OnnxGraph::constant(std::string_view name, const OnnxShape& shape, std::span<const float> values) {
  return add_constant(name, OnnxType::f32, shape, base::bytes_of(values));
}

OnnxValue OnnxGraph::constant(std::string_view name, const OnnxShape& shape, std::span<const double> values) {
  return add_constant(name, OnnxType::f64, shape, base::bytes_of(values));
}

OnnxValue OnnxGraph::constant(std::string_view name, const OnnxShape& shape, std::span<const std::int64_t> values) {
  return add_constant(name, OnnxType::i64, shape, base::bytes_of(values));
}

OnnxValue OnnxGraph::vector(std::string_view name, const std::vector<double>& values) {
  return constant(name, {static_cast<std::int64_t>(values.size())}, std::span<const double>(values));
}

OnnxValue OnnxGraph::flags(std::string_view name, const std::vector<char>& values) {
  return add_constant(name, OnnxType::boolean, {static_cast<std::int64_t>(values.size())}, base::bytes_of(values));
}

OnnxValue OnnxGraph::node(std::string_view operation, const std::vector<OnnxValue>& inputs,
                          const OnnxAttributes& options) {
  OnnxValue result = numbered(operation);
  graph_.add(field::node, node_message(operation, inputs, {result}, options));
  return result;
}

OnnxValue OnnxGraph::cast(const OnnxValue& a, OnnxType type) {
  return node("Cast", {a}, {{"to", static_cast<std::int64_t>(type)}});
}

OnnxValue OnnxGraph::sum(const OnnxValue& a, std::int64_t axis) {
  const std::int64_t axes[] = {axis};
  return node("ReduceSum", {a, constant("axis", {1}, axes)}, {{"keepdims", 0}});
}

OnnxValue OnnxGraph::sum_of_last_axis(const OnnxValue& a) {
  return node("ReduceSum", {a, whole_number(-1)}, {{"keepdims", 1}});
}

OnnxValue OnnxGraph::largest_of_last_axis(const OnnxValue& a) {
  constexpr std::int64_t last[] = {-1};
  OnnxValue result = numbered("ReduceMax");
  ProtobufMessage node = node_message("ReduceMax", {a}, {result}, {{"keepdims", 1}});
  node.add(field::attribute, attribute_message("axes", std::span(last), field::whole_numbers, is_whole_numbers));
  graph_.add(field::node, node);
  return result;
}

OnnxValue OnnxGraph::reshaped(const OnnxValue& a, const OnnxShape& shape) {
  const auto axes = static_cast<std::int64_t>(shape.size());
  return node("Reshape", {a, constant("shape", {axes}, std::span<const std::int64_t>(shape))});
}

OnnxValue OnnxGraph::concatenated(const std::vector<OnnxValue>& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts.front() : node("Concat", parts, {{"axis", axis}});
}

OnnxValue OnnxGraph::last_axis_part(const OnnxValue& a, std::size_t first, std::size_t count) {
  const std::int64_t begin[] = {static_cast<std::int64_t>(first)};
  const std::int64_t end[] = {static_cast<std::int64_t>(first + count)};
  const std::int64_t axis[] = {-1};
  return node("Slice", {a, constant("begin", {1}, begin), constant("end", {1}, end), constant("axis", {1}, axis)});
}

OnnxValue OnnxGraph::labels(const OnnxValue& a, std::span<const std::string> keys, std::span<const std::int64_t> values,
                            std::int64_t otherwise) {
  has_labels_ = true;
  OnnxValue result = numbered("LabelEncoder");
  ProtobufMessage node = node_message("LabelEncoder", {a}, {result}, {{"default_int64", otherwise}});
  node.add(field::attribute, attribute_message("keys_strings", keys, field::texts, is_texts));
  node.add(field::attribute, attribute_message("values_int64s", values, field::whole_numbers, is_whole_numbers));
  node.add(field::node_domain, label_domain);
  graph_.add(field::node, node);
  return result;
}

std::string OnnxGraph::encode(const Metadata& metadata) const {
  ProtobufMessage graph = graph_;
  graph.add(field::graph_name, "credens");
  ProtobufMessage model;
  model.add(field::ir, ir_version);
  model.add(field::producer, "credens");
  model.add(field::producer_version, version());
  model.add(field::graph, graph);
  model.add(field::operators, operators_message("", operator_set));
  if (has_labels_) model.add(field::operators, operators_message(label_domain, label_operator_set));
  for (const auto& [key, value] : metadata) {
    ProtobufMessage entry;
    entry.add(field::entry_key, key);
    entry.add(field::entry_value, value);
    model.add(field::metadata, entry);
  }
  check_size(model.bytes().size());
  return model.bytes();
}

OnnxValue OnnxGraph::add_constant(std::string_view name, OnnxType type, const OnnxShape& shape,
                                  std::string_view bytes) {
  check_size(graph_.bytes().size() + bytes.size());
  OnnxValue result = numbered(name);
  ProtobufMessage tensor;
  for (const std::int64_t size : shape) tensor.add(field::dimension, size);
  tensor.add(field::element_type, static_cast<std::int64_t>(type));
  tensor.add(field::tensor_name, result);
  tensor.add(field::raw_values, bytes);
  graph_.add(field::initializer, tensor);
  return result;
}

std::string OnnxGraph::numbered(std::string_view name) {
  return fmt::format("{}{}_{}", prefix_, name, names_++);
}

}  // namespace credens::store
