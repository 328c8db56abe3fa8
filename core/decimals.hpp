// Decimal numbers as Arrow holds them: a whole number in 32 to 256 bits, and how many of its digits follow the point.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "numbers.hpp"

namespace rankmark {

struct Decimal {
  static constexpr std::size_t kLongest = 160;  // a sign, 77 digits, and as many zeros as a scale may add
  static constexpr int kLargestScale = 76;

  std::array<std::uint64_t, 4> limbs{};  // the magnitude, lowest first
  bool negative = false;
  int scale = 0;

  bool operator==(const Decimal& other) const noexcept = default;

  // Reads `width` bytes, 4, 8, 16 or 32, in two's complement.
  static Decimal read(const char* bytes, int width, int scale) noexcept {
    Decimal read;
    read.scale = scale;
    std::memcpy(read.limbs.data(), bytes, static_cast<std::size_t>(width));
    if (width == 4) read.limbs[0] = static_cast<std::uint64_t>(static_cast<std::int32_t>(read.limbs[0]));
    const std::size_t used = width <= 8 ? 1 : static_cast<std::size_t>(width) / 8;
    read.negative = (read.limbs[used - 1] >> 63) != 0;
    if (!read.negative) return read;
    std::uint64_t carry = 1;
    for (std::size_t i = 0; i < used; ++i) {
      read.limbs[i] = ~read.limbs[i] + carry;
      carry = carry != 0 && read.limbs[i] == 0 ? 1 : 0;
    }
    return read;
  }

  bool is_small() const noexcept { return limbs[1] == 0 && limbs[2] == 0 && limbs[3] == 0; }

  // The digits of the magnitude, without the point.
  std::string digits() const {
    if (is_small()) return std::to_string(limbs[0]);
    std::string text;
    std::array<std::uint32_t, 8> words{};
    for (std::size_t i = 0; i < 8; ++i) words[i] = static_cast<std::uint32_t>(limbs[i / 2] >> (i % 2 * 32));
    while (std::any_of(words.begin(), words.end(), [](std::uint32_t word) { return word != 0; })) {
      std::uint64_t rest = 0;
      for (std::size_t i = 8; i-- > 0;) {
        const std::uint64_t part = rest << 32 | words[i];
        words[i] = static_cast<std::uint32_t>(part / 1'000'000'000);
        rest = part % 1'000'000'000;
      }
      for (int digit = 0; digit < 9; ++digit, rest /= 10) text += static_cast<char>('0' + rest % 10);
    }
    while (text.size() > 1 && text.back() == '0') text.pop_back();
    std::reverse(text.begin(), text.end());
    return text;
  }

  // Writes it as a whole number; empty where it is none.
  std::string whole() const {
    std::string text = digits();
    if (text == "0") return text;
    if (scale < 0) text.append(static_cast<std::size_t>(-scale), '0');
    for (int digit = 0; digit < scale; ++digit) {
      if (text.back() != '0' || text.size() == 1) return "";
      text.pop_back();
    }
    return negative ? "-" + text : text;
  }

  // Writes it with its point.
  std::string written() const {
    std::string text = digits();
    if (scale < 0) text.append(static_cast<std::size_t>(-scale), '0');
    if (scale > 0) {
      const auto behind = static_cast<std::size_t>(scale);
      if (text.size() <= behind) text.insert(0, behind + 1 - text.size(), '0');
      text.insert(text.size() - behind, 1, '.');
    }
    return negative ? "-" + text : text;
  }

  // The nearest double. Two that are exact need one division, which rounds correctly.
  explicit operator double() const {
    double number = 0;
    if (is_small() && limbs[0] < (std::uint64_t{1} << 53) && scale >= 0 && scale <= 22) {
      number = static_cast<double>(limbs[0]) / numbers::kPowersOfTen[scale];
    } else {
      std::string text = digits() + "e" + std::to_string(-scale);
      const std::size_t size = text.size();
      text.append(16, '\0');  // the parser reads beyond the end
      parse_number({text.data(), size}, number);
    }
    return negative ? -number : number;
  }
};

// A universally unique identifier, RFC 9562: 16 bytes, written in 36 letters.
struct Uuid {
  static constexpr std::size_t kLongest = 36;

  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const Uuid& other) const noexcept = default;

  std::string written() const {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += "0123456789abcdef"[bytes[i] >> 4];
      text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
  }
};

}  // namespace rankmark
