// Unpacking what consists of many short copies, as columns of ids do: nearly without branches.
#include "snappy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace rankmark {
namespace {

constexpr std::size_t kStep = 16;  // bytes copied in one go

// What the first byte of an element says: literals of up to 60 bytes, and copies from up to 64 KiB before. The others
// are rare, and look like copies of what is not written yet.
struct Element {
  std::uint8_t length = 1;  // at most 4 steps
  std::uint8_t least = 1;   // from how far before it can be copied in steps
  std::uint16_t high = 0;   // of a copy's distance,
  std::uint16_t mask = 0;   // and which of the next two bytes hold the rest
};

constexpr auto kElements = [] {
  std::array<Element, 256> elements;
  for (std::size_t tag = 0; tag < elements.size(); ++tag) {
    const std::size_t kind = tag & 3, length = kind == 1 ? 4 + ((tag >> 2) & 7) : (tag >> 2) + 1;
    if (kind == 3 || (kind == 0 && length > 60)) continue;
    Element& element = elements[tag];
    element.length = static_cast<std::uint8_t>(length);
    element.least = static_cast<std::uint8_t>(std::min(length, kStep));
    element.mask = kind == 0 ? 0 : kind == 1 ? 0xff : 0xffff;
    // Literals look like copies from so far before that steps do not overlap.
    element.high = static_cast<std::uint16_t>(kind == 0 ? 4 * kStep : kind == 1 ? tag >> 5 << 8 : 0);
  }
  return elements;
}();

void copy_step(char* to, const char* from) noexcept {
  char bytes[kStep];
  std::memcpy(bytes, from, kStep);
  std::memcpy(to, bytes, kStep);
}

std::size_t load16(const char* p) noexcept {
  return std::size_t{static_cast<unsigned char>(p[0])} | std::size_t{static_cast<unsigned char>(p[1])} << 8;
}

// Reads what an element begins with, whatever it is: false where it is damaged.
struct Read {
  std::size_t length = 0, distance = 0;  // distance 0: a literal
};
bool read_element(const char*& in, const char* end, Read& read) noexcept {
  const auto number = [&](std::size_t bytes, std::size_t& value) {
    if (static_cast<std::size_t>(end - in) < bytes) return false;
    value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::size_t{static_cast<unsigned char>(in[i])} << (8 * i);
    in += bytes;
    return true;
  };
  std::size_t tag = 0;
  if (!number(1, tag)) return false;
  const std::size_t kind = tag & 3, upper = tag >> 2;
  read.distance = 0;
  read.length = upper + 1;
  if (kind == 0) {
    if (upper < 60) return true;
    if (!number(upper - 59, read.length)) return false;
    ++read.length;
    return true;
  }
  if (!number(kind == 3 ? 4 : kind, read.distance)) return false;
  if (kind == 1) {
    read.length = 4 + (upper & 7);
    read.distance |= (tag >> 5) << 8;
  }
  return read.distance > 0;
}

}  // namespace

bool unpack_snappy(std::string_view packed, char* out, std::size_t size) noexcept {
  const char* in = packed.data();
  const char* const end = in + packed.size();
  std::uint64_t said = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (in == end || shift > 28) return false;
    const auto byte = static_cast<unsigned char>(*in++);
    said |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  if (said != size) return false;
  char* const begin = out;
  char* const out_end = out + size;
  constexpr std::ptrdiff_t kMost = 4 * static_cast<std::ptrdiff_t>(kStep);
  for (;;) {
    // As long as whole steps may be read and written, however long the element is.
    while (end - in > kMost && out_end - out >= kMost) {
      const std::size_t tag = static_cast<unsigned char>(*in);
      const Element element = kElements[tag];
      const std::size_t distance = (load16(in + 1) & element.mask) | element.high;
      // What overlaps the step that it writes, or begins before everything, is left to the code below.
      const bool is_near = distance < element.least;
      const bool is_outside = distance > static_cast<std::size_t>(out - begin);
      if (is_near | is_outside) break;
      const bool is_literal = (tag & 3) == 0;
      const char* const literal = in + 1;
      const char* const copy = out - distance;
      const char* const from = is_literal ? literal : copy;
      const std::size_t literal_bytes = (tag >> 2) + 2, copy_bytes = (tag & 3) + 1;
      in += is_literal ? literal_bytes : copy_bytes;
      copy_step(out, from);
      if (element.length > kStep) [[unlikely]] {
        for (std::size_t at = kStep; at < 4 * kStep; at += kStep) copy_step(out + at, from + at);
      }
      out += element.length;
    }
    if (in == end) return out == out_end;
    Read read;
    if (!read_element(in, end, read)) return false;
    const auto left = static_cast<std::size_t>(out_end - out);
    if (read.length > left) return false;
    if (read.distance == 0) {
      if (read.length > static_cast<std::size_t>(end - in)) return false;
      std::memcpy(out, in, read.length);
      in += read.length;
    } else {
      if (read.distance > static_cast<std::size_t>(out - begin)) return false;
      const char* const from = out - read.distance;
      for (std::size_t i = 0; i < read.length; ++i) out[i] = from[i];
    }
    out += read.length;
  }
}

}  // namespace rankmark
