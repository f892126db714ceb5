// SPDX-License-Identifier: Apache-2.0

#include "store/onnx_inputs.hpp"

#include <algorithm>
#include <numbers>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "model/names.hpp"
#include "store/json.hpp"

namespace credens::store {

namespace {

using data::InputEncoding;
using model::EnsembleState;

// ---- columns ----

/// Positions of the inputs that are words, or of all others.
std::vector<std::size_t> columns_of(const EnsembleState& state, bool are_words) {
  const std::vector<InputEncoding>& encodings = state.encoder.columns();
  std::vector<std::size_t> columns;
  for (std::size_t col = 0; col < state.encoder.inputs(); ++col) {
    const bool is_word = !encodings.empty() && encodings[col].kind == ColumnKind::category;
    if (is_word == are_words) columns.push_back(col);
  }
  return columns;
}

template <class T>
std::vector<T> some_of(const std::vector<T>& values, const std::vector<std::size_t>& columns) {
  std::vector<T> some;
  for (const std::size_t col : columns) {
    if (!values.empty()) some.push_back(values[col]);
  }
  return some;
}

data::Scaler some_of(const data::Scaler& scaler, const std::vector<std::size_t>& columns) {
  return {.shift = some_of(scaler.shift, columns),
          .scale = some_of(scaler.scale, columns),
          .centre = some_of(scaler.centre, columns),
          .width = some_of(scaler.width, columns)};
}

std::vector<std::string> category_names(const EnsembleState& state) {
  return some_of(state.schema.input_keys(), columns_of(state, true));
}

/// Whether NaN is a missing number to the graph. Networks of format version 1 have nothing to put in its place.
bool takes_missing(const EnsembleState& state) {
  return !state.encoder.columns().empty() || std::ranges::none_of(state.members, [](const model::Member& member) {
    return member.network->substitutes().empty();
  });
}

std::string meaning_of_numbers(const EnsembleState& state) {
  std::vector<std::string> labels = number_names(state);
  const std::vector<std::size_t> columns = columns_of(state, false);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (state.schema.inputs[columns[j]].kind == ColumnKind::date) labels[j] += " (seconds since 1970-01-01 UTC)";
  }
  return base::join(labels, ", ") + (takes_missing(state) ? "; NaN is missing" : "");
}

/// Empty where nothing can be missing.
std::string meaning_of_missing(const EnsembleState& state) {
  std::vector<std::string> meanings;
  if (state.encoder.numbers() > 0 && takes_missing(state)) meanings.emplace_back("NaN among inputs");
  if (!category_names(state).empty()) meanings.emplace_back("an empty text among categories");
  return base::join(meanings, ", ");
}

// ---- numbers ----

/// asinh t for t in double, which not every runtime has: with m = max(|t|, 1) it is the sign of t times
/// log m + log(|t| / m + sqrt((|t| / m)^2 + 1 / m^2)), where no square overflows.
OnnxValue asinh(OnnxGraph& graph, const OnnxValue& t) {
  const OnnxValue size = graph.node("Abs", {t});
  const OnnxValue m = graph.node("Max", {size, graph.number(1.0)});
  const OnnxValue part = graph.divide(size, m);
  const OnnxValue unit = graph.divide(graph.number(1.0), m);
  const OnnxValue root = graph.node("Sqrt", {graph.add(graph.square(part), graph.square(unit))});
  const OnnxValue bent = graph.add(graph.node("Log", {m}), graph.node("Log", {graph.add(part, root)}));
  return graph.multiply(graph.node("Sign", {t}), bent);
}

/// asinh((x - centre) / width) in place of x in the columns that are bent.
OnnxValue bent(OnnxGraph& graph, const data::Scaler& scaler, const OnnxValue& x) {
  std::vector<char> is_bent;
  std::vector<double> width;
  for (std::size_t col = 0; col < scaler.cols(); ++col) {
    is_bent.push_back(scaler.has_asinh(col) ? 1 : 0);
    width.push_back(scaler.has_asinh(col) ? scaler.width[col] : 1);
  }
  const OnnxValue t =
      graph.divide(graph.subtract(x, graph.vector("input_centre", scaler.centre)), graph.vector("input_width", width));
  return graph.node("Where", {graph.flags("input_is_bent", is_bent), asinh(graph, t), x});
}

/// (x - shift) / scale in double, rounded to float.
OnnxValue scaled(OnnxGraph& graph, const data::Scaler& scaler, OnnxValue x) {
  if (!scaler.width.empty()) x = bent(graph, scaler, x);
  x = graph.subtract(x, graph.vector("input_shift", scaler.shift));
  return graph.cast(graph.divide(x, graph.vector("input_scale", scaler.scale)), OnnxType::f32);
}

// ---- flags and cycles ----

/// How each of the f floats beside the numbers comes from its number, in the order of data::encode.
struct FlagColumns {
  std::vector<std::int64_t> number;  ///< its column in `inputs`
  std::vector<char> is_flag;         ///< else the sine or cosine of a cycle
  std::vector<float> if_missing;     ///< 1 for a flag, 0 for a cycle
  std::vector<double> period;        ///< of a cycle, in seconds; 1 for a flag
  std::vector<double> wave;          ///< waves in a period; 1 for a flag
  std::vector<double> start;         ///< angle of a cycle at 1970: a cosine is the sine a quarter of a turn later

