// SPDX-License-Identifier: Apache-2.0

#include "learn/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using testing::HasSubstr;

FitOptions with(std::string_view name, std::string_view text) {
  FitOptions options;
  fit_options().find(name)->set(options, text);
  return options;
}

/// The sentence of the error that `action` throws; its code is checked.
template <class Action>
std::string sentence(ErrorCode code, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

Dataset some_rows(bool noise = false) {
  return random_rows({.rows = 10, .inputs = 2, .noise = noise}, 1).dataset();
}

/// Converts to any field of an aggregate.
struct AnyField {
  template <class T>
  operator T() const;
};

template <class Aggregate, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (requires { Aggregate{Fields()..., AnyField()}; }) {
    return field_count<Aggregate, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

TEST(FitOptionTable, HasARowForEveryFieldButThoseOfARun) {
  constexpr std::size_t of_a_run = 4;  // validation, on_progress, on_warning, stop
  EXPECT_EQ(fit_options().options().size() + of_a_run, field_count<FitOptions>());
}

TEST(FitOptionTable, NamesEveryOptionOnceAndExplainsIt) {
  const std::vector<std::string> names = fit_options().names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const auto& option : fit_options().options()) {
    EXPECT_GT(option.help.size(), 20U) << option.name;
    EXPECT_NE(option.help.back(), '.') << option.name;
    EXPECT_FALSE(option.expects.empty()) << option.name;
  }
}

TEST(FitOptionTable, StoresThePlanOfThePaper) {
  const auto values = stored_options(paper());
  const auto text = [&](std::string_view name) {
    for (const auto& [key, value] : values) {
      if (key == name) return base::to_text(value);
    }
    return std::string("absent");
  };
  EXPECT_EQ(text("recipe"), "paper");
  EXPECT_EQ(text("hidden"), "128,64,32");
  EXPECT_EQ(text("activation"), "relu");
  EXPECT_EQ(text("epochs"), "60");
  EXPECT_EQ(text("batch"), "64");
  EXPECT_EQ(text("learning_rate"), "0.001");
  EXPECT_EQ(text("schedule"), "halve-last-five");
  EXPECT_EQ(text("lambda"), "1");
  EXPECT_EQ(text("hidden_precision"), "1");
  EXPECT_EQ(text("threads"), "absent");
}

TEST(FitOptionTable, ReadsWidthsOfHiddenLayers) {
  using Lists = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(with("hidden", "16,8").hidden, (Lists{{16, 8}}));
  EXPECT_EQ(with("hidden", "none").hidden, (Lists{{}}));
  EXPECT_EQ(with("hidden", "16, 8 / none / 4").hidden, (Lists{{16, 8}, {}, {4}}));
  EXPECT_EQ(base::to_text(fit_options().find("hidden")->get(with("hidden", "16,8/none"))), "16,8/none");
}

TEST(FitOptionTable, RefusesValuesOutOfRangeNamingTheFlag) {
  const std::pair<std::string, std::string> wrong[] = {{"members", "0"},
                                                       {"members", "100001"},
                                                       {"members", "-1"},
                                                       {"members", "2.5"},
                                                       {"hidden", ""},
                                                       {"hidden", "0"},
                                                       {"hidden", "65537"},
                                                       {"hidden", "8/"},
                                                       {"hidden", "8,"},
                                                       {"activation", "sigmoid"},
                                                       {"activation", ""},
                                                       {"epochs", "0"},
                                                       {"batch", "0"},
                                                       {"learning_rate", "0"},
                                                       {"learning_rate", "-1"},
                                                       {"learning_rate", "inf"},
                                                       {"learning_rate", "nan"},
                                                       {"schedule", "linear"},
                                                       {"lambda", "-0.5"},
                                                       {"lambda", "inf"},
                                                       {"hidden_precision", "1,-1"},
                                                       {"hidden_precision", "1e13"},
                                                       {"validation_fraction", "1"},
                                                       {"patience", "0"},
                                                       {"seed", "-1"},
                                                       {"seed", "18446744073709551616"},
                                                       {"threads", "-1"},
                                                       {"standardise_inputs", "2"},
                                                       {"recipe", "best"}};
  for (const auto& [name, text] : wrong) {
    SCOPED_TRACE(name + " " + text);
    const std::string what = sentence(ErrorCode::usage, [&] { with(name, text); });
    EXPECT_THAT(what, HasSubstr(base::flag_of(name)));
    EXPECT_THAT(what, HasSubstr("expected"));
  }
  EXPECT_NO_THROW(with("hidden", "1,65536"));
  std::string deep = "1";
  for (int i = 1; i < 64; ++i) deep += ",1";
  EXPECT_NO_THROW(with("hidden", deep));
  EXPECT_THROW(with("hidden", deep + ",1"), Error);
}

TEST(StoredOptions, AreRestored) {
  FitOptions options;
  options.members = 3;
  options.hidden = {{7, 5}, {}};
  options.activation = {Activation::silu, Activation::gelu};
  options.epochs = 2;
  options.batch = 1000;
  options.learning_rate = 0.1 + 0.2;
  options.schedule = Schedule::cosine;
  options.prior_precision = 1e-300;
  options.noise = NoiseKind::per_output;
  options.noise_link = NoiseLink::exp;
  options.posterior = PosteriorKind::full;
  options.random_bias = true;
  options.standardise_inputs = false;
  options.validation_fraction = 0.25;
  options.patience = 4;
  options.seed = std::numeric_limits<std::uint64_t>::max();
  const FitOptions restored = restore_options(stored_options(options));
  EXPECT_EQ(stored_options(restored), stored_options(options));
  EXPECT_EQ(restored.hidden, options.hidden);
  EXPECT_EQ(restored.learning_rate, options.learning_rate);
  EXPECT_EQ(restored.seed, options.seed);
  EXPECT_FALSE(restored.standardise_inputs);
}

TEST(StoredOptions, NameTheValidationRowsByTheirFingerprint) {
  const Dataset validation = some_rows();
  FitOptions options;
  options.validation = &validation;
  const auto values = stored_options(options);
  EXPECT_EQ(values.back().first, "validation");
  EXPECT_EQ(base::to_text(values.back().second), validation.fingerprint());
  EXPECT_NO_THROW(restore_options(values));
}

TEST(RestoreOptions, RefusesWhatItDoesNotKnow) {
  const auto unknown = sentence(ErrorCode::model, [] { restore_options({{"colour", std::string("red")}}); });
  EXPECT_THAT(unknown, HasSubstr("colour"));
  const auto bad = sentence(ErrorCode::model, [] { restore_options({{"members", std::int64_t{0}}}); });
  EXPECT_THAT(bad, HasSubstr("members"));
  sentence(ErrorCode::model, [] { restore_options({{"threads", std::int64_t{1}}}); });
}

TEST(CheckOptions, HoldsTheRangesOfTheTableForEveryCaller) {
  const Dataset train = some_rows();
  EXPECT_NO_THROW(check(paper(), train));
  EXPECT_THROW(check({.members = 0}, train), Error);
  EXPECT_THROW(check({.hidden = std::vector<std::vector<std::size_t>>()}, train), Error);
  EXPECT_THROW(check({.activation = std::vector<Activation>()}, train), Error);
  EXPECT_THROW(check({.learning_rate = std::numeric_limits<double>::quiet_NaN()}, train), Error);
  EXPECT_THROW(check({.prior_precision = -1}, train), Error);
  EXPECT_THROW(check({.threads = -2}, train), Error);
}

TEST(CheckOptions, RefusesContradictions) {
  const Dataset train = some_rows();
  const Dataset validation = some_rows();
  const Dataset wider = random_rows({.rows = 10, .inputs = 3}, 1).dataset();
  const Dataset noisy = some_rows(true);
  const Dataset named({.inputs = Matrix(2, 2), .targets = Matrix(2, 1), .input_names = {"a", "b"}});
  const Dataset others({.inputs = Matrix(2, 2), .targets = Matrix(2, 1), .input_names = {"a", "c"}});
  const auto usage = [](const FitOptions& options, const Dataset& rows) {
    return sentence(ErrorCode::usage, [&] { check(paper(options), rows); });
  };
  EXPECT_THAT(usage({.noise = NoiseKind::known}, train), HasSubstr("known"));
  EXPECT_NO_THROW(check(paper({.noise = NoiseKind::known}), noisy));
  EXPECT_THAT(usage({.validation_fraction = 0.1, .validation = &validation}, train), HasSubstr("both"));
  EXPECT_THAT(usage({.validation = &wider}, train), HasSubstr("3 inputs"));
  EXPECT_THAT(usage({.validation = &noisy}, train), HasSubstr("validation data have noise"));
  EXPECT_THAT(usage({.validation = &train}, noisy), HasSubstr("training data have noise"));
  EXPECT_THAT(usage({.validation = &others}, named), HasSubstr("expected a, b"));
  EXPECT_THAT(usage({.prior_precision = 0, .posterior = PosteriorKind::full}, train), HasSubstr("lambda"));
  EXPECT_NO_THROW(check(paper({.prior_precision = 0}), train));
}

TEST(CheckOptions, NeedsTwoRows) {
  const Dataset one({.inputs = Matrix(1, 1), .targets = Matrix(1, 1)});
  EXPECT_THAT(sentence(ErrorCode::data, [&] { check(paper(), one); }), HasSubstr("1 row, expected at least 2"));
}

TEST(MemberShape, CyclesWidthsAndActivationsOverMembers) {
  const FitOptions options = paper({.hidden = {{8}, {4, 2}, {}}, .activation = {Activation::relu, Activation::tanh}});
  EXPECT_EQ(configuration_count(options), 6U);
  EXPECT_EQ(member_shape(options, 0, 3, 2).hidden, (std::vector<std::size_t>{8}));
  EXPECT_EQ(member_shape(options, 4, 3, 2).hidden, (std::vector<std::size_t>{4, 2}));
  EXPECT_EQ(member_shape(options, 5, 3, 2).hidden, std::vector<std::size_t>{});
  EXPECT_EQ(member_shape(options, 5, 3, 2).activation, Activation::tanh);
  EXPECT_EQ(member_shape(options, 5, 3, 2).inputs, 3U);
  EXPECT_EQ(member_shape(options, 5, 3, 2).outputs, 2U);
}

using MemoryText = base::FieldText<MemorySize>;

TEST(MemorySize, IsReadWithAndWithoutUnit) {
  EXPECT_EQ(MemoryText::parse("4GB").bytes, 4'000'000'000U);
  EXPECT_EQ(MemoryText::parse("4 GiB").bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(MemoryText::parse("1.5MB").bytes, 1'500'000U);
  EXPECT_EQ(MemoryText::parse("512KiB").bytes, 512U << 10);
  EXPECT_EQ(MemoryText::parse("123").bytes, 123U);
  EXPECT_EQ(MemoryText::parse("auto").bytes, 0U);
  for (const char* text : {"", "GB", "0", "0GB", "-1GB", "4 apples", "nan", "1e30TB"}) {
    EXPECT_THROW(MemoryText::parse(text), Error) << text;
  }
}

TEST(MemorySize, IsWrittenSoThatItReadsTheSame) {
  EXPECT_EQ(base::to_text(MemoryText::value({4'000'000'000})), "4GB");
  EXPECT_EQ(base::to_text(MemoryText::value({std::uint64_t{3} << 30})), "3GiB");
  EXPECT_EQ(base::to_text(MemoryText::value({})), "auto");
  for (const std::uint64_t bytes : {0UL, 1UL, 1000UL, 1024UL, 123456789UL, 5000000000UL}) {
    EXPECT_EQ(MemoryText::parse(base::to_text(MemoryText::value({bytes}))).bytes, bytes);
  }
}

}  // namespace
}  // namespace credens::learn
