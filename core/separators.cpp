// Separators found with the widest compare that the processor has, unless another is asked for.
#include "separators.hpp"

#include <bit>

#include "inlining.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <immintrin.h>
#define RANKMARK_SSE2 1
#if defined(__GNUC__)
// Compiled beside, chosen when running.
#define RANKMARK_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define RANKMARK_AVX512 __attribute__((target("avx2,bmi,popcnt,avx512f,avx512bw,avx512vbmi2")))
#endif
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define RANKMARK_NEON 1
#endif

#if defined(__GNUC__)
#define RANKMARK_FLATTEN __attribute__((flatten))  // with all that it calls in it
#endif

namespace rankmark {
namespace {

// One bit a byte, for 64 bytes. A newline ends a column too. NULs are unusual everywhere.
struct Marks {
  std::uint64_t end, newline, unusual;
};

// A way to mark bytes and to write where marks stand, past the last too, for which there is room.
struct Bytes {
  static Marks mark(const char* p, Separators at) noexcept {
    Marks marks{0, 0, 0};
    for (int i = 0; i < 64; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      const char c = p[i];
      if (c == at.one || c == at.other || c == '\n') marks.end |= bit;
      if (c == '\n') marks.newline |= bit;
      if (c == '\0' || c == at.unusual) marks.unusual |= bit;
    }
    return marks;
  }

  // Places are written four at a time: a fixed number of steps costs less than a mispredicted loop's end.
  static void write(std::uint64_t bits, std::uint32_t at, std::uint32_t* out) noexcept {
    std::uint32_t* const end = out + std::popcount(bits);
    const auto four = [&] {
      for (int i = 0; i < 4; ++i) {
        out[i] = at + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
      out += 4;
    };
    four();
    four();
    do four();
    while (out < end);
  }
};

#if defined(RANKMARK_SSE2)

struct Sse2 : Bytes {
  static Marks mark(const char* p, Separators at) noexcept {
    const __m128i one = _mm_set1_epi8(at.one), other = _mm_set1_epi8(at.other), line = _mm_set1_epi8('\n'),
                  nul = _mm_setzero_si128(), unusual = _mm_set1_epi8(at.unusual);
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
      marks.unusual |= bits(_mm_or_si128(_mm_cmpeq_epi8(bytes, nul), _mm_cmpeq_epi8(bytes, unusual)));
    }
    return marks;
  }
};

#elif defined(RANKMARK_NEON)

struct Neon : Bytes {
  static Marks mark(const char* p, Separators at) noexcept {
    const auto all = [](char c) { return vdupq_n_u8(static_cast<std::uint8_t>(c)); };
    const uint8x16_t one = all(at.one), other = all(at.other), unusual = all(at.unusual);
    Marks marks{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
      const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + 16 * i));
      const uint8x16_t is_line = vceqq_u8(bytes, all('\n'));
      const uint8x16_t is_separator = vorrq_u8(vceqq_u8(bytes, one), vceqq_u8(bytes, other));
      marks.end |= gather_bits(vorrq_u8(is_separator, is_line)) << (16 * i);
      marks.newline |= gather_bits(is_line) << (16 * i);
      marks.unusual |= gather_bits(vorrq_u8(vceqq_u8(bytes, all('\0')), vceqq_u8(bytes, unusual))) << (16 * i);
    }
    return marks;
  }

 private:
  static std::uint64_t gather_bits(uint8x16_t equal) noexcept {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(equal, weights);
    return static_cast<std::uint64_t>(vaddv_u8(vget_low_u8(bits))) |
           static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits))) << 8;
  }
};

#endif

#if defined(RANKMARK_AVX2)

struct Avx2 : Bytes {
  RANKMARK_AVX2 static Marks mark(const char* p, Separators at) noexcept {
    const __m256i one = _mm256_set1_epi8(at.one), other = _mm256_set1_epi8(at.other), line = _mm256_set1_epi8('\n'),
                  nul = _mm256_setzero_si256(), unusual = _mm256_set1_epi8(at.unusual);
    Marks marks{0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32 * i));
      const __m256i is_line = _mm256_cmpeq_epi8(bytes, line);
      const __m256i is_separator = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, one), _mm256_cmpeq_epi8(bytes, other));
      const __m256i is_unusual = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, nul), _mm256_cmpeq_epi8(bytes, unusual));
      const __m256i is_end = _mm256_or_si256(is_separator, is_line);
      const int shift = 32 * i;
      marks.end |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_end))} << shift;
      marks.newline |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_line))} << shift;
      marks.unusual |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(is_unusual))} << shift;
    }
    return marks;
  }
};

