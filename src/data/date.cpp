// SPDX-License-Identifier: Apache-2.0

#include "data/date.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::data {

namespace {

/// Reads a text from its start; what does not fit makes it fail for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }

  int digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') {
        failed_ = true;
        return 0;
      }
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  void expect(char c) {
    if (!next_is(c)) {
      failed_ = true;
    } else {
      rest_.remove_prefix(1);
    }
  }

  bool skip(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// .25 and the like, at most nine digits.
  double fraction() {
    double value = 0;
    double unit = 0.1;
    std::size_t count = 0;
    for (; count < 9 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++count, unit /= 10) {
      value += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    failed_ = failed_ || count == 0;
    return value;
  }

  void check(bool holds) { failed_ = failed_ || !holds; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

double read_day(Scanner& at) {
  const int year = at.digits(4);
  at.expect('-');
  const int month = at.digits(2);
  at.expect('-');
  const int day = at.digits(2);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  at.check(date.ok());
  if (at.failed()) return 0;
  return 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

double read_time(Scanner& at) {
  const int hour = at.digits(2);
  at.expect(':');
  const int minute = at.digits(2);
  double second = 0;
  if (at.skip(':')) {
    second = at.digits(2);
    if (at.skip('.') || at.skip(',')) second += at.fraction();
  }
  at.check(hour < 24 && minute < 60 && second < 61);
  return 3600 * hour + 60 * minute + second;
}

/// Seconds to take from the local time; `has_zone` where there is one.
double read_zone(Scanner& at, bool& has_zone) {
  has_zone = !at.at_end();
  if (!has_zone || at.skip('Z') || at.skip('z')) return 0;
  const double sign = at.next_is('-') ? -1 : 1;
  at.check(at.skip('+') || at.skip('-'));
  const int hours = at.digits(2);
  at.skip(':');
  const int minutes = at.at_end() ? 0 : at.digits(2);
  at.check(hours < 24 && minutes < 60);
  return sign * (3600 * hours + 60 * minutes);
}

}  // namespace

std::optional<Date> read_date(std::string_view text) {
  constexpr std::size_t length_of_day = 10;
  if (text.size() < length_of_day || text[4] != '-') return std::nullopt;
  Scanner at(text);
  Date date{.seconds = read_day(at)};
  if (!at.failed() && !at.at_end()) {
    at.check(at.skip('T') || at.skip('t') || at.skip(' '));
    date.seconds += read_time(at);
    date.seconds -= read_zone(at, date.has_zone);
    at.check(at.at_end());
  }
  if (at.failed()) return std::nullopt;
  return date;
}

std::size_t calendar_day(double seconds) {
  // Years begin in March, and count from that of the year 0. Every 4, but not every 100, but every 400 of them have a
  // day more, which is their last: with it taken off, all years have 365.
  constexpr double before_1970 = 719468;
  constexpr double of_400_years = 146097;
  const double days = std::floor(seconds / 86400) + before_1970;
  const double day = days - std::floor(days / of_400_years) * of_400_years;
  const double extra = std::floor(day / 1460) - std::floor(day / 36524) + std::floor(day / 146096);
  const double year = std::floor((day - extra) / 365);
  return static_cast<std::size_t>(day - (365 * year + std::floor(year / 4) - std::floor(year / 100)));
}

std::string_view zone_complaint(bool has_zone) {
  return has_zone ? "has a zone, the times of training have none" : "has no zone, the times of training have one";
}

std::string date_text(double seconds, bool has_zone) {
  constexpr double day = 86400;
  const double days = std::floor(seconds / day);
  const auto time = static_cast<int>(seconds - days * day);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (time == 0 && !has_zone) return text;
  return fmt::format("{}T{:02}:{:02}:{:02}{}", text, time / 3600, time / 60 % 60, time % 60, has_zone ? "Z" : "");
}

std::string today() {
  if (const char* text = std::getenv("SOURCE_DATE_EPOCH")) {
    constexpr long long end_of_9999 = 253402300799;
    const std::optional<long long> seconds = base::parse_integer(text);
    base::require(seconds && *seconds >= 0 && *seconds <= end_of_9999, ErrorCode::usage,
                  "SOURCE_DATE_EPOCH is {}, expected whole seconds since 1970-01-01", base::quoted(text));
    return date_text(static_cast<double>(*seconds / 86400 * 86400));
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace credens::data
