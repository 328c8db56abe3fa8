// Text as fields and numbers: where the fields of a block's lines begin and end, and what number a field holds.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rankmark {

// Readable bytes that every indexed text needs behind its end, so that whole words can be loaded.
inline constexpr std::size_t kPadding = 64;

// One line that holds something, cut into columns. Columns are counted from 0.
class Line {
 public:
  std::string_view text;    // without its end
  std::size_t columns = 0;  // as many as there are, however many the format has

  std::string_view column(std::size_t i) const noexcept {
    if (blanks_ == nullptr) return split_[i];
    const std::size_t begin = i == 0 ? 0 : blanks_[i - 1] + 1 - first_;
    return text.substr(begin, blanks_[i] - first_ - begin);
  }

 private:
  friend class LineReader;

  static constexpr std::size_t kMostColumns = 6;

  const std::uint32_t* blanks_ = nullptr;  // where column i ends, counted from the text's start
  std::uint32_t first_ = 0;                // where this line begins there
  std::array<std::string_view, kMostColumns> split_;
};

// Cuts a text into lines and those into columns. Columns are separated by any run of spaces and
// tabs; a line ends with a newline and perhaps a carriage return before it. Lines without columns
// and comments (a `#` as the first byte) are passed over.
//
// Blanks are found 64 bytes at a time. Where all lines of a text have the expected columns with one
// blank between them, as nearly always, that is all there is to do; other texts are cut byte by byte.
class LineReader {
 public:
  explicit LineReader(std::size_t expected) : expected_(expected) {}

  // `text` is empty or ends with a newline, and has kPadding readable bytes behind its end.
  void start(std::string_view text);
  bool has_nul() const noexcept { return has_nul_; }

  bool next(Line& line) noexcept {
    if (!uniform_) return next_of_any(line);
    while (line_ < lines_) {
      const std::uint32_t* const blanks = blanks_.data() + expected_ * line_++;
      const std::uint32_t begin = begin_, end = blanks[expected_ - 1];
      begin_ = end + 1;
      if (text_[begin] == '#') continue;
      line.text = {text_.data() + begin, end - begin - (text_[end - 1] == '\r' ? 1u : 0u)};
      line.columns = expected_;
      line.blanks_ = blanks;
      line.first_ = begin;
      return true;
    }
    return false;
  }

 private:
  bool next_of_any(Line& line) noexcept;
  bool is_uniform(std::size_t blanks, std::size_t newlines) const noexcept;

  std::size_t expected_;
  std::string_view text_;
  std::vector<std::uint32_t> blanks_;
  bool uniform_ = false, has_nul_ = false;
  std::size_t line_ = 0, lines_ = 0;
  std::uint32_t begin_ = 0;
};

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
  word = ((word & 0x000000ff000000ff) * 0x000f424000000064 +
          ((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
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

// The double nearest to a decimal, scientific, `inf` or `nan` number that fills `field`; false where
// the field is no number. Independent of the locale. Reads up to kPadding bytes behind the field. (An
// optional in place of the reference costs a stalled load at each call.)
inline bool parse_number(std::string_view field, double& number) {
  return numbers::parse_short(field, number) || numbers::parse_any(field, number);
}

// A field as an error message shows it: quoted, control bytes escaped, cut where it is long.
std::string shown(std::string_view field);

}  // namespace rankmark
