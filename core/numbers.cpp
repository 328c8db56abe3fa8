// Numbers read exactly, whatever their form and whatever the locale.
#include "numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

// libc++, which macOS has, does not promise to read floating point numbers. A test defines RANKMARK_STRTOD, to compare
// what the C library reads in its place.
#if !defined(RANKMARK_STRTOD) && !(defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L)
#define RANKMARK_STRTOD 1
#endif

#if defined(RANKMARK_STRTOD)
#include <locale.h>
#include <stdlib.h>

#include <new>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace rankmark {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool equals_ignoring_case(std::string_view field, std::string_view lower) noexcept {
  if (field.size() != lower.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if ((field[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

bool parse_special(std::string_view field, double& number) noexcept {
  if (equals_ignoring_case(field, "inf") || equals_ignoring_case(field, "infinity")) {
    number = std::numeric_limits<double>::infinity();
    return true;
  }
  number = std::numeric_limits<double>::quiet_NaN();
  return equals_ignoring_case(field, "nan");
}

#if !defined(RANKMARK_STRTOD)

// Beyond the range of doubles: zero or infinity, by the decimal exponent of the first digit that counts.
double beyond_range(std::string_view digits) noexcept {
  long long exponent = 0;
  std::size_t i = 0;
  bool seen = false, point = false;
  for (; i < digits.size() && (is_digit(digits[i]) || digits[i] == '.'); ++i) {
    if (digits[i] == '.') {
      point = true;
      continue;
    }
    seen |= digits[i] != '0';
    if (seen && !point) ++exponent;
    if (!seen && point) --exponent;
  }
  if (i < digits.size()) {  // at the `e`
    bool negative = false;
    long long written = 0;
    for (++i; i < digits.size(); ++i) {
      if (digits[i] == '-') negative = true;
      if (is_digit(digits[i]) && written < 1'000'000'000) written = written * 10 + (digits[i] - '0');
    }
    exponent += negative ? -written : written;
  }
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

// `digits` is known to be a well-formed unsigned number.
double parse_exactly(std::string_view digits) {
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc::result_out_of_range ? beyond_range(digits) : value;
}

#else

// A number that ends with NUL, with a decimal point in every locale.
double c_number(const char* text) {
#if defined(_WIN32)
  static const _locale_t c_locale = _create_locale(LC_ALL, "C");
#else
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
#endif
  if (c_locale == nullptr) throw std::bad_alloc();
#if defined(_WIN32)
  return _strtod_l(text, nullptr, c_locale);
#else
  return strtod_l(text, nullptr, c_locale);
#endif
}

double parse_exactly(std::string_view digits) {
  char copy[64];
  if (digits.size() >= sizeof copy) return c_number(std::string(digits).c_str());
  std::memcpy(copy, digits.data(), digits.size());
  copy[digits.size()] = '\0';
  return c_number(copy);
}

#endif

}  // namespace

bool numbers::parse_negative(std::string_view field, double& number) noexcept {
  if (!parse_unsigned(field.data() + 1, field.size() - 1, number)) return false;
  number = -number;
  return true;
}

bool numbers::parse_any(std::string_view field, double& number) {
  const char* p = field.data();
  const char* const end = p + field.size();
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  const char* const digits = p;
  std::uint64_t mantissa = 0;
  const char* const whole = p;
  for (; p < end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  auto count = p - whole;
  std::ptrdiff_t fraction = 0;
  if (p < end && *p == '.') {
    const char* const point = ++p;
    for (; p < end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    fraction = p - point;
    count += fraction;
  }
  const std::string_view rest(digits, static_cast<std::size_t>(end - digits));
  if (count == 0) {
    const bool special = parse_special(rest, number);
    if (negative) number = -number;
    return special;
  }
  bool plain = true;
  if (p < end) {
    if ((*p | 0x20) != 'e') return false;
    plain = false;
    ++p;
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p == end) return false;
    for (; p < end; ++p) {
      if (!is_digit(*p)) return false;
    }
  }
  // A mantissa below 2^53 and a power of ten up to 10^22 are both exact, so one division rounds
  // correctly (Clinger 1990, "How to read floating point numbers accurately").
  if (plain && count <= 19 && mantissa <= (std::uint64_t{1} << 53) && fraction <= 22) {
    number = static_cast<double>(mantissa) / numbers::kPowersOfTen[fraction];
  } else {
    number = parse_exactly(rest);
  }
  if (negative) number = -number;
  return true;
}

bool lost_digits(std::string_view field, double number) {
  if (std::fabs(number) < kExactWhole || field.empty()) return false;
  if (field.front() == '-' || field.front() == '+') field.remove_prefix(1);
  while (field.size() > 1 && field.front() == '0') field.remove_prefix(1);
  for (const char c : field) {
    if (!is_digit(c)) return false;
  }
  if (std::isinf(number)) return true;
  char held[400];  // doubles have at most 309 digits before the point
  const int length = std::snprintf(held, sizeof held, "%.0f", std::fabs(number));
  return field != std::string_view(held, static_cast<std::size_t>(length));
}

}  // namespace rankmark
