// SPDX-License-Identifier: Apache-2.0

#include "data/csv_line.hpp"

#include <algorithm>

namespace credens::data {

namespace {

std::string_view trim_blanks(std::string_view text, char delimiter) {
  while (!text.empty() && is_blank(text.front(), delimiter)) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back(), delimiter)) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string unescaped(const Field& field) {
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.quoted && field.text[i] == '"') ++i;
  }
  return text;
}

LineFields::LineFields(std::string_view line, char delimiter) : rest_(line), delimiter_(delimiter) {}

bool LineFields::next(Field& field) {
  skip_blanks();
  if (delimiter_ == ' ' && rest_.empty()) more_ = false;
  if (!more_) return false;
  field = !rest_.empty() && rest_.front() == '"' ? quoted_field() : plain_field();
  if (field.fault != QuoteFault::none) {
    more_ = false;
  } else {
    pass_delimiter();
  }
  return true;
}

void LineFields::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front(), delimiter_)) rest_.remove_prefix(1);
}

bool LineFields::at_field_end() const {
  return rest_.empty() || rest_.front() == delimiter_ || (delimiter_ == ' ' && is_blank(rest_.front(), delimiter_));
}

Field LineFields::quoted_field() {
  std::size_t close = rest_.find('"', 1);
  while (close != std::string_view::npos && close + 1 < rest_.size() && rest_[close + 1] == '"') {
    close = rest_.find('"', close + 2);
  }
  if (close == std::string_view::npos) return {.text = rest_, .quoted = true, .fault = QuoteFault::unclosed};
  Field field{.text = trim_blanks(rest_.substr(1, close - 1), delimiter_), .quoted = true};
  rest_.remove_prefix(close + 1);
  if (delimiter_ != ' ') skip_blanks();
  if (!at_field_end()) field.fault = QuoteFault::text_after;
  return field;
}

Field LineFields::plain_field() {
  std::size_t size = rest_.find(delimiter_);
  if (delimiter_ == ' ') size = std::min(size, rest_.find('\t'));
  size = std::min(size, rest_.size());
  const Field field{.text = trim_blanks(rest_.substr(0, size), delimiter_)};
  rest_.remove_prefix(size);
  return field;
}

/// For a run of blanks nothing is to be done: the next field skips it.
void LineFields::pass_delimiter() {
  if (rest_.empty()) {
    more_ = false;
  } else if (delimiter_ != ' ') {
    rest_.remove_prefix(1);
  }
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool is_blank_line(std::string_view line, char delimiter) {
  return std::all_of(line.begin(), line.end(), [&](char c) { return is_blank(c, delimiter); });
}

}  // namespace credens::data
