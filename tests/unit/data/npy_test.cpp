// SPDX-License-Identifier: Apache-2.0

#include "data/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/file.hpp"
#include "data/npy_words.hpp"
#include "support/error_matchers.hpp"
#include "support/read_npy.hpp"
#include "support/tables.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using test::parse_npy;
using test::read_npy;
using test::read_table;
using namespace std::string_literals;
using testing::ElementsAre;
using Shape = std::vector<std::size_t>;

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

std::string file_with(const std::string& header, const std::string& values, char version = 1) {
  return "\x93NUMPY"s + version + '\0' + little_endian(header.size(), version == 1 ? 2 : 4) + header + values;
}

std::string header_of(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<double> values_of(const std::string& descr, const std::vector<T>& values) {
  return parse_npy(file_with(header_of(descr, "(" + std::to_string(values.size()) + ",)"), bytes_of(values)), "a.npy")
      .values;
}

auto Refused(const std::string& words) {
  return test::Fails(ErrorCode::data, "a.npy: ", words);
}

std::function<void()> parsing(const std::string& bytes) {
  return [bytes] { parse_npy(bytes, "a.npy"); };
}

TEST(ParseNpy, ReadsAllNumbers) {
  EXPECT_THAT(values_of<double>("<f8", {1.5, -2e300}), ElementsAre(1.5, -2e300));
  EXPECT_THAT(values_of<float>("<f4", {1.5F, -0.1F}), ElementsAre(1.5, static_cast<double>(-0.1F)));
  EXPECT_THAT(values_of<std::int64_t>("<i8", {-5, 1LL << 40}), ElementsAre(-5, 1099511627776.0));
  EXPECT_THAT(values_of<std::int32_t>("<i4", {-5, 70000}), ElementsAre(-5, 70000));
  EXPECT_THAT(values_of<std::int16_t>("<i2", {-5, 300}), ElementsAre(-5, 300));
  EXPECT_THAT(values_of<std::int8_t>("<i1", {-5, 100}), ElementsAre(-5, 100));
  EXPECT_THAT(values_of<std::int8_t>("|i1", {-5, 100}), ElementsAre(-5, 100));
  EXPECT_THAT(values_of<std::uint8_t>("|u1", {0, 200}), ElementsAre(0, 200));
  EXPECT_THAT(values_of<std::uint16_t>("<u2", {1, 60000}), ElementsAre(1, 60000));
  EXPECT_THAT(values_of<std::uint32_t>("<u4", {1, 4000000000U}), ElementsAre(1, 4e9));
  EXPECT_THAT(values_of<std::uint64_t>("<u8", {1, 1ULL << 63}), ElementsAre(1, 0x1p63));
  EXPECT_THAT(values_of<std::uint8_t>("|b1", {0, 1, 2}), ElementsAre(0, 1, 1));
}

TEST(ParseNpy, ReadsAllVersions) {
  const std::string values = bytes_of<double>({1, 2});
  for (const char version : {'\x01', '\x02', '\x03'}) {
    EXPECT_THAT(parse_npy(file_with(header_of("<f8", "(2,)"), values, version), "a.npy").values, ElementsAre(1, 2));
  }
}

TEST(ParseNpy, ReadsHeadersInAnyOrder) {
  const std::string header = "{ \"shape\":(2L, 1) , 'fortran_order':False,'descr' : '<f8'}";
  EXPECT_THAT(parse_npy(file_with(header, bytes_of<double>({1, 2})), "a.npy").shape, ElementsAre(2, 1));
}

TEST(ParseNpy, ReadsAnyShape) {
  EXPECT_THAT(parse_npy(file_with(header_of("<f8", "()"), bytes_of<double>({7})), "a.npy").shape, ElementsAre());
  EXPECT_THAT(parse_npy(file_with(header_of("<f8", "(2, 1, 2)"), bytes_of<double>({1, 2, 3, 4})), "a.npy").shape,
              ElementsAre(2, 1, 2));
  EXPECT_THAT(parse_npy(file_with(header_of("<f8", "(0, 3)"), ""), "a.npy").values, ElementsAre());
}

TEST(ParseNpy, TurnsFortranOrder) {
  const auto matrix =
      parse_npy(file_with(header_of("<f8", "(2, 3)", "True"), bytes_of<double>({1, 4, 2, 5, 3, 6})), "a.npy");
  EXPECT_THAT(matrix.values, ElementsAre(1, 2, 3, 4, 5, 6));
  // Value at (i, j, k) of shape (2, 2, 2): 4 i + 2 j + k; the file has the first index running fastest.
  const auto cube =
      parse_npy(file_with(header_of("<f8", "(2, 2, 2)", "True"), bytes_of<double>({0, 4, 2, 6, 1, 5, 3, 7})), "a.npy");
  EXPECT_THAT(cube.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ParseNpy, RefusesOtherTypes) {
  EXPECT_THAT(parsing(file_with(header_of(">f8", "(1,)"), "12345678")),
              Refused("the values are big-endian (\">f8\"), expected little-endian"));
  EXPECT_THAT(parsing(file_with(header_of("|O", "(1,)"), "12345678")),
              Refused("an array of Python objects, expected one of numbers"));
  EXPECT_THAT(parsing(file_with(header_of("<U4", "(1,)"), "12345678")),
              Refused("values of type \"<U4\", expected f4, f8"));
  EXPECT_THAT(parsing(file_with(header_of("<c16", "(1,)"), "12345678")), Refused("values of type \"<c16\""));
  EXPECT_THAT(parsing(file_with(header_of("f8", "(1,)"), "12345678")), Refused("values of type \"f8\""));
  EXPECT_THAT(parsing(file_with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "12345678")),
              Refused("an array of records, expected one of numbers"));
}

TEST(ParseNpy, RefusesFilesThatAreNotWhole) {
  const std::string whole = file_with(header_of("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 6}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(parsing(whole.substr(0, size)), test::Fails(ErrorCode::data, "a.npy: ")) << size;
  }
  EXPECT_THAT(parsing(whole.substr(0, 3)), Refused("not a NumPy array"));
  EXPECT_THAT(parsing(whole.substr(0, 7)), Refused("truncated within its header"));
  EXPECT_THAT(parsing(whole.substr(0, 9)), Refused("truncated within its header"));
  EXPECT_THAT(parsing(whole.substr(0, 40)), Refused("truncated within its header"));
  EXPECT_THAT(parsing(whole.substr(0, whole.size() - 1)),
              Refused("47 bytes of values, expected 48 for the shape [2, 3]"));
  EXPECT_THAT(parsing(whole + "x"), Refused("49 bytes of values, expected 48 for the shape [2, 3]"));
}

TEST(ParseNpy, RefusesHostileHeaders) {
  EXPECT_THAT(parsing("\x93NUMPY\x02\x00\xff\xff\xff\xff"s + "{"), Refused("truncated within its header"));
  EXPECT_THAT(parsing("\x93NUMPY\x09\x00\x01\x00 "s), Refused("version 9 of the NumPy format, expected 1, 2 or 3"));
  EXPECT_THAT(parsing(file_with(header_of("<f8", "(4294967296, 4294967296)"), "")),
              Refused("the shape [4294967296, 4294967296] is too large"));
  EXPECT_THAT(parsing(file_with(header_of("<f8", "(2305843009213693952,)"), "")), Refused("is too large"));
  EXPECT_THAT(parsing(file_with(header_of("<f8", "(1000000000000,)"), "12345678")),
              Refused("8 bytes of values, expected 8000000000000"));
  EXPECT_THAT(parsing(file_with(header_of("<f8", "(0, 99999999999999999, 99999999999999999)"), "x")),
              Refused("1 bytes of values, expected 0"));
}

TEST(ParseNpy, RefusesHeadersThatAreNone) {
  for (const std::string header :
       {"", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_THAT(parsing(file_with(header, "12345678")), Refused("the header is not that of a NumPy array")) << header;
  }
}

TEST(NpyHeader, IsThatOfNumpy) {
  // numpy.lib.format.write_array of numpy.zeros((3, 4)), ((3,)) and (()): padded to a multiple of 64 bytes.
  EXPECT_EQ(npy_header({3, 4}), "\x93NUMPY\x01\x00\x76\x00"s +
                                    "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" +
                                    std::string(58, ' ') + "\n");
  EXPECT_EQ(npy_header({3}), "\x93NUMPY\x01\x00\x76\x00"s +
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') +
                                 "\n");
  EXPECT_EQ(npy_header({}), "\x93NUMPY\x01\x00\x76\x00"s + "{'descr': '<f8', 'fortran_order': False, 'shape': (), }" +
                                std::string(62, ' ') + "\n");
}

TEST(WriteNpy, IsReadBack) {
  const test::TemporaryFolder folder;
  const NpyArray array{.shape = {2, 1, 2}, .values = {1, -0.0, 5e-324, 1e308}};
  write_npy(folder / "a.npy", array);
  const NpyArray back = read_npy(folder / "a.npy");
  EXPECT_EQ(back.shape, array.shape);
  EXPECT_EQ(bytes_of(back.values), bytes_of(array.values));
}

TEST(WriteNpy, LeavesNothingBehindWhenItFails) {
  const test::TemporaryFolder folder;
  EXPECT_THAT([&] { write_npy(folder / "absent/a.npy", {.shape = {1}, .values = {1}}); },
              test::Fails(ErrorCode::io, "absent/a.npy"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

RC_GTEST_PROP(Npy, RoundTripsEveryBit, (const std::vector<std::uint64_t>& words)) {
  std::vector<double> values;
  for (const std::uint64_t word : words) values.push_back(std::bit_cast<double>(word));
  const NpyArray back = parse_npy(npy_header({values.size()}) + bytes_of(values), "a.npy");
  RC_ASSERT(back.shape == Shape{values.size()});
  RC_ASSERT(bytes_of(back.values) == bytes_of(values));
}

RC_GTEST_PROP(Npy, IsReadOrRefusedWhateverTheBytes, ()) {
  std::string bytes = file_with(header_of("<f8", "(2, 3)", "True"), bytes_of<double>({1, 2, 3, 4, 5, 6}));
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  try {
    const NpyArray array = parse_npy(bytes, "a.npy");
    RC_ASSERT(array.values.size() <= bytes.size());
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::data);
  }
}

using test::Fails;

const std::vector<std::string> names = {"a", "größe in m²", "価格", "😀 ok"};

std::string array(std::size_t rows, std::size_t cols) {
  return npy_header({rows, cols}) + std::string(rows * cols * sizeof(double), '\0');
}

TEST(NpyNames, ComeBack) {
  EXPECT_EQ(parse_npy_columns(npy_texts(names), 4, "x").names, names);
  EXPECT_EQ(parse_npy_columns(npy_texts({""}), 1, "x").names, std::vector{""s});
}

TEST(NpyNames, AreTextAsNumPyHasIt) {
  const std::string bytes = npy_texts({"a", "bc"});
  EXPECT_THAT(bytes, testing::HasSubstr("'descr': '<U2', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(bytes.substr(bytes.size() - 16), "a\0\0\0\0\0\0\0b\0\0\0c\0\0\0"s);
}

TEST(NpyNames, AreThoseOfATable) {
  const test::TemporaryFolder folder;
  base::write_file(folder / "t.npy", array(3, 4) + npy_texts(names));
  const Table table = read_table(folder / "t.npy");
  EXPECT_EQ(table.names, names);
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(find_column(table, "価格"), 2U);
}

TEST(NpyNames, ThatAreNoneAreRefused) {
  const test::TemporaryFolder folder;
  const auto reading = [&](const std::string& rest) {
    return [&folder, rest] {
      base::write_file(folder / "t.npy", array(3, 4) + rest);
      read_table(folder / "t.npy");
    };
  };
  EXPECT_THAT(reading(npy_texts({"a", "b"})), Fails(ErrorCode::data, "2 names for 4 columns"));
  EXPECT_THAT(reading(npy_texts({"a", "b", "c", "a"})), Fails(ErrorCode::data, "columns 0 and 3 are both named"));
  EXPECT_THAT(reading(npy_texts({"a", "b", "c", "d\n"})), Fails(ErrorCode::data, "is no text"));
  EXPECT_THAT(reading("rest"), Fails(ErrorCode::data, "4 bytes behind the values that are no names of 4 columns"));
  EXPECT_THAT(reading(array(4, 1)), Fails(ErrorCode::data, "no names of 4 columns"));
  EXPECT_THAT(reading(npy_texts(names) + "x"),
              Fails(ErrorCode::data, "1 bytes behind the values that are no kinds of 4"));
  EXPECT_THAT(reading(npy_header({4}, "<U1") + "\0\0\x11\0"s + std::string(12, 'a')),
              Fails(ErrorCode::data, "is no text"));
  EXPECT_THAT(reading(npy_header({4}, "<U99999999999") + "abcd"), Fails(ErrorCode::data, "no names of 4 columns"));
  const std::string whole = npy_texts(names);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THAT(reading(whole.substr(0, size)), Fails(ErrorCode::data, "t.npy")) << size;
  }
}

}  // namespace
}  // namespace credens::data
