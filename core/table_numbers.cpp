// Columns read as numbers: doubles, and which whole numbers no double holds.
#include <algorithm>
#include <cmath>
#include <string>

#include "numbers.hpp"
#include "table_values.hpp"

namespace rankmark {

namespace {

// Makes room for some more numbers, and gives where they go.
template <class Number>
Number* more(std::vector<Number>& numbers, std::size_t count) {
  numbers.resize(numbers.size() + count);
  return numbers.data() + (numbers.size() - count);
}

template <class Value>
constexpr bool is_number() noexcept {
  return !std::is_same_v<Value, std::string_view> && !std::is_same_v<Value, Uuid>;
}

// The bits of numbers without a sign, too.
template <class Value>
std::int64_t whole(Value value) noexcept {
  return static_cast<std::int64_t>(value);
}

[[noreturn]] void refuse_nan(std::size_t column, std::int64_t row) {
  throw TableFault(column, row, {"is NaN, which cannot be ordered", "drop the row, or fill it"});
}

}  // namespace

void append_whole_numbers(const CheckedColumn& column, std::int64_t begin, std::int64_t end,
                          std::vector<std::int64_t>& numbers) {
  with_pieces(column, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(values[0])>>) {
        std::int64_t* const out = more(numbers, static_cast<std::size_t>(to - from));
        for (std::int64_t i = from; i < to; ++i) out[i - from] = whole(values[i]);
      }
    });
  });
}

void append_whole_numbers(const CheckedColumn& column, std::span<const std::uint32_t> rows,
                          std::vector<std::int64_t>& numbers) {
  with_pieces_of(column, rows, [&](const Piece& piece, std::span<const std::uint32_t> here, std::int64_t shift) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(values[0])>>) {
        std::int64_t* const out = more(numbers, here.size());
        each_value(values, here, shift, [&](std::size_t i, auto value) { out[i] = whole(value); });
      }
    });
  });
}

std::int64_t first_inexact(const NumberColumn& column) {
  std::int64_t found = -1;
  with_pieces(column, 0, column.rows(), [&](const Piece& piece, std::int64_t from, std::int64_t to) {
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

void check_exact(const NumberColumn& column, bool labels) {
  const std::int64_t row = first_inexact(column);
  if (row >= 0)
    throw TableFault(column.number(), row,
                     {std::string("holds ") + kInexact, labels ? kInexactLabelRemedy : kInexactRemedy});
}

void append_numbers(const NumberColumn& column, std::int64_t begin, std::int64_t end, std::vector<double>& numbers,
                    bool nan_too) {
  with_pieces(column, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (is_number<std::decay_t<decltype(values[0])>>()) {
        double* const out = more(numbers, static_cast<std::size_t>(to - from));
        bool all_there = true;
        for (std::int64_t i = from; i < to; ++i) {
          const double number = static_cast<double>(values[i]);
          all_there &= number == number;
          out[i - from] = number;
        }
        if (all_there || nan_too) return;
        const auto nan = std::find_if(out, out + (to - from), [](double x) { return x != x; });
        refuse_nan(column.number(), piece.first + from - piece.offset + (nan - out));
      }
    });
  });
}

void append_numbers(const NumberColumn& column, std::span<const std::uint32_t> rows, std::vector<double>& numbers) {
  with_pieces_of(column, rows, [&](const Piece& piece, std::span<const std::uint32_t> here, std::int64_t shift) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (is_number<std::decay_t<decltype(values[0])>>()) {
        double* const out = more(numbers, here.size());
        each_value(values, here, shift, [&](std::size_t i, const auto& value) {
          out[i] = static_cast<double>(value);
          if (out[i] != out[i]) refuse_nan(column.number(), here[i]);
        });
      }
    });
  });
}

}  // namespace rankmark
