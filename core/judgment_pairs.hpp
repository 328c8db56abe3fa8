// Pairs of a query and a document: those of two sets of judgments brought together, and the distinct ones of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "judgments.hpp"
#include "poll.hpp"

namespace rankmark {

// For each row of `a`, the row of `b` with the same query and document; -1 where there is none.
std::vector<std::int64_t> rows_in(const Judgments& a, const Judgments& b, int threads, const Poll& poll);

// The distinct pairs of two columns of numbers, which are from 0 and below `firsts` and `seconds`.
struct Distinct {
  std::vector<std::int64_t> starts;   // (firsts + 1,)
  std::vector<std::uint32_t> second;  // rising for each number of the first column
};
Distinct distinct_pairs(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second, std::size_t firsts,
                        std::size_t seconds);

}  // namespace rankmark
