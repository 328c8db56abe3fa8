// Blanks found with the widest compare that the processor has; numbers read exactly.
#include "text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#if defined(__SSE2__) || defined(_M_X64)
#include <immintrin.h>
#define RANKMARK_SSE2 1
#if defined(__GNUC__)
#define RANKMARK_AVX2 __attribute__((target("avx2,bmi,popcnt")))  // compiled beside, chosen when running
#endif
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define RANKMARK_NEON 1
#endif
#if !(defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L)
#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

#if defined(__GNUC__)
#define RANKMARK_INLINE inline __attribute__((always_inline))
#else
#define RANKMARK_INLINE inline
#endif

namespace rankmark {
namespace {

// One bit a byte, for 64 bytes.
struct Marks {
  std::uint64_t blank, newline, nul;
};

#if defined(RANKMARK_SSE2)

Marks mark(const char* p) noexcept {
  const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), line = _mm_set1_epi8('\n'),
                nul = _mm_setzero_si128();
  Marks marks{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits = [i](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << (16 * i);
    };
    const __m128i is_line = _mm_cmpeq_epi8(bytes, line);
    const __m128i is_gap = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(bytes, tab));
    marks.blank |= bits(_mm_or_si128(is_gap, is_line));
    marks.newline |= bits(is_line);
    marks.nul |= bits(_mm_cmpeq_epi8(bytes, nul));
  }
  return marks;
}

#elif defined(RANKMARK_NEON)

std::uint64_t gather_bits(uint8x16_t equal) noexcept {
  const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bits = vandq_u8(equal, weights);
  return static_cast<std::uint64_t>(vaddv_u8(vget_low_u8(bits))) |
         static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits))) << 8;
}

Marks mark(const char* p) noexcept {
  Marks marks{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + 16 * i));
    const uint8x16_t is_line = vceqq_u8(bytes, vdupq_n_u8('\n'));
    const uint8x16_t is_gap = vorrq_u8(vceqq_u8(bytes, vdupq_n_u8(' ')), vceqq_u8(bytes, vdupq_n_u8('\t')));
    marks.blank |= gather_bits(vorrq_u8(is_gap, is_line)) << (16 * i);
    marks.newline |= gather_bits(is_line) << (16 * i);
    marks.nul |= gather_bits(vceqq_u8(bytes, vdupq_n_u8(0))) << (16 * i);
  }
  return marks;
}

#else

Marks mark(const char* p) noexcept {
  Marks marks{0, 0, 0};
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = p[i];
    if (c == ' ' || c == '\t' || c == '\n') marks.blank |= bit;
    if (c == '\n') marks.newline |= bit;
    if (c == '\0') marks.nul |= bit;
  }
  return marks;
}

#endif

#if defined(RANKMARK_AVX2)

RANKMARK_AVX2 Marks mark_wide(const char* p) noexcept {
  const __m256i space = _mm256_set1_epi8(' '), tab = _mm256_set1_epi8('\t'), line = _mm256_set1_epi8('\n'),
                nul = _mm256_setzero_si256();
  Marks marks{0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32 * i));
    const __m256i is_line = _mm256_cmpeq_epi8(bytes, line);
    const __m256i is_gap = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, space), _mm256_cmpeq_epi8(bytes, tab));
    const __m256i is_nul = _mm256_cmpeq_epi8(bytes, nul);
    const int shift = 32 * i;
    marks.blank |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(is_gap, is_line)))}
                   << shift;
    marks.newline |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_line))} << shift;
    marks.nul |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_nul))} << shift;
  }
  return marks;
}

#endif

// What one pass over a text finds: how many blanks (their places go to `out`) and newlines, whether
// two blanks stand side by side or one begins a line, and whether there is a NUL.
struct Found {
  std::size_t blanks = 0, newlines = 0;
  bool side_by_side = false, nul = false;
};

