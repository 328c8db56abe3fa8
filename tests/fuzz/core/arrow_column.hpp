// A column of Arrow data made from a fuzzer's bytes: as it should be, and then damaged. Its buffers are as long as the
// column says, to the byte, so that reading beyond them is seen. It is also read in the plainest way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow.hpp"
#include "arrow_types.hpp"
#include "decimals.hpp"
#include "input.hpp"
#include "numbers.hpp"
#include "table_values.hpp"

namespace fuzz {

inline constexpr const char* kFormats[] = {
    "u",           "U",          "z",    "Z",  "vu", "vz",  "c", "s",       "i",       "l",        "C",
    "S",           "I",          "L",    "e",  "f",  "g",   "b", "d:9,2",   "d:38,0",  "d:9,0,32", "d:18,-3,64",
    "d:76,76,256", "d:38,0,128", "w:16", "+l", "n",  "tdD", "",  "d:9,2,7", "d:4000,1"};

using Bytes = std::vector<std::uint8_t>;

// One array: its values, or places in a dictionary.
struct FuzzedArray {
  std::string format;
  bool uuid = false;
  std::int64_t length = 0, offset = 0, null_count = 0;
  std::vector<std::optional<Bytes>> buffers;  // as Arrow orders them
  std::unique_ptr<FuzzedArray> dictionary;

