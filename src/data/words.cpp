// SPDX-License-Identifier: Apache-2.0

#include "data/words.hpp"

#include <algorithm>
#include <utility>

#include "base/content_hash.hpp"

namespace credens::data {

std::uint32_t WordSlots::hash_of(std::string_view word) {
  return static_cast<std::uint32_t>(base::hash_of(word));
}

void WordSlots::add(std::uint32_t hash, std::uint32_t code) {
  constexpr std::size_t fewest = 16;
  if (2 * ++count_ > slots_.size()) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(std::max(fewest, 2 * slots_.size())));
    for (const Slot& slot : before) {
      if (slot.code != none) place(slot);
    }
  }
  place({hash, code});
}

void WordSlots::place(Slot slot) {
  std::size_t at = slot.hash & mask();
  while (slots_[at].code != none) at = (at + 1) & mask();
  slots_[at] = slot;
}

void WordSlots::clear() {
  if (count_ > 0) std::ranges::fill(slots_, Slot());
  count_ = 0;
}

WordIndex::WordIndex(std::vector<std::string> words, bool takes_new)
    : words_(std::move(words)), known_(words_.size()), takes_new_(takes_new) {
  find_slots();
}

void WordIndex::find_slots() {
  for (std::uint32_t code = 0; code < words_.size(); ++code) {
    const std::uint32_t hash = WordSlots::hash_of(words_[code]);
    if (find(words_[code], hash) == WordSlots::none) slots_.add(hash, code);
  }
}

std::uint32_t WordIndex::code_of(std::string_view word) {
  const std::uint32_t hash = WordSlots::hash_of(word);
  if (const std::uint32_t known = find(word, hash); known != WordSlots::none) return known;
  const auto code = static_cast<std::uint32_t>(words_.size());
  if (!takes_new_) return code;
  words_.emplace_back(word);
  slots_.add(hash, code);
  return code;
}

void WordIndex::forget_new() {
  constexpr std::size_t many = std::size_t{1} << 12;
  if (words_.size() < known_ + many) return;
  words_.resize(known_);
  slots_.clear();
  find_slots();
}

void BlockWords::start(const WordIndex& known) {
  known_ = &known;
  first_new_ = static_cast<std::uint32_t>(known.words().size());
  slots_.clear();
  words_.clear();
  own_.clear();
}

std::uint32_t BlockWords::code_of(std::string_view word, bool is_kept) {
  const std::uint32_t hash = WordSlots::hash_of(word);
  if (const std::uint32_t known = known_->find(word, hash); known != WordSlots::none) return known;
  std::uint32_t place = slots_.find(word, hash, words_);
  if (place == WordSlots::none) {
    place = static_cast<std::uint32_t>(words_.size());
    words_.push_back(is_kept ? word : own_.emplace_back(word));
    slots_.add(hash, place);
  }
  return first_new_ + place;
}

}  // namespace credens::data
