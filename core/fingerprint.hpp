// A number by which values are known again, and the first of them that is none; whole numbers count as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "poll.hpp"

namespace rankmark {

struct Fingerprint {
  std::uint64_t value;             // of all bits, in their order; whole numbers have that of the same doubles
  std::optional<std::size_t> bad;  // the first that is NaN, infinite where that is no number either, or beyond 2^53
};

// Reads each value once, doubles or std::int64_t. Not for secrets: whoever wants to can make two that look alike.
template <class Value>
Fingerprint fingerprint(std::span<const Value> values, bool finite, int threads, const Poll& poll);

// Writes them as doubles. True if all are among the numbers, up to 2^53, that doubles hold without gaps.
bool convert(std::span<const std::int64_t> whole, std::span<double> doubles, int threads, const Poll& poll);

}  // namespace rankmark
