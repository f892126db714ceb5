// SPDX-License-Identifier: Apache-2.0
//
// Where unpacked bytes go, up to a size: a small archive can hold more than any memory.

#pragma once

#include <boost/iostreams/categories.hpp>
#include <cstddef>
#include <string>

namespace credens::data {

/// Thrown by a decoder that writes more than the sink takes.
struct TooManyBytes {};

struct BoundedSink {
  using char_type = char;
  using category = boost::iostreams::sink_tag;

  std::string* content;
  std::size_t largest;

  std::streamsize write(const char* bytes, std::streamsize count) {
    if (static_cast<std::size_t>(count) > largest - content->size()) throw TooManyBytes();
    content->append(bytes, static_cast<std::size_t>(count));
    return count;
  }
};

}  // namespace credens::data