  std::size_t width() const {
    if (format == "w:16") return 16;
    const int decimal = rankmark::decimal_type_of(format).width;
    return decimal > 0 ? static_cast<std::size_t>(decimal) : rankmark::width_of(rankmark::storage_of(format));
  }
  bool is_text() const { return format == "u" || format == "U" || format == "z" || format == "Z"; }
  bool is_view() const { return format == "vu" || format == "vz"; }
  bool is_wide() const { return format == "U" || format == "Z"; }
  bool is_readable() const {
    return is_text() || is_view() || format == "b" || (width() > 0 && (format != "w:16" || uuid));
  }
};

template <class T>
void put(Bytes& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T number_at(const Bytes& bytes, std::int64_t place) {
  T value{};
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(place) * sizeof value, sizeof value);
  return value;
}

namespace arrow_making {

// A value of the format, from a byte: few different ones, so that ids meet.
inline void put_value(FuzzedArray& array, Bytes& values, Bytes& text, std::uint8_t chosen, Input& input) {
  const std::int64_t whole = chosen < 200 ? chosen % 12 : input.number<std::int32_t>();
  const char letter = array.format.empty() ? ' ' : array.format[0];
  std::string word = (chosen % 2 == 0    ? ""
                      : chosen % 16 == 1 ? "a text that is longer than a view holds "
                                         : "d") +
                     std::to_string(whole);
  if (array.is_view()) {
    put(values, static_cast<std::int32_t>(word.size()));
    if (word.size() <= 12) {
      word.resize(12);
      values.insert(values.end(), word.begin(), word.end());
    } else {
      values.insert(values.end(), word.begin(), word.begin() + 4);
      put(values, std::int32_t{0});
      put(values, static_cast<std::int32_t>(text.size()));
      text.insert(text.end(), word.begin(), word.end());
    }
  } else if (array.is_text()) {
    text.insert(text.end(), word.begin(), word.end());
    array.is_wide() ? put(values, static_cast<std::int64_t>(text.size()))
                    : put(values, static_cast<std::int32_t>(text.size()));
  } else if (letter == 'f') {
    put(values, static_cast<float>(whole) / (chosen % 2 == 0 ? 1.0f : 4.0f));
  } else if (letter == 'g') {
    put(values, chosen >= 250 ? input.number<double>() : static_cast<double>(whole) / (chosen % 2 == 0 ? 1 : 4));
  } else if (letter == 'e') {
    put(values, static_cast<std::uint16_t>(0x3c00 + (chosen % 8) * 0x200));
  } else {
    for (std::size_t i = 0; i < array.width(); ++i) {
      values.push_back(static_cast<std::uint8_t>(whole >> std::min<std::size_t>(8 * i, 63)));
    }
  }
}

// Offsets name text up to the last of them: so much there is.
template <class Offset>
void fit_text(FuzzedArray& array, std::int64_t end) {
  Bytes& offsets = *array.buffers[1];
  auto last = number_at<Offset>(offsets, end);
  const auto most = static_cast<Offset>(array.buffers[2]->size());
  if (last > most) {
    last = most;
    std::memcpy(offsets.data() + static_cast<std::size_t>(end) * sizeof last, &last, sizeof last);
  }
  array.buffers[2]->resize(static_cast<std::size_t>(std::max<Offset>(last, 0)));
}

}  // namespace arrow_making

// `end` is the place behind the last value that the interface lets the core look at.
inline FuzzedArray array_of(Input& input, std::string format, bool uuid, std::int64_t offset, std::int64_t rows) {
  FuzzedArray array;
  array.format = std::move(format);
  array.uuid = uuid;
  array.offset = offset;
  array.length = rows;
  const std::int64_t end = offset + rows;
  Bytes valid(static_cast<std::size_t>((end + 7) / 8), 0xff), values, text, bits(valid.size());
  if (array.is_text()) array.is_wide() ? put(values, std::int64_t{0}) : put(values, std::int32_t{0});
  for (std::int64_t i = 0; i < end; ++i) {
    const std::uint8_t chosen = input.byte();
    arrow_making::put_value(array, values, text, chosen, input);
    bits[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>((chosen & 1) << (i % 8));
  }
  if (array.format == "b") values = bits;
  array.buffers = {std::move(valid), std::move(values)};
  if (array.is_text() || array.is_view()) array.buffers.emplace_back(std::move(text));

  // Damage: bytes of buffers, and what says how many values are missing.
  const std::uint8_t damage = input.byte();
  array.null_count = (damage & 1) != 0 ? -1 : (damage & 2) != 0 ? 3 : 0;
  if ((damage & 4) != 0) array.buffers[0].reset();
  for (std::size_t i = 0; i < (damage >> 6); ++i) {
    std::optional<Bytes>& buffer = array.buffers[input.below(array.buffers.size())];
    const auto at = input.number<std::uint16_t>();
    const auto value = input.byte();
    if (buffer && !buffer->empty()) (*buffer)[at % buffer->size()] = value;
  }
  if (array.is_text()) {
    array.is_wide() ? arrow_making::fit_text<std::int64_t>(array, end)
                    : arrow_making::fit_text<std::int32_t>(array, end);
  } else if (array.is_view()) {
    Bytes sizes;
    put(sizes, static_cast<std::int64_t>(array.buffers[2]->size()));
    array.buffers.emplace_back(std::move(sizes));
  }
  if ((damage & 0x38) == 0x38) array.buffers[input.below(array.buffers.size())].reset();  // a buffer is not there
  return array;
}

// The structures of the interface, which own their memory until they are released.
class Exported {
 public:
  static int alive;

  static void array(const FuzzedArray& of, ArrowArray& out) {
    auto* const held = new Exported;
    ++alive;
    for (const std::optional<Bytes>& buffer : of.buffers) {
      held->bytes_.push_back(nullptr);
      if (!buffer) {
        held->pointers_.push_back(nullptr);
        continue;
      }
      held->bytes_.back() = std::make_unique<std::uint8_t[]>(buffer->size());
      std::copy(buffer->begin(), buffer->end(), held->bytes_.back().get());
      held->pointers_.push_back(held->bytes_.back().get());
    }
    out = {of.length,
           of.null_count,
           of.offset,
           static_cast<std::int64_t>(of.buffers.size()),
           0,
           held->pointers_.data(),
           nullptr,
           nullptr,
           release<ArrowArray>,
           held};
    if (of.dictionary) {
      held->dictionary_ = std::make_unique<ArrowArray>();
      array(*of.dictionary, *held->dictionary_);
      out.dictionary = held->dictionary_.get();
    }
  }

  static void schema(const FuzzedArray& of, ArrowSchema& out) {
    auto* const held = new Exported;
    ++alive;
    held->format_ = of.format;
    if (of.uuid) {
      const std::string key = "ARROW:extension:name", value = "arrow.uuid";
      const auto count = [&](std::size_t number) {
        const auto whole = static_cast<std::int32_t>(number);
        held->metadata_.append(reinterpret_cast<const char*>(&whole), sizeof whole);
      };
      count(1);
      count(key.size());
      held->metadata_ += key;
      count(value.size());
      held->metadata_ += value;
    }
    out = {held->format_.c_str(), "name", of.uuid ? held->metadata_.c_str() : nullptr, 0, 0, nullptr, nullptr,
           release<ArrowSchema>,  held};
    if (of.dictionary) {
      held->words_ = std::make_unique<ArrowSchema>();
      schema(*of.dictionary, *held->words_);
      out.dictionary = held->words_.get();
    }
  }

  // A table of columns, or the schema of one.
  template <class T>
  static void table(std::vector<T>&& columns, std::int64_t length, std::int64_t offset,
                    const std::optional<Bytes>& valid, std::int64_t count, T& out) {
    auto* const held = new Exported;
    ++alive;
    auto& [own, pointers] = held->template children<T>();
    own = std::move(columns);
    for (T& column : own) pointers.push_back(&column);
    if constexpr (std::is_same_v<T, ArrowSchema>) {
      held->format_ = "+s";
      out = {held->format_.c_str(), "", nullptr, 0, count, pointers.data(), nullptr, release<T>, held};
    } else {
      held->pointers_.push_back(nullptr);
      if (valid) {
        held->bytes_.push_back(std::make_unique<std::uint8_t[]>(valid->size()));
        std::copy(valid->begin(), valid->end(), held->bytes_.back().get());
        held->pointers_[0] = held->bytes_.back().get();
      }
      out = {length,          valid ? -1 : 0, offset,     1,   count, held->pointers_.data(),
             pointers.data(), nullptr,        release<T>, held};
    }
  }

 private:
  template <class T>
  struct Children {
    std::vector<T> own;
    std::vector<T*> pointers;
  };

  template <class T>
  auto& children() {
    if constexpr (std::is_same_v<T, ArrowSchema>) {
      return schemas_;
    } else {
      return arrays_;
    }
  }

  template <class T>
  static void release(T* released) {
    auto* const held = static_cast<Exported*>(released->private_data);
    for (T& child : held->template children<T>().own) {
      if (child.release != nullptr) child.release(&child);
    }
    if (released->dictionary != nullptr && released->dictionary->release != nullptr) {
      released->dictionary->release(released->dictionary);
    }
    released->release = nullptr;
    delete held;
    --alive;
  }

  std::vector<std::unique_ptr<std::uint8_t[]>> bytes_;
  std::vector<const void*> pointers_;
  std::string format_, metadata_;
  std::unique_ptr<ArrowArray> dictionary_;
  std::unique_ptr<ArrowSchema> words_;
  Children<ArrowArray> arrays_;
  Children<ArrowSchema> schemas_;
};

inline int Exported::alive = 0;

namespace arrow_plain {

inline bool is_there(const FuzzedArray& array, std::int64_t place) {
  if (array.null_count == 0 || !array.buffers[0]) return true;
  return (((*array.buffers[0])[static_cast<std::size_t>(place / 8)] >> (place % 8)) & 1) != 0;
}

// What a value is: text, or a number that may be an id.
struct Value {
  std::optional<std::string> id;
  std::optional<double> number;
  bool exact = true;
};

template <class Offset>
std::optional<std::string> text_at(const FuzzedArray& array, std::int64_t place, std::int64_t end) {
  const Bytes& offsets = *array.buffers[1];
  const auto from = number_at<Offset>(offsets, place), to = number_at<Offset>(offsets, place + 1),
             last = number_at<Offset>(offsets, end);
  if (from < 0 || from > to || to > last) return std::nullopt;
  if (!array.buffers[2]) return from == to ? std::optional<std::string>("") : std::nullopt;
  const auto* const text = reinterpret_cast<const char*>(array.buffers[2]->data());
  return std::string(text + from, text + to);
}

inline std::optional<std::string> view_at(const FuzzedArray& array, std::int64_t place) {
  const Bytes& views = *array.buffers[1];
  const auto size = number_at<std::int32_t>(views, 4 * place), buffer = number_at<std::int32_t>(views, 4 * place + 2),
             at = number_at<std::int32_t>(views, 4 * place + 3);
  if (size < 0) return std::nullopt;
  const auto* const begin = reinterpret_cast<const char*>(views.data()) + 16 * place + 4;
  if (size <= 12) return std::string(begin, begin + size);
  if (buffer != 0 || at < 0 || !array.buffers[2] || !array.buffers[3]) return std::nullopt;
  const Bytes& text = *array.buffers[2];
  if (static_cast<std::size_t>(at) > text.size() ||
      static_cast<std::size_t>(size) > text.size() - static_cast<std::size_t>(at)) {
    return std::nullopt;
  }
  const auto* const of = reinterpret_cast<const char*>(text.data()) + at;
  return std::string(of, of + size);
}

template <class T>
Value whole(const Bytes& bytes, std::int64_t place) {
  const T value = number_at<T>(bytes, place);
  return {std::to_string(value), static_cast<double>(value),
          rankmark::is_exact(std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>(value))};
}

inline Value floating(double number, int digits) {
  Value value{std::nullopt, number};
  if (number == std::floor(number) && std::fabs(number) < std::ldexp(1.0, digits)) {
    value.id = std::to_string(static_cast<std::int64_t>(number));
  }
  return value;
}

// Nothing where a value is missing, or lies outside of its buffers. `end` is behind the last value that may be read.
inline std::optional<Value> value_at(const FuzzedArray& array, std::int64_t place, std::int64_t end) {
  if (!array.buffers[1] || !is_there(array, place)) return std::nullopt;
  const Bytes& bytes = *array.buffers[1];
  if (array.is_text() || array.is_view()) {
    const auto text = array.is_view()   ? view_at(array, place)
                      : array.is_wide() ? text_at<std::int64_t>(array, place, end)
                                        : text_at<std::int32_t>(array, place, end);
    if (!text) return std::nullopt;
    return Value{text, std::nullopt};
  }
  const auto* const begin =
      reinterpret_cast<const char*>(bytes.data()) + static_cast<std::size_t>(place) * array.width();
  if (array.format == "w:16") {
    rankmark::Uuid uuid;
    std::memcpy(uuid.bytes.data(), begin, 16);
    return Value{uuid.written(), std::nullopt};
  }
  if (const auto type = rankmark::decimal_type_of(array.format); type.width > 0) {
    const auto decimal = rankmark::Decimal::read(begin, type.width, type.scale);
    const auto number = static_cast<double>(decimal);
    const std::string digits = decimal.whole();
    Value value{digits.empty() ? std::nullopt : std::optional(digits), number};
    value.exact = digits.empty() || !rankmark::lost_digits(digits, number);
    return value;
  }
  switch (array.format[0]) {
    case 'c': return whole<std::int8_t>(bytes, place);
    case 's': return whole<std::int16_t>(bytes, place);
    case 'i': return whole<std::int32_t>(bytes, place);
    case 'l': return whole<std::int64_t>(bytes, place);
    case 'C': return whole<std::uint8_t>(bytes, place);
    case 'S': return whole<std::uint16_t>(bytes, place);
    case 'I': return whole<std::uint32_t>(bytes, place);
    case 'L': return whole<std::uint64_t>(bytes, place);
    case 'e': return floating(rankmark::half_to_double(number_at<std::uint16_t>(bytes, place)), 11);
    case 'f': return floating(number_at<float>(bytes, place), 24);
    case 'g': return floating(number_at<double>(bytes, place), 53);
    default:
      return Value{std::nullopt, static_cast<double>((bytes[static_cast<std::size_t>(place / 8)] >> (place % 8)) & 1)};
  }
}

}  // namespace arrow_plain

}  // namespace fuzz
