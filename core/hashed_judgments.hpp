// Judged documents found by their ids: for short rankings of many judgments, of which there are many.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ids.hpp"
#include "judgments.hpp"

namespace rankmark {

// A hash table for each query. Refers to the judgments, which must stay. Immutable, so that threads may share it.
class HashedJudgments {
 public:
  explicit HashedJudgments(const Judgments& judgments);

  const Judgments& judgments() const noexcept { return judgments_; }

  // The row of a document in the judgments, or IdTable::kAbsent; `hash` is that of the id.
  std::uint32_t find(std::uint32_t query, std::string_view id, std::uint64_t hash) const noexcept;

 private:
  // A part of the hash spares most looks at an id that is another one.
  struct Slot {
    std::uint32_t row = IdTable::kAbsent, part = 0;
  };
  static std::uint32_t part_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

  const Judgments& judgments_;
  std::vector<std::uint64_t> starts_;  // (queries + 1) offsets into the slots, of which each query has a power of two
  std::vector<Slot> slots_;
};

}  // namespace rankmark
