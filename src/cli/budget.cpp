// SPDX-License-Identifier: Apache-2.0
//
// Uncertainty budgets of rows: as text for people, as a table, as JSON.

#include <credens/budget.hpp>

#include <credens/store.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cli/files.hpp"
#include "cli/prediction_table.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/units.hpp"
#include "decide/names.hpp"
#include "model/ensemble_state.hpp"
#include "report/table.hpp"

namespace credens::cli {

namespace {

/// Rows [first, end), counted from 0.
struct RowRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

struct BudgetArguments : RowArguments {
  std::vector<RowRange> rows;
  BudgetOptions options;
  std::string output = "-";
  bool json = false;
};

constexpr const char* rows_expects = "numbers from 0 or ranges A:B without B, separated by commas";

RowRange parse_row_range(const std::string& text) {
  const std::vector<std::string> ends = base::split(text, ':');
  base::require(ends.size() <= 2, ErrorCode::usage, "{} has two colons", base::quoted(text));
  const auto first = base::FieldText<std::size_t>::parse(ends.front());
  const RowRange range{first, ends.size() == 2 ? base::FieldText<std::size_t>::parse(ends.back()) : first + 1};
  base::require(range.first < range.end, ErrorCode::usage, "{} has no rows", base::quoted(text));
  return range;
}

void declare(Arguments& arguments, BudgetArguments& budget) {
  row_arguments(arguments, budget);
  uncertain_arguments(arguments, budget.uncertain);
  arguments.group("Budget");
  arguments.add(
      {.names = "--rows",
       .value = "LIST",
       .help = fmt::format("Rows of DATA to show, all if not given, as text the first five: {}", rows_expects),
       .set = [&rows = budget.rows](const std::string& text) {
         base::explain("--rows", text, rows_expects, [&] {
           rows.clear();
           for (const std::string& range : base::split(text, ',')) rows.push_back(parse_row_range(range));
         });
       }});
  arguments.option("--level", "P", budget.options.level, "Coverage probability", probability());
  arguments.option("--of", "WHAT", budget.options.of,
                   "Whose uncertainty: an observation with its noise, or the regression function", one_of<Measurand>());
  arguments.group("Result");
  arguments.option("-o,--output", "OUT", budget.output,
                   "A table with one line per row: CSV, or an array if the name ends with .npy; - is text for people");
  arguments.toggle("--json", budget.json, "Print JSON");
}

void check(const BudgetArguments& arguments) {
  check_arguments(arguments);
  base::require(!arguments.json || is_standard_output(arguments.output), ErrorCode::usage,
                "both --json and -o are given, expected one of them");
  check_not_archive("-o", arguments.output);
  check_not_foreign("-o", arguments.output);
  check_not_input(arguments.output, {arguments.model, arguments.data});
}

/// Some rows of a predictive distribution.
Predictive chosen_rows(const Predictive& all, std::span<const std::size_t> rows) {
  const MixtureComponents& from = all.components();
  MixtureComponents to{.rows = rows.size(), .outputs = from.outputs, .weights = from.weights};
  to.inputs = {.names = from.inputs.names, .draws = from.inputs.draws};
  const auto copy = [&](const std::vector<double>& values, std::vector<double>& into) {
    const std::size_t per_row = values.size() / std::max<std::size_t>(1, from.rows);
    for (const std::size_t row : rows) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * per_row);
      into.insert(into.end(), first, first + static_cast<std::ptrdiff_t>(per_row));
    }
  };
  copy(from.mean, to.mean);
  copy(from.aleatoric_variance, to.aleatoric_variance);
  copy(from.epistemic_variance, to.epistemic_variance);
  copy(from.inputs.slope_variance, to.inputs.slope_variance);
  copy(from.inputs.covariance, to.inputs.covariance);
  copy(from.inputs.std, to.inputs.std);
  return Predictive(std::move(to));
}

/// "between members" as part of a column's name, as those of `predict`.
std::string column_name(const std::string& contribution) {
  if (contribution == "noise") return "aleatoric";
  if (contribution == "inputs") return "input";
  return contribution.substr(0, contribution.find(' '));
}

Matrix shares_of(const Matrix& std, const Matrix& total) {
  Matrix shares = std;
  for (std::size_t i = 0; i < shares.values().size(); ++i) {
    const double whole = total.values()[i];
    const double part = std.values()[i];
    shares.values()[i] = whole > 0 ? part * part / (whole * whole) : 0;
  }
  return shares;
}