struct Avx512 {
  RANKMARK_AVX512 static Marks mark(const char* p, Separators at) noexcept {
    const __m512i bytes = _mm512_loadu_si512(p);
    const std::uint64_t newline = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));
    const std::uint64_t separator = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(at.one)) |
                                    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(at.other));
    const std::uint64_t unusual = _mm512_cmpeq_epi8_mask(bytes, _mm512_setzero_si512()) |
                                  _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(at.unusual));
    return {separator | newline, newline, unusual};
  }

  // The places of the marks are put side by side at once, and widened sixteen at a time.
  RANKMARK_AVX512 static void write(std::uint64_t bits, std::uint32_t at, std::uint32_t* out) noexcept {
    alignas(64) static constexpr std::uint8_t kPlaces[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(kPlaces));
    const __m512i base = _mm512_set1_epi32(static_cast<int>(at));
    const auto store = [&](int i, __m128i sixteen) RANKMARK_AVX512 {
      _mm512_storeu_si512(out + i, _mm512_add_epi32(base, _mm512_maskz_cvtepu8_epi32(0xffff, sixteen)));
    };
    store(0, _mm512_maskz_extracti32x4_epi32(0xf, places, 0));
    if (std::popcount(bits) <= 16) [[likely]]
      return;
    store(16, _mm512_maskz_extracti32x4_epi32(0xf, places, 1));
    store(32, _mm512_maskz_extracti32x4_epi32(0xf, places, 2));
    store(48, _mm512_maskz_extracti32x4_epi32(0xf, places, 3));
  }
};

#endif

template <class Kind>
RANKMARK_INLINE inline Found find_ends(std::string_view text, std::size_t offset, Separators at_bytes,
                                       std::uint32_t* out) noexcept {
  Found found;
  const std::uint32_t* const begin = out;
  std::uint64_t unusual = 0;
  std::uint64_t before = 1;  // did a column end before these 64 bytes? A line does not begin with an end.
  for (std::size_t at = 0; at < text.size(); at += 64) {
    Marks marks = Kind::mark(text.data() + at, at_bytes);
    if (text.size() - at < 64) {
      const std::uint64_t inside = (std::uint64_t{1} << (text.size() - at)) - 1;
      marks = {marks.end & inside, marks.newline & inside, marks.unusual & inside};
    }
    unusual |= marks.unusual | (marks.end & (marks.end << 1 | before));
    before = marks.end >> 63;
    found.newlines += static_cast<std::size_t>(std::popcount(marks.newline));
    Kind::write(marks.end, static_cast<std::uint32_t>(offset + at), out);
    out += std::popcount(marks.end);
  }
  found.ends = static_cast<std::size_t>(out - begin);
  found.unusual = unusual != 0;
  return found;
}

#if defined(RANKMARK_AVX2)
RANKMARK_AVX2 RANKMARK_FLATTEN Found find_ends_avx2(std::string_view text, std::size_t offset, Separators at,
                                                    std::uint32_t* out) noexcept {
  return find_ends<Avx2>(text, offset, at, out);
}

RANKMARK_AVX512 RANKMARK_FLATTEN Found find_ends_avx512(std::string_view text, std::size_t offset, Separators at,
                                                        std::uint32_t* out) noexcept {
  return find_ends<Avx512>(text, offset, at, out);
}
#endif

}  // namespace

const std::vector<Scanner>& all_scanners() {
  static const std::vector<Scanner> all = [] {
    std::vector<Scanner> there;
#if defined(RANKMARK_AVX2)
    const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vbmi2")) {
      there.push_back({"avx512", find_ends_avx512});
    }
    if (avx2) there.push_back({"avx2", find_ends_avx2});
#endif
#if defined(RANKMARK_SSE2)
    there.push_back({"sse2", find_ends<Sse2>});
#elif defined(RANKMARK_NEON)
    there.push_back({"neon", find_ends<Neon>});
#endif
    there.push_back({"bytes", find_ends<Bytes>});
    return there;
  }();
  return all;
}

}  // namespace rankmark
