// Rows of neighbours as arrays, and what was counted of them.
#include "neighbours.hpp"

#include <algorithm>
#include <span>

#include "neighbour_counts.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kMostColumns = std::int64_t{1} << 30;  // which marks of 32 bits tell apart

template <class Id>
NeighbourRows<Id> rows_of(const IdRows<Id>& array) {
  check_aligned(array.data());
  return {array.data(), array.shape(0), array.shape(1)};
}

}  // namespace

template <class Id>
nb::tuple neighbour_counts(const IdRows<Id>& truth, const IdRows<Id>& found, std::int64_t k, std::optional<Id> padding,
                           const std::optional<Input<std::int64_t>>& ends, bool first, int threads) {
  const NeighbourRows<Id> true_rows = rows_of(truth), found_rows = rows_of(found);
  const auto columns = static_cast<std::int64_t>(true_rows.columns);
  if (true_rows.rows == 0 || found_rows.rows != true_rows.rows) {
    throw nb::value_error("truth and found must have a row for each query, and at least one");
  }
  if (k < 1 || k > columns || columns > kMostColumns) {
    throw nb::value_error("k must be at least 1, and no more than the columns of truth, which are at most 2^30");
  }
  std::span<const std::int64_t> row_ends;
  if (ends) {
    row_ends = span_of(*ends);
    const auto fits = [k, columns](std::int64_t end) { return end >= k && end <= columns; };
    if (row_ends.size() != true_rows.rows || !std::ranges::all_of(row_ends, fits)) {
      throw nb::value_error("ends must lie between k and the columns of truth, one a row");
    }
  }
  const Poll poll = let_signals_through;
  NeighbourCounts counts = [&] {
    const Unlocked unlocked;
    return count_neighbours<Id>(true_rows, found_rows, static_cast<std::size_t>(k), padding, row_ends, first, threads,
                                poll);
  }();
  return nb::make_tuple(to_array(std::move(counts.hits)), to_array(std::move(counts.tied)),
                        to_array(std::move(counts.expected)), to_array(std::move(counts.found)),
                        to_array(std::move(counts.repeated)), to_array(std::move(counts.true_repeated)),
                        to_table(std::move(counts.first), true_rows.rows));
}

template nb::tuple neighbour_counts(const IdRows<std::int32_t>&, const IdRows<std::int32_t>&, std::int64_t,
                                    std::optional<std::int32_t>, const std::optional<Input<std::int64_t>>&, bool, int);
template nb::tuple neighbour_counts(const IdRows<std::int64_t>&, const IdRows<std::int64_t>&, std::int64_t,
                                    std::optional<std::int64_t>, const std::optional<Input<std::int64_t>>&, bool, int);

}  // namespace rankmark
