// SPDX-License-Identifier: Apache-2.0
//
// A small folder of data in the layout of the UCI benchmark.

#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "base/random.hpp"

namespace credens::test {

/// Random rows whose target follows from the first input, blanks of all kinds between the cells.
inline std::string uci_text(std::size_t rows, std::size_t inputs) {
  base::RandomStream random({.seed = inputs, .purpose = base::Purpose::test});
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    double first = 0;
    for (std::size_t col = 0; col < inputs; ++col) {
      const double value = random.uniform(-1, 1);
      if (col == 0) first = value;
      text += fmt::format("{:.4f}{}", value, col % 2 == 0 ? " \t" : "  ");
    }
    text += fmt::format("{:.4f} \n", 3 * first + 0.1 * random.normal());
  }
  return text;
}

/// Split K holds back rows K, K + splits, ....
inline void put_index(const std::filesystem::path& folder, std::size_t rows, std::size_t splits) {
  std::filesystem::create_directories(folder);
  std::ofstream train(folder / "train_index.txt");
  std::ofstream test(folder / "test_index.txt");
  for (std::size_t split = 0; split < splits; ++split) {
    for (std::size_t row = 0; row < rows; ++row) (row % splits == split ? test : train) << row << ' ';
    train << '\n';
    test << '\n';
  }
}

/// Yacht with 40 rows, four standard and two gap splits, and airfoil with 30 rows.
inline void put_uci_folder(const std::filesystem::path& folder) {
  put_index(folder / "uci-benchmark/yacht", 40, 4);
  put_index(folder / "uci-gap/yacht", 40, 2);
  std::ofstream(folder / "uci-benchmark/yacht/data.txt") << uci_text(40, 6);
  std::filesystem::create_directories(folder / "airfoil");
  std::ofstream airfoil(folder / "airfoil/airfoil.csv");
  airfoil << "frequency,angle,length,velocity,thickness,target\n";
  for (int i = 0; i < 30; ++i)
    airfoil << fmt::format("{},{},{},{},{},{}\n", i, i % 7, i % 5, i % 3, i % 2, 100 + 2 * i);
}

}  // namespace credens::test
