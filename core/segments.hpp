// Per-query arithmetic over a flat column: query q owns the values from starts[q] to starts[q + 1].
#pragma once

#include <cstdint>
#include <span>

namespace rankmark {

using Starts = std::span<const std::int64_t>;

// Each fills `out`: one value a query, or (the cumulative ones) one a row. Sums run from first to
// last, so that a result never depends on how the work was split. None allocates or throws unless
// it says so; the caller has checked that starts rises from 0 to values.size().
void segment_sum(std::span<const double> values, Starts starts, std::span<double> out) noexcept;
void segment_count(std::span<const bool> values, Starts starts, std::span<double> out) noexcept;
void segment_cumsum(std::span<const double> values, Starts starts, std::span<double> out) noexcept;
void segment_cumprod(std::span<const double> values, Starts starts, std::span<double> out) noexcept;

// The rows that count: with a label of at least `rel`, and a rank of at most `k`.
struct Hits {
  std::span<const double> label;
  std::span<const std::int32_t> rank;
  double rel;
  std::int64_t k;

  bool at(std::size_t row) const noexcept { return label[row] >= rel && rank[row] <= k; }
};

void mark_hits(const Hits& hits, std::span<bool> out) noexcept;
void segment_found(const Hits& hits, Starts starts, std::span<double> out) noexcept;
// The rank of each query's first hit; infinity where there is none.
void segment_first_rank(const Hits& hits, Starts starts, std::span<double> out) noexcept;

// Sums of the rows where `mask` is true, and of those with a rank of at most `k`.
void segment_sum_where(std::span<const double> values, std::span<const bool> mask, Starts starts,
                       std::span<double> out) noexcept;
void segment_sum_to(std::span<const double> values, std::span<const std::int32_t> rank, Starts starts, std::int64_t k,
                    std::span<double> out) noexcept;

// Sums of the first `k` rows, each divided by the divisor of its place in the query. There must be divisors enough.
void segment_sum_of_first(std::span<const double> values, std::span<const double> divisors, Starts starts,
                          std::int64_t k, std::span<double> out) noexcept;

// How often values rise and fall from one row of a query to the next.
struct Steps {
  std::int64_t rises = 0, falls = 0;
};
Steps steps_of(std::span<const double> values, Starts starts) noexcept;

// How many rows are true, from the query's first row to each.
void segment_cumcount(std::span<const bool> mask, Starts starts, std::span<double> out) noexcept;

// The value in the query's first row where `mask` is true; `absent` where there is none.
void segment_first(std::span<const bool> mask, std::span<const double> values, Starts starts, double absent,
                   std::span<double> out) noexcept;

// How many earlier rows of the query hold less, in O(n log n). Takes memory, and throws where there is none.
void segment_earlier_lower(std::span<const std::int64_t> values, Starts starts, std::span<std::int64_t> out);

// part / whole, and 0 where whole is not positive.
void ratio(std::span<const double> part, std::span<const double> whole, std::span<double> out) noexcept;

// True where starts has one entry or more and rises from 0 to `rows`.
bool are_starts(Starts starts, std::int64_t rows) noexcept;

}  // namespace rankmark
