// SPDX-License-Identifier: Apache-2.0
//
// Words of a column and their codes: 0, 1, ... in the order in which they first came.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace credens::data {

/// The words of one block of lines. Views point into the block, or into words that had to be written anew.
class BlockWords {
 public:
  void clear();

  /// The code of a word; `is_kept`: its characters outlive the block's use.
  std::uint32_t code_of(std::string_view word, bool is_kept);

  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::unordered_map<std::string_view, std::uint32_t> codes_;
  std::vector<std::string_view> words_;
  std::deque<std::string> own_;
  std::uint32_t last_ = 0;  ///< words often come in runs
};

/// All words of a column.
class WordIndex {
 public:
  explicit WordIndex(std::vector<std::string> words = {}, bool takes_new = true);

  /// That of a word which is not known is the number of words, unless new ones are taken.
  std::uint32_t code_of(std::string_view word);

  const std::vector<std::string>& words() const { return words_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes_;
  bool takes_new_;
};

}  // namespace credens::data
