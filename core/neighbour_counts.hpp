// Neighbours found by an index, counted against the true ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "poll.hpp"

namespace rankmark {

// The ids of neighbours, nearest first: a row for each query, of equal length.
template <class Id>
struct NeighbourRows {
  const Id* ids;
  std::size_t rows, columns;

  std::span<const Id> row(std::size_t number) const noexcept { return {ids + number * columns, columns}; }
};

// Of each query; an id that stands twice in a row is counted once.
struct NeighbourCounts {
  std::vector<std::int32_t> hits;      // found, and among the true ones in the first k columns
  std::vector<std::int32_t> tied;      // found, and among the true ones before the row's end
  std::vector<std::int32_t> expected;  // true ones in the first k columns
  std::vector<std::int32_t> found;
  std::vector<std::int32_t> repeated;       // places of found ones that repeat an id
  std::vector<std::int32_t> true_repeated;  // the same of the true ones, in the first k columns
  std::vector<std::uint8_t> first;          // (rows, k): whether a place holds an id for the first time; or nothing
};

// Counts the first k ids of each row of `found`. Places that hold `padding` are empty. `ends`, one a row or none,
// says up to which column true neighbours count in `tied`: no less than k, and no more than there are columns.
template <class Id>
NeighbourCounts count_neighbours(const NeighbourRows<Id>& truth, const NeighbourRows<Id>& found, std::size_t k,
                                 std::optional<Id> padding, std::span<const std::int64_t> ends, bool want_first,
                                 int threads, const Poll& poll);

}  // namespace rankmark
