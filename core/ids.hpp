// Ids as bytes: their hash, a place to keep them, and a table that numbers them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "inlining.hpp"
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

// The same where both come from ids: neither is lost where the other is zero.
inline std::uint64_t fold_both(std::uint64_t a, std::uint64_t b) noexcept { return fold(a, b) ^ a ^ b; }

// Odd numbers with about as many ones as zeros, drawn when the process begins: who does not know them cannot write ids
// whose hashes are equal, or meet in a table, which would then be searched from end to end. No result depends on them.
struct Secrets {
  std::uint64_t first, second;
};
extern const Secrets kSecrets;

}  // namespace hashing

// A well-mixed 64-bit hash, another in every process. Equal hashes are never taken for equal ids. `load_last` gives the
// last 1 to 8 bytes in the highest ones of a word; what the rest are does not matter, if they depend on the id alone.
template <class LoadLast>
std::uint64_t hash_bytes(std::string_view id, const LoadLast& load_last) noexcept {
  using namespace hashing;
  const char* p = id.data();
  std::size_t n = id.size();
  const auto [first, second] = kSecrets;
  std::uint64_t state = first ^ n;
  if (n == 0) return fold(state, second);
  while (n > 16) {
    state = fold_both(load8(p) ^ state, load8(p + 8) ^ second);
    p += 16;
    n -= 16;
  }
  if (n <= 8) return fold(load_last(p, n) ^ state, second);
  return fold_both(load8(p) ^ state, load_last(p + 8, n - 8) ^ second);
}

std::uint64_t hash_other_id(std::string_view id) noexcept;

// Most ids have 4 to 8 bytes, and are hashed without a call.
RANKMARK_INLINE inline std::uint64_t hash_id(std::string_view id) noexcept {
  using namespace hashing;
  const std::size_t n = id.size();
  if (n - 4 > 4) return hash_other_id(id);
  const std::uint64_t bytes = load4(id.data()) | load4(id.data() + n - 4) << (8 * (n - 4));
  return fold(bytes << (64 - 8 * n) ^ (kSecrets.first ^ n), kSecrets.second);
}

std::uint64_t hash_long_padded_id(std::string_view id) noexcept;

// The same where eight bytes can be read from each place of the id.
inline std::uint64_t hash_padded_id(std::string_view id) noexcept {
  using namespace hashing;
  const std::size_t n = id.size();
  if (n - 1 >= 8) return hash_long_padded_id(id);
  return fold(load8(id.data()) << (64 - 8 * n) ^ (kSecrets.first ^ n), kSecrets.second);
}

// Whether ids that are nearly always the same are, without a call for those of 4 to 32 bytes.
inline bool same_id(std::string_view a, std::string_view b) noexcept {
  using namespace hashing;
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  if (n - 4 > 28) return std::memcmp(a.data(), b.data(), n) == 0;
  const auto differ = [&](const auto& load, std::size_t first, std::size_t last) {
    return (load(a.data() + first) ^ load(b.data() + first)) | (load(a.data() + last) ^ load(b.data() + last));
  };
  if (n > 16) return (differ(load8, 0, n - 8) | differ(load8, 8, n - 16)) == 0;
  return (n >= 8 ? differ(load8, 0, n - 8) : differ(load4, 0, n - 4)) == 0;
}

// The hash of ids that are whole numbers, which need not be written out to be compared.
inline std::uint64_t hash_id(std::int64_t id) noexcept {
  return hashing::fold(static_cast<std::uint64_t>(id) ^ hashing::kSecrets.first, hashing::kSecrets.second);
}

// An id in a text, compared with many others, nearly all of them the same. Eight bytes can be read from each of them,
// however short.
class ExpectedId {
 public:
  bool expects() const noexcept { return size_ != kNone; }
  std::string_view id() const noexcept { return id_; }

  void expect_none() noexcept { size_ = kNone; }
  void expect(std::string_view id) noexcept {
    id_ = id;
    size_ = id.size();
    first_ = hashing::load8(id.data());
    mask_ = size_ < sizeof first_ ? (std::uint64_t{1} << (8 * size_)) - 1 : ~std::uint64_t{0};
  }

