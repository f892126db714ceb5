// SPDX-License-Identifier: Apache-2.0

#include "cli/settings.hpp"

#include <map>

#include "cli/columns.hpp"
#include "learn/recipe.hpp"

namespace credens::cli {

namespace {

using Option = base::Option<FitSettings>;

/// An option whose text is read by `parse`, with a sentence of the usual form where it cannot be.
template <class Parse>
Option text_option(std::string name, std::string help, std::string expects,
                   std::function<base::OptionValue(const FitSettings&)> get, Parse parse) {
  Option option{.name = std::move(name), .help = std::move(help), .expects = std::move(expects)};
  option.get = std::move(get);
  option.set = [parse, name = option.name, expects = option.expects](FitSettings& settings, std::string_view text) {
    parse_or_explain(base::flag_of(name), text, expects, [&] { parse(settings, text); });
  };
  return option;
}

Option columns_setting(std::string name, std::vector<std::string> DatasetOptions::*member, std::string help) {
  return text_option(
      std::move(name), std::move(help), std::string(columns_expects),
      [member](const FitSettings& settings) { return columns_text(settings.columns.*member); },
      [member](FitSettings& settings, std::string_view text) { settings.columns.*member = parse_columns(text); });
}

Option weight_setting() {
  return text_option(
      "weight", "Column of row weights; without it every row counts once", std::string(column_expects),
      [](const FitSettings& settings) {
        return settings.columns.weight.empty() ? "" : csv_cell(settings.columns.weight);
      },
      [](FitSettings& settings, std::string_view text) { settings.columns.weight = parse_column(text); });
}

Option header_setting() {
  return text_option(
      "header", "Whether the first line holds names; recognised if not given", std::string(header_expects),
      [](const FitSettings& settings) -> base::OptionValue {
        const auto header = settings.columns.format.header;
        return std::string(!header ? "" : *header ? "yes" : "no");
      },
      [](FitSettings& settings, std::string_view text) { settings.columns.format.header = parse_header(text); });
}

Option delimiter_setting() {
  return text_option(
      "delimiter", "What separates the cells of a line; recognised if not given", std::string(delimiter_expects),
      [](const FitSettings& settings) {
        const auto delimiter = settings.columns.format.delimiter;
        return delimiter ? delimiter_text(*delimiter) : "";
      },
      [](FitSettings& settings, std::string_view text) { settings.columns.format.delimiter = parse_delimiter(text); });
}

/// One name for a fraction and for a file.
Option validation_setting(const base::Option<FitOptions>& fraction) {
  return text_option(
      "validation",
      "Share of the rows held back, or a file of other rows, to choose each member's best epoch; 0 trains on all rows "
      "to the last epoch",
      fraction.expects + ", or a file",
      [](const FitSettings& settings) -> base::OptionValue {
        if (!settings.validation_file.empty()) return settings.validation_file;
        return settings.options.validation_fraction;
      },
      [fraction](FitSettings& settings, std::string_view text) {
        const bool is_number = base::parse_double(text).has_value();
        fraction.set(settings.options, is_number ? text : "0");
        settings.validation_file = is_number ? "" : std::string(text);
      });
}

Option training_setting(const base::Option<FitOptions>& option) {
  if (option.name == "validation_fraction") return validation_setting(option);
  return {.name = option.name,
          .help = option.help,
          .expects = option.expects,
          .determines_result = option.determines_result,
          .is_switch = option.is_switch,
          .get = [option](const FitSettings& settings) { return option.get(settings.options); },
          .set = [option](FitSettings& settings, std::string_view text) { option.set(settings.options, text); }};
}

struct Shown {
  std::string value;
  std::string group;
};

Shown shown_of(const std::string& name) {
  static const std::map<std::string, Shown> shown = {
      {"recipe", {"NAME", "Recipe"}},
      {"effort", {"NAME", "Recipe"}},
      {"embedding", {"BANDWIDTH", "Networks"}},
      {"frequencies", {"COUNT", "Networks"}},
      {"loss_beta", {"POWER", "Training"}},
      {"hidden_precision", {"NUMBER", "Training"}},
      {"bend_inputs", {"", "Training"}},
      {"folds", {"COUNT", "Calibration"}},
      {"recalibrate", {"", "Calibration"}},
      {"correct_size", {"", "Calibration"}},
      {"weigh_members", {"", "Calibration"}},
      {"members", {"COUNT", "Networks"}},
      {"hidden", {"WIDTHS", "Networks"}},
      {"activation", {"NAME", "Networks"}},
      {"noise", {"KIND", "Networks"}},
      {"noise_link", {"NAME", "Networks"}},
      {"epochs", {"COUNT", "Training"}},
      {"batch", {"ROWS", "Training"}},
      {"learning_rate", {"RATE", "Training"}},
      {"schedule", {"NAME", "Training"}},
      {"standardise_inputs", {"", "Training"}},
      {"validation", {"SHARE|FILE", "Training"}},
      {"patience", {"EPOCHS", "Training"}},
      {"lambda", {"NUMBER", "Posterior"}},
      {"posterior", {"KIND", "Posterior"}},
      {"random_bias", {"", "Posterior"}},
      {"seed", {"NUMBER", "Run"}},
      {"threads", {"COUNT", "Run"}},
      {"memory", {"SIZE", "Run"}},
  };
  const auto found = shown.find(name);
  return found == shown.end() ? Shown{"VALUE", "Training"} : found->second;
}

void add_columns(std::vector<Setting>& settings) {
  const auto add = [&](Option option, const char* value) { settings.push_back({std::move(option), value, "Table"}); };
  add(columns_setting("target", &DatasetOptions::targets, "Columns to predict"), "COL[,COL]");
  add(columns_setting("inputs", &DatasetOptions::inputs,
                      "Columns to predict from; without it every column without another part"),
      "COL,..");
  add(columns_setting("ignore", &DatasetOptions::ignore, "Columns that play no part"), "COL,..");
  add(weight_setting(), "COL");
  add(columns_setting(
          "noise_std", &DatasetOptions::noise_std,
          "Columns with the known standard deviation of each row's noise: one for all targets, or one each"),
      "COL[,COL]");
  add(header_setting(), "yes|no");
  add(delimiter_setting(), "CHAR");
}

}  // namespace

const std::vector<Setting>& fit_settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> settings;
    add_columns(settings);
    for (const auto& option : learn::fit_options().options()) {
      Option setting = training_setting(option);
      Shown shown = shown_of(setting.name);
      settings.push_back({std::move(setting), std::move(shown.value), std::move(shown.group)});
    }
    return settings;
  }();
  return all;
}

}  // namespace credens::cli
