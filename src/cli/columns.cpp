// SPDX-License-Identifier: Apache-2.0

#include "cli/columns.hpp"

#include <functional>

namespace credens::cli {

namespace {

using Columns = base::FieldText<std::vector<std::string>>;
constexpr const char* columns_expects = "columns by name or 0-based index, separated by commas";

struct OneColumn {
  static std::string parse(std::string_view text) {
    std::vector<std::string> columns = Columns::parse(text);
    base::require(columns.size() == 1, ErrorCode::usage, "{} is not one column", base::quoted(text));
    return std::move(columns.front());
  }
  static base::OptionValue value(const std::string& column) { return column.empty() ? "" : base::list_item(column); }
};

struct YesOrNo {
  static bool parse(std::string_view text) {
    base::require(text == "yes" || text == "no", ErrorCode::usage, "{} is neither yes nor no", base::quoted(text));
    return text == "yes";
  }
  static base::OptionValue value(const std::optional<bool>& flag) {
    return std::string(!flag ? "" : *flag ? "yes" : "no");
  }
};

struct Delimiter {
  static char parse(std::string_view text) {
    if (text == "," || text == ";") return text.front();
    if (text == "tab" || text == "\t" || text == "\\t") return '\t';
    if (text == "blank" || text == " ") return ' ';
    base::fail(ErrorCode::usage, "{} is no delimiter", base::quoted(text));
  }
  static base::OptionValue value(const std::optional<char>& delimiter) {
    if (!delimiter) return std::string();
    return *delimiter == '\t' ? "tab" : *delimiter == ' ' ? "blank" : std::string(1, *delimiter);
  }
};

bool has_some(const std::vector<std::string>& columns) {
  return !columns.empty();
}

template <class Options, class Access>
void add_columns(base::OptionTable<Options>& table, std::string name, std::string value, Access field,
                 std::string help) {
  table.add(std::move(name), std::move(value), field, std::move(help), columns_expects, has_some).not_stored();
}

template <class Options, class Access>
void add_column(base::OptionTable<Options>& table, std::string name, Access field, std::string help) {
  table
      .template add_as<OneColumn>(std::move(name), "COL", field, std::move(help), "one column by name or 0-based index")
      .not_stored();
}

base::OptionTable<TableFormat> make_format_table(const std::string& group) {
  base::OptionTable<TableFormat> table;
  table.group(group)
      .add_as<YesOrNo>("header", "yes|no", &TableFormat::header,
                       "Whether the first line holds names; recognised if not given", "yes or no")
      .not_stored();
  table
      .add_as<Delimiter>("delimiter", "CHAR", &TableFormat::delimiter,
                         "What separates the cells of a line; recognised if not given", "one of , ; tab blank")
      .not_stored();
  return table;
}

}  // namespace

std::string columns_text(const std::vector<std::string>& columns) {
  return base::to_text(Columns::value(columns));
}

base::OptionTable<DatasetOptions> dataset_options() {
  base::OptionTable<DatasetOptions> table;
  const std::string group = "Table";
  table.group(group);
  add_columns(table, "target", "COL[,COL]", &DatasetOptions::targets, "Columns to predict");
  add_columns(table, "inputs", "COL,..", &DatasetOptions::inputs,
              "Columns to predict from; without it every column without another part");
  add_columns(table, "ignore", "COL,..", &DatasetOptions::ignore, "Columns that play no part");
  add_column(table, "weight", &DatasetOptions::weight, "Column of row weights; without it every row counts once");
  add_columns(table, "noise_std", "COL[,COL]", &DatasetOptions::noise_std,
              "Columns with the known standard deviation of each row's noise: one for all targets, or one each");
  return table.include(make_format_table(group), &DatasetOptions::format);
}

void columns_option(Arguments& arguments, const std::string& flag, std::vector<std::string>& into, std::string help) {
  base::OptionTable<std::vector<std::string>> table;
  add_columns(table, flag.substr(2), "COL[,COL]", std::identity(), std::move(help));
  arguments.options(table, into);
}

void column_option(Arguments& arguments, const std::string& flag, std::string& into, std::string help) {
  base::OptionTable<std::string> table;
  add_column(table, flag.substr(2), std::identity(), std::move(help));
  arguments.options(table, into);
}

void format_options(Arguments& arguments, TableFormat& format) {
  arguments.options(make_format_table(""), format);
}

}  // namespace credens::cli
