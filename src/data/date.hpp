// SPDX-License-Identifier: Apache-2.0
//
// Days and times after ISO 8601: 2024-05-17, 2024-05-17T08:30, 2024-05-17 08:30:00.25, 2024-05-17T08:30:00Z,
// 2024-05-17T08:30:00+02:00.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace credens::data {

struct Date {
  double seconds = 0;     ///< since 1970-01-01, in UTC where there is a zone
  bool has_zone = false;  ///< Z, or hours and minutes from UTC
};

/// Nothing where the text is no date: 31 February is none.
std::optional<Date> read_date(std::string_view text);

/// `2024-05-17`, or with the time of day where there is one: `2024-05-17T08:30:00`.
std::string date_text(double seconds);

}  // namespace credens::data
