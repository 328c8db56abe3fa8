// What number a field holds, to the last bit.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rankmark {

namespace numbers {

struct Digits {
  std::uint64_t value;
  unsigned count;  // 8 where there may be more
};

// The digits that a text begins with, up to eight, all at once: bytes, pairs, fours, eights.
inline Digits leading_digits(const char* p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  word ^= 0x3030303030303030;  // a digit becomes its value, anything else 10 or more
  const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
  const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (count == 0) return {0, 0};
  word <<= 64 - 8 * count;  // zeros in front
  word = word * 10 + (word >> 8);
  word =
      ((word & 0x000000ff000000ff) * 0x000f424000000064 + ((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
      32;
  return {word, count};
}

inline constexpr std::uint64_t kTens[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
// All powers of ten that are doubles.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A number of the usual form, `12` or `-12.345`, with at most seven digits on either side.
inline bool parse_short(std::string_view field, double& number) noexcept {
  if (std::endian::native != std::endian::little || field.empty()) return false;
  const char* p = field.data();
  const char* const end = p + field.size();
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  const Digits whole = leading_digits(p);
  p += whole.count;
  if (whole.count == 0 || whole.count == 8 || p > end) return false;
  Digits fraction{0, 0};
  if (p < end) {
    if (*p++ != '.') return false;
    fraction = leading_digits(p);
    if (fraction.count == 8 || p + fraction.count != end) return false;
  }
  // Both are exact, so the one division rounds correctly (Clinger 1990, "How to read floating point
  // numbers accurately").
  const auto mantissa = static_cast<double>(whole.value * kTens[fraction.count] + fraction.value);
  number = mantissa / kPowersOfTen[fraction.count];
  if (negative) number = -number;
  return true;
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
