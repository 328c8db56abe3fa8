// Columns however they are stored, read as ids and as numbers.
#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "arrow_types.hpp"
#include "table_values.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kMostTableRows = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestNumber = 20;  // a sign and 19 digits, or 20 digits

// The first row from `begin` on whose text or place lies outside of what there is, or -1.
std::int64_t first_outside(const Piece& piece, Storage storage, std::int64_t begin, std::int64_t end) {
  const auto found = [&](const auto& is_inside) {
    std::int64_t i = begin;
    while (i < end && is_inside(i)) ++i;
    return i < end ? i : -1;
  };
  const auto rising = [&](auto zero) {
    const Plain<decltype(zero)> offsets{piece.values};
    return found([&](std::int64_t i) { return 0 <= offsets[i] && offsets[i] <= offsets[i + 1]; });
  };
  if (storage == Storage::text32) return rising(std::int32_t{});
  if (storage == Storage::text64) return rising(std::int64_t{});
  if (storage != Storage::view) return -1;
  const Plain<std::int64_t> sizes{piece.text_sizes};
  return found([&](std::int64_t i) {
    const Plain<std::int32_t> words{static_cast<const char*>(piece.values) + 16 * i};
    const std::int64_t size = words[0], text = words[2], at = words[3];
    return size <= 12 ? size >= 0 : text >= 0 && text < piece.texts && at >= 0 && size <= sizes[text] - at;
  });
}

// Refuses what a producer promised otherwise, as far as that can be seen: reading on would leave its memory.
void check_promises(const Piece& piece, std::size_t column) {
  const auto refuse = [&](const std::string& what) {
    throw TableFault(column, std::nullopt, {what, "make the table anew"});
  };
  const auto check_one = [&](const Piece& of, Storage storage, std::int64_t begin, std::int64_t end) {
    if (begin < end && of.values == nullptr) refuse("has rows, and no values");
    const bool sized = storage != Storage::view || of.texts == 0 || of.text_sizes != nullptr;
    if (!sized || first_outside(of, storage, begin, end) >= 0) refuse("has a text that lies outside of its buffers");
  };
  const std::int64_t end = piece.offset + piece.length;
  check_one(piece, piece.storage, piece.offset, end);
  if (!piece.dictionary) return;
  const Piece& words = *piece.dictionary;
  check_one(words, piece.words, words.offset, words.offset + words.length);
  with_values(piece, piece.storage, [&](const auto& places) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(places[0])>>) {
      for (std::int64_t i = piece.offset; i < end; ++i) {
        // A negative place is too large a number here.
        if (static_cast<std::uint64_t>(places[i]) >= static_cast<std::uint64_t>(words.length)) {
          refuse("has a place outside of its dictionary");
        }
      }
    }
  });
}

bool is_number(Storage storage) noexcept { return storage >= Storage::int8 && storage <= Storage::bytes; }

// What to do about a type that is none of those needed.
std::string_view remedy_of(std::string_view format, bool ids) {
  const bool dates = format.starts_with("ts") || format.starts_with("td");
  if (ids) return dates ? "need text or whole numbers: write them as text" : "need text or whole numbers";
  if (dates) return "need numbers: write them as whole numbers if later is better";
  if (format.starts_with("tD") || format.starts_with("tt")) return "need numbers: write them in seconds, for instance";
  return "need numbers";
}

void check(const Table& table, std::size_t column, bool ids, bool (*readable)(Storage)) {
  const TableColumn& of = table.columns[column];
  for (const Piece& piece : of.pieces) {
    if (!readable(piece.dictionary ? piece.words : piece.storage)) {
      throw TableFault(column, std::nullopt,
                       {"holds " + held_by_type(of.format), std::string(remedy_of(of.format, ids))});
    }
    if (piece.dictionary && (piece.storage < Storage::int8 || piece.storage > Storage::uint64)) {
      throw TableFault(column, std::nullopt,
                       {"has a dictionary, and no whole numbers for places in it", "make the table anew"});
    }
    std::int64_t missing = first_missing(piece.valid, piece.offset, piece.offset + piece.length);
    if (missing < 0 && piece.foreign) check_promises(piece, column);
    if (missing < 0 && piece.dictionary && piece.dictionary->valid != nullptr) {
      with_values(piece, piece.storage, [&](const auto& places) {
        if constexpr (std::is_integral_v<std::decay_t<decltype(places[0])>>) {
          for (std::int64_t i = piece.offset; i < piece.offset + piece.length && missing < 0; ++i) {
            const std::int64_t word = piece.dictionary->offset + static_cast<std::int64_t>(places[i]);
            if (((piece.dictionary->valid[word >> 3] >> (word & 7)) & 1) == 0) missing = i;
          }
        }
      });
    }
    if (missing >= 0) {
      throw TableFault(column, piece.first + missing - piece.offset, {"is null", "drop the row, or fill it"});
    }
  }
}

