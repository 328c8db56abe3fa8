// Separators found with the widest compare that the processor has, unless another is asked for.
#include "text.hpp"

#include <bit>
#include <cstring>

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

#if defined(__GNUC__)
#define RANKMARK_INLINE inline __attribute__((always_inline))
#else
#define RANKMARK_INLINE inline
#endif

namespace rankmark {
namespace {

// The bytes that separate columns; a text may know only one.
struct Separators {
  char one, other;
};

// One bit a byte, for 64 bytes. A newline ends a column too.
struct Marks {
  std::uint64_t end, newline, nul;
};

Marks mark_bytes(const char* p, Separators at) noexcept {
  Marks marks{0, 0, 0};
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = p[i];
    if (c == at.one || c == at.other || c == '\n') marks.end |= bit;
    if (c == '\n') marks.newline |= bit;
    if (c == '\0') marks.nul |= bit;
  }
  return marks;
}

#if defined(RANKMARK_SSE2)

Marks mark_sse2(const char* p, Separators at) noexcept {
  const __m128i one = _mm_set1_epi8(at.one), other = _mm_set1_epi8(at.other), line = _mm_set1_epi8('\n'),
                nul = _mm_setzero_si128();
  Marks marks{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits = [i](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << (16 * i);
    };
    const __m128i is_line = _mm_cmpeq_epi8(bytes, line);
    const __m128i is_separator = _mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, other));
    marks.end |= bits(_mm_or_si128(is_separator, is_line));
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

Marks mark_neon(const char* p, Separators at) noexcept {
  const uint8x16_t one = vdupq_n_u8(static_cast<std::uint8_t>(at.one)),
                   other = vdupq_n_u8(static_cast<std::uint8_t>(at.other));
  Marks marks{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + 16 * i));
    const uint8x16_t is_line = vceqq_u8(bytes, vdupq_n_u8('\n'));
    const uint8x16_t is_separator = vorrq_u8(vceqq_u8(bytes, one), vceqq_u8(bytes, other));
    marks.end |= gather_bits(vorrq_u8(is_separator, is_line)) << (16 * i);
    marks.newline |= gather_bits(is_line) << (16 * i);
    marks.nul |= gather_bits(vceqq_u8(bytes, vdupq_n_u8(0))) << (16 * i);
  }
  return marks;
}

#endif

#if defined(RANKMARK_AVX2)

RANKMARK_AVX2 Marks mark_avx2(const char* p, Separators at) noexcept {
  const __m256i one = _mm256_set1_epi8(at.one), other = _mm256_set1_epi8(at.other), line = _mm256_set1_epi8('\n'),
                nul = _mm256_setzero_si256();
  Marks marks{0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32 * i));
    const __m256i is_line = _mm256_cmpeq_epi8(bytes, line);
    const __m256i is_separator = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, one), _mm256_cmpeq_epi8(bytes, other));
    const __m256i is_nul = _mm256_cmpeq_epi8(bytes, nul);
    const int shift = 32 * i;
    marks.end |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(is_separator, is_line)))}
                 << shift;
    marks.newline |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_line))} << shift;
    marks.nul |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_nul))} << shift;
  }
  return marks;
}

#endif

// What one pass over a text finds: how many ends of columns (their places go to `out`) and newlines,
// whether two stand side by side or one begins a line, and whether there is a NUL.
struct Found {
  std::size_t ends = 0, newlines = 0;
  bool side_by_side = false, nul = false;
};

// Places are written eight at a time, past the last, for which `out` has room: a fixed number of
// steps costs less than a mispredicted loop's end.
template <Marks (*mark_of)(const char*, Separators) noexcept>
RANKMARK_INLINE Found find_ends(std::string_view text, Separators at_bytes, std::uint32_t* out) noexcept {
  Found found;
  const std::uint32_t* const begin = out;
  std::uint64_t nul = 0, side_by_side = 0;
  std::uint64_t before = 1;  // did a column end before these 64 bytes? A line does not begin with an end.
  for (std::size_t at = 0; at < text.size(); at += 64) {
    Marks marks = mark_of(text.data() + at, at_bytes);
    if (text.size() - at < 64) {
      const std::uint64_t inside = (std::uint64_t{1} << (text.size() - at)) - 1;
      marks = {marks.end & inside, marks.newline & inside, marks.nul & inside};
    }
    nul |= marks.nul;
    side_by_side |= marks.end & (marks.end << 1 | before);
    before = marks.end >> 63;
    found.newlines += static_cast<std::size_t>(std::popcount(marks.newline));
    std::uint64_t bits = marks.end;
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
  found.ends = static_cast<std::size_t>(out - begin);
  found.side_by_side = side_by_side != 0;
  found.nul = nul != 0;
  return found;
}

#if defined(RANKMARK_AVX2)
RANKMARK_AVX2 Found find_ends_avx2(std::string_view text, Separators at, std::uint32_t* out) noexcept {
  return find_ends<mark_avx2>(text, at, out);
}
#endif

struct Scanner {
  std::string_view name;
  Found (*find)(std::string_view, Separators, std::uint32_t*) noexcept;
};

// Those that this processor has, the fastest first.
const std::vector<Scanner>& all_scanners() {
  static const std::vector<Scanner> all = [] {
    std::vector<Scanner> there;
#if defined(RANKMARK_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) {
      there.push_back({"avx2", find_ends_avx2});
    }
#endif
#if defined(RANKMARK_SSE2)
    there.push_back({"sse2", find_ends<mark_sse2>});
#elif defined(RANKMARK_NEON)
    there.push_back({"neon", find_ends<mark_neon>});
#endif
    there.push_back({"bytes", find_ends<mark_bytes>});
    return there;
  }();
  return all;
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

constexpr std::uint32_t kBeforeTheFirst = 0xffffffff;  // one more is 0
constexpr int kNoByte = -1;

}  // namespace

