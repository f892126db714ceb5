// SPDX-License-Identifier: Apache-2.0

#include "store/json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <functional>

#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

Json parse(std::string_view text, const JsonLimits& limits = {}) {
  return parse_json<Json>(text, "the text", ErrorCode::model, limits);
}

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  const Thrown thrown = thrown_by([&] { parse(text, limits); });
  EXPECT_EQ(thrown.code, ErrorCode::model);
  return thrown.sentence;
}

TEST(ParseJson, KeepsKeysInOrderAndDoublesExact) {
  const std::string text = R"({"z":0.1,"a":-0.0,"m":[5e-324,1.7976931348623157e+308,3.0,3]})";
  EXPECT_EQ(parse(text).dump(), text);
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  EXPECT_EQ(refusal(""), "the text is not valid JSON at byte 1");
  EXPECT_EQ(refusal("{\"a\":1"), "the text is not valid JSON at byte 7");
  EXPECT_EQ(refusal("{} {}"), "the text is not valid JSON at byte 4");
  EXPECT_EQ(refusal("[NaN]"), "the text is not valid JSON at byte 2");
  EXPECT_EQ(refusal("\"\xff\""), "the text is not valid JSON at byte 2");
  EXPECT_EQ(refusal("1e999"), "the text is not valid JSON: it holds a number that is out of range");
  EXPECT_EQ(refusal(std::string_view("{}\0{}", 5)), "the text is not valid JSON: it holds a zero byte");
}

TEST(ParseJson, RefusesRepeatedKeysOnlyWithinOneObject) {
  EXPECT_EQ(refusal(R"({"a":1,"b":{},"a":2})"), "the text repeats the key \"a\"");
  EXPECT_EQ(refusal(R"([{"b":{"c":0,"c":0}}])"), "the text repeats the key \"c\"");
  EXPECT_NO_THROW(parse(R"({"a":{"a":[{"a":1},{"a":1}]}})"));
}

TEST(ParseJson, StopsAtEachLimit) {
  const JsonLimits limits{.depth = 2, .keys_per_object = 2, .values = 4};
  EXPECT_NO_THROW(parse("[[1,2]]", limits));
  EXPECT_EQ(refusal("[[[]]]", limits), "the text is nested deeper than 2 levels");
  EXPECT_EQ(refusal("[1,2,3,4]", limits), "the text holds more than 4 values");
  EXPECT_EQ(refusal(R"({"a":1,"b":1,"c":1})", limits), "the text has an object with more than 2 keys");
}

TEST(ParseJson, StopsEarlyOnDeepNesting) {
  EXPECT_EQ(refusal(std::string(10'000'000, '[')), "the text is nested deeper than 8 levels");
}

/// Processor time of this thread, the least of three runs: other work on the machine does not count.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = now();
    work();
    least = std::min(least, now() - start);
  }
  return least;
}

/// [{"a":{}},...] and {"k0":{},...}.
std::string many_objects(std::size_t count, bool named) {
  std::string text = named ? "{" : "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ",";
    text += named ? fmt::format("\"k{}\":{{}}", i) : "{\"a\":{}}";
  }
  return text + (named ? "}" : "]");
}

TEST(ParseJson, TakesTimeInProportionToItsObjects) {
  const JsonLimits limits{.keys_per_object = 1'000'000};
  for (const bool named : {false, true}) {
    const std::string few = many_objects(4'000, named);
    const std::string many = many_objects(32'000, named);
    const auto work = [&](const std::string& text) {
      return [&] { parse_json<SortedJson>(text, "", ErrorCode::model, limits); };
    };
    EXPECT_LT(seconds_of(work(many)), 24 * seconds_of(work(few))) << "eight times as many, named: " << named;
  }
}

class Reading : public testing::Test {
 protected:
  std::string refusal_of(const std::function<void(const JsonObject&)>& read) {
    const Thrown thrown = thrown_by([&] {
      read(JsonObject(json_, "part", ErrorCode::data, {"a", "b", "list", "word"}));
    });
    EXPECT_EQ(thrown.code, ErrorCode::data);
    return thrown.sentence;
  }

  Json json_ = parse(R"({"a":-1,"b":null,"list":[1,"x"],"word":"blue"})");
};

TEST_F(Reading, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.text("a"); }), "part.a is a negative whole number, expected text");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.whole("a"); }),
            "part.a is a negative whole number, expected a whole number that is not negative");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.number("b"); }), "part.b is null, expected a number");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.numbers("list"); }), "part.list[1] is text, expected a number");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.objects("list", {}); }),
            "part.list[0] is a whole number, expected an object");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.flag("word"); }), "part.word is text, expected true or false");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.texts("word"); }), "part.word is text, expected a list");
  EXPECT_EQ(refusal_of([](const JsonObject& o) { o.at("absent"); }), "part.absent is missing");
}

TEST_F(Reading, SuggestsTheKeyThatWasMeant) {
  const Thrown thrown = thrown_by([&] { JsonObject(json_, "", ErrorCode::data, {"a", "b", "lists", "words"}); });
  EXPECT_EQ(thrown.sentence, "unknown key \"list\"; did you mean lists?");
}

}  // namespace
}  // namespace credens::store
