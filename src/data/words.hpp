// SPDX-License-Identifier: Apache-2.0
//
// Words of a column and their codes: 0, 1, ... in the order in which they first came.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

/// Finds the codes of words by their hashes: an open-addressing table that leaves the words where they are.
class WordSlots {
 public:
  static constexpr auto none = std::uint32_t(-1);

  static std::uint32_t hash_of(std::string_view word);

  /// The code of a word, which is its place in `words`; `none`: it has no code.
  template <class Words>
  std::uint32_t find(std::string_view word, std::uint32_t hash, const Words& words) const {
    if (slots_.empty()) return none;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.code == none) return none;
      if (slot.hash == hash && words[slot.code] == word) return slot.code;
    }
  }

  /// For a word that has no code yet.
  void add(std::uint32_t hash, std::uint32_t code);
  void clear();

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t code = none;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot);

  std::vector<Slot> slots_;  ///< none, or a power of two, of which at most half are taken
  std::size_t count_ = 0;
};

/// All words of a column.
class WordIndex {
 public:
  explicit WordIndex(std::vector<std::string> words = {}, bool takes_new = true);

  /// That of a word which is not known is the number of words, unless new ones are taken.
  std::uint32_t code_of(std::string_view word);

  /// As `code_of`, but WordSlots::none for a word that is not known.
  std::uint32_t find(std::string_view word, std::uint32_t hash) const { return slots_.find(word, hash, words_); }

  /// Forgets the words that it was not made with, once there are many: their codes are given away again.
  void forget_new();

  const std::vector<std::string>& words() const { return words_; }

 private:
  void find_slots();

  std::vector<std::string> words_;
  WordSlots slots_;
  std::size_t known_;  ///< words that it was made with
  bool takes_new_;
};

/// The words of one block of lines that its column does not know yet. Views point into the block, or into words that
/// had to be written anew.
class BlockWords {
 public:
  /// A new block of a column, whose index does not change while the block is read.
  void start(const WordIndex& known);

  /// The code of a word: that of the column, or of a new word `first_new()` and its place among the new ones.
  /// `is_kept`: its characters outlive the block's use.
  std::uint32_t code_of(std::string_view word, bool is_kept);

  std::uint32_t first_new() const { return first_new_; }
  const std::vector<std::string_view>& new_words() const { return words_; }

 private:
  const WordIndex* known_ = nullptr;
  std::uint32_t first_new_ = 0;  ///< words that the column knew at the start
  WordSlots slots_;
  std::vector<std::string_view> words_;
  std::deque<std::string> own_;
};

}  // namespace credens::data
