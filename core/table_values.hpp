// The values of a column's pieces, whatever their storage, one by one: for who reads them as ids or as numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "decimals.hpp"
#include "prefetch.hpp"
#include "table.hpp"

namespace rankmark {

// Half precision, widened: 1 bit sign, 5 bits exponent, 10 bits fraction (IEEE 754 binary16).
inline double half_to_double(std::uint16_t half) noexcept {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

// What gives values by their places has `at`, too: where the memory of one begins, to ask for it early.

// Values that may stand at any address: Arrow does not ask for aligned memory, and NumPy has views of bytes.
template <class T>
struct Plain {
  const void* values;
  T operator[](std::int64_t i) const noexcept {
    T value;
    std::memcpy(&value, at(i), sizeof value);
    return value;
  }
  const char* at(std::int64_t i) const noexcept {
    return static_cast<const char*>(values) + i * static_cast<std::int64_t>(sizeof(T));
  }
};

struct Halves {
  Plain<std::uint16_t> values;
  double operator[](std::int64_t i) const noexcept { return half_to_double(values[i]); }
  const char* at(std::int64_t i) const noexcept { return values.at(i); }
};

struct Decimals {
  const char* values;
  int width, scale;
  Decimal operator[](std::int64_t i) const noexcept { return Decimal::read(at(i), width, scale); }
  const char* at(std::int64_t i) const noexcept { return values + i * width; }
};

struct Bits {
  const std::uint8_t* values;
  double operator[](std::int64_t i) const noexcept { return (values[i >> 3] >> (i & 7)) & 1; }
  const void* at(std::int64_t i) const noexcept { return values + (i >> 3); }
};

template <class Offset>
struct Texts {
  Plain<Offset> offsets;
  const char* text;
  std::string_view operator[](std::int64_t i) const noexcept {
    return {text + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  const char* at(std::int64_t i) const noexcept { return offsets.at(i); }
};

struct Views {
  const char* views;  // of 16 bytes: the length, then the text, or its beginning and where it stands
  const void* const* buffers;
  const char* at(std::int64_t i) const noexcept { return views + 16 * i; }
  std::string_view operator[](std::int64_t i) const noexcept {
    const char* const view = at(i);
    const Plain<std::int32_t> words{view};
    const auto size = static_cast<std::size_t>(words[0]);
    if (size <= 12) return {view + 4, size};
    return {static_cast<const char*>(buffers[words[2]]) + words[3], size};
  }
};

// Places in a dictionary, whole numbers of any size.
class Places {
 public:
  explicit Places(const Piece& piece) noexcept
      : values_(piece.values), storage_(piece.storage), width_(static_cast<std::int64_t>(width_of(piece.storage))) {}

  // A number without a sign that is too large comes out negative.
  std::int64_t operator[](std::int64_t i) const noexcept {
    if (storage_ == Storage::int32) [[likely]]
      return value<std::int32_t>(i);
    switch (storage_) {
      case Storage::int8: return value<std::int8_t>(i);
      case Storage::int16: return value<std::int16_t>(i);
      case Storage::uint8: return value<std::uint8_t>(i);
      case Storage::uint16: return value<std::uint16_t>(i);
      case Storage::uint32: return value<std::uint32_t>(i);
      default: return value<std::int64_t>(i);
    }
  }
  const char* at(std::int64_t i) const noexcept { return static_cast<const char*>(values_) + i * width_; }

 private:
  template <class T>
  std::int64_t value(std::int64_t i) const noexcept {
    return Plain<T>{values_}[i];
  }

  const void* values_;
  Storage storage_;
  std::int64_t width_;
};

// The words that places in a dictionary stand for.
template <class Words>
struct Through {
  Places places;
  Words words;
  std::int64_t offset;
  auto operator[](std::int64_t i) const noexcept { return words[offset + places[i]]; }
  const char* at(std::int64_t i) const noexcept { return places.at(i); }
};

// Calls `use` with something that gives the value at a place of the buffers: text or a number.
template <class Use>
void with_values(const Piece& piece, const Use& use) {
  const auto plain = [&](auto zero) { use(Plain<decltype(zero)>{piece.values}); };
  const char* const text = piece.text == nullptr ? "" : piece.text;  // where all texts are empty, there may be none
  switch (piece.storage) {
    case Storage::text32: return use(Texts<std::int32_t>{{piece.values}, text});
    case Storage::text64: return use(Texts<std::int64_t>{{piece.values}, text});
    case Storage::view: return use(Views{static_cast<const char*>(piece.values), piece.buffers});
    case Storage::uuid: return plain(Uuid{});
    case Storage::int8: return plain(std::int8_t{});
    case Storage::int16: return plain(std::int16_t{});
    case Storage::int32: return plain(std::int32_t{});
    case Storage::int64: return plain(std::int64_t{});
    case Storage::uint8:
    case Storage::bytes: return plain(std::uint8_t{});
    case Storage::uint16: return plain(std::uint16_t{});
    case Storage::uint32: return plain(std::uint32_t{});
    case Storage::uint64: return plain(std::uint64_t{});
    case Storage::float16: return use(Halves{{piece.values}});
    case Storage::float32: return plain(float{});
    case Storage::float64: return plain(double{});
    case Storage::decimal: return use(Decimals{static_cast<const char*>(piece.values), piece.width, piece.scale});
    case Storage::bits: return use(Bits{static_cast<const std::uint8_t*>(piece.values)});
    case Storage::unreadable: break;
  }
}

// The same through a dictionary where there is one.
template <class Use>
void with_meanings(const Piece& piece, const Use& use) {
  if (!piece.dictionary) return with_values(piece, use);
  with_values(*piece.dictionary, [&](const auto& words) {
    use(Through<std::decay_t<decltype(words)>>{Places(piece), words, piece.dictionary->offset});
  });
}

// Calls `use(piece, from, to)` for the parts of rows begin to end that lie in one piece; from and
// to are places in its buffers.
template <class Use>
void with_pieces(const CheckedColumn& column, std::int64_t begin, std::int64_t end, const Use& use) {
  const std::vector<Piece>& pieces = column->pieces;
  auto piece = std::upper_bound(pieces.begin(), pieces.end(), begin,
                                [](std::int64_t row, const Piece& one) { return row < one.first + one.length; });
  for (; piece != pieces.end() && begin < end; ++piece) {
    if (piece->length == 0) continue;
    const std::int64_t last = std::min(end, piece->first + piece->length);
    const std::int64_t shift = piece->offset - piece->first;
    column.check_texts(*piece, begin + shift, last + shift);
    use(*piece, begin + shift, last + shift);
    begin = last;
  }
}

// The same for rows in any places, which rise: `use(piece, rows, shift)`, where a row and the shift give its place.
template <class Use>
void with_pieces_of(const CheckedColumn& column, std::span<const std::uint32_t> rows, const Use& use) {
  const std::vector<Piece>& pieces = column->pieces;
  auto piece = pieces.begin();
  while (!rows.empty()) {
    piece = std::upper_bound(piece, pieces.end(), std::int64_t{rows.front()},
                             [](std::int64_t row, const Piece& one) { return row < one.first + one.length; });
    const std::int64_t end = piece->first + piece->length;
    const auto here = rows.back() < end
                          ? rows.size()
                          : static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), end) - rows.begin());
    column.check_texts(*piece, rows.first(here), piece->offset - piece->first);
    use(*piece, rows.first(here), piece->offset - piece->first);
    rows = rows.subspan(here);
  }
}

// Calls `use(i, value)` for the values at places[0] + shift, places[1] + shift, ..., whose memory is asked for early.
template <class Values, class Use>
void each_value(const Values& values, std::span<const std::uint32_t> places, std::int64_t shift, const Use& use) {
  constexpr std::size_t kAhead = 24;
  for (std::size_t i = 0; i < std::min(kAhead, places.size()); ++i) prefetch(values.at(places[i] + shift));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + kAhead < places.size()) prefetch(values.at(places[i + kAhead] + shift));
    use(i, values[places[i] + shift]);
  }
}

}  // namespace rankmark
