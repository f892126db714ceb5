// SPDX-License-Identifier: Apache-2.0
//
// Exported graphs, read back as far as tests look at them.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unit/store/protobuf_reader.hpp"

namespace credens::store {

struct OnnxNode {
  std::string operation;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

struct OnnxTensor {
  std::vector<std::int64_t> shape;
  std::string bytes;

  template <class T>
  std::vector<T> values() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// A node that looks texts up.
struct OnnxLabels {
  std::vector<std::string> keys;
  std::vector<std::int64_t> values;
  std::int64_t otherwise = -1;
};

/// The parts of an ONNX file that tests look at.
struct ReadGraph {
  std::map<std::string, std::int64_t> operator_sets;  ///< by domain; empty: the standard one
  std::map<std::string, std::string> metadata;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<OnnxNode> nodes;
  std::map<std::string, OnnxTensor> constants;
  std::vector<OnnxLabels> labels;
  std::vector<std::vector<std::int64_t>> input_shapes;  ///< -1 for an open size
  std::vector<ReadGraph> bodies;                        ///< graphs that nodes repeat

  std::size_t count(std::string_view operation) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes, [&](const OnnxNode& node) { return node.operation == operation; }));
  }
  std::vector<OnnxTensor> constants_called(std::string_view name) const {
    std::vector<OnnxTensor> found;
    for (const auto& [key, tensor] : constants) {
      if (key.substr(0, key.rfind('_')) == name) found.push_back(tensor);
    }
    return found;
  }
  const OnnxTensor& constant_called(std::string_view name) const {
    for (const auto& [key, tensor] : constants) {
      if (key.substr(0, key.rfind('_')) == name) return tensor;
    }
    throw std::out_of_range("no constant " + std::string(name));
  }
};

inline std::vector<std::string> texts(const ProtobufFields& fields, std::uint64_t number) {
  std::vector<std::string> found;
  for (const ProtobufField& field : fields.all(number)) found.emplace_back(field.bytes);
  return found;
}

inline std::vector<std::string> names(const ProtobufFields& fields, std::uint64_t number) {
  std::vector<std::string> found;
  for (const ProtobufField& field : fields.all(number)) found.push_back(ProtobufFields(field.bytes).text(1));
  return found;
}

inline OnnxLabels read_labels(const ProtobufFields& node) {
  EXPECT_EQ(node.text(7), "ai.onnx.ml");
  OnnxLabels labels;
  for (const ProtobufField& field : node.all(5)) {
    const ProtobufFields attribute(field.bytes);
    if (attribute.text(1) == "default_int64") labels.otherwise = attribute.one(3).value;
    if (attribute.text(1) == "keys_strings") labels.keys = texts(attribute, 9);
    for (const ProtobufField& value : attribute.all(8)) labels.values.push_back(value.value);
  }
  return labels;
}

inline std::vector<std::int64_t> shape_of_input(const ProtobufFields& info) {
  const ProtobufFields tensor(ProtobufFields(info.one(2).bytes).one(1).bytes);
  std::vector<std::int64_t> shape;
  for (const ProtobufField& axis : ProtobufFields(tensor.one(2).bytes).all(1)) {
    const std::vector<ProtobufField> size = ProtobufFields(axis.bytes).all(1);
    shape.push_back(size.empty() ? -1 : size.front().value);
  }
  return shape;
}

ReadGraph read_nodes(const ProtobufFields& graph);

inline ReadGraph read_body(const ProtobufFields& node) {
  for (const ProtobufField& field : node.all(5)) {
    const ProtobufFields attribute(field.bytes);
    if (attribute.text(1) == "body") return read_nodes(ProtobufFields(attribute.one(6).bytes));
  }
  throw std::runtime_error("a node has no body");
}

/// The nodes and constants of a graph.
inline ReadGraph read_nodes(const ProtobufFields& graph) {
  ReadGraph result{.operator_sets = {}, .inputs = names(graph, 11), .outputs = names(graph, 12)};
  for (const ProtobufField& field : graph.all(11))
    result.input_shapes.push_back(shape_of_input(ProtobufFields(field.bytes)));
  for (const ProtobufField& field : graph.all(1)) {
    const ProtobufFields node(field.bytes);
    result.nodes.push_back({.operation = node.text(4), .inputs = texts(node, 1), .outputs = texts(node, 2)});
    if (node.text(4) == "LabelEncoder") result.labels.push_back(read_labels(node));
    if (node.text(4) == "Scan") result.bodies.push_back(read_body(node));
  }
  for (const ProtobufField& field : graph.all(5)) {
    const ProtobufFields tensor(field.bytes);
    std::vector<std::int64_t> shape;
    for (const ProtobufField& size : tensor.all(1)) shape.push_back(size.value);
    result.constants[tensor.text(8)] = {shape, tensor.text(9)};
  }
  return result;
}

inline ReadGraph read_graph(const std::string& bytes) {
  const ProtobufFields model(bytes);
  ReadGraph result = read_nodes(ProtobufFields(model.one(7).bytes));
  for (const ProtobufField& field : model.all(8)) {
    const ProtobufFields set(field.bytes);
    result.operator_sets[set.text(1)] = set.one(2).value;
  }
  for (const ProtobufField& field : model.all(14)) {
    const ProtobufFields entry(field.bytes);
    result.metadata[entry.text(1)] = entry.text(2);
  }
  return result;
}

}  // namespace credens::store