// Places are written eight at a time, past the last, for which `out` has room: a fixed number of
// steps costs less than a mispredicted loop's end.
template <Marks (*mark_of)(const char*) noexcept>
RANKMARK_INLINE Found find_blanks(std::string_view text, std::uint32_t* out) noexcept {
  Found found;
  const std::uint32_t* const begin = out;
  std::uint64_t nul = 0, side_by_side = 0;
  std::uint64_t before = 1;  // was the byte before these 64 a blank? A line does not begin with one.
  for (std::size_t at = 0; at < text.size(); at += 64) {
    Marks marks = mark_of(text.data() + at);
    if (text.size() - at < 64) {
      const std::uint64_t inside = (std::uint64_t{1} << (text.size() - at)) - 1;
      marks = {marks.blank & inside, marks.newline & inside, marks.nul & inside};
    }
    nul |= marks.nul;
    side_by_side |= marks.blank & (marks.blank << 1 | before);
    before = marks.blank >> 63;
    found.newlines += static_cast<std::size_t>(std::popcount(marks.newline));
    std::uint64_t bits = marks.blank;
    std::uint32_t* const end = out + std::popcount(bits);
    do {
      for (int i = 0; i < 8; ++i) {
        out[i] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
      out += 8;
    } while (out < end);
    out = end;
  }
  found.blanks = static_cast<std::size_t>(out - begin);
  found.side_by_side = side_by_side != 0;
  found.nul = nul != 0;
  return found;
}

#if defined(RANKMARK_AVX2)
RANKMARK_AVX2 Found find_blanks_wide(std::string_view text, std::uint32_t* out) noexcept {
  return find_blanks<mark_wide>(text, out);
}
#endif

Found find_blanks_fastest(std::string_view text, std::uint32_t* out) noexcept {
#if defined(RANKMARK_AVX2)
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                           __builtin_cpu_supports("popcnt");
  if (wide) return find_blanks_wide(text, out);
#endif
  return find_blanks<mark>(text, out);
}

bool is_gap(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

void LineReader::start(std::string_view text) {
  text_ = text;
  line_ = 0;
  begin_ = 0;
  // At most a blank a byte, and what is written past them.
  if (blanks_.size() < text.size() + 8) blanks_.resize(text.size() + 8);
  const Found found = find_blanks_fastest(text, blanks_.data());
  has_nul_ = found.nul;
  lines_ = found.newlines;
  uniform_ = !found.nul && !found.side_by_side && is_uniform(found.blanks, found.newlines);
}

// With as many newlines as lines, and each line's last blank a newline, no other blank is one.
bool LineReader::is_uniform(std::size_t blanks, std::size_t newlines) const noexcept {
  if (blanks != expected_ * newlines) return false;
  bool uniform = true;
  for (std::size_t i = expected_ - 1; i < blanks; i += expected_) {
    const char* const end = text_.data() + blanks_[i];
    // A carriage return alone is no column.
    uniform &= *end == '\n' && !(end[-1] == '\r' && is_gap(end[-2]));
  }
  return uniform;
}

bool LineReader::next_of_any(Line& line) noexcept {
  while (begin_ < text_.size()) {
    const char* const begin = text_.data() + begin_;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', text_.size() - begin_));
    begin_ = static_cast<std::uint32_t>(end - text_.data()) + 1;
    if (end > begin && end[-1] == '\r') --end;
    line.text = {begin, static_cast<std::size_t>(end - begin)};
    line.columns = 0;
    line.blanks_ = nullptr;
    // A NUL is found even where nothing else is.
    if (has_nul_ && line.text.find('\0') != std::string_view::npos) return true;
    if (begin < end && *begin == '#') continue;
    for (const char* p = begin;; ++line.columns) {
      while (p < end && is_gap(*p)) ++p;
      if (p == end) break;
      const char* const first = p;
      while (p < end && !is_gap(*p)) ++p;
      if (line.columns < Line::kMostColumns) {
        line.split_[line.columns] = {first, static_cast<std::size_t>(p - first)};
      }
    }
    if (line.columns > 0) return true;
  }
  return false;
}

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

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L

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

double parse_exactly(std::string_view digits) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  char copy[64];
  if (digits.size() >= sizeof copy) return strtod_l(std::string(digits).c_str(), nullptr, c_locale);
  std::memcpy(copy, digits.data(), digits.size());
  copy[digits.size()] = '\0';
  return strtod_l(copy, nullptr, c_locale);
}

#endif

}  // namespace

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

std::string shown(std::string_view field) {
  constexpr std::size_t kLongest = 60;
  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t end = std::min(field.size(), kLongest);
  // Not within a character: UTF-8 goes on with bytes 10xxxxxx.
  while (end > 0 && end < field.size() && (static_cast<unsigned char>(field[end]) & 0xc0) == 0x80) --end;
  std::string out = "'";
  for (const char c : field.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += field.size() > end ? "...'" : "'";
  return out;
}

}  // namespace rankmark
