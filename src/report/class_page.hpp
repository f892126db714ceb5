// SPDX-License-Identifier: Apache-2.0
//
// The page of `report` for a model that predicts classes, judged by rows with known classes or shown at rows without.

#pragma once

#include <credens/ensemble.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/class_comparison.hpp"
#include "report/page.hpp"
#include "report/page_parts.hpp"
#include "score/class_diagnostics.hpp"
#include "score/foreign_scorer.hpp"

namespace credens::report {

struct ClassReportOptions {
  bool has_targets = true;    ///< else the page shows predictions only
  bool has_foreign = false;   ///< foreign rows will be added
  double largest_weight = 1;  ///< that of RowWeights, over all rows
};

/// A model and rows that come in blocks. Memory does not grow with their number.
class ClassReport {
 public:
  /// The ensemble must live as long.
  ClassReport(const Ensemble& ensemble, const ClassReportOptions& options);

  /// Targets as those of ClassComparer; of rows without any, no rows.
  void add(const ClassPredictions& rows, MatrixView targets, std::span<const double> weights);
  void add_foreign(const ClassPredictions& rows);
  void set_training_share(const std::optional<double>& share) { training_share_ = share; }  ///< of all rows

  std::size_t rows() const { return sample_.seen(); }

  /// Throws data where there are no rows. Of rows with targets.
  ClassComparison comparison() const;

  /// Rows that the page shows one by one: it needs their places.
  std::set<std::size_t> shown_rows() const;

  /// Throws data where there are no rows.
  Page page(const PageNames& names, const RowPlaces& places) const;

 private:
  Section predictions_section(const ClassComparison* comparison) const;
  Table least_known_table(const std::string& data_name, const RowPlaces& places) const;
  Section foreign_section() const;
  std::string target_name() const;

  const Ensemble& ensemble_;
  ClassReportOptions options_;
  double weight_unit_;  ///< weights are divided by it, so that no square overflows; a power of 2
  ClassModelNames names_;
  ClassComparer comparer_;  ///< of rows with targets
  std::optional<double> training_share_;
  scoring::Reliability reliability_;
  scoring::Reliability classical_reliability_;
  scoring::RankedWeights risk_by_ignorance_;  ///< wrong rows against right ones
  scoring::EvenSample<scoring::ClassRow> sample_;
  scoring::LeastKnown least_known_;
  std::vector<math::CompensatedSum> predicted_;  ///< by class: weight of the rows that are predicted as such
  scoring::WeightedMean aleatoric_;
  scoring::WeightedMean epistemic_;
  std::optional<scoring::ForeignScorer> classical_foreign_;
  std::optional<scoring::ForeignScorer> extended_foreign_;
};

// Parts of the page, which class_charts.cpp draws.

/// Predictions of classes, for their charts.
struct ChartedClasses {
  std::string target;
  std::vector<std::string> names;               ///< of the classes
  bool is_extended = true;                      ///< whether members have a width that a classical ensemble lacks
  const ClassComparison* comparison = nullptr;  ///< null: rows without targets
  std::vector<scoring::ReliabilityBin> reliability = {};
  std::vector<scoring::ReliabilityBin> classical_reliability = {};
  RiskCurve risk_by_ignorance = {};
  const scoring::EvenSample<scoring::ClassRow>& sample;
};

/// Confidence and entropies; of rows with targets also reliability, risk and the confusion matrix.
std::vector<Figure> class_figures(const ChartedClasses& classes);

/// Histograms of ignorance and entropy of own and foreign rows.
std::vector<Figure> foreign_figures(const scoring::ForeignScorer& foreign);

}  // namespace credens::report
