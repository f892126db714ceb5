// SPDX-License-Identifier: Apache-2.0
//
// Small data sets in the layouts of the known ones, and environment variables for the time of a test.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "data/known_data.hpp"
#include "data/make_dataset.hpp"
#include "data/md5.hpp"

namespace credens::test {

inline const std::string train_text = "1,2,3\n4,5,6\n7,8,9.5\n";
inline const std::string first_piece = "10,11,12\n";
inline const std::string second_piece = "13,14,15\n16,17,18\n";

inline std::string fingerprint_of(const std::string& text) {
  return data::make_dataset(data::parse_csv(text, "text", {.header = false}), {.targets = {"2"}}).fingerprint();
}

/// Two parts, the second in pieces: like Blog.
inline data::KnownSet small_set() {
  return {.name = "small",
          .title = "A small set",
          .folder = "small-set",
          .archive = "7/small+set.zip",
          .largest = 1000,
          .target = "2",
          .parts = {
              {.file = "train.csv", .fingerprint = fingerprint_of(train_text)},
              {.file = "test.csv", .piece_start = "test-", .fingerprint = fingerprint_of(first_piece + second_piece)}}};
}

/// One file known by size and digest, the first rows for training: like Year.
inline data::KnownSet digest_set() {
  return {.name = "digest",
          .title = "A set by its digest",
          .folder = "digest-set",
          .archive = "8/digest.zip",
          .largest = 1000,
          .target = "0",
          .parts = {{.file = "all.txt", .size = train_text.size(), .md5 = data::md5(train_text)}},
          .training_rows = 2};
}

inline void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// Sets a variable, or removes it, and puts back what was there.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      ::setenv(name_, value->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace credens::test
