// SPDX-License-Identifier: Apache-2.0
//
// A graph of ONNX operators, built node by node and written as a file (onnx.proto, IR version 7, operators of set 13;
// where texts are looked up also set 2 of ai.onnx.ml).
//
// Every value is a tensor with a name; operators broadcast as numpy does. `rows` is the one size that is open.
//
// A graph may repeat another one, its body, for the blocks of its values (Scan).

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/protobuf.hpp"
#include "store/safetensors.hpp"

namespace credens::store {

/// The most bytes that one message of protocol buffers can hold.
constexpr std::size_t largest_onnx_file = (std::size_t{1} << 31) - 1;

/// The numbers of onnx.proto.
enum class OnnxType : std::int64_t { f32 = 1, i64 = 7, text = 8, boolean = 9, f64 = 11 };

/// The name of a tensor in the graph.
using OnnxValue = std::string;
using OnnxShape = std::vector<std::int64_t>;
using OnnxAttributes = std::vector<std::pair<std::string_view, std::int64_t>>;

constexpr std::int64_t open_rows = -1;  ///< the size of an axis of rows

class OnnxGraph {
 public:
  OnnxGraph() = default;
  /// A body. Its values have names that begin with `prefix`, which those of the graph around it have not.
  explicit OnnxGraph(std::string_view prefix) : prefix_(prefix) {}

  /// Doubles or texts [rows, cols].
  OnnxValue input(std::string_view name, std::size_t cols, std::string_view meaning, OnnxType type = OnnxType::f64);
  void output(std::string_view name, const OnnxValue& value, const OnnxShape& shape, std::string_view meaning,
              OnnxType type = OnnxType::f64);

  /// One block of what a body is repeated for, and of what it makes: doubles.
  OnnxValue block_input(std::string_view name, const OnnxShape& shape);
  void block_output(const OnnxValue& value, const OnnxShape& shape);

  /// Repeats `body` for each block and stacks its outputs. The first axis of `inputs` counts the blocks.
  std::vector<OnnxValue> scan(const OnnxGraph& body, const std::vector<OnnxValue>& inputs);

  /// Values are row-major; the graph adds a number to the name. Throws failure where a file could not hold them.
  OnnxValue constant(std::string_view name, const OnnxShape& shape, std::span<const float> values);
  OnnxValue constant(std::string_view name, const OnnxShape& shape, std::span<const double> values);
  OnnxValue constant(std::string_view name, const OnnxShape& shape, std::span<const std::int64_t> values);
  OnnxValue vector(std::string_view name, const std::vector<double>& values);
  OnnxValue flags(std::string_view name, const std::vector<char>& values);  ///< a vector of 0 and 1
  OnnxValue number(float value) { return constant("number", {}, {&value, 1}); }
  OnnxValue number(double value) { return constant("number", {}, {&value, 1}); }
  OnnxValue whole_number(std::int64_t value) { return constant("whole_number", {1}, {&value, 1}); }  ///< [1]

  /// The result of an operator.
  OnnxValue node(std::string_view operation, const std::vector<OnnxValue>& inputs, const OnnxAttributes& options = {});

  OnnxValue add(const OnnxValue& a, const OnnxValue& b) { return node("Add", {a, b}); }
  OnnxValue subtract(const OnnxValue& a, const OnnxValue& b) { return node("Sub", {a, b}); }
  OnnxValue multiply(const OnnxValue& a, const OnnxValue& b) { return node("Mul", {a, b}); }
  OnnxValue divide(const OnnxValue& a, const OnnxValue& b) { return node("Div", {a, b}); }
  OnnxValue square(const OnnxValue& a) { return node("Mul", {a, a}); }
  OnnxValue product(const OnnxValue& a, const OnnxValue& b) { return node("MatMul", {a, b}); }  ///< of matrices
  OnnxValue cast(const OnnxValue& a, OnnxType type);
  OnnxValue sum(const OnnxValue& a, std::int64_t axis);            ///< the axis goes; negative ones count from the end
  OnnxValue sum_of_last_axis(const OnnxValue& a);                  ///< the axis stays, with the size 1
  OnnxValue largest_of_last_axis(const OnnxValue& a);              ///< likewise
  OnnxValue reshaped(const OnnxValue& a, const OnnxShape& shape);  ///< one size may be -1
  OnnxValue concatenated(const std::vector<OnnxValue>& parts, std::int64_t axis);
  OnnxValue last_axis_part(const OnnxValue& a, std::size_t first, std::size_t count);

  /// The whole number that each text of `a` stands for; `otherwise` for texts that are not among `keys`. Only the set
  /// ai.onnx.ml has an operator that compares texts (Equal does from set 19 on).
  OnnxValue labels(const OnnxValue& a, std::span<const std::string> keys, std::span<const std::int64_t> values,
                   std::int64_t otherwise);

  /// The bytes of a file. Throws failure where they would be too many.
  std::string encode(const Metadata& metadata) const;

 private:
  OnnxValue add_constant(std::string_view name, OnnxType type, const OnnxShape& shape, std::string_view bytes);
  std::string numbered(std::string_view name);

  ProtobufMessage graph_;
  std::string prefix_;
  std::size_t names_ = 0;
  std::size_t outputs_ = 0;
  bool has_labels_ = false;
};

}  // namespace credens::store
