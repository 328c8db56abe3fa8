// Faults of lines, in words that say what to do.
#include "layout.hpp"

#include <cmath>
#include <stdexcept>

#include "fault.hpp"
#include "numbers.hpp"

namespace rankmark {
namespace {

const Message kTooLong{"a line has 16 MiB or more", "give a table of ids and numbers"};

std::string counted(std::size_t columns) { return std::to_string(columns) + (columns == 1 ? " column" : " columns"); }

Message wrong_columns(const Line& line, const TextLayout& layout) {
  const std::size_t columns = layout.cut.columns;
  std::string found = "found " + counted(line.columns) + ", need " + std::to_string(columns) + " (" + layout.wanted +
                      "): " + shown(line.text());
  if (!layout.cut.at_blanks() && line.columns > columns) {
    return {found, "put a field that holds a separator in double quotes"};
  }
  if (layout.cut.at_blanks() && !layout.labels && columns == 6 && line.columns == 4) {
    return {found, "this looks like qrels: are QRELS and RUN swapped?"};
  }
  return {found, "correct or remove the line"};
}

std::string_view trimmed(std::string_view field) noexcept {
  const std::size_t first = field.find_first_not_of(" \t"), last = field.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : field.substr(first, last - first + 1);
}

// "1,5", where a point was meant.
bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return false;
  std::string with_point(field);
  with_point[comma] = '.';
  with_point.append(kPadding, '\0');
  double number = 0;
  return parse_number({with_point.data(), field.size()}, number);
}

}  // namespace

void TextLayout::check() const {
  const auto outside = [&](std::optional<std::size_t> column) { return column && *column >= cut.columns; };
  if (query >= cut.columns || document >= cut.columns || outside(number) || outside(rank) || cut.columns < 2) {
    throw std::invalid_argument("a layout's columns must lie within its lines");
  }
  if (by_rank && !rank) throw std::invalid_argument("without a rank column nothing is ordered by it");
  if (cut.separator == '\n' || cut.separator == '\r' || cut.separator == '"') {
    throw std::invalid_argument("columns cannot be separated by a line's end or by a quote");
  }
}

Block without_header(const Block& block, const TextLayout& layout) {
  if (block.offset >= layout.begin) return block;
  Block rest = block;
  const std::uint64_t header = std::min<std::uint64_t>(layout.begin - block.offset, block.text.size());
  rest.offset += header;
  rest.text = rest.text.subspan(static_cast<std::size_t>(header));
  return rest;
}

void check_end(const Block& block) {
  if (block.endless) throw ParseFault(*block.endless, kTooLong);
}

void check_line(const Line& line, std::uint64_t offset, const TextLayout& layout) {
  if (line.text().find('\0') != std::string_view::npos) {
    throw ParseFault(offset, {"found a NUL byte, so this is not UTF-8 text (UTF-16? a binary file?)", "convert it"});
  }
  if (line.text().size() > kLongestLine) throw ParseFault(offset, kTooLong);
  if (line.fault != nullptr) throw ParseFault(offset, *line.fault);
  if (line.columns == layout.cut.columns) {
    if (line.column(layout.query).empty()) throw ParseFault(offset, {"the query id is empty", "give every row one"});
    if (line.column(layout.document).empty())
      throw ParseFault(offset, {"the document id is empty", "give every row one"});
    return;
  }
  if (line.text().find('\r') != std::string_view::npos) {
    throw ParseFault(offset, {"found a carriage return within the line (old Mac line ends? a binary file?)",
                              "give text whose lines end in newlines"});
  }
  if (line.columns > layout.cut.columns && layout.more_columns) {
    double rank = 0;
    if (!layout.rank) return;
    const std::string_view field = line.column(*layout.rank);
    if (parse_number(field, rank)) return;
    throw ParseFault(offset, {"rank " + shown(field) + " is not a number, and there are " + counted(line.columns) +
                                  " instead of " + std::to_string(layout.cut.columns) + " (" + layout.wanted + ")",
                              "remove blanks from ids"});
  }
  throw ParseFault(offset, wrong_columns(line, layout));
}

double any_number_in(std::string_view field, std::uint64_t offset, const TextLayout& layout) {
  double number = 0;
  if (parse_number(field, number)) return number;
  if (!layout.cut.at_blanks() && parse_number(trimmed(field), number)) return number;
  const char* const remedy = has_decimal_comma(field) ? "write a decimal point, not a comma"
                             : layout.cut.at_blanks() ? "if this line is a header, remove it or put # before it"
                                                      : "correct or remove the line";
  throw ParseFault(offset, {std::string(layout.number_name()) + " " + shown(field) + " is not a number", remedy});
}

double checked_number_in(std::string_view field, std::uint64_t offset, const TextLayout& layout) {
  double number = 0;
  if (numbers::parse_any(field, number) && std::fabs(number) < kExactWhole) return number;
  number = any_number_in(field, offset, layout);
  if (std::isnan(number)) {
    throw ParseFault(offset,
                     {std::string(layout.number_name()) + " is NaN, which cannot be ordered", "remove or replace it"});
  }
  if (lost_digits(layout.cut.at_blanks() ? field : trimmed(field), number) && !layout.single) {
    throw ParseFault(offset, {std::string(layout.number_name()) + " " + shown(field) + " is " + kInexact,
                              layout.labels ? kInexactLabelRemedy : kInexactRemedy});
  }
  if (layout.labels && std::isinf(number)) throw ParseFault(offset, {"label is infinite", "need a finite label"});
  return number;
}

}  // namespace rankmark
