// Columns however they are stored, read as ids and as numbers.
#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "arrow_types.hpp"
#include "ids.hpp"
#include "numbers.hpp"
#include "table_values.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kMostTableRows = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestNumber = 20;  // a sign and 19 digits, or 20 digits

// Says of a place whether the text there lies within its buffer; a piece has places.
template <class Offset>
struct TextBounds {
  explicit TextBounds(const Piece& piece)
      : offsets{piece.values}, last(offsets[piece.offset + piece.length]), has_text(piece.text != nullptr) {}

  bool operator[](std::int64_t i) const noexcept {
    const Offset from = offsets[i], to = offsets[i + 1];
    return 0 <= from && from <= to && to <= last && (has_text || from == to);
  }
  const char* at(std::int64_t i) const noexcept { return offsets.at(i); }

  // All of some places, found without a branch for each: offsets that never fall lie between the first and the last.
  bool all(std::int64_t from, std::int64_t to) const noexcept {
    if (from == to) return true;
    Offset below = offsets[from];  // the sign of any of these is minus
    for (std::int64_t i = from; i < to; ++i) {
      const auto begin = static_cast<std::make_unsigned_t<Offset>>(offsets[i]);
      const auto end = static_cast<std::make_unsigned_t<Offset>>(offsets[i + 1]);
      below |= static_cast<Offset>(end | (end - begin));
    }
    return below >= 0 && offsets[to] <= last && (has_text || offsets[from] == offsets[to]);
  }

  Plain<Offset> offsets;
  Offset last;
  bool has_text;
};

// The same of views.
struct ViewBounds {
  explicit ViewBounds(const Piece& piece) : piece(piece), sizes{piece.text_sizes} {}

  bool operator[](std::int64_t i) const noexcept {
    const Plain<std::int32_t> words{at(i)};
    const std::int64_t size = words[0], text = words[2], place = words[3];
    if (size <= 12) return size >= 0;
    if (text < 0 || text >= piece.texts || piece.buffers[text] == nullptr) return false;
    return place >= 0 && sizes[text] >= place && size <= sizes[text] - place;
  }
  const char* at(std::int64_t i) const noexcept { return static_cast<const char*>(piece.values) + 16 * i; }

  bool all(std::int64_t from, std::int64_t to) const noexcept {
    bool all = true;
    for (std::int64_t i = from; i < to; ++i) all &= (*this)[i];
    return all;
  }

  const Piece& piece;
  Plain<std::int64_t> sizes;
};

// Whether all these views hold their texts themselves, which is found without a branch for each. As a rule nobody has
// looked at them before, so their memory is asked for early.
bool are_short(const Piece& piece, std::int64_t from, std::int64_t to) noexcept {
  constexpr std::int64_t kAhead = 64;
  bool all = true;
  for (std::int64_t i = from; i < to; ++i) {
    const char* const view = static_cast<const char*>(piece.values) + 16 * i;
    prefetch(view + 16 * kAhead);
    all &= Plain<std::uint32_t>{view}[0] <= 12;
  }
  return all;
}

[[noreturn]] void refuse(std::size_t column, const char* what) {
  throw TableFault(column, std::nullopt, {what, "make the table anew"});
}
constexpr const char* kOutside = "has a text that lies outside of its buffers";

void check_buffers(const Piece& piece, std::size_t column) {
  if (piece.values == nullptr) refuse(column, "has rows, and no values");
  if (piece.storage == Storage::view && piece.texts > 0 && piece.text_sizes == nullptr) refuse(column, kOutside);
}

// Looks at the texts at some places: `all_are(bounds)` says whether that holds for each of them.
template <class AllAre>
void check_bounds(const Piece& piece, std::size_t column, const AllAre& all_are) {
  const bool inside = piece.storage == Storage::text32   ? all_are(TextBounds<std::int32_t>(piece))
                      : piece.storage == Storage::text64 ? all_are(TextBounds<std::int64_t>(piece))
                      : piece.storage == Storage::view   ? all_are(ViewBounds(piece))
                                                         : true;
  if (!inside) refuse(column, kOutside);
}

