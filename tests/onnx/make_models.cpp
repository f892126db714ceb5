// SPDX-License-Identifier: Apache-2.0
//
// Writes random ensembles of every kind and rows for them: FOLDER/I.safetensors and FOLDER/I.csv, I = 0, 1, ..., and of
// classes FOLDER/classesI.
// Columns of numbers are called x0, x1, ..., of words w, of dates t, of known noise u. A missing number or date is NA,
// a missing word an empty cell.
//
// FOLDER/givenC are those of given_logits.hpp with C classes.
//
// Usage: make_models FOLDER NUMBERS CLASSES [SEED]

#include <credens/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/random.hpp"
#include "data/date.hpp"
#include "given_logits.hpp"
#include "model/ensemble_state.hpp"
#include "model/weights.hpp"

namespace credens {
namespace {

using base::RandomStream;
using model::EnsembleState;
using model::MemberPosterior;
using model::MlpShape;

template <class T, std::size_t count>
T one_of(const T (&values)[count], RandomStream& random) {
  return values[random.below(count)];
}

bool chance(double probability, RandomStream& random) {
  return random.uniform() < probability;
}

std::size_t between(std::size_t low, std::size_t high, RandomStream& random) {
  return low + random.below(high - low + 1);
}

double power_of_ten(double low, double high, RandomStream& random) {
  return std::pow(10.0, random.uniform(low, high));
}

// ---- members ----

/// Posterior and noise go through all pairs, first with numbers alone, then with columns of every kind; the rest is
/// random.
constexpr PosteriorKind posteriors[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                                        PosteriorKind::full};
constexpr NoiseKind noises[] = {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known};
constexpr Activation activations[] = {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu,
                                      Activation::elu};

MlpShape random_shape(MlpShape shape, RandomStream& random) {
  shape.hidden.resize(random.below(4));
  for (std::size_t& width : shape.hidden)
    width = chance(0.1, random) ? between(129, 200, random) : between(4, 40, random);
  shape.activation = one_of(activations, random);
  shape.frequencies = chance(0.4, random) ? between(1, 4, random) : 0;
  return shape;
}

model::Mlp random_network(const MlpShape& shape, bool takes_missing, RandomStream& random) {
  model::Mlp network(shape);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const math::PanelShape panel = shape.layer(layer);
    const double spread = 1.5 / std::sqrt(static_cast<double>(panel.in));
    BasicMatrix<float> weight(panel.out, panel.in);
    for (float& value : weight.values()) value = static_cast<float>(spread * random.normal());
    std::vector<float> bias(panel.out);
    for (float& value : bias) value = static_cast<float>(0.5 * random.normal());
    network.set_layer(layer, weight, bias);
  }
  for (float& raw : network.constant_noise()) raw = static_cast<float>(3 * random.normal());
  for (float& frequency : network.frequencies()) frequency = static_cast<float>(random.normal());
  for (float& value : network.tables()) value = static_cast<float>(random.normal());
  std::vector<float> substitutes(takes_missing ? shape.inputs : 0);
  for (float& value : substitutes) value = static_cast<float>(random.normal());
  network.set_substitutes(std::move(substitutes));
  if (chance(0.4, random)) {
    const auto low = static_cast<float>(random.normal() - 1);
    network.set_noise_ranges(
        std::vector<model::NoiseRange>(shape.noise_units(), {low, low + static_cast<float>(random.uniform(0, 2))}));
  }
  return network;
}

Matrix random_factor(std::size_t size, double width, RandomStream& random) {
  Matrix factor(size, size);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t col = row; col < size; ++col) factor(row, col) = width * random.normal();
  }
  return factor;
}

MemberPosterior random_posterior(const EnsembleState& state, bool random_bias, bool shared_factor, std::size_t features,
                                 RandomStream& random) {
  MemberPosterior posterior{.kind = state.posterior, .random_bias = random_bias};
  const std::size_t q = state.schema.is_classification() ? 1 : state.target_scaler.cols();
  const std::size_t size = model::random_weights(posterior, features);
  if (state.posterior != PosteriorKind::delta) posterior.gamma = power_of_ten(-4, 0, random);
  if (state.posterior == PosteriorKind::diagonal) {
    posterior.variance = Matrix(q, size);
    for (double& value : posterior.variance.values()) value = power_of_ten(-4, 0, random);
  }
  if (state.posterior == PosteriorKind::full) {
    for (std::size_t k = 0; k < (shared_factor ? 1 : q); ++k) {
      posterior.factor.push_back(random_factor(size, power_of_ten(-2, 0, random), random));
    }
  }
  return posterior;
}