// How many bytes a number takes; 0 for what is no number, or has no bytes of its own.
std::size_t width_of(Storage storage) noexcept {
  switch (storage) {
    case Storage::int8:
    case Storage::uint8:
    case Storage::bytes: return 1;
    case Storage::int16:
    case Storage::uint16:
    case Storage::float16: return 2;
    case Storage::int32:
    case Storage::uint32:
    case Storage::float32: return 4;
    case Storage::int64:
    case Storage::uint64:
    case Storage::float64: return 8;
    default: return 0;
  }
}

}  // namespace

Storage storage_of(std::string_view format) noexcept {
  if (format == kUuidFormat) return Storage::uuid;
  if (decimal_type_of(format).width != 0) return Storage::decimal;
  if (format.size() == 2 && (format[0] == 'v' && (format[1] == 'u' || format[1] == 'z'))) return Storage::view;
  if (format.size() != 1) return Storage::unreadable;
  switch (format[0]) {
    case 'u':
    case 'z': return Storage::text32;
    case 'U':
    case 'Z': return Storage::text64;
    case 'c': return Storage::int8;
    case 's': return Storage::int16;
    case 'i': return Storage::int32;
    case 'l': return Storage::int64;
    case 'C': return Storage::uint8;
    case 'S': return Storage::uint16;
    case 'I': return Storage::uint32;
    case 'L': return Storage::uint64;
    case 'e': return Storage::float16;
    case 'f': return Storage::float32;
    case 'g': return Storage::float64;
    case 'b': return Storage::bits;
    default: return Storage::unreadable;
  }
}

Table copied(const Table& table) {
  Table copy = table;
  for (TableColumn& column : copy.columns) {
    for (Piece& piece : column.pieces) {
      const std::size_t width = width_of(piece.storage);
      if (width == 0 || piece.values == nullptr) continue;
      // Bits that say what is missing count from where the values begin.
      const std::int64_t skipped = piece.valid == nullptr ? piece.offset : 0;
      const char* const first = static_cast<const char*>(piece.values) + static_cast<std::size_t>(skipped) * width;
      piece.offset -= skipped;
      const auto values = std::make_shared<std::vector<char>>(
          first, first + static_cast<std::size_t>(piece.offset + piece.length) * width);
      piece.values = values->data();
      copy.owners.push_back(values);
    }
  }
  return copy;
}

void append_table(Table& table, const Table& more) {
  if (table.columns.size() != more.columns.size()) throw std::invalid_argument("tables with other columns");
  if (more.rows >= kMostTableRows - table.rows) {
    throw LimitFault({"more than four thousand million rows", "evaluate them in parts"});
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    for (Piece piece : more.columns[i].pieces) {
      piece.first += table.rows;
      table.columns[i].pieces.push_back(std::move(piece));
    }
  }
  table.rows += more.rows;
  table.owners.insert(table.owners.end(), more.owners.begin(), more.owners.end());
}

bool is_whole(double number, int digits) noexcept {
  return number == std::floor(number) && std::fabs(number) < std::ldexp(1.0, digits);
}

std::int64_t first_missing(const std::uint8_t* valid, std::int64_t begin, std::int64_t end) noexcept {
  if (valid == nullptr) return -1;
  for (std::int64_t i = begin; i < end; ++i) {
    if ((i & 7) == 0) {
      while (i + 8 <= end && valid[i >> 3] == 0xff) i += 8;
      if (i == end) return -1;
    }
    if (((valid[i >> 3] >> (i & 7)) & 1) == 0) return i;
  }
  return -1;
}

void check_ids(const Table& table, std::size_t column) {
  check(table, column, true, [](Storage storage) { return storage < Storage::bits; });
}

void check_numbers(const Table& table, std::size_t column) { check(table, column, false, is_number); }

namespace {

// How many binary digits a float of this kind holds.
int digits_of(Storage storage) noexcept {
  return storage == Storage::float16 ? 11 : storage == Storage::float32 ? 24 : 53;
}

constexpr const char* kIdsNeeded = "need text or a whole number";

Message no_id(const Decimal& number) { return {"holds " + number.written() + ", which is not an id", kIdsNeeded}; }

Message no_id(double number) {
  if (std::isnan(number)) return {"is NaN, which is not an id", kIdsNeeded};
  const std::string held = "holds " + std::to_string(number);
  if (number != std::floor(number) || std::isinf(number)) return {held + ", which is not an id", kIdsNeeded};
  return {held + ", a float so large that another id may have been rounded to it", "keep ids as text or whole numbers"};
}

}  // namespace