void check_bounds(const Piece& piece, std::size_t column, std::int64_t from, std::int64_t to) {
  if (piece.storage == Storage::view && are_short(piece, from, to)) return;
  check_bounds(piece, column, [&](const auto& bounds) { return bounds.all(from, to); });
}

void check_places(const Piece& piece, std::size_t column) {
  const auto words = static_cast<std::uint64_t>(piece.dictionary->length);
  bool all = true;
  with_values(piece, [&](const auto& places) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(places[0])>>) {
      for (std::int64_t i = piece.offset; i < piece.offset + piece.length; ++i) {
        all &= static_cast<std::uint64_t>(places[i]) < words;  // a negative place is too large a number here
      }
    }
  });
  if (!all) refuse(column, "has a place outside of its dictionary");
}

// Refuses what a producer promised otherwise, as far as that can be seen: reading on would leave its memory. Texts are
// looked at when they are read, but for those of dictionaries.
void check_promises(const Piece& piece, std::size_t column) {
  if (piece.length == 0) return;
  check_buffers(piece, column);
  if (!piece.dictionary) return;
  const Piece& words = *piece.dictionary;
  if (words.length > 0) check_buffers(words, column);
  check_places(piece, column);
  if (words.length <= piece.length) return check_bounds(words, column, words.offset, words.offset + words.length);
  // Of a dictionary that many pieces share, each looks at no more words than it has rows.
  check_bounds(words, column, [&](const auto& bounds) {
    const Places places(piece);
    bool all = true;
    for (std::int64_t i = piece.offset; i < piece.offset + piece.length; ++i) all &= bounds[words.offset + places[i]];
    return all;
  });
}

// The first place of a piece whose word is missing in the dictionary, or -1.
std::int64_t first_missing_word(const Piece& piece) {
  if (!piece.dictionary || piece.dictionary->valid == nullptr) return -1;
  const Bits valid{piece.dictionary->valid};
  const Places places(piece);
  for (std::int64_t i = piece.offset; i < piece.offset + piece.length; ++i) {
    if (valid[piece.dictionary->offset + places[i]] == 0) return i;
  }
  return -1;
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

void check_type(const TableColumn& column, std::size_t number, const Piece& piece, bool ids) {
  const Storage storage = piece.storage_of_values();
  if (ids ? storage >= Storage::bits : !is_number(storage)) {
    throw TableFault(number, std::nullopt,
                     {"holds " + held_by_type(column.format), std::string(remedy_of(column.format, ids))});
  }
  if (piece.dictionary && (piece.storage < Storage::int8 || piece.storage > Storage::uint64)) {
    refuse(number, "has a dictionary, and no whole numbers for places in it");
  }
}

void check(const Table& table, std::size_t column, bool ids) {
  const TableColumn& of = table.columns[column];
  for (const Piece& piece : of.pieces) {
    check_type(of, column, piece, ids);
    std::int64_t missing = first_missing(piece.valid, piece.offset, piece.offset + piece.length);
    if (missing < 0) {
      if (piece.foreign) check_promises(piece, column);
      missing = first_missing_word(piece);
    }
    if (missing >= 0) {
      throw TableFault(column, piece.first + missing - piece.offset, {"is null", "drop the row, or fill it"});
    }
  }
}

}  // namespace

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

CheckedColumn::CheckedColumn(const Table& table, std::size_t number, Use use)
    : column_(&table.columns[number]), number_(number), rows_(table.rows) {
  check(table, number, use == Use::ids);
}

void CheckedColumn::check_foreign_texts(const Piece& piece, std::int64_t from, std::int64_t to) const {
  check_bounds(piece, number_, from, to);
}

void CheckedColumn::check_foreign_texts(const Piece& piece, std::span<const std::uint32_t> rows,
                                        std::int64_t shift) const {
  check_bounds(piece, number_, [&](const auto& bounds) {
    bool all = true;
    each_value(bounds, rows, shift, [&](std::size_t, bool is_inside) { all &= is_inside; });
    return all;
  });
}

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

