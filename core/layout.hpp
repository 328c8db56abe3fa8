// Which column of a text's lines is which, and what is wrong with a line that is not as it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "blocks.hpp"
#include "numbers.hpp"
#include "text.hpp"

namespace rankmark {

// Columns are counted from 0.
struct TextLayout {
  Cut cut;
  std::size_t query = 0, document = 0;
  std::optional<std::size_t> number;  // the label, else 1; the score, else the rank or the order of the lines
  std::optional<std::size_t> rank;
  std::uint64_t begin = 0;    // bytes before the first row: a header
  bool labels = false;        // judgments, not a run
  bool by_rank = false;       // the rank orders the run, and the score does not
  bool more_columns = false;  // lines may have more columns than they should, which are counted
  bool single = false;        // scores are rounded to floats later, so that digits may be lost
  std::string wanted;         // names of the columns, for messages

  // The number that a row brings: its label, or what orders a run.
  std::optional<std::size_t> order() const noexcept { return !labels && (by_rank || !number) ? rank : number; }
  bool orders_by_rank() const noexcept { return !labels && order() == rank; }
  // How messages call that number.
  const char* number_name() const noexcept { return labels ? "label" : orders_by_rank() ? "rank" : "score"; }

  // Throws std::invalid_argument for columns that no line could have.
  void check() const;
};

// The block without the header's bytes.
Block without_header(const Block& block, const TextLayout& layout);

// Refuses a block whose last line goes on and on.
void check_end(const Block& block);

// Refuses a line that is not plain and has no excuse. What it says must follow from the line alone:
// which lines come here depends on how blocks are cut.
void check_line(const Line& line, std::uint64_t offset, const TextLayout& layout);

// The number in a field, NaN as it is; throws ParseFault, naming the column, where there is none.
double any_number_in(std::string_view field, std::uint64_t offset, const TextLayout& layout);

// The same, refusing NaN, infinite labels, and whole numbers that lose digits.
double checked_number_in(std::string_view field, std::uint64_t offset, const TextLayout& layout);

// The same at once for the numbers that are usual.
inline double number_in(std::string_view field, std::uint64_t offset, const TextLayout& layout) {
  double number = 0;
  if (numbers::parse_short(field, number)) [[likely]]
    return number;
  return checked_number_in(field, offset, layout);
}

// What a reader of a file wants to be told about it.
struct FileCounts {
  std::int64_t rows = 0;
  std::int64_t extra_columns = 0;  // rows with more columns than the layout has

  void add(const FileCounts& more) noexcept {
    rows += more.rows;
    extra_columns += more.extra_columns;
  }
};

}  // namespace rankmark