void Ids::start(std::size_t rows) {
  texts_.clear();
  rows_ = rows;
  used_ = 0;
}

template <class Number>
void Ids::write(Number number) {
  char* const begin = written_.data() + used_;
  const auto end = std::to_chars(begin, begin + kLongestNumber, number).ptr;
  texts_.emplace_back(begin, static_cast<std::size_t>(end - begin));
  used_ += static_cast<std::size_t>(end - begin);
}

void Ids::copy(std::string_view text) {
  char* const begin = written_.data() + used_;
  std::copy(text.begin(), text.end(), begin);
  texts_.emplace_back(begin, text.size());
  used_ += text.size();
}

namespace {

// How many bytes an id of this type takes when it is written.
template <class Value>
constexpr std::size_t longest() noexcept {
  if constexpr (std::is_same_v<Value, Uuid> || std::is_same_v<Value, Decimal>) return Value::kLongest;
  return kLongestNumber;
}

}  // namespace

template <class Value>
void Ids::make_room() {
  if constexpr (!std::is_same_v<Value, std::string_view>) {
    if (written_.size() < rows_ * longest<Value>()) written_.resize(rows_ * longest<Value>());
  }
}

template <class Value, class Row>
void Ids::add(std::size_t column, const Piece& piece, const Value& value, const Row& row) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    texts_.push_back(value);
  } else if constexpr (std::is_integral_v<Value>) {
    write(value);
  } else if constexpr (std::is_same_v<Value, Uuid>) {
    copy(value.written());
  } else if constexpr (std::is_same_v<Value, Decimal>) {
    const std::string whole = value.whole();
    if (whole.empty()) throw TableFault(column, row(), no_id(value));
    copy(whole);
  } else {
    const double number = static_cast<double>(value);
    const int digits = digits_of(piece.dictionary ? piece.words : piece.storage);
    if (!is_whole(number, digits)) throw TableFault(column, row(), no_id(number));
    write(static_cast<std::int64_t>(number));
  }
}

void Ids::append(const Table& table, std::size_t column, std::int64_t begin, std::int64_t end) {
  with_pieces(table.columns[column], begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      make_room<std::decay_t<decltype(values[0])>>();
      for (std::int64_t i = from; i < to; ++i) {
        add(column, piece, values[i], [&] { return piece.first + i - piece.offset; });
      }
    });
  });
}

void Ids::append(const Table& table, std::size_t column, std::span<const std::uint32_t> rows) {
  with_pieces_of(table.columns[column], rows,
                 [&](const Piece& piece, std::span<const std::uint32_t> here, std::int64_t shift) {
                   with_meanings(piece, [&](const auto& values) {
                     using Value = std::decay_t<decltype(values[0])>;
                     make_room<Value>();
                     each_value(values, here, shift, [&](std::size_t i, const auto& value) {
                       if constexpr (std::is_same_v<Value, std::string_view>) prefetch(value.data());
                       add(column, piece, value, [&] { return std::int64_t{here[i]}; });
                     });
                   });
                 });
}

bool holds_whole_numbers(const Table& table, std::size_t column) noexcept {
  const auto& pieces = table.columns[column].pieces;
  return std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    const Storage storage = piece.dictionary ? piece.words : piece.storage;
    return storage >= Storage::int8 && storage <= Storage::uint32;
  });
}

void append_changes(const Table& table, std::size_t column, std::int64_t begin, std::int64_t end,
                    std::vector<std::int64_t>& changes) {
  Ids edges(2);  // the rows on both sides of a seam between pieces
  with_pieces(table.columns[column], begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    const std::int64_t shift = piece.first - piece.offset;
    const std::int64_t first = from + shift;
    if (first > begin) {
      edges.start(2);
      edges.append(table, column, first - 1, first + 1);
      if (edges.texts()[0] != edges.texts()[1]) changes.push_back(first);
    }
    with_meanings(piece, [&](const auto& values) {
      auto before = values[from];
      for (std::int64_t i = from + 1; i < to; ++i) {
        const auto value = values[i];
        if (value != before) changes.push_back(i + shift);
        before = value;
      }
    });
  });
}

}  // namespace rankmark
