// Lines of text read in the plainest way, from what docs/reference/formats.md promises: slow, and sharing no code with
// the core but its layouts.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout.hpp"

namespace fuzz {

using rankmark::TextLayout;

// A number as a decimal, scientific, `inf` or `nan`, filling the field.
inline std::optional<double> plain_number(std::string_view field) {
  const auto digit = [&](std::size_t i) { return i < field.size() && field[i] >= '0' && field[i] <= '9'; };
  std::string lower;
  for (const char c : field) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  std::size_t i = !field.empty() && (field[0] == '-' || field[0] == '+') ? 1 : 0;
  const std::string word = lower.substr(i);
  if (word != "inf" && word != "infinity" && word != "nan") {
    std::size_t digits = 0;
    for (; digit(i); ++i) ++digits;
    if (i < field.size() && field[i] == '.') {
      for (++i; digit(i); ++i) ++digits;
    }
    if (digits == 0) return std::nullopt;
    if (i < field.size() && lower[i] == 'e') {
      ++i;
      if (i < field.size() && (field[i] == '-' || field[i] == '+')) ++i;
      if (!digit(i)) return std::nullopt;
      while (digit(i)) ++i;
    }
    if (i != field.size()) return std::nullopt;
  }
  return std::strtod(std::string(field).c_str(), nullptr);
}

// Whether a whole number, written in digits, is not what the double it was read as holds.
inline bool loses_digits(std::string_view field, double number) {
  if (!field.empty() && (field[0] == '-' || field[0] == '+')) field.remove_prefix(1);
  if (field.find_first_not_of("0123456789") != std::string_view::npos || std::fabs(number) < 0x1p53) return false;
  if (std::isinf(number)) return true;
  char held[400];
  std::snprintf(held, sizeof held, "%.0f", std::fabs(number));
  const std::size_t zeros = field.find_first_not_of('0');
  return field.substr(zeros) != held;
}

struct PlainRow {
  std::string query, document;
  double number = std::nan(""), rank = std::nan("");
  std::int64_t line = 0;  // from 1
  bool extra = false;     // has more columns than its layout
};

struct PlainText {
  std::vector<PlainRow> rows;
  std::vector<std::int64_t> faulty;  // lines that cannot be read
};

namespace plain {

struct Fields {
  std::vector<std::string> columns;
  bool faulty = false;
};

inline Fields at_blanks(std::string_view line) {
  Fields fields;
  for (std::size_t end = 0;;) {
    const std::size_t first = line.find_first_not_of(" \t", end);
    if (first == std::string_view::npos) return fields;
    end = std::min(line.find_first_of(" \t", first), line.size());
    fields.columns.emplace_back(line.substr(first, end - first));
  }
}

inline Fields at_separators(std::string_view line, char separator) {
  Fields fields{{""}};
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string& field = fields.columns.back();
    if (line[i] == separator) {
      fields.columns.emplace_back();
    } else if (line[i] != '"' || !(i == 0 || line[i - 1] == separator)) {
      // A bare field: quotes within it are as any other letter.
      for (; i < line.size() && line[i] != separator; ++i) field += line[i];
      --i;
    } else {
      for (++i;; ++i) {
        if (i == line.size()) return {fields.columns, true};
        if (line[i] == '"') {
          if (i + 1 == line.size() || line[i + 1] != '"') break;
          ++i;
        }
        field += line[i];
      }
      if (i + 1 < line.size() && line[i + 1] != separator) return {fields.columns, true};
    }
  }
  return fields;
}

inline std::string_view trimmed(std::string_view field) {
  const std::size_t first = field.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(" \t") - first + 1);
}

// The number that a row brings. A lenient reader lets any number through.
inline std::optional<double> number_of(std::string_view field, const TextLayout& layout, bool lenient) {
  if (!layout.cut.at_blanks()) field = trimmed(field);
  const std::optional<double> number = plain_number(field);
  if (!number || lenient) return number;
  if (std::isnan(*number) || (layout.labels && std::isinf(*number))) return std::nullopt;
  if (!layout.single && loses_digits(field, *number)) return std::nullopt;
  return number;
}

}  // namespace plain

// `number` is the column that is read as a number: that of the layout, or the one that orders a run.
inline PlainText read_plainly(std::string_view text, const TextLayout& layout, std::optional<std::size_t> number,
                              bool lenient) {
  PlainText read;
  std::int64_t line_number = 0;
  for (std::size_t at = 0, next; at < text.size(); at = next) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    next = newline + 1;
    ++line_number;
    if (at < layout.begin) continue;  // the header
    std::string_view line = text.substr(at, newline - at);
    if (at == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.find('\0') != std::string_view::npos) {
      read.faulty.push_back(line_number);
      continue;
    }
    if (layout.cut.at_blanks() && line.front() == '#') continue;
    const plain::Fields fields =
        layout.cut.at_blanks() ? plain::at_blanks(line) : plain::at_separators(line, layout.cut.separator);
    const std::vector<std::string>& columns = fields.columns;
    if (columns.empty()) continue;
    const bool extra = columns.size() > layout.cut.columns;
    bool readable = !fields.faulty && columns.size() >= layout.cut.columns;
    if (readable && extra) {
      readable = layout.more_columns && line.find('\r') == std::string_view::npos &&
                 (!layout.rank || plain_number(columns[*layout.rank]));
    } else if (readable) {
      readable = !columns[layout.query].empty() && !columns[layout.document].empty();
    }
    PlainRow row;
    if (readable && number) {
      const std::optional<double> value = plain::number_of(columns[*number], layout, lenient);
      readable = value.has_value();
      row.number = value.value_or(0);
    }
    if (!readable) {
      read.faulty.push_back(line_number);
      continue;
    }
    row.query = columns[layout.query];
    row.document = columns[layout.document];
    if (layout.rank) row.rank = plain_number(columns[*layout.rank]).value_or(std::nan(""));
    row.line = line_number;
    row.extra = extra;
    read.rows.push_back(row);
  }
  return read;
}

}  // namespace fuzz
