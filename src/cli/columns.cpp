// SPDX-License-Identifier: Apache-2.0

#include "cli/columns.hpp"

#include <algorithm>

namespace credens::cli {

namespace {

/// Takes a quoted name, with "" for a quote in it, off the front of `rest`.
std::string take_quoted(std::string_view& rest, std::string_view text) {
  std::string name;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      name += rest[at];
    } else if (rest.substr(at).starts_with("\"\"")) {
      name += rest[at++];
    } else {
      rest.remove_prefix(at + 1);
      return name;
    }
  }
  base::fail(ErrorCode::usage, "{} has a quote without its end", base::quoted(text));
}

std::string take_plain(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(','), rest.size());
  const std::string name(base::trim(rest.substr(0, end)));
  rest.remove_prefix(end);
  return name;
}

}  // namespace

std::vector<std::string> parse_columns(std::string_view text) {
  std::vector<std::string> columns;
  std::string_view rest = text;
  for (;;) {
    columns.push_back(rest.starts_with('"') ? take_quoted(rest, text) : take_plain(rest));
    base::require(!columns.back().empty(), ErrorCode::usage, "{} has an empty name", base::quoted(text));
    if (rest.empty()) return columns;
    base::require(rest.front() == ',', ErrorCode::usage, "{} has letters after a quoted name", base::quoted(text));
    rest.remove_prefix(1);
  }
}

std::string parse_column(std::string_view text) {
  std::vector<std::string> columns = parse_columns(text);
  base::require(columns.size() == 1, ErrorCode::usage, "{} is more than one column", base::quoted(text));
  return std::move(columns.front());
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && text == base::trim(text)) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string columns_text(const std::vector<std::string>& columns) {
  std::vector<std::string> cells(columns.size());
  std::transform(columns.begin(), columns.end(), cells.begin(), csv_cell);
  return base::join(cells, ",");
}

bool parse_header(std::string_view text) {
  base::require(text == "yes" || text == "no", ErrorCode::usage, "{} is neither yes nor no", base::quoted(text));
  return text == "yes";
}

char parse_delimiter(std::string_view text) {
  if (text == "," || text == ";") return text.front();
  if (text == "tab" || text == "\t" || text == "\\t") return '\t';
  if (text == "blank" || text == " ") return ' ';
  base::fail(ErrorCode::usage, "{} is no delimiter", base::quoted(text));
}

std::string delimiter_text(char delimiter) {
  if (delimiter == '\t') return "tab";
  return delimiter == ' ' ? "blank" : std::string(1, delimiter);
}

namespace {

/// An option that is read by a function of its own.
template <class Parse>
Argument parsed_option(std::string name, std::string value, std::string help, std::string_view expects, Parse parse) {
  Argument argument{.names = std::move(name), .value = std::move(value), .help = std::move(help)};
  argument.set = [parse, name = argument.names, expects](const std::string& text) {
    parse_or_explain(name, text, expects, [&] { parse(text); });
  };
  return argument;
}

}  // namespace

void columns_option(Arguments& arguments, std::string name, std::vector<std::string>& into, std::string help) {
  arguments.add(parsed_option(std::move(name), "COL[,COL]", std::move(help), columns_expects,
                              [&into](const std::string& text) { into = parse_columns(text); }));
}

void column_option(Arguments& arguments, std::string name, std::string& into, std::string help) {
  arguments.add(parsed_option(std::move(name), "COL", std::move(help), column_expects,
                              [&into](const std::string& text) { into = parse_column(text); }));
}

void format_options(Arguments& arguments, TableFormat& format) {
  arguments.add(parsed_option("--header", "yes|no", "Whether the first line holds names; recognised if not given",
                              header_expects,
                              [&format](const std::string& text) { format.header = parse_header(text); }));
  arguments.add(parsed_option(
      "--delimiter", "CHAR", "What separates the cells of a line: one of , ; tab blank; recognised if not given",
      delimiter_expects, [&format](const std::string& text) { format.delimiter = parse_delimiter(text); }));
}

}  // namespace credens::cli