  bool is(std::string_view other) const noexcept {
    if (other.size() != size_ || ((hashing::load8(other.data()) ^ first_) & mask_) != 0) return false;
    return size_ <= sizeof first_ || std::memcmp(other.data(), id_.data(), size_) == 0;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::string_view id_;
  std::size_t size_ = kNone;
  std::uint64_t first_ = 0, mask_ = 0;  // its first bytes
};

// Where an id's bytes stand in a text: 40 bits of place, 24 of length.
class IdSpan {
 public:
  IdSpan() = default;
  IdSpan(std::uint64_t place, std::size_t length) noexcept
      : packed_(place << 24 | static_cast<std::uint64_t>(length)) {}

  static constexpr std::size_t kLongest = (std::size_t{1} << 24) - 1;

  // Throws LimitFault for an id that is too long to be described.
  static void check_length(std::size_t length) {
    if (length > kLongest) refuse();
  }

  std::string_view in(const char* text) const noexcept {
    return {text + static_cast<std::size_t>(packed_ >> 24), static_cast<std::size_t>(packed_ & kLongest)};
  }
  IdSpan moved_by(std::uint64_t distance) const noexcept {
    IdSpan moved;
    moved.packed_ = packed_ + (distance << 24);
    return moved;
  }

 private:
  [[noreturn]] static void refuse();

  std::uint64_t packed_ = 0;
};

// Numbers found by hashes: open addressing in a power of two of slots, at most half of them taken.
class HashSlots {
 public:
  static constexpr std::uint32_t kFree = 0xffffffff;

  // Empties them, with room for so many numbers.
  void start(std::size_t most) { slots_.assign(std::bit_ceil(std::max<std::size_t>(2 * most, 16)), kFree); }
  void clear() noexcept { slots_.clear(); }
  bool empty() const noexcept { return slots_.empty(); }
  bool has_room(std::size_t numbers) const noexcept { return 2 * numbers <= slots_.size(); }

  // The number that `is(number)` holds of, or kFree.
  template <class Is>
  std::uint32_t find(std::uint64_t hash, const Is& is) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const std::uint32_t number = slots_[slot];
      if (number == kFree || is(number)) return number;
    }
  }

  // The slot that is looked at first.
  std::uint32_t& first(std::uint64_t hash) noexcept { return slots_[hash & (slots_.size() - 1)]; }
  // The slot of that number, or the free one where it belongs.
  template <class Is>
  std::uint32_t& at(std::uint64_t hash, const Is& is) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      std::uint32_t& number = slots_[slot];
      if (number == kFree || is(number)) return number;
    }
  }

  // Asks for the memory in which a number with this hash will be looked up.
  void expect(std::uint64_t hash) const noexcept {
    if (!slots_.empty()) prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

 private:
  std::vector<std::uint32_t> slots_;
};

// Distinct ids, numbered in the order in which they came.
class IdTable {
 public:
  static constexpr std::uint32_t kAbsent = HashSlots::kFree;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(spans_.size()); }
  std::string_view operator[](std::uint32_t number) const noexcept { return spans_[number].in(bytes_.data()); }

  std::uint32_t find(std::string_view id) const noexcept { return find(id, hash_id(id)); }
  std::uint32_t find(std::string_view id, std::uint64_t hash) const noexcept;
  std::uint32_t find_or_add(std::string_view id) { return find_or_add(id, hash_id(id)); }
  std::uint32_t find_or_add(std::string_view id, std::uint64_t hash);

  // Asks for the memory in which an id with this hash will be looked up.
  void expect(std::uint64_t hash) const noexcept { slots_.expect(hash); }

 private:
  // Whether a number is that of an id.
  auto holds(std::string_view id, std::uint64_t hash) const noexcept {
    return [this, id, hash](std::uint32_t number) { return hashes_[number] == hash && (*this)[number] == id; };
  }
  void grow();

  std::string bytes_;
  std::vector<IdSpan> spans_;
  std::vector<std::uint64_t> hashes_;
  HashSlots slots_;
};

}  // namespace rankmark
