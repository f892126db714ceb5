// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>
#include <credens/trust.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/row_sketch.hpp"
#include "data/schema.hpp"
#include "model/ensemble_state.hpp"
#include "report/comparison.hpp"
#include "store/json.hpp"

namespace credens::cli {

namespace {

/// Inputs with a p value up to this make a row strange; where calibration rows are few, those with the smallest p value
/// that there is.
double strange_p(const Ensemble& ensemble) {
  const std::size_t calibration_rows = ensemble.promise()->calibration_inputs.rows();
  return std::max(0.01, 1 / (static_cast<double>(calibration_rows) + 1));
}

struct CheckArguments : RowArguments {
  double alarm = 0.05;
  std::size_t shown = 5;
  bool json = false;
};

void declare(Arguments& arguments, CheckArguments& check) {
  row_arguments(arguments, check);
  target_option(arguments, check.columns);
  arguments.group("Result");
  arguments.option("--alarm", "P", check.alarm, "Share of tables without drift that may raise a false alarm",
                   probability());
  arguments.option("--rows", "K", check.shown, "How many of the strangest rows are shown",
                   whole_number(std::size_t{0}));
  arguments.toggle("--json", check.json, "Print JSON");
}

/// Rows of blocks, one after the other.
class AllRows {
 public:
  void add(MatrixView block) {
    cols_ = block.cols();
    for (std::size_t row = 0; row < block.rows(); ++row) {
      values_.insert(values_.end(), block.row(row).begin(), block.row(row).end());
    }
  }
  Matrix take() { return {cols_ == 0 ? 0 : values_.size() / cols_, cols_, std::move(values_)}; }

 private:
  std::size_t cols_ = 0;
  std::vector<double> values_;
};

/// A whole table; `targets` and `noise_std` are empty where there are none.
struct CheckedRows {
  Matrix inputs;
  Matrix targets;
  Matrix noise_std;
  std::vector<std::size_t> numbers = {};  ///< of the rows in the table, where some were left out for want of a target
};

CheckedRows read_all(RowStream& stream, data::SharedRows& trained_on) {
  AllRows inputs;
  AllRows targets;
  AllRows noise_std;
  std::vector<std::size_t> numbers;
  while (const Rows* rows = stream.next()) {
    stream.check_range();
    for (std::size_t row = 0; row < rows->count(); ++row) {
      numbers.push_back(rows->block.first_row + rows->block.table_row(row));
    }
    inputs.add(rows->block.inputs);
    if (stream.has_targets()) {
      targets.add(rows->block.targets);
      trained_on.add(rows->block);
    }
    if (!rows->block.noise_std.empty()) noise_std.add(rows->block.noise_std);
  }
  return {inputs.take(), targets.take(), noise_std.take(), std::move(numbers)};
}

struct Findings {
  TableCheck table = {};  ///< its first tests are those of the inputs
  RowTrust rows;
  std::vector<std::size_t> numbers;  ///< of the rows in the table
  double strange = 0;                ///< p values up to this are strange
  std::optional<double> training_share = {};  ///< of rows with targets

  /// The strangest rows first.
  std::vector<std::size_t> strangest(std::size_t count) const {
    std::vector<std::size_t> order(rows.trust.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t row) { return rows.strangeness[row]; });
    order.resize(std::min(count, order.size()));
    return order;
  }