void Ids::start() {
  size_ = 0;
  if (written_.size() > 1) written_.erase(written_.begin(), written_.end() - 1);  // the last is the largest
  used_ = 0;
}

template <class Number>
std::string_view Ids::written(Number number) {
  char* const begin = written_.back().data() + used_;
  const auto size = static_cast<std::size_t>(std::to_chars(begin, begin + kLongestNumber, number).ptr - begin);
  used_ += size;
  return {begin, size};
}

std::string_view Ids::copied(std::string_view text) {
  char* const begin = written_.back().data() + used_;
  std::copy(text.begin(), text.end(), begin);
  used_ += text.size();
  return {begin, text.size()};
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
void Ids::make_room(std::size_t values) {
  if constexpr (!std::is_same_v<Value, std::string_view>) {
    const std::size_t needed = values * longest<Value>(), held = written_.empty() ? 0 : written_.back().size();
    if (held - used_ >= needed) return;
    if (used_ == 0) written_.clear();
    written_.emplace_back(std::max(needed, held));
    used_ = 0;
  }
}

template <class Value, class Row>
std::string_view Ids::text_of(const IdColumn& column, const Piece& piece, const Value& value, const Row& row) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    return value;
  } else if constexpr (std::is_integral_v<Value>) {
    return written(value);
  } else if constexpr (std::is_same_v<Value, Uuid>) {
    return copied(value.written());
  } else if constexpr (std::is_same_v<Value, Decimal>) {
    const std::string whole = value.whole();
    if (whole.empty()) throw TableFault(column.number(), row(), no_id(value));
    return copied(whole);
  } else {
    const double number = static_cast<double>(value);
    const int digits = digits_of(piece.storage_of_values());
    if (!is_whole(number, digits)) throw TableFault(column.number(), row(), no_id(number));
    return written(static_cast<std::int64_t>(number));
  }
}

void Ids::append(const IdColumn& column, std::int64_t begin, std::int64_t end) {
  with_pieces(column, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      make_room<std::decay_t<decltype(values[0])>>(static_cast<std::size_t>(to - from));
      std::string_view* const out = more(static_cast<std::size_t>(to - from));
      for (std::int64_t i = from; i < to; ++i) {
        out[i - from] = text_of(column, piece, values[i], [&] { return piece.first + i - piece.offset; });
      }
    });
  });
}

void Ids::append(const IdColumn& column, std::span<const std::uint32_t> rows) {
  with_pieces_of(column, rows, [&](const Piece& piece, std::span<const std::uint32_t> here, std::int64_t shift) {
    with_meanings(piece, [&](const auto& values) {
      using Value = std::decay_t<decltype(values[0])>;
      make_room<Value>(here.size());
      std::string_view* const out = more(here.size());
      each_value(values, here, shift, [&](std::size_t i, const auto& value) {
        if constexpr (std::is_same_v<Value, std::string_view>) prefetch(value.data());
        out[i] = text_of(column, piece, value, [&] { return std::int64_t{here[i]}; });
      });
    });
  });
}

bool holds_whole_numbers(const IdColumn& column) noexcept {
  return std::all_of(column->pieces.begin(), column->pieces.end(), [](const Piece& piece) {
    const Storage storage = piece.storage_of_values();
    return storage >= Storage::int8 && storage <= Storage::uint32;
  });
}

