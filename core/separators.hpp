// Separators found 64 bytes at a time, with the widest compare that the processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rankmark {

// The bytes that separate columns, of which a text may know only one, and one that asks for a second look.
struct Separators {
  char one, other, unusual;
};

// What one pass over a window finds: how many ends of columns (their places go to `out`) and newlines, and whether
// anything is unusual: two ends side by side, one that begins a line, or an unusual byte.
struct Found {
  std::size_t ends = 0, newlines = 0;
  bool unusual = false;
};

// Places that a scanner may write behind the last.
inline constexpr std::size_t kSpare = 80;

// Finds separators in a text that has kPadding readable bytes behind its end, and writes their places, each greater by
// `offset`, to `out`.
struct Scanner {
  std::string_view name;
  Found (*find)(std::string_view, std::size_t, Separators, std::uint32_t*) noexcept;
};

// Those that this processor has, the fastest first.
const std::vector<Scanner>& all_scanners();

}  // namespace rankmark