std::vector<Quantity> budget_quantities(const Budget& budget) {
  std::vector<Quantity> quantities = {{"mean", budget.mean}};
  for (const Contribution& part : budget.contributions) {
    const std::string name =
        part.adds_up ? column_name(part.name) + "_std" : "input_std_" + part.name.substr(std::string("input ").size());
    quantities.push_back({name, part.std});
  }
  quantities.push_back({"total_std", budget.total_std});
  for (const Contribution& part : budget.contributions) {
    if (!part.adds_up) continue;
    quantities.push_back({.name = column_name(part.name) + "_share",
                          .values = shares_of(part.std, budget.total_std),
                          .has_unit = false});
  }
  quantities.push_back({.name = "coverage_factor", .values = budget.coverage_factor, .has_unit = false});
  quantities.push_back({"expanded", budget.expanded});
  quantities.push_back({"lower", budget.symmetric.lower});
  quantities.push_back({"upper", budget.symmetric.upper});
  quantities.push_back({"shortest_lower", budget.shortest.lower});
  quantities.push_back({"shortest_upper", budget.shortest.upper});
  return quantities;
}

/// Takes the budgets of some rows, block by block.
class BudgetSink {
 public:
  BudgetSink() = default;
  BudgetSink(const BudgetSink&) = delete;
  BudgetSink& operator=(const BudgetSink&) = delete;
  virtual ~BudgetSink() = default;
  virtual void add(const Budget& budget, std::span<const std::size_t> rows) = 0;
  virtual void end(std::size_t rows_of_table) = 0;
};

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

std::string interval_text(double lower, double upper, const std::string& unit) {
  return with_unit(fmt::format("[{}, {}]", report::significant(lower, 4), report::significant(upper, 4)), unit);
}

class BudgetText final : public BudgetSink {
 public:
  BudgetText(const Ensemble& ensemble, const BudgetOptions& options) : ensemble_(ensemble), options_(options) {}

  void add(const Budget& budget, std::span<const std::size_t> rows) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < budget.mean.cols(); ++k) print(text(budget, rows[i], i, k));
    }
    shown_ += rows.size();
  }

  void end(std::size_t rows_of_table) override {
    if (rows_of_table > shown_) print(fmt::format("{} of {} rows; --rows shows others\n", shown_, rows_of_table));
  }

 private:
  std::string text(const Budget& budget, std::size_t row, std::size_t i, std::size_t k) const {
    const data::Column& output = ensemble_.state().schema.targets[k];
    const double total = budget.total_std(i, k);
    report::Table table{.caption = fmt::format("Row {}: {} = {}", row, output.name,
                                               with_unit(report::significant(budget.mean(i, k), 4), output.unit)),
                        .headings = {"contribution", "standard uncertainty", "share"}};
    for (const Contribution& part : budget.contributions) {
      const double share = total > 0 ? part.std(i, k) * part.std(i, k) / (total * total) : 0;
      table.rows.push_back(
          {part.adds_up ? part.name : "  " + part.name, report::significant(part.std(i, k)), report::percent(share)});
    }
    table.rows.push_back({"total", report::significant(total), report::percent(1)});
    const std::string level = base::to_text(options_.level);
    const Lines lines = {
        {"coverage factor k", fmt::format("{}, level {}", report::significant(budget.coverage_factor(i, k)), level)},
        {"expanded uncertainty U", with_unit(report::significant(budget.expanded(i, k)), output.unit)},
        {"symmetric interval", interval_text(budget.symmetric.lower(i, k), budget.symmetric.upper(i, k), output.unit)},
        {"shortest interval", interval_text(budget.shortest.lower(i, k), budget.shortest.upper(i, k), output.unit)}};
    std::string text = report::table_text(table);
    for (const auto& [name, value] : lines) text += fmt::format("{:<24}{}\n", name, value);
    return text + "\n";
  }

  const Ensemble& ensemble_;
  BudgetOptions options_;
  std::size_t shown_ = 0;
};

class BudgetJson final : public BudgetSink {
 public:
  BudgetJson(const Ensemble& ensemble, const BudgetOptions& options) : names_(ensemble.target_names()) {
    document_ = {{"level", options.level}, {"of", base::name_of(options.of)}, {"budgets", Json::array()}};
  }