  void add_flag(std::size_t col) { add(col, true, 1, 1, 0); }
  void add_cycle(std::size_t col, data::Cycle cycle) {
    for (std::size_t waves = 1; waves <= data::waves_of(cycle); ++waves) {
      add(col, false, data::seconds_of(cycle), static_cast<double>(waves), 0);
      add(col, false, data::seconds_of(cycle), static_cast<double>(waves), std::numbers::pi / 2);
    }
  }

 private:
  void add(std::size_t col, bool flag, double seconds, double waves, double angle) {
    number.push_back(static_cast<std::int64_t>(col));
    is_flag.push_back(flag ? 1 : 0);
    if_missing.push_back(flag ? 1.0F : 0.0F);
    period.push_back(seconds);
    wave.push_back(waves);
    start.push_back(angle);
  }
};

FlagColumns flag_columns(const std::vector<InputEncoding>& numbers) {
  FlagColumns columns;
  for (std::size_t col = 0; col < numbers.size(); ++col) {
    if (numbers[col].flags_missing) columns.add_flag(col);
    for (const data::Cycle cycle : numbers[col].cycles) columns.add_cycle(col, cycle);
  }
  return columns;
}

/// sin(2 pi wave (t mod period) / period + start) of seconds t [n, f] in double, rounded to float. Not every runtime
/// has cosines in double.
OnnxValue cycles(OnnxGraph& graph, const FlagColumns& columns, const OnnxValue& seconds) {
  const OnnxValue period = graph.vector("cycle_seconds", columns.period);
  const OnnxValue rest = graph.node("Mod", {seconds, period}, {{"fmod", 1}});
  const OnnxValue turn = graph.divide(graph.multiply(rest, graph.number(2 * std::numbers::pi)), period);
  const OnnxValue turns = graph.multiply(turn, graph.vector("cycle_waves", columns.wave));
  const OnnxValue angle = graph.add(turns, graph.vector("cycle_start", columns.start));
  return graph.cast(graph.node("Sin", {angle}), OnnxType::f32);
}

/// [n, f] from `x` and `is_missing` [n, d].
OnnxValue flags_of(OnnxGraph& graph, const FlagColumns& columns, const OnnxValue& x, const OnnxValue& is_missing) {
  const auto f = static_cast<std::int64_t>(columns.number.size());
  const OnnxValue numbers = graph.constant("number_of_flag", {f}, std::span<const std::int64_t>(columns.number));
  const OnnxValue missing = graph.node("Gather", {is_missing, numbers}, {{"axis", 1}});
  if (std::ranges::count(columns.is_flag, 0) == 0) return graph.cast(missing, OnnxType::f32);
  const OnnxValue seconds = graph.node("Gather", {x, numbers}, {{"axis", 1}});
  const OnnxValue wave = cycles(graph, columns, seconds);
  const OnnxValue there = graph.node("Where", {graph.flags("is_flag", columns.is_flag), graph.number(0.0F), wave});
  const OnnxValue gone = graph.constant("flag_if_missing", {f}, std::span<const float>(columns.if_missing));
  return graph.node("Where", {missing, gone, there});
}

/// Numbers, and what the graph needs where they may be missing.
void add_numbers(OnnxGraph& graph, const EnsembleState& state, const OnnxValue& x, EncodedInputs& result) {
  const std::vector<std::size_t> columns = columns_of(state, false);
  result.numbers = scaled(graph, some_of(state.encoder.scaler, columns), x);
  if (!takes_missing(state)) return;
  std::vector<InputEncoding> numbers = some_of(state.encoder.columns(), columns);
  numbers.resize(columns.size());  // in a model of numbers alone each is plain
  for (const InputEncoding& number : numbers) result.has_flag.push_back(number.flags_missing);
  result.is_missing = graph.node("IsNaN", {x});
  const FlagColumns flags = flag_columns(numbers);
  if (!flags.number.empty()) result.flags = flags_of(graph, flags, x, *result.is_missing);
}

// ---- codes ----

OnnxValue column_of(OnnxGraph& graph, const OnnxValue& table, std::size_t place) {
  const std::int64_t at[] = {static_cast<std::int64_t>(place)};
  return graph.node("Gather", {table, graph.constant("column", {}, at)}, {{"axis", 1}});
}

OnnxValue whole_part(OnnxGraph& graph, const OnnxValue& a, double b) {
  return graph.node("Floor", {graph.divide(a, graph.number(b))});
}

/// data::calendar_day of seconds [n], in double: every step is exact. NaN stays NaN, and infinite seconds become NaN.
OnnxValue calendar_day(OnnxGraph& graph, const OnnxValue& seconds) {
  const OnnxValue days = graph.add(whole_part(graph, seconds, 86400), graph.number(719468.0));
  const OnnxValue before = graph.multiply(whole_part(graph, days, 146097), graph.number(146097.0));
  const OnnxValue day = graph.subtract(days, before);
  const OnnxValue leap = graph.subtract(whole_part(graph, day, 1460), whole_part(graph, day, 36524));
  const OnnxValue extra = graph.add(leap, whole_part(graph, day, 146096));
  const OnnxValue year = whole_part(graph, graph.subtract(day, extra), 365);
  const OnnxValue first = graph.add(graph.multiply(year, graph.number(365.0)),
                                    graph.subtract(whole_part(graph, year, 4), whole_part(graph, year, 100)));
  return graph.subtract(day, first);
}

/// Codes [n] of the dates in one column of `inputs`.
OnnxValue calendar_codes(OnnxGraph& graph, const OnnxValue& inputs, std::size_t place, const InputEncoding& encoding) {
  const OnnxValue day = calendar_day(graph, column_of(graph, inputs, place));
  const OnnxValue is_missing = graph.node("IsNaN", {day});
  const OnnxValue known = graph.cast(graph.node("Where", {is_missing, graph.number(0.0), day}), OnnxType::i64);
  const std::vector<std::int64_t> codes(encoding.codes.begin(), encoding.codes.end());
  const std::int64_t missing[] = {encoding.missing_code()};
  const OnnxValue table = graph.constant("calendar", {static_cast<std::int64_t>(codes.size())}, codes);
  return graph.node("Where",
                    {is_missing, graph.constant("missing_date", {}, missing), graph.node("Gather", {table, known})});
}

/// Codes [n] of one column of `categories`. An empty text is missing, and any text but the column's words is unseen.
OnnxValue word_codes(OnnxGraph& graph, const OnnxValue& categories, std::size_t place, const data::Column& column,
                     const InputEncoding& encoding) {
  const OnnxValue words = column_of(graph, categories, place);
  std::vector<std::string> keys = {""};
  std::vector<std::int64_t> codes = {encoding.missing_code()};
  for (std::size_t level = 0; level < column.levels.size(); ++level) {
    if (column.levels[level].empty()) continue;
    keys.push_back(column.levels[level]);
    codes.push_back(encoding.codes[level]);
  }
  return graph.labels(words, keys, codes, encoding.unseen_code());
}

}  // namespace

