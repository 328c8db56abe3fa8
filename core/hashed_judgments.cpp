// Building and searching the tables: open addressing, at most half of the slots taken.
#include "hashed_judgments.hpp"

#include <algorithm>
#include <bit>

namespace rankmark {

HashedJudgments::HashedJudgments(const Judgments& judgments) : judgments_(judgments) {
  starts_.reserve(judgments.queries() + std::size_t{1});
  starts_.push_back(0);
  for (std::uint32_t query = 0; query < judgments.queries(); ++query) {
    starts_.push_back(starts_.back() + std::bit_ceil(std::max<std::size_t>(2 * judgments.documents(query), 2)));
  }
  slots_.resize(static_cast<std::size_t>(starts_.back()));
  for (std::uint32_t query = 0; query < judgments.queries(); ++query) {
    Slot* const slots = slots_.data() + starts_[query];
    const std::uint64_t mask = starts_[query + std::size_t{1}] - starts_[query] - 1;
    const auto first = static_cast<std::uint32_t>(judgments.starts()[query]);
    for (std::uint32_t row = first; row < judgments.starts()[query + std::size_t{1}]; ++row) {
      const std::uint64_t hash = hash_id(judgments.document_id(row));
      std::uint64_t slot = hash & mask;
      while (slots[slot].row != IdTable::kAbsent) slot = (slot + 1) & mask;
      slots[slot] = {row, part_of(hash)};
    }
  }
}

std::uint32_t HashedJudgments::find(std::uint32_t query, std::string_view id, std::uint64_t hash) const noexcept {
  const Slot* const slots = slots_.data() + starts_[query];
  const std::uint64_t mask = starts_[query + std::size_t{1}] - starts_[query] - 1;
  for (std::uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const auto [row, part] = slots[slot];
    if (row == IdTable::kAbsent) return row;
    if (part == part_of(hash) && judgments_.document_id(row) == id) return row;
  }
}

}  // namespace rankmark
