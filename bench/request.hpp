// SPDX-License-Identifier: Apache-2.0
//
// How the driver talks to a contender: one line per window on standard input, `TASK name=value ...`, with `seconds` for
// the least length of the window; one line back, `SECONDS WORK CHECK`, or `absent: why`. What a task needs is made when
// it is first asked for, kept, and forgotten at the line `clear`.

#pragma once

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct Request {
  std::string task;
  std::map<std::string, std::string> values;

  std::string text(const std::string& name) const {
    const auto found = values.find(name);
    if (found == values.end()) throw std::runtime_error("the request has no " + name);
    return found->second;
  }
  std::size_t count(const std::string& name) const { return std::stoul(text(name)); }

  std::vector<std::size_t> list(const std::string& name) const {
    std::vector<std::size_t> numbers;
    std::istringstream words(text(name));
    for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stoul(word));
    return numbers;
  }
};

/// A measurement: time, the work done in it, and a number that shows that the work was done (a loss; or 0).
struct Window {
  double seconds = 0;
  double work = 0;
  double check = 0;
};

using Unit = std::function<Window()>;
using Prepare = std::function<Unit(const Request&)>;
using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

template <class Body>
double seconds_of(const Body& body) {
  const auto start = Clock::now();
  body();
  return seconds_between(start, Clock::now());
}

inline Request parse_request(const std::string& line) {
  std::istringstream words(line);
  Request request;
  words >> request.task;
  for (std::string word; words >> word;) {
    const auto at = word.find('=');
    if (at == std::string::npos) throw std::runtime_error("expected name=value, found " + word);
    request.values[word.substr(0, at)] = word.substr(at + 1);
  }
  return request;
}

/// Whole units until the window is long enough, after half a window that does not count: a core that was idle, or busy
/// with someone else, is slow for a while. A unit that fills a window is warm by itself.
inline Window run_window(const Unit& unit, double least_seconds) {
  for (double warm = 0; warm < least_seconds / 2;) {
    const Window one = unit();
    if (one.seconds >= least_seconds) return one;
    warm += one.seconds;
  }
  Window total;
  do {
    const Window one = unit();
    total = {total.seconds + one.seconds, total.work + one.work, one.check};
  } while (total.seconds < least_seconds);
  return total;
}

inline void serve(const Prepare& prepare) {
  std::map<std::string, Unit> units;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "clear") {
      units.clear();
      continue;
    }
    try {
      const Request request = parse_request(line);
      if (!units.contains(line)) units[line] = prepare(request);
      const Window window = run_window(units[line], std::stod(request.text("seconds")));
      std::printf("%.9g %.9g %.9g\n", window.seconds, window.work, window.check);
    } catch (const std::exception& error) {
      std::printf("absent: %s\n", error.what());
    }
    std::fflush(stdout);
  }
}

/// Rows of a data file: d inputs and a target each, as floats.
struct Rows {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::vector<float> values;
};

inline Rows read_rows(const Request& request) {
  Rows rows{.rows = request.count("rows"), .inputs = request.count("inputs")};
  rows.values.resize(rows.rows * (rows.inputs + 1));
  std::ifstream file(request.text("data"), std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(rows.values.size() * sizeof(float));
  if (!file.read(reinterpret_cast<char*>(rows.values.data()), bytes)) {
    throw std::runtime_error(request.text("data") + " is shorter than its request");
  }
  return rows;
}

}  // namespace bench
