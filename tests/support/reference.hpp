// SPDX-License-Identifier: Apache-2.0
//
// Values recorded by the scripts in tests/reference.

#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace credens::test {

inline std::vector<std::string> fields(const std::string& line, char separator) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string field; std::getline(stream, field, separator);) result.push_back(field);
  return result;
}

inline std::vector<double> numbers(const std::string& list) {
  std::vector<double> result;
  for (const std::string& field : fields(list, ' ')) result.push_back(std::strtod(field.c_str(), nullptr));
  return result;
}

/// The comma-separated fields of each line of tests/reference/`name`.
inline std::vector<std::vector<std::string>> reference_lines(const std::string& name) {
  std::ifstream file(std::filesystem::path(CREDENS_TEST_DATA) / "reference" / name);
  std::vector<std::vector<std::string>> result;
  for (std::string line; std::getline(file, line);) result.push_back(fields(line, ','));
  if (result.empty()) throw std::runtime_error("no recorded values in " + name);
  return result;
}

}  // namespace credens::test
