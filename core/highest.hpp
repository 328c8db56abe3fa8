// The highest of many values, found without sorting them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace rankmark {

template <class Value>
constexpr Value kLeast = std::numeric_limits<Value>::min();
template <>
constexpr double kLeast<double> = -std::numeric_limits<double>::infinity();

// Makes the `kept`-th greatest of the values that one, and leaves the others in any order.
template <class Value>
Value place_last_kept(std::vector<Value>& values, std::size_t kept) {
  const auto last = values.begin() + static_cast<std::ptrdiff_t>(kept - 1);
  std::nth_element(values.begin(), last, values.end(), std::greater<>());
  return *last;
}

// What `most` of the values reach, and few others; the least of all where there are no more.
template <class Value>
Value reached_by(std::span<const Value> values, std::int64_t most, std::vector<Value>& scratch) {
  if (static_cast<std::int64_t>(values.size()) <= most) return kLeast<Value>;
  const auto kept = static_cast<std::size_t>(most);
  const std::size_t lanes = std::max(2 * kept, std::clamp<std::size_t>(values.size() / 8, 16, 64));
  if (values.size() < 4 * lanes) {
    scratch.assign(values.begin(), values.end());
    return place_last_kept(scratch, kept);
  }
  // As many values as are kept are no less than that many of the lanes' maxima, so few are greater than the last.
  scratch.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(lanes));
  Value* const greatest = scratch.data();
  for (std::size_t first = lanes; first < values.size(); first += lanes) {
    const std::size_t end = std::min(lanes, values.size() - first);
    const Value* const next = values.data() + first;
    for (std::size_t lane = 0; lane < end; ++lane) greatest[lane] = std::max(greatest[lane], next[lane]);
  }
  return place_last_kept(scratch, kept);
}

}  // namespace rankmark
