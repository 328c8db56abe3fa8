// Numbers: read from text as strtod reads them, written and read back; decimals and halves of Arrow.
#include "numbers.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "decimals.hpp"
#include "input.hpp"
#include "plain_text.hpp"
#include "table_values.hpp"
#include "text.hpp"

using fuzz::expect;

namespace {

bool is_same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The reader may look at bytes behind the field, which must not matter.
void check_text(std::string_view field, char behind) {
  std::string padded(field);
  padded.append(rankmark::kPadding, behind);
  const std::string_view in_text(padded.data(), field.size());
  const std::optional<double> expected = fuzz::plain_number(field);
  double number = 0;
  const bool is_number = rankmark::parse_number(in_text, number);
  const std::string shown(field);
  expect(is_number == expected.has_value(), "strtod and the reader differ in whether this is a number: " + shown);
  if (!expected) return;
  expect(is_same(number, *expected), "strtod reads another number: " + shown);
  double any = 0;
  expect(rankmark::numbers::parse_any(in_text, any) && is_same(any, number), "the slow reader differs: " + shown);
  expect(rankmark::lost_digits(field, number) == fuzz::loses_digits(field, number), "digits lost or not: " + shown);
}

void check_written(double number) {
  char digits[64];
  for (const char* const form : {"%.17g", "%.17e", "%.1100f", "%.0f", "%.3f"}) {
    std::vector<char> long_digits(2000);
    const int size = std::snprintf(long_digits.data(), long_digits.size(), form, number);
    check_text({long_digits.data(), static_cast<std::size_t>(size)}, '7');
  }
  const int size = std::snprintf(digits, sizeof digits, "%.17g", number);
  std::string padded(digits, static_cast<std::size_t>(size));
  padded.append(rankmark::kPadding, '.');
  double back = 0;
  expect(rankmark::parse_number({padded.data(), static_cast<std::size_t>(size)}, back),
         "what was written is no number");
  expect(is_same(back, number), "what was written is read as another number");
}

void check_whole(std::int64_t whole) {
  const auto magnitude = static_cast<long double>(whole);
  expect(rankmark::is_exact(whole) == (static_cast<long double>(static_cast<double>(whole)) == magnitude),
         "a whole number is exact or not");
  const auto bits = static_cast<std::uint64_t>(whole);
  expect(rankmark::is_exact(bits) ==
             (static_cast<long double>(static_cast<double>(bits)) == static_cast<long double>(bits)),
         "a whole number without a sign is exact or not");
  check_text(std::to_string(whole), '0');
  check_text(std::to_string(bits), 'e');
}

// The digits of a magnitude, doubled bit by bit.
std::string plain_digits(const std::vector<std::uint8_t>& magnitude) {
  std::string digits = "0";  // lowest first
  for (std::size_t bit = 8 * magnitude.size(); bit-- > 0;) {
    int carry = (magnitude[bit / 8] >> (bit % 8)) & 1;
    for (char& digit : digits) {
      const int twice = 2 * (digit - '0') + carry;
      digit = static_cast<char>('0' + twice % 10);
      carry = twice / 10;
    }
    if (carry != 0) digits += static_cast<char>('0' + carry);
  }
  return {digits.rbegin(), digits.rend()};
}

void check_decimal(fuzz::Input& input) {
  static constexpr int kWidths[] = {4, 8, 16, 32};
  const int width = kWidths[input.below(4)];
  const int scale =
      static_cast<int>(input.below(2 * rankmark::Decimal::kLargestScale + 1)) - rankmark::Decimal::kLargestScale;
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < width; ++i) bytes.push_back(input.byte());
  const auto decimal = rankmark::Decimal::read(reinterpret_cast<const char*>(bytes.data()), width, scale);
  const bool negative = (bytes.back() & 0x80) != 0;
  expect(decimal.negative == negative, "a decimal of another sign");
  if (negative) {
    int carry = 1;
    for (std::uint8_t& byte : bytes) {
      carry += static_cast<std::uint8_t>(~byte);
      byte = static_cast<std::uint8_t>(carry & 0xff);
      carry >>= 8;
    }
  }
  const std::string digits = plain_digits(bytes), sign = negative ? "-" : "";
  expect(decimal.digits() == digits, "a decimal of other digits: " + decimal.digits() + " not " + digits);
  // With its point: zeros before or behind it as the scale asks.
  std::string written = digits;
  if (scale < 0) written.append(static_cast<std::size_t>(-scale), '0');
  while (written.size() <= static_cast<std::size_t>(std::max(scale, 0))) written.insert(0, 1, '0');
  std::string whole = written.substr(0, written.size() - static_cast<std::size_t>(std::max(scale, 0)));
  const std::string fraction = written.substr(whole.size());
  const bool is_whole = fraction.find_first_not_of('0') == std::string::npos;
  if (!fraction.empty()) written = whole + "." + fraction;
  expect(decimal.written() == sign + written,
         "a decimal written otherwise: " + decimal.written() + " not " + sign + written);
  const bool zero = digits == "0";
  expect(decimal.whole() == (zero       ? "0"
                             : is_whole ? sign + whole
                                        : ""),
         "a decimal as a whole number: " + decimal.whole());
  expect(decimal.whole().size() <= rankmark::Decimal::kLongest, "a decimal longer than its room");
  expect(is_same(static_cast<double>(decimal), std::strtod((sign + written).c_str(), nullptr)),
         "a decimal as another double: " + written);
}

void check_half(std::uint16_t half) {
#if defined(__FLT16_MAX__)
  expect(is_same(rankmark::half_to_double(half), static_cast<double>(std::bit_cast<_Float16>(half))), "a half");
#else
  (void)half;
#endif
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t what = input.byte();
  if (what % 4 == 0) {
    check_written(input.number<double>());
    check_whole(input.number<std::int64_t>());
    check_half(input.number<std::uint16_t>());
  } else if (what % 4 == 1) {
    check_decimal(input);
  } else {
    const auto behind = static_cast<char>(input.byte());
    if (input.rest().find('\0') == std::string_view::npos) check_text(input.rest(), behind);
  }
  return 0;
}