std::vector<std::string> number_names(const EnsembleState& state) {
  return some_of(state.schema.input_keys(), columns_of(state, false));
}

RowInputs add_row_inputs(OnnxGraph& graph, const EnsembleState& state) {
  RowInputs inputs;
  if (const std::size_t d = state.encoder.numbers(); d > 0) {
    inputs.numbers = graph.input("inputs", d, meaning_of_numbers(state));
  }
  if (const std::vector<std::string> names = category_names(state); !names.empty()) {
    inputs.categories =
        graph.input("categories", names.size(), base::join(names, ", ") + "; an empty text is missing", OnnxType::text);
  }
  return inputs;
}

EncodedInputs encoded(OnnxGraph& graph, const EnsembleState& state, const RowInputs& inputs) {
  EncodedInputs result;
  if (inputs.numbers) add_numbers(graph, state, *inputs.numbers, result);
  std::size_t numbers = 0;
  std::size_t words = 0;
  for (std::size_t col = 0; col < state.encoder.columns().size(); ++col) {
    const InputEncoding& encoding = state.encoder.columns()[col];
    const bool is_word = encoding.kind == ColumnKind::category;
    const std::size_t place = is_word ? words++ : numbers++;
    if (is_word) {
      result.codes.push_back(word_codes(graph, *inputs.categories, place, state.schema.inputs[col], encoding));
    } else if (encoding.has_table()) {
      result.codes.push_back(calendar_codes(graph, *inputs.numbers, place, encoding));
    }
  }
  return result;
}

Metadata kind_metadata(const EnsembleState& state) {
  Metadata metadata;
  if (const std::string missing = meaning_of_missing(state); !missing.empty())
    metadata.emplace_back("missing", missing);
  if (state.encoder.columns().empty()) return metadata;
  Json kinds = Json::array();
  for (const std::size_t col : columns_of(state, false)) kinds.push_back(base::name_of(state.schema.inputs[col].kind));
  Json levels = Json::array();
  for (const std::size_t col : columns_of(state, true)) levels.push_back(state.schema.inputs[col].levels);
  metadata.emplace_back("input_kinds", kinds.dump());
  metadata.emplace_back("category_names", Json(category_names(state)).dump());
  metadata.emplace_back("category_levels", levels.dump());
  metadata.emplace_back("dates", "seconds since 1970-01-01 00:00:00 UTC");
  return metadata;
}

}  // namespace credens::store
