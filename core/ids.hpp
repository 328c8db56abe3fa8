// Ids as bytes: their hash, a place to keep them, and a table that numbers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "prefetch.hpp"

namespace rankmark {

namespace hashing {

inline std::uint64_t load8(const char* p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline std::uint64_t load4(const char* p) noexcept {
  std::uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The two halves of the 128-bit product, folded.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu, b_high = b >> 32;
  const std::uint64_t low = a_low * b_low, mid1 = a_high * b_low, mid2 = a_low * b_high, high = a_high * b_high;
  const std::uint64_t carry = (low >> 32) + (mid1 & 0xffffffffu) + (mid2 & 0xffffffffu);
  return (a * b) ^ (high + (mid1 >> 32) + (mid2 >> 32) + (carry >> 32));
#endif
}

// Odd constants with about as many ones as zeros: digits of pi.
inline constexpr std::uint64_t kFirst = 0x243f6a8885a308d3, kSecond = 0x13198a2e03707345;

}  // namespace hashing

// A well-mixed 64-bit hash, the same in every process. Equal hashes are never taken for equal ids.
inline std::uint64_t hash_id(std::string_view id) noexcept {
  using namespace hashing;
  const char* p = id.data();
  std::size_t n = id.size();
  std::uint64_t state = kFirst ^ n;
  while (n > 16) {
    state = fold(load8(p) ^ state, load8(p + 8) ^ kSecond);
    p += 16;
    n -= 16;
  }
  std::uint64_t a = 0, b = 0;
  if (n >= 8) {
    a = load8(p);
    b = load8(p + n - 8);
  } else if (n >= 4) {
    a = load4(p);
    b = load4(p + n - 4);
  } else if (n > 0) {
    a = static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1]));
  }
  return fold(a ^ state, b ^ kSecond);
}

// The same for ids that are whole numbers, which need not be written out to be compared.
inline std::uint64_t hash_id(std::int64_t id) noexcept {
  return hashing::fold(static_cast<std::uint64_t>(id) ^ hashing::kFirst, hashing::kSecond);
}

// Where an id's bytes stand in a text: 40 bits of place, 24 of length.
class IdSpan {
 public:
  IdSpan() = default;
  IdSpan(std::uint64_t place, std::size_t length) noexcept
      : packed_(place << 24 | static_cast<std::uint64_t>(length)) {}

  static constexpr std::size_t kLongest = (std::size_t{1} << 24) - 1;

  // Throws LimitFault for an id that is too long to be described.
  static void check_length(std::size_t length);

  std::string_view in(const char* text) const noexcept {
    return {text + static_cast<std::size_t>(packed_ >> 24), static_cast<std::size_t>(packed_ & kLongest)};
  }
  IdSpan moved_by(std::uint64_t distance) const noexcept {
    IdSpan moved;
    moved.packed_ = packed_ + (distance << 24);
    return moved;
  }

 private:
  std::uint64_t packed_ = 0;
};

// Distinct ids, numbered in the order in which they came.
class IdTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffff;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(spans_.size()); }
  std::string_view operator[](std::uint32_t number) const noexcept { return spans_[number].in(bytes_.data()); }

  std::uint32_t find(std::string_view id) const noexcept;
  std::uint32_t find_or_add(std::string_view id) { return find_or_add(id, hash_id(id)); }
  std::uint32_t find_or_add(std::string_view id, std::uint64_t hash);

  // Asks for the memory in which an id with this hash will be looked up.
  void expect(std::uint64_t hash) const noexcept {
    if (!slots_.empty()) prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

 private:
  std::size_t slot_of(std::string_view id, std::uint64_t hash) const noexcept;
  void grow();

  std::string bytes_;
  std::vector<IdSpan> spans_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // open addressing, a power of two, at most half full
};

// The first row whose id stood in an earlier row already; `count` where all ids differ. `hashes` are
// the ids' hashes; `id(row)` gives the id; `slots` is kept by the caller, for row_of.
template <class IdOf>
std::size_t first_repeated(const std::uint64_t* hashes, std::size_t count, const IdOf& id,
                           std::vector<std::uint32_t>& slots) {
  std::size_t size = 16;
  while (size < 2 * count) size *= 2;
  slots.assign(size, IdTable::kAbsent);
  const std::uint64_t mask = size - 1;
  for (std::size_t row = 0; row < count; ++row) {
    std::uint64_t slot = hashes[row] & mask;
    for (; slots[slot] != IdTable::kAbsent; slot = (slot + 1) & mask) {
      const std::uint32_t other = slots[slot];
      if (hashes[other] == hashes[row] && id(other) == id(row)) return row;
    }
    slots[slot] = static_cast<std::uint32_t>(row);
  }
  return count;
}

// The row that holds an id, or `count`, once first_repeated has found that all ids differ.
template <class Id, class IdOf>
std::size_t row_of(const Id& wanted, std::uint64_t hash, const std::uint64_t* hashes, std::size_t count, const IdOf& id,
                   const std::vector<std::uint32_t>& slots) {
  const std::uint64_t mask = slots.size() - 1;
  for (std::uint64_t slot = hash & mask; slots[slot] != IdTable::kAbsent; slot = (slot + 1) & mask) {
    const std::uint32_t row = slots[slot];
    if (hashes[row] == hash && id(row) == wanted) return row;
  }
  return count;
}

}  // namespace rankmark
