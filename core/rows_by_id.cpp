// Looking through hashes, several at once.
#include "rows_by_id.hpp"

namespace rankmark {

std::size_t find_hash(std::span<const std::uint64_t> hashes, std::uint64_t wanted) noexcept {
  constexpr std::size_t kTogether = 16;
  std::size_t row = 0;
  for (; row + kTogether <= hashes.size(); row += kTogether) {
    std::uint64_t equal = 0;
    for (std::size_t i = 0; i < kTogether; ++i) equal |= hashes[row + i] == wanted ? 1 : 0;
    if (equal != 0) break;
  }
  while (row < hashes.size() && hashes[row] != wanted) ++row;
  return row;
}

}  // namespace rankmark
