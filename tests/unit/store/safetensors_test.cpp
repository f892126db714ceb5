// SPDX-License-Identifier: Apache-2.0

#include "store/safetensors.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes.append(header).append(data);
}

const std::vector<Tensor> two_tensors = {{"wide", {2}, std::vector<double>{1.5, -0.0}},
                                         {"narrow", {1, 3}, std::vector<float>{1, 2, 3}}};

TEST(Safetensors, ReadsBackWhatItWrote) {
  const std::string bytes = encode_safetensors({{"key", "a \"value\"\n"}}, two_tensors);
  const SafetensorsReader file(bytes);
  EXPECT_EQ(file.metadata("key"), "a \"value\"\n");
  EXPECT_FALSE(file.metadata("other"));
  EXPECT_NO_THROW(file.check_checksum());
  const TensorMap tensors = file.tensors();
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors.at("wide").dtype, Dtype::f64);
  EXPECT_EQ(tensors.at("narrow").shape, (TensorShape{1, 3}));
  EXPECT_EQ(tensors.at("narrow").bytes, std::string_view("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12));
}

TEST(Safetensors, StartsItsDataAtAMultipleOfEight) {
  for (const std::string key : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    const std::string bytes = encode_safetensors({{key, ""}}, two_tensors);
    EXPECT_EQ((bytes.size() - 28) % 8, 0U) << key;
    EXPECT_EQ(bytes.substr(8, 17), "{\"__metadata__\":{") << key;
  }
}

TEST(Safetensors, WritesAFileWithoutTensors) {
  const std::string bytes = encode_safetensors({}, {});
  EXPECT_TRUE(SafetensorsReader(bytes).tensors().empty());
}

TEST(Safetensors, FindsItsChecksumAlthoughMetadataQuotesIt) {
  const std::string bytes =
      encode_safetensors({{"key", R"("credens_checksum":"00000000000000000000000000000000")"}}, {});
  EXPECT_NO_THROW(SafetensorsReader(bytes).check_checksum());
}

struct Hostile {
  std::string name;
  std::string bytes;
  std::string sentence;
};

std::string tensor_entry(std::string_view shape, std::string_view offsets, std::string_view dtype = "F32") {
  return fmt::format(R"("dtype":"{}","shape":{},"data_offsets":{})", dtype, shape, offsets);
}

std::string one_tensor(std::string_view entry, std::size_t data = 8) {
  return file_of(fmt::format(R"({{"t":{{{}}}}})", entry), std::string(data, '\0'));
}

std::string two_entries(std::string_view a, std::string_view b, std::size_t data) {
  return file_of(fmt::format(R"({{"a":{{{}}},"b":{{{}}}}})", a, b), std::string(data, '\0'));
}

class HostileContainer : public testing::TestWithParam<Hostile> {};

TEST_P(HostileContainer, IsRefusedWithItsSentence) {
  const Thrown thrown = thrown_by([] { SafetensorsReader(GetParam().bytes).tensors(); });
  EXPECT_EQ(thrown.code, ErrorCode::model);
  EXPECT_EQ(thrown.sentence, GetParam().sentence);
}

const std::string no_header = "not a safetensors file: it does not start with the length of a JSON header";

INSTANTIATE_TEST_SUITE_P(
    Frame, HostileContainer,
    testing::Values(Hostile{"empty", "", "the file is empty, expected a safetensors file"},
                    Hostile{"three_bytes", "abc", "truncated: 3 bytes are no safetensors file"},
                    Hostile{"length_alone", std::string(8, '\1'), "truncated: 8 bytes are no safetensors file"},
                    Hostile{"a_table", "x,y,target\n1,2,3\n4,5,6\n", no_header},
                    Hostile{"zeros", std::string(100, '\0'), no_header},
                    Hostile{"huge_length", std::string(8, '\xff') + "{}", no_header},
                    Hostile{"length_past_the_end", std::string("\x10\0\0\0\0\0\0\0", 8) + "{}",
                            "truncated: its header has 16 bytes, 2 are there"},
                    Hostile{"not_json", file_of("{nonsense}", ""), "the header is not valid JSON at byte 3"},
                    Hostile{"a_zero_byte", file_of(std::string_view("{}\0", 3), ""),
                            "the header is not valid JSON: it holds a zero byte"},
                    Hostile{"same_tensor_twice", file_of(R"({"t":{},"t":{}})", ""), "the header repeats the key \"t\""},
                    Hostile{"deep", file_of(R"({"t":{"shape":[[1]]}})", ""),
                            "the header is nested deeper than 3 levels"}),
    [](const auto& hostile) { return hostile.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tensors, HostileContainer,
    testing::Values(Hostile{"not_an_object", file_of(R"({"t":1})", ""),
                            "tensor \"t\": expected an object with dtype, shape and data_offsets"},
                    Hostile{"missing_field", one_tensor(R"("dtype":"F32","shape":[2])"),
                            "tensor \"t\": expected an object with dtype, shape and data_offsets"},
                    Hostile{"unknown_field", one_tensor(tensor_entry("[2]", "[0,8]") + R"(,"extra":1)"),
                            "tensor \"t\": expected an object with dtype, shape and data_offsets"},
                    Hostile{"unknown_dtype", one_tensor(tensor_entry("[2]", "[0,8]", "BF16")),
                            "tensor \"t\": its dtype is \"BF16\", expected F32 or F64"},
                    Hostile{"dtype_is_a_number", one_tensor(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"),
                            "tensor \"t\": its dtype is \"32\", expected F32 or F64"},
                    Hostile{"negative_shape", one_tensor(tensor_entry("[-2]", "[0,8]")),
                            "tensor \"t\": its shape is not a list of whole numbers"},
                    Hostile{"fractional_shape", one_tensor(tensor_entry("[2.0]", "[0,8]")),
                            "tensor \"t\": its shape is not a list of whole numbers"},
                    Hostile{"shape_overflows", one_tensor(tensor_entry("[4294967296,4294967296]", "[0,8]")),
                            "tensor \"t\": its shape [4294967296, 4294967296] overflows"},
                    Hostile{"size_overflows", one_tensor(tensor_entry("[4611686018427387906]", "[0,8]")),
                            "tensor \"t\": its shape [4611686018427387906] overflows"},
                    Hostile{"too_many_dimensions", one_tensor(tensor_entry("[1,1,1,1,1,1,1,1,2]", "[0,8]")),
                            "tensor \"t\": it has 9 dimensions, at most 8 are expected"},
                    Hostile{"three_offsets", one_tensor(tensor_entry("[2]", "[0,4,8]")),
                            "tensor \"t\": its data_offsets are [0, 4, 8], expected begin and end"},
                    Hostile{"offsets_backwards", one_tensor(tensor_entry("[2]", "[8,0]")),
                            "tensor \"t\": its data_offsets are [8, 0], expected begin and end"},
                    Hostile{"wrong_byte_count", one_tensor(tensor_entry("[3]", "[0,8]")),
                            "tensor \"t\": F32 [3] has 12 bytes, its data_offsets hold 8"},
                    Hostile{"offsets_far_out",
                            one_tensor(tensor_entry("[2]", "[18446744073709551607,18446744073709551615]")),
                            "18446744073709551607 unused bytes lie before tensor \"t\""},
                    Hostile{"cut_off", one_tensor(tensor_entry("[2]", "[0,8]"), 7),
                            "truncated: its tensors need 8 bytes, 7 are there"},
                    Hostile{"bytes_after", one_tensor(tensor_entry("[2]", "[0,8]"), 11),
                            "3 unused bytes lie after the last tensor"},
                    Hostile{"overlap", two_entries(tensor_entry("[2]", "[0,8]"), tensor_entry("[2]", "[4,12]"), 12),
                            "tensor \"b\" overlaps the one before it"},
                    Hostile{"same_place", two_entries(tensor_entry("[2]", "[0,8]"), tensor_entry("[2]", "[0,8]"), 8),
                            "tensor \"b\" overlaps the one before it"},
                    Hostile{"gap", two_entries(tensor_entry("[2]", "[0,8]"), tensor_entry("[2]", "[12,20]"), 20),
                            "4 unused bytes lie before tensor \"b\""}),
    [](const auto& hostile) { return hostile.param.name; });

TEST(Safetensors, RefusesAChecksumThatIsMissingOrWrong) {
  const auto refusal = [](const std::string& bytes) {
    return thrown_by([&] { SafetensorsReader(bytes).check_checksum(); }).sentence;
  };
  const std::string missing = "damaged: its metadata has no checksum of 32 digits";
  EXPECT_EQ(refusal(file_of("{}", "")), missing);
  EXPECT_EQ(refusal(file_of(R"({"__metadata__":{"credens_checksum":"short"}})", "")), missing);
  EXPECT_EQ(refusal(file_of(R"({"__metadata__":{"credens_checksum":7}})", "")), missing);
  EXPECT_EQ(refusal(file_of(R"({"other":{"credens_checksum":"00000000000000000000000000000000"}})", "")), missing);

  std::string bytes = encode_safetensors({}, two_tensors);
  bytes.back() ^= 1;
  EXPECT_TRUE(refusal(bytes).starts_with("damaged: checksum ")) << refusal(bytes);
}

TEST(Safetensors, RefusesDigitsInCapitals) {
  std::string bytes = encode_safetensors({}, two_tensors);
  const std::size_t at = bytes.find_first_of("abcdef", bytes.find("checksum\":\"") + 11);
  ASSERT_LT(at, bytes.find("checksum\":\"") + 11 + checksum_digits);
  bytes[at] = static_cast<char>(std::toupper(bytes[at]));
  EXPECT_EQ(thrown_by([&] { SafetensorsReader(bytes).check_checksum(); }).code, ErrorCode::model);
}

// Recorded from libxxhash 0.8.1: XXH3_128bits of the text with zeros for digits, in canonical form.
TEST(Checksum, IsTheCanonicalXxh3OfTheTextWithZeros) {
  const std::string digits = "ffffffffffffffffffffffffffffffff";
  EXPECT_EQ(checksum(digits, 0), "10dc5f6521479318b457ce9221e6cef4");
  EXPECT_EQ(checksum("credens " + digits + " model", 8), "58a04759e978b61ba616c17726db9a0d");
}

TEST(Checksum, DoesNotDependOnItsOwnDigits) {
  std::string bytes = "head" + std::string(checksum_digits, '0') + "tail";
  const std::string zeroed = checksum(bytes, 4);
  bytes.replace(4, checksum_digits, zeroed);
  EXPECT_EQ(checksum(bytes, 4), zeroed);
}

TEST(Checksum, DependsOnEveryOtherByte) {
  const std::string bytes(100, 'x');
  const std::string expected = checksum(bytes, 10);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 10 && at < 10 + checksum_digits) continue;
    std::string changed = bytes;
    changed[at] = 'y';
    EXPECT_NE(checksum(changed, 10), expected) << at;
  }
}

}  // namespace
}  // namespace credens::store