namespace {

// Whether the value at a place is that at the place before.
template <class Values>
bool same_as_before(const Values& values, std::int64_t i) noexcept {
  if constexpr (std::is_same_v<std::decay_t<decltype(values[i])>, std::string_view>) {
    return same_id(values[i], values[i - 1]);
  } else {
    return values[i] == values[i - 1];
  }
}

// Equal views are of the same text; the same text may stand in two places.
bool same_as_before(const Views& views, std::int64_t i) noexcept {
  const Plain<std::uint64_t> one{views.at(i - 1)}, next{views.at(i)};
  return ((one[0] ^ next[0]) | (one[1] ^ next[1])) == 0 || same_id(views[i], views[i - 1]);
}

constexpr std::int64_t kAtOnce = 32;  // values

// Whether that many values from a place on are the one before them, found without a branch for each; false may say
// that this is not known.
template <class Values>
bool go_on(const Values&, std::int64_t) noexcept {
  return false;
}

template <std::integral Value>
bool go_on(const Plain<Value>& values, std::int64_t i) noexcept {
  Value differ = 0;
  for (std::int64_t at = i; at < i + kAtOnce; ++at) {
    differ = static_cast<Value>(differ | (values[at] ^ values[at - 1]));
  }
  return differ == 0;
}

// Equal views are of the same text.
bool go_on(const Views& views, std::int64_t i) noexcept {
  const Plain<std::uint64_t> words{views.views};
  std::uint64_t differ = 0;
  for (std::int64_t at = 2 * i; at < 2 * (i + kAtOnce); ++at) differ |= words[at] ^ words[at - 2];
  return differ == 0;
}

// Texts of one size that stand one behind the other are all the same if their bytes are those one text before.
template <class Offset>
bool go_on(const Texts<Offset>& texts, std::int64_t i) noexcept {
  const Offset first = texts.offsets[i - 1], size = texts.offsets[i] - first;
  Offset differ = 0;
  for (std::int64_t at = i; at < i + kAtOnce; ++at) differ |= (texts.offsets[at + 1] - texts.offsets[at]) ^ size;
  const char* const before = texts.text + first;
  return differ == 0 && std::memcmp(before, before + size, static_cast<std::size_t>(kAtOnce * size)) == 0;
}

// The first place from `i` on whose value is another than that before it, or `to`.
template <class Values>
std::int64_t next_other(const Values& values, std::int64_t i, std::int64_t to) noexcept {
  while (i < to && same_as_before(values, i)) {
    if (i + kAtOnce <= to && go_on(values, i)) {
      i += kAtOnce;
      continue;
    }
    const std::int64_t end = std::min(i + kAtOnce, to);
    while (i < end && same_as_before(values, i)) ++i;
    if (i < end) return i;
  }
  return i;
}

}  // namespace

void IdSegments::find(const IdColumn& column, std::int64_t begin, std::int64_t end) {
  bounds_.assign(1, begin);
  if (begin == end) return;
  Ids edges(2);  // the rows on both sides of a seam between pieces
  with_pieces(column, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    const std::int64_t shift = piece.first - piece.offset;
    const std::int64_t first = from + shift;
    if (first > begin) {
      edges.start();
      edges.append(column, first - 1, first + 1);
      if (edges.texts()[0] != edges.texts()[1]) bounds_.push_back(first);
    }
    if (piece.dictionary) {
      const Places places(piece);  // the same place is the same id
      with_meanings(piece, [&](const auto& values) {
        std::int64_t before = places[from];
        for (std::int64_t i = from + 1; i < to; ++i) {
          const std::int64_t place = places[i];
          if (place != before && values[i] != values[i - 1]) bounds_.push_back(i + shift);
          before = place;
        }
      });
      return;
    }
    with_values(piece, [&](const auto& values) {
      for (std::int64_t i = from; (i = next_other(values, i + 1, to)) < to;) bounds_.push_back(i + shift);
    });
  });
  bounds_.push_back(end);
}

// Columns read as numbers: doubles, and which whole numbers no double holds.

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

std::pair<std::int64_t, std::int64_t> range_of(const IdColumn& column) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t low = Limits::max(), high = Limits::min();
  if (!holds_whole_numbers(column)) return {low, high};
  with_pieces(column, 0, column.rows(), [&](const Piece& piece, std::int64_t from, std::int64_t to) {
    with_meanings(piece, [&](const auto& values) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(values[0])>>) {
        for (std::int64_t i = from; i < to; ++i) {
          low = std::min(low, whole(values[i]));
          high = std::max(high, whole(values[i]));
        }
      }
    });
  });
  return {low, high};
}

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
