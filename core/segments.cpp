// Plain loops.
#include "segments.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace rankmark {
namespace {

template <class Value, class Fold>
void running(std::span<const Value> values, Starts starts, std::span<double> out, double begin, Fold fold) noexcept {
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    double total = begin;
    for (auto row = static_cast<std::size_t>(starts[q]); row < static_cast<std::size_t>(starts[q + 1]); ++row) {
      total = fold(total, values[row]);
      out[row] = total;
    }
  }
}

// `use(query, first row, row after the last)`
template <class Use>
void each_query(Starts starts, const Use& use) noexcept {
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    use(q, static_cast<std::size_t>(starts[q]), static_cast<std::size_t>(starts[q + 1]));
  }
}

}  // namespace

void mark_hits(const Hits& hits, std::span<bool> out) noexcept {
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = hits.at(row);
}

void segment_found(const Hits& hits, Starts starts, std::span<double> out) noexcept {
  each_query(starts, [&](std::size_t q, std::size_t row, std::size_t end) {
    std::size_t found = 0;
    for (; row < end; ++row) found += hits.at(row) ? 1 : 0;
    out[q] = static_cast<double>(found);
  });
}

void segment_first_rank(const Hits& hits, Starts starts, std::span<double> out) noexcept {
  each_query(starts, [&](std::size_t q, std::size_t row, std::size_t end) {
    while (row < end && !hits.at(row)) ++row;
    out[q] = row == end ? std::numeric_limits<double>::infinity() : hits.rank[row];
  });
}

void segment_sum_where(std::span<const double> values, std::span<const bool> mask, Starts starts,
                       std::span<double> out) noexcept {
  each_query(starts, [&](std::size_t q, std::size_t row, std::size_t end) {
    double total = 0;
    for (; row < end; ++row) {
      if (mask[row]) total += values[row];
    }
    out[q] = total;
  });
}

void segment_sum_to(std::span<const double> values, std::span<const std::int32_t> rank, Starts starts, std::int64_t k,
                    std::span<double> out) noexcept {
  each_query(starts, [&](std::size_t q, std::size_t row, std::size_t end) {
    double total = 0;
    for (; row < end; ++row) {
      if (rank[row] <= k) total += values[row];
    }
    out[q] = total;
  });
}

void segment_sum_of_first(std::span<const double> values, std::span<const double> divisors, Starts starts,
                          std::int64_t k, std::span<double> out) noexcept {
  each_query(starts, [&](std::size_t q, std::size_t first, std::size_t end) {
    const std::size_t rows = std::min(end - first, static_cast<std::size_t>(k));
    double total = 0;
    for (std::size_t i = 0; i < rows; ++i) total += values[first + i] / divisors[i];
    out[q] = total;
  });
}

Steps steps_of(std::span<const double> values, Starts starts) noexcept {
  Steps steps;
  each_query(starts, [&](std::size_t, std::size_t row, std::size_t end) {
    for (++row; row < end; ++row) {
      steps.rises += values[row] > values[row - 1] ? 1 : 0;
      steps.falls += values[row] < values[row - 1] ? 1 : 0;
    }
  });
  return steps;
}

void segment_cumcount(std::span<const bool> mask, Starts starts, std::span<double> out) noexcept {
  running(mask, starts, out, 0.0, [](double total, bool value) { return total + (value ? 1 : 0); });
}

void segment_sum(std::span<const double> values, Starts starts, std::span<double> out) noexcept {
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    double total = 0;
    for (auto row = starts[q]; row < starts[q + 1]; ++row) total += values[static_cast<std::size_t>(row)];
    out[q] = total;
  }
}

void segment_count(std::span<const bool> values, Starts starts, std::span<double> out) noexcept {
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    const auto first = values.begin() + starts[q], last = values.begin() + starts[q + 1];
    out[q] = static_cast<double>(std::count(first, last, true));
  }
}

void segment_cumsum(std::span<const double> values, Starts starts, std::span<double> out) noexcept {
  running(values, starts, out, 0.0, [](double total, double value) { return total + value; });
}

void segment_cumprod(std::span<const double> values, Starts starts, std::span<double> out) noexcept {
  running(values, starts, out, 1.0, [](double total, double value) { return total * value; });
}

void segment_first(std::span<const bool> mask, std::span<const double> values, Starts starts, double absent,
                   std::span<double> out) noexcept {
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    const auto end = mask.begin() + starts[q + 1];
    const auto at = std::find(mask.begin() + starts[q], end, true);
    out[q] = at == end ? absent : values[static_cast<std::size_t>(at - mask.begin())];
  }
}

void segment_earlier_lower(std::span<const std::int64_t> values, Starts starts, std::span<std::int64_t> out) {
  struct Row {
    std::int64_t value;
    std::size_t row;
  };
  std::vector<Row> sorted, merged;
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) {
    const auto begin = static_cast<std::size_t>(starts[q]), rows = static_cast<std::size_t>(starts[q + 1]) - begin;
    sorted.clear();
    for (std::size_t row = begin; row < begin + rows; ++row) sorted.push_back({values[row], row});
    merged.resize(rows);
    std::fill_n(out.begin() + starts[q], rows, std::int64_t{0});
    // Parts twice as long each time, sorted: who comes in from the right half passes those on its
    // left that hold less.
    for (std::size_t half = 1; half < rows; half *= 2) {
      for (std::size_t left = 0; left < rows; left += 2 * half) {
        const std::size_t middle = std::min(left + half, rows), end = std::min(middle + half, rows);
        std::size_t i = left, j = middle;
        for (std::size_t place = left; place < end; ++place) {
          if (j == end || (i < middle && sorted[i].value < sorted[j].value)) {
            merged[place] = sorted[i++];
          } else {
            out[sorted[j].row] += static_cast<std::int64_t>(i - left);
            merged[place] = sorted[j++];
          }
        }
      }
      sorted.swap(merged);
    }
  }
}

void ratio(std::span<const double> part, std::span<const double> whole, std::span<double> out) noexcept {
  for (std::size_t q = 0; q < part.size(); ++q) out[q] = whole[q] > 0 ? part[q] / whole[q] : 0.0;
}

bool are_starts(Starts starts, std::int64_t rows) noexcept {
  return !starts.empty() && starts.front() == 0 && starts.back() == rows &&
         std::is_sorted(starts.begin(), starts.end());
}

}  // namespace rankmark
