// SPDX-License-Identifier: Apache-2.0

#include "data/words.hpp"

namespace credens::data {

void BlockWords::clear() {
  codes_.clear();
  words_.clear();
  own_.clear();
  last_ = 0;
}

std::uint32_t BlockWords::code_of(std::string_view word, bool is_kept) {
  if (last_ < words_.size() && words_[last_] == word) return last_;
  if (const auto known = codes_.find(word); known != codes_.end()) return last_ = known->second;
  if (!is_kept) word = own_.emplace_back(word);
  last_ = static_cast<std::uint32_t>(words_.size());
  codes_.emplace(word, last_);
  words_.push_back(word);
  return last_;
}

WordIndex::WordIndex(std::vector<std::string> words, bool takes_new) : words_(std::move(words)), takes_new_(takes_new) {
  for (std::size_t i = 0; i < words_.size(); ++i) codes_.emplace(words_[i], static_cast<std::uint32_t>(i));
}

std::uint32_t WordIndex::code_of(std::string_view word) {
  const auto known = codes_.find(word);
  if (known != codes_.end()) return known->second;
  const auto code = static_cast<std::uint32_t>(words_.size());
  if (!takes_new_) return code;
  words_.emplace_back(word);
  codes_.emplace(words_.back(), code);
  return code;
}

}  // namespace credens::data
