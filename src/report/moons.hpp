// SPDX-License-Identifier: Apache-2.0
//
// The second story of `credens demo`: two classes in the plane, with maps of their probability, of noise and of
// ignorance, of the classical ensemble and of the extended one.

#pragma once

#include <credens/class_score.hpp>
#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>

#include <array>
#include <vector>

#include "report/page.hpp"

namespace credens::report {

/// Equal cells of a part of the plane, line by line from below.
struct MoonsGrid {
  static constexpr double step = 0.2;
  static constexpr std::size_t columns = 35;
  static constexpr std::size_t lines = 27;
  static constexpr double left = -3;
  static constexpr double bottom = -2.4;

  static Matrix centres();  ///< [lines * columns x 2]
};

/// One ensemble at the test rows and at the cells of the grid.
struct MoonsSide {
  ClassScores scores;               ///< at the test rows
  std::vector<double> probability;  ///< of the first class, by cell
  std::vector<double> noise;        ///< aleatoric entropy by cell
  std::vector<double> ignorance;    ///< epistemic entropy by cell
  double near_ignorance = 0;        ///< mean over cells near a training row
  double far_ignorance = 0;         ///< mean over cells far from all of them
  double far_confidence = 0;        ///< mean probability of the predicted class there
};

inline constexpr double moons_near = 0.25;  ///< cells are near whose centre is no farther from a training row
inline constexpr double moons_far = 1;      ///< cells are far whose centre is farther from every training row

struct Moons {
  std::array<std::string, 2> classes;
  std::array<Matrix, 2> train;  ///< places [n x 2] of the training rows of each class
  std::size_t test_rows = 0;
  MoonsSide classical;
  MoonsSide extended;
};

/// `train` and `test` have two inputs and two classes, whose labels are the numbers of the classes.
Moons make_moons(const Ensemble& wide, const Dataset& train, const Dataset& test, int threads = 0);

/// The classical ensemble beside the extended one; also for the terminal.
Table moons_scores(const Moons& moons);

/// The six maps.
Figure moons_maps(const Moons& moons);

/// The story as a part of a page.
Section moons_section(const Moons& moons);

}  // namespace credens::report