void add_members(EnsembleState& state, NoiseKind noise, RandomStream& random) {
  const MlpShape common{.inputs = state.encoder.numbers(),
                        .outputs = state.target_scaler.cols(),
                        .task = state.schema.task,
                        .noise = noise,
                        .noise_link = chance(0.5, random) ? NoiseLink::softplus : NoiseLink::exp,
                        .flags = state.encoder.flags(),
                        .tables = state.encoder.tables()};
  std::vector<MlpShape> shapes;
  for (std::size_t i = between(1, 3, random); i > 0; --i) shapes.push_back(random_shape(common, random));
  const bool takes_missing = !state.encoder.columns().empty() || chance(0.7, random);  // not in format version 1
  const bool random_bias = chance(0.4, random);
  const bool shared_factor = noise == NoiseKind::shared;
  state.total_members = between(1, 7, random);
  for (std::size_t l = 0; l < state.total_members; ++l) {
    const MlpShape& shape = shapes[random.below(shapes.size())];
    state.members.push_back(
        {.index = l,
         .features = shape.features(),
         .network = std::make_shared<const model::Mlp>(random_network(shape, takes_missing, random)),
         .posterior = random_posterior(state, random_bias, shared_factor, shape.features(), random)});
    state.weights.push_back(l > 0 && chance(0.2, random) ? 0 : random.uniform(0.1, 1));
  }
  state.weights = chance(0.3, random) ? model::uniform_weights(state.total_members) : model::normalised(state.weights);
}

// ---- tables ----

void set_codes(const std::vector<bool>& is_learned, data::InputEncoding& encoding) {
  encoding.learned = static_cast<std::size_t>(std::ranges::count(is_learned, true));
  std::uint32_t next = 0;
  for (const bool has_own : is_learned) encoding.codes.push_back(has_own ? next++ : encoding.rare_code());
}

/// Words with blanks, delimiters, quotes and letters beyond ASCII; some share the code of those too rare to learn.
data::InputEncoding random_words(data::Column& column, RandomStream& random) {
  constexpr std::string_view endings[] = {"", " and blanks", ", \"quoted\"", " grün"};
  data::InputEncoding encoding{.kind = ColumnKind::category};
  std::vector<bool> is_learned(random.below(20));
  for (std::size_t level = 0; level < is_learned.size(); ++level) {
    column.levels.push_back(fmt::format("word {}{}", level, one_of(endings, random)));
    is_learned[level] = chance(0.7, random);
  }
  set_codes(is_learned, encoding);
  return encoding;
}

data::InputEncoding random_date(RandomStream& random) {
  data::InputEncoding encoding{.kind = ColumnKind::date, .flags_missing = chance(0.5, random)};
  for (const data::Cycle cycle : {data::Cycle::day, data::Cycle::week, data::Cycle::year}) {
    if (chance(0.6, random)) encoding.cycles.push_back(cycle);
  }
  if (chance(0.5, random)) {
    std::vector<bool> is_learned(data::days_of_calendar);
    for (std::size_t day = 0; day < is_learned.size(); ++day) is_learned[day] = chance(0.7, random);
    set_codes(is_learned, encoding);
  }
  return encoding;
}

data::InputEncoding random_encoding(data::Column& column, RandomStream& random) {
  constexpr ColumnKind kinds[] = {ColumnKind::number, ColumnKind::category, ColumnKind::date};
  column.kind = one_of(kinds, random);
  if (column.kind == ColumnKind::category) return random_words(column, random);
  if (column.kind == ColumnKind::date) return random_date(random);
  return {.flags_missing = chance(0.5, random)};
}

constexpr double seconds_per_year = 365.25 * 86400;

