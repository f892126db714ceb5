// SPDX-License-Identifier: Apache-2.0
//
// Days and times after ISO 8601: 2024-05-17, 2024-05-17T08:30, 2024-05-17 08:30:00.25, 2024-05-17T08:30:00Z,
// 2024-05-17T08:30:00+02:00.

#pragma once

#include <cstddef>
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

/// `has a zone, the times of training have none`, or the other way round.
std::string_view zone_complaint(bool has_zone);

/// Days that the calendar has a name for.
inline constexpr std::size_t days_of_calendar = 366;

/// Which day of the calendar a time is on: 0 is 1 March, 365 is 29 February, so that a day keeps its number in leap
/// years.
std::size_t calendar_day(double seconds);

/// `2024-05-17`, or with the time of day where there is one: `2024-05-17T08:30:00`; with a zone `2024-05-17T08:30:00Z`.
std::string date_text(double seconds, bool has_zone = false);

/// Today on this machine, or the day of SOURCE_DATE_EPOCH (seconds since 1970-01-01, UTC), so that what bears it can be
/// made again byte by byte. Throws usage where that is no number.
std::string today();

}  // namespace credens::data
