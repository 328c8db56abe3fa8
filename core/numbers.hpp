// What number a field holds, to the last bit.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rankmark {

namespace numbers {

inline std::uint64_t load8(const char* p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The number that the first `count` bytes of a word write, 1 to 8 of them, all at once: bytes, pairs, fours, eights.
// False where they are not all digits.
inline bool read_digits(std::uint64_t word, std::size_t count, std::uint64_t& value) noexcept {
  word ^= 0x3030303030303030;  // a digit becomes its value, anything else 10 or more
  word <<= 64 - 8 * count;     // zeros in front
  const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
  word = word * 10 + (word >> 8);
  value =
      ((word & 0x000000ff000000ff) * 0x000f424000000064 + ((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
      32;
  return others == 0;
}

inline constexpr std::uint64_t kTens[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
// All powers of ten that are doubles.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A number of the usual form, `12` or `12.345`, with at most sixteen digits, seven of them before the point. Reads up
// to 25 bytes.
inline bool parse_unsigned(const char* p, std::size_t size, double& number) noexcept {
  // The digits without the point: those before it from one word, those behind it from the word one byte on.
  const std::uint64_t word = load8(p), points = word ^ 0x2e2e2e2e2e2e2e2e;
  const std::uint64_t point = (points - 0x0101010101010101) & ~points & 0x8080808080808080;  // the lowest bit holds
  const auto whole = static_cast<std::size_t>(std::countr_zero(point)) / 8;
  const bool has_point = whole < size && whole < 8;
  const std::uint64_t before = has_point ? (std::uint64_t{1} << (8 * whole)) - 1 : ~std::uint64_t{0};
  const std::uint64_t digits = (word & before) | (load8(p + 1) & ~before);
  const std::size_t count = size - (has_point ? 1 : 0), fraction = has_point ? size - 1 - whole : 0;
  std::uint64_t value = 0;
  if (count - 1 < 8) [[likely]] {
    if (!read_digits(digits, count, value)) return false;
  } else {
    std::uint64_t later = 0;
    if (!has_point || count == 0 || count > 16 || !read_digits(digits, 8, value)) return false;
    if (!read_digits(load8(p + 9), count - 8, later)) return false;
    value = value * kTens[count - 8] + later;
    if (value >= std::uint64_t{1} << 53) return false;
  }
  // Both are exact, so the one division rounds correctly (Clinger 1990, "How to read floating point
  // numbers accurately").
  number = static_cast<double>(static_cast<std::int64_t>(value)) / kPowersOfTen[fraction];
  return true;
}

bool parse_negative(std::string_view field, double& number) noexcept;

// The same, perhaps with a minus before it. Smaller than kExactWhole.
inline bool parse_short(std::string_view field, double& number) noexcept {
  if (std::endian::native != std::endian::little || field.empty()) return false;
  if (field.front() == '-') return parse_negative(field, number);
  return parse_unsigned(field.data(), field.size(), number);
}

bool parse_any(std::string_view field, double& number);

}  // namespace numbers

// Up to here, doubles hold every whole number.
inline constexpr double kExactWhole = 9007199254740992.0;  // 2^53
inline constexpr const char* kInexact = "a whole number that no double holds exactly";
inline constexpr const char* kInexactRemedy =
    "so that it does not tie with others, subtract a constant, or give ranks, or choose precision float32 if ties do "
    "not matter";
inline constexpr const char* kInexactLabelRemedy = "give smaller labels";

// Whether a double holds a whole number: one of at most 53 binary digits, with any zeros behind them.
inline bool is_exact(std::uint64_t whole) noexcept {
  return whole == 0 || std::countl_zero(whole) + std::countr_zero(whole) >= 11;
}
inline bool is_exact(std::int64_t whole) noexcept {
  const auto bits = static_cast<std::uint64_t>(whole);
  return is_exact(whole < 0 ? std::uint64_t{0} - bits : bits);
}

// Whether a field is a whole number, written in digits alone, that the double it was read as does not hold.
bool lost_digits(std::string_view field, double number);

// The double nearest to a decimal, scientific, `inf` or `nan` number that fills `field`; false where
// the field is no number. Independent of the locale. Reads up to kPadding bytes behind the field. (An
// optional in place of the reference costs a stalled load at each call.)
inline bool parse_number(std::string_view field, double& number) {
  return numbers::parse_short(field, number) || numbers::parse_any(field, number);
}

}  // namespace rankmark
