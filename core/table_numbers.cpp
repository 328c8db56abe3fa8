// AlignedColumns read as numbers: doubles, and which whole numbers no double holds.
#include <cmath>
#include <string>

#include "numbers.hpp"
#include "table_values.hpp"

namespace rankmark {

void append_whole_numbers(const Table& table, std::size_t column, std::int64_t begin, std::int64_t end,
                          std::vector<std::int64_t>& numbers) {
  with_pieces(table.columns[column], begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(values[0])>>) {
        for (std::int64_t i = from; i < to; ++i) numbers.push_back(static_cast<std::int64_t>(values[i]));
      }
    });
  });
}

std::int64_t first_inexact(const Table& table, std::size_t column) {
  std::int64_t found = -1;
  with_pieces(table.columns[column], 0, table.rows, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    if (found >= 0) return;
    with_meanings(piece, [&](const auto& values) {
      using Value = std::decay_t<decltype(values[0])>;
      if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::uint64_t>) {
        constexpr auto kMost = static_cast<Value>(kExactWhole);
        bool small = true;
        for (std::int64_t i = from; i < to; ++i) {
          small &= values[i] <= kMost;
          if constexpr (std::is_signed_v<Value>) small &= values[i] >= -kMost;
        }
        for (std::int64_t i = from; i < to && !small && found < 0; ++i) {
          if (!is_exact(values[i])) found = piece.first + i - piece.offset;
        }
      } else if constexpr (std::is_same_v<Value, Decimal>) {
        for (std::int64_t i = from; i < to && found < 0; ++i) {
          const Decimal value = values[i];
          const auto number = static_cast<double>(value);
          if (std::fabs(number) >= kExactWhole && lost_digits(value.whole(), number)) {
            found = piece.first + i - piece.offset;
          }
        }
      }
    });
  });
  return found;
}

void check_exact(const Table& table, std::size_t column, bool labels) {
  const std::int64_t row = first_inexact(table, column);
  if (row >= 0)
    throw TableFault(column, row, {std::string("holds ") + kInexact, labels ? kInexactLabelRemedy : kInexactRemedy});
}

void append_numbers(const Table& table, std::size_t column, std::int64_t begin, std::int64_t end,
                    std::vector<double>& numbers, bool nan_too) {
  with_pieces(table.columns[column], begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      using Value = std::decay_t<decltype(values[0])>;
      if constexpr (!std::is_same_v<Value, std::string_view> && !std::is_same_v<Value, Uuid>) {
        bool all_there = true;
        for (std::int64_t i = from; i < to; ++i) {
          const double number = static_cast<double>(values[i]);
          all_there &= number == number;
          numbers.push_back(number);
        }
        if (all_there || nan_too) return;
        const auto appended = static_cast<std::ptrdiff_t>(to - from);
        const auto nan = std::find_if(numbers.end() - appended, numbers.end(), [](double x) { return x != x; });
        throw TableFault(column, piece.first + from - piece.offset + (nan - (numbers.end() - appended)),
                         {"is NaN, which cannot be ordered", "drop the row, or fill it"});
      }
    });
  });
}

}  // namespace rankmark