std::vector<std::string_view> scanners() {
  std::vector<std::string_view> names;
  for (const Scanner& scanner : all_scanners()) names.push_back(scanner.name);
  return names;
}

LineReader::LineReader(const Cut& cut)
    : cut_(cut),
      comment_(cut.at_blanks() ? '#' : kNoByte),
      ends_{kBeforeTheFirst},
      split_(cut.columns),
      doubled_(cut.columns) {}

void LineReader::start(std::span<char> written) {
  const std::string_view text(written.data(), written.size());
  written_ = written;
  text_ = text;
  line_ = 0;
  begin_ = 0;
  // At most an end a byte, the one before the first, and what is written past them.
  if (ends_.size() < text.size() + 9) ends_.resize(text.size() + 9);
  const Separators at = cut_.at_blanks() ? Separators{' ', '\t'} : Separators{cut_.separator, cut_.separator};
  const Found found = all_scanners().at(cut_.scanner).find(text, at, ends_.data() + 1);
  has_nul_ = found.nul;
  lines_ = found.newlines;
  const bool quotes = !cut_.at_blanks() && text.find('"') != std::string_view::npos;
  uniform_ = !found.nul && !found.side_by_side && !quotes && text.size() <= kLongestLine && is_uniform(found.ends);
}

// With as many newlines as lines, and each line's last end a newline, no other end is one.
bool LineReader::is_uniform(std::size_t found) const noexcept {
  if (found != cut_.columns * lines_) return false;
  bool uniform = true;
  for (std::size_t i = cut_.columns; i <= found; i += cut_.columns) {
    const char* const end = text_.data() + ends_[i];
    // A carriage return alone is no column.
    const bool alone = end[-1] == '\r' && (cut_.at_blanks() ? is_blank(end[-2]) : end[-2] == cut_.separator);
    uniform &= *end == '\n' && !alone;
  }
  return uniform;
}

// Passes a line that holds anything, comment or not; false at the end.
bool LineReader::next_of_any(Line& line) noexcept {
  while (begin_ < text_.size()) {
    if (text_[begin_] == '\n') {  // of blank lines there may be as many as bytes
      ++begin_;
      ++line_;
      continue;
    }
    const char* const begin = text_.data() + begin_;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', text_.size() - begin_));
    begin_ = static_cast<std::size_t>(end - text_.data()) + 1;
    ++line_;
    if (end > begin && end[-1] == '\r') --end;
    if (begin == end) continue;
    line.text = {begin, static_cast<std::size_t>(end - begin)};
    line.columns = 0;
    line.fault = nullptr;
    line.ends_ = nullptr;
    line.split_ = split_.data();
    return true;
  }
  return false;
}

bool LineReader::next_at_blanks(Line& line) noexcept {
  while (next_of_any(line)) {
    line.plain = false;
    // A NUL is found even where nothing else is.
    if (has_nul_ && line.text.find('\0') != std::string_view::npos) return true;
    if (line.text.front() == '#') continue;
    const char* const end = line.text.data() + line.text.size();
    for (const char* p = line.text.data();; ++line.columns) {
      while (p < end && is_blank(*p)) ++p;
      if (p == end) break;
      const char* const first = p;
      while (p < end && !is_blank(*p)) ++p;
      if (line.columns < split_.size()) split_[line.columns] = {first, static_cast<std::size_t>(p - first)};
    }
    line.plain = line.columns == cut_.columns && line.text.size() <= kLongestLine;
    if (line.columns > 0) return true;
  }
  return false;
}

namespace {

const Message kOpenQuote{"a quoted field does not end on its line",
                         "take line breaks out of fields, and write a quote within one twice"};
const Message kBehindQuote{"text follows a closing quote",
                           "write a quote within a quoted field twice, and quote the whole field"};

}  // namespace

// Writes single quotes for doubled ones, where they stand.
std::string_view LineReader::without_doubles(std::string_view field) noexcept {
  const std::span<char> place = written_.subspan(static_cast<std::size_t>(field.data() - text_.data()), field.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[size++] = place[i];
    if (place[i] == '"') ++i;
  }
  return field.substr(0, size);
}

bool LineReader::next_at_separators(Line& line) {
  if (!next_of_any(line)) return false;
  line.plain = false;  // a field may be empty
  const char* const end = line.text.data() + line.text.size();
  for (const char* p = line.text.data();; ++p) {
    std::string_view field;
    bool doubled = false;
    if (p < end && *p == '"') {
      const char* const first = ++p;
      while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
        doubled |= *p == '"';
        p += *p == '"' ? 2 : 1;
      }
      field = {first, static_cast<std::size_t>(p - first)};
      if (p == end) {
        line.fault = &kOpenQuote;
      } else if (++p < end && *p != cut_.separator) {
        line.fault = &kBehindQuote;
      }
    } else {
      const char* const first = p;
      while (p < end && *p != cut_.separator) ++p;
      field = {first, static_cast<std::size_t>(p - first)};
    }
    if (line.columns < split_.size()) {
      split_[line.columns] = field;
      doubled_[line.columns] = doubled;
    }
    ++line.columns;
    if (line.fault != nullptr || p == end) break;
  }
  // A line that will be refused is shown as it was.
  if (line.fault == nullptr && line.columns == cut_.columns) {
    for (std::size_t i = 0; i < line.columns; ++i) {
      if (doubled_[i]) split_[i] = without_doubles(split_[i]);
    }
  }
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