  void add(const Budget& budget, std::span<const std::size_t> rows) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < names_.size(); ++k) document_["budgets"].push_back(entry(budget, rows[i], i, k));
    }
  }
  void end(std::size_t) override { print_json(document_); }

 private:
  Json entry(const Budget& budget, std::size_t row, std::size_t i, std::size_t k) const {
    const double total = budget.total_std(i, k);
    Json parts = Json::array();
    for (const Contribution& part : budget.contributions) {
      const double std = part.std(i, k);
      parts.push_back({{"name", part.name}, {"std", std}, {"share", total > 0 ? std * std / (total * total) : 0}});
    }
    return {{"row", row},
            {"output", names_[k]},
            {"mean", budget.mean(i, k)},
            {"contributions", std::move(parts)},
            {"total_std", total},
            {"coverage_factor", budget.coverage_factor(i, k)},
            {"expanded", budget.expanded(i, k)},
            {"symmetric", {budget.symmetric.lower(i, k), budget.symmetric.upper(i, k)}},
            {"shortest", {budget.shortest.lower(i, k), budget.shortest.upper(i, k)}}};
  }

  std::vector<std::string> names_;
  Json document_;
};

/// One line per row; an array must know their number before the first.
class BudgetTable final : public BudgetSink {
 public:
  BudgetTable(const Ensemble& ensemble, std::string path, std::size_t rows)
      : ensemble_(ensemble), path_(std::move(path)), rows_(rows) {}

  void add(const Budget& budget, std::span<const std::size_t>) override {
    const std::vector<Quantity> quantities = budget_quantities(budget);
    if (!writer_) writer_.emplace(path_, prediction_columns(ensemble_.state().schema.targets, quantities), rows_);
    const Matrix values = prediction_values(quantities);
    const MatrixView parts[] = {values};
    writer_->write(parts);
  }
  void end(std::size_t) override { writer_->commit(); }

 private:
  const Ensemble& ensemble_;
  std::string path_;
  std::size_t rows_;
  std::optional<TableWriter> writer_;
};

/// All rows that `ranges` name, ascending; all of the table where there are none.
std::vector<std::size_t> wanted_rows(const std::vector<RowRange>& ranges, std::size_t rows, const std::string& data) {
  std::vector<std::size_t> wanted;
  for (const auto& [first, end] : ranges.empty() ? std::vector<RowRange>{{0, rows}} : ranges) {
    base::require(end <= rows, ErrorCode::usage, "--rows names row {}, but {} has {}: rows count from 0", end - 1, data,
                  data::count_of(rows, "row"));
    for (std::size_t row = first; row < end; ++row) wanted.push_back(row);
  }
  std::ranges::sort(wanted);
  const auto [repeated, last] = std::ranges::unique(wanted);
  wanted.erase(repeated, last);
  return wanted;
}

/// A block without rows is given too, so that an empty table gets its heading.
void for_budgets(RowStream& stream, const BudgetArguments& arguments, const std::vector<std::size_t>& wanted,
                 BudgetSink& sink) {
  auto next = wanted.begin();
  std::size_t first = 0;
  bool has_begun = false;
  while (const Rows* rows = stream.next()) {
    const auto end = std::lower_bound(next, wanted.end(), first + rows->count());
    if (next != end || (wanted.empty() && !has_begun)) {
      std::vector<std::size_t> here(next, end);
      for (std::size_t& row : here) row -= first;
      sink.add(budget(chosen_rows(stream.predict(), here), arguments.options), std::span(next, end));
      has_begun = true;
    }
    next = end;
    first += rows->count();
  }
}

void run(const BudgetArguments& arguments) {
  constexpr std::size_t rows_of_text = 5;
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "budget is for models that predict numbers; {} predicts classes", arguments.model);
  RowStream stream(ensemble, arguments, data::Targets::unused);
  const std::size_t count = stream.count_rows();
  const std::string& data = arguments.outputs.empty() ? arguments.data : arguments.outputs;
  std::vector<std::size_t> wanted = wanted_rows(arguments.rows, count, data);
  std::unique_ptr<BudgetSink> sink;
  if (arguments.json) {
    sink = std::make_unique<BudgetJson>(ensemble, arguments.options);
  } else if (is_standard_output(arguments.output)) {
    if (arguments.rows.empty()) wanted.resize(std::min(wanted.size(), rows_of_text));
    sink = std::make_unique<BudgetText>(ensemble, arguments.options);
  } else {
    sink = std::make_unique<BudgetTable>(ensemble, arguments.output, wanted.size());
  }
  for_budgets(stream, arguments, wanted, *sink);
  sink->end(arguments.rows.empty() ? count : wanted.size());
}

}  // namespace

Verb budget_verb() {
  return make_verb<BudgetArguments>("budget", "says what contributes to the uncertainty of each row",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens budget model.safetensors test.csv --rows 0:3"},
                                    declare, run);
}

}  // namespace credens::cli