/// Where the values of a column lie, and how far they spread.
std::pair<double, double> random_place(ColumnKind kind, RandomStream& random) {
  if (kind == ColumnKind::category) return {0, 1};
  const bool is_date = kind == ColumnKind::date;
  const double spread = is_date ? power_of_ten(-2, 1, random) * seconds_per_year : power_of_ten(-3, 3, random);
  return {(is_date ? 30 * seconds_per_year : spread) * random.normal(), spread};
}

void add_scale(ColumnKind kind, bool bends, data::Scaler& scaler, RandomStream& random) {
  const auto [middle, spread] = random_place(kind, random);
  const bool is_bent = bends && kind != ColumnKind::category && chance(0.5, random);
  scaler.shift.push_back(is_bent ? 0.3 : middle);
  scaler.scale.push_back(is_bent ? 1.5 : spread);
  if (!bends) return;
  scaler.centre.push_back(is_bent ? middle : 0);
  scaler.width.push_back(is_bent ? spread : 0);
}

void add_inputs(EnsembleState& state, bool has_kinds, RandomStream& random) {
  const bool bends = chance(0.4, random);
  std::vector<data::InputEncoding> encodings;
  state.schema.has_names = true;
  state.schema.table_columns = between(1, 6, random);
  for (std::size_t j = 0; j < state.schema.table_columns; ++j) {
    data::Column& column = state.schema.inputs.emplace_back(data::Column{.name = "", .position = j});
    if (has_kinds) encodings.push_back(random_encoding(column, random));
    column.name = fmt::format("{}{}", "xwt"[static_cast<std::size_t>(column.kind)], j);
    add_scale(column.kind, bends, state.encoder.scaler, random);
  }
  state.encoder = {state.encoder.scaler, encodings};
}

void add_targets(EnsembleState& state, NoiseKind noise, RandomStream& random) {
  const std::size_t q = between(1, 3, random);
  for (std::size_t k = 0; k < q; ++k) {
    state.schema.targets.push_back({.name = fmt::format("y{}", k)});
    state.target_scaler.scale.push_back(power_of_ten(-3, 3, random));
    state.target_scaler.shift.push_back(state.target_scaler.scale.back() * 5 * random.normal());
  }
  state.schema.has_noise = noise == NoiseKind::known || chance(0.3, random);
  if (!state.schema.has_noise) return;
  const std::size_t columns = chance(0.5, random) ? 1 : q;
  for (std::size_t k = 0; k < columns; ++k) state.schema.noise.push_back({.name = fmt::format("u{}", k)});
}

EnsembleState random_state(std::size_t index, RandomStream& random) {
  EnsembleState state;
  state.posterior = posteriors[index % 4];
  const NoiseKind noise = noises[index / 4 % 4];
  add_inputs(state, index / 16 % 2 == 1, random);
  add_targets(state, noise, random);
  add_members(state, noise, random);
  state.prior_precision = power_of_ten(-2, 2, random);
  return state;
}

/// Posteriors with 2, 3 and 10 classes, first with numbers alone, then with columns of every kind; and one of 100.
EnsembleState random_classes(std::size_t index, RandomStream& random) {
  constexpr std::size_t counts[] = {2, 3, 10};
  EnsembleState state;
  state.posterior = posteriors[index % 4];
  add_inputs(state, index / 12 % 2 == 1, random);
  test::add_classes(state, index % 24 == 15 ? 100 : counts[index / 4 % 3]);
  add_members(state, NoiseKind::shared, random);
  state.prior_precision = power_of_ten(-2, 2, random);
  return state;
}

// ---- rows ----

/// Column j of a row whose scaled values are about `reach` times a normal one.
double random_input(const EnsembleState& state, std::size_t j, double reach, RandomStream& random) {
  const data::Scaler& scaler = state.encoder.scaler;
  const double z = reach * random.normal();
  if (scaler.has_asinh(j)) return scaler.centre[j] + scaler.width[j] * z;
  return scaler.shift[j] + scaler.scale[j] * z;
}

