// SPDX-License-Identifier: Apache-2.0
//
// One line of delimited text, cut into fields (RFC 4180 quotes, but no line ends within quotes: a line is a row).

#pragma once

#include <string>
#include <string_view>

namespace credens::data {

/// Characters around a field that do not belong to it.
inline bool is_blank(char c, char delimiter) {
  return c == ' ' || (c == '\t' && delimiter != '\t');
}

enum class QuoteFault {
  none,
  unclosed,    ///< the line ends within quotes
  text_after,  ///< something other than a delimiter follows the closing quote
};

struct Field {
  std::string_view text;  ///< without surrounding blanks and quotes; doubled quotes still doubled
  bool quoted = false;
  QuoteFault fault = QuoteFault::none;
};

/// The characters that a field stands for.
std::string unescaped(const Field& field);

/// Cuts a line, given without its end. The delimiter ' ' stands for runs of blanks, which also may surround the line.
class LineFields {
 public:
  LineFields(std::string_view line, char delimiter);

  /// False after the last field. A field with a fault is the last one.
  bool next(Field& field);

 private:
  void skip_blanks();
  Field quoted_field();
  Field plain_field();
  void pass_delimiter();
  bool at_field_end() const;

  std::string_view rest_;
  char delimiter_;
  bool more_ = true;
};

/// The next line of `text`, without its LF or CRLF; `text` is left with what follows.
std::string_view take_line(std::string_view& text);

bool is_blank_line(std::string_view line, char delimiter);

}  // namespace credens::data