  std::vector<std::string> strange_inputs(std::size_t row) const {
    std::vector<std::string> names;
    for (const std::size_t input : rows.strange_inputs(row, strange)) names.push_back(table.tests[input].name);
    if (names.empty() && rows.together[row] <= strange) names.emplace_back("their combination");
    return names;
  }
};

Findings judge(const Ensemble& ensemble, const CheckArguments& arguments) {
  const TrustJudge trust_judge(ensemble);
  RowStream stream(ensemble, arguments, data::Targets::if_there);
  data::SharedRows trained_on(ensemble.state().row_hashes);
  const CheckedRows all = read_all(stream, trained_on);
  Findings findings{.rows = trust_judge.judge(all.inputs),
                    .numbers = all.numbers,
                    .strange = strange_p(ensemble),
                    .training_share = trained_on.share()};
  findings.table = check_inputs(ensemble, trust_judge, all.inputs, findings.rows);
  if (!all.targets.empty()) {
    check_targets(ensemble, ensemble.predict(all.inputs, {.noise_std = all.noise_std}), all.targets, findings.table);
  }
  return findings;
}

std::string p_text(double p) {
  return p < 1e-4 ? "< 0.0001" : report::fixed(p, 4);
}

report::Table tests_table(const Findings& findings) {
  report::Table table{.headings = {"what", "statistic", "p", "row"}};
  for (const DriftTest& test : findings.table.tests) {
    table.rows.push_back({test.name, report::significant(test.statistic), p_text(test.p),
                          test.row ? fmt::format("{}", findings.numbers[*test.row]) : ""});
  }
  return table;
}

report::Table rows_table(const Findings& findings, std::size_t count) {
  report::Table table{.headings = {"row", "trust", "ignorance", "distance", "strange inputs"}};
  for (const std::size_t row : findings.strangest(count)) {
    const RowTrust& rows = findings.rows;
    table.rows.push_back({fmt::format("{}", findings.numbers[row]), p_text(rows.trust[row]), p_text(rows.ignorance[row]),
                          p_text(rows.together[row]), base::join(findings.strange_inputs(row), ", ")});
  }
  return table;
}

Json findings_json(const Findings& findings, const CheckArguments& arguments) {
  Json tests = Json::array();
  for (const DriftTest& test : findings.table.tests) {
    tests.push_back({{"name", test.name}, {"statistic", test.statistic}, {"p", test.p}});
    tests.back()["row"] = test.row ? Json(findings.numbers[*test.row]) : Json();
  }
  Json rows = Json::array();
  for (const std::size_t row : findings.strangest(arguments.shown)) {
    rows.push_back({{"row", findings.numbers[row]},
                    {"trust", findings.rows.trust[row]},
                    {"ignorance", findings.rows.ignorance[row]},
                    {"distance", findings.rows.together[row]},
                    {"strange_inputs", findings.strange_inputs(row)}});
  }
  const double p = findings.table.p();
  return {{"rows", findings.rows.trust.size()}, {"drift", p <= arguments.alarm}, {"p", p}, {"alarm", arguments.alarm},
          {"training_share", store::number_or_null(findings.training_share)},
          {"tests", std::move(tests)},          {"strangest_rows", std::move(rows)}};
}

void print_findings(const Findings& findings, const Ensemble& ensemble, const CheckArguments& arguments) {
  const double p = findings.table.p();
  const Promise& kept = *ensemble.promise();
  const std::string warning =
      report::training_warning(findings.training_share, "they lie nearer to what the model has seen than new rows can");
  if (!warning.empty()) print(warning + "\n\n");
  print(fmt::format("{}: p {} for {} tests together. Of tables without drift at most {} raise an alarm.\n",
                    p <= arguments.alarm ? "Drift" : "No drift found", p_text(p), findings.table.tests.size(),
                    report::percent(arguments.alarm)));
  print(fmt::format("{} compared with {} calibration rows; distances from {} training rows.\n\n",
                    data::count_of(findings.rows.trust.size(), "row"), kept.calibration_inputs.rows(),
                    kept.training_inputs.rows()));
  print(report::table_text(tests_table(findings)));
  if (arguments.shown == 0) return;
  print("\nThe strangest rows, counted from 0. Trust: the share of calibration rows that are as strange.\n\n");
  print(report::table_text(rows_table(findings, arguments.shown)));
}

int run(const CheckArguments& arguments) {
  check_arguments(arguments);
  base::require(arguments.outputs.empty(), ErrorCode::usage,
                "check compares inputs, but --outputs gives arrays: give a table");
  const Ensemble ensemble = load(arguments.model);
  const Findings findings = judge(ensemble, arguments);
  if (arguments.json) {
    print_json(findings_json(findings, arguments));
  } else {
    print_findings(findings, ensemble, arguments);
  }
  return findings.table.p() <= arguments.alarm ? drift_status : 0;
}

}  // namespace

Verb check_verb() {
  return make_verb<CheckArguments>(
      "check", "says which rows a model knows little about, and whether a table has drifted",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens calibrate model.safetensors test.csv --level 0.8 --train train.csv -o calibrated.safetensors",
       "credens check calibrated.safetensors test.csv"},
      declare, run);
}

}  // namespace credens::cli