/// A date of column j in whole seconds, within some 40 standard deviations of those of training. Numbers go farther, to
/// where the noise has reached its bounds. No date is that far: at the year 9999 a network's large terms still cancel,
/// and the rounding of floats decides more of the noise than the tests allow.
std::string random_date_cell(const EnsembleState& state, std::size_t j, double reach, RandomStream& random) {
  return data::date_text(std::floor(random_input(state, j, std::min(reach, 10.0), random)));
}

std::string quoted_cell(std::string_view word) {
  std::string cell = "\"";
  for (const char c : word) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

std::string random_word(const std::vector<std::string>& known, RandomStream& random) {
  if (chance(0.15, random)) return "";
  return known.empty() || chance(0.2, random) ? "never seen" : known[random.below(known.size())];
}

/// The cell of column j in a row as far from the training data as `reach` says.
std::string random_cell(const EnsembleState& state, std::size_t j, double reach, RandomStream& random) {
  const data::Column& column = state.schema.inputs[j];
  if (column.kind == ColumnKind::category) return quoted_cell(random_word(column.levels, random));
  if (!state.members.front().network->substitutes().empty() && chance(0.2, random)) return "NA";
  if (column.kind == ColumnKind::date) return random_date_cell(state, j, reach, random);
  return base::to_text(random_input(state, j, reach, random));
}

/// 0, no word, or a date in the middle of those of training: in most columns 1970 is too far from them.
std::string zero_cell(const EnsembleState& state, std::size_t j, RandomStream& random) {
  const ColumnKind kind = state.schema.inputs[j].kind;
  if (kind == ColumnKind::category) return quoted_cell("");
  return kind == ColumnKind::date ? random_date_cell(state, j, 0, random) : "0";
}

/// Rows as in training, rows far from it, and rows of zeros and of the scaler's own origin.
std::string random_rows(const EnsembleState& state, RandomStream& random) {
  constexpr double reaches[] = {1, 1, 1, 1, 1, 1, 1, 1, 10, 1e6, 1e25, 0};
  std::vector<std::string> header = state.schema.input_names();
  for (const data::Column& noise : state.schema.noise) header.push_back(noise.name);
  std::string text = base::join(header, ",") + "\n";
  for (std::size_t row = between(1, 60, random); row > 0; --row) {
    const double reach = one_of(reaches, random);
    std::vector<std::string> cells;
    for (std::size_t j = 0; j < state.schema.inputs.size(); ++j) {
      cells.push_back(row == 1 ? zero_cell(state, j, random) : random_cell(state, j, reach, random));
    }
    for (std::size_t k = 0; k < state.schema.noise.size(); ++k) {
      cells.push_back(base::to_text(state.target_scaler.scale[k] * power_of_ten(-5, 1, random)));
    }
    text += base::join(cells, ",") + "\n";
  }
  return text;
}

void write(const std::filesystem::path& folder, const std::string& name, const EnsembleState& state,
           const std::string& rows) {
  save(Ensemble(std::make_shared<const EnsembleState>(state)), folder / (name + ".safetensors"));
  base::write_file(folder / (name + ".csv"), rows);
}

void write_all(const std::filesystem::path& folder, std::size_t numbers, std::size_t classes, std::uint64_t seed) {
  for (std::size_t index = 0; index < numbers; ++index) {
    RandomStream random({.seed = seed, .member = index});
    const EnsembleState state = random_state(index, random);
    write(folder, fmt::format("{}", index), state, random_rows(state, random));
  }
  for (std::size_t index = 0; index < classes; ++index) {
    RandomStream random({.seed = seed, .member = index, .attempt = 1});
    const EnsembleState state = random_classes(index, random);
    write(folder, fmt::format("classes{}", index), state, random_rows(state, random));
  }
  for (const std::size_t count : {2, 3, 10, 100}) {
    RandomStream random({.seed = seed, .member = count, .attempt = 2});
    const EnsembleState state = test::state_of_given_logits(count);
    write(folder, fmt::format("given{}", count), state, test::rows_of_given_logits(count, random));
  }
}

}  // namespace
}  // namespace credens

int main(int count, char** words) {
  if (count < 4) return 2;
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  credens::write_all(words[1], number(2), number(3), count > 4 ? number(4) : 0);
}
