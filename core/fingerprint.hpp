// A number by which values are known again, and the first of them that is none; whole numbers as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "poll.hpp"

namespace rankmark {

struct Fingerprint {
  std::uint64_t value;             // of all bits, in their order
  std::optional<std::size_t> bad;  // the first that is NaN, or infinite where that is no number either
};

// Reads each value once. Not for secrets: whoever wants to can make two that look alike.
Fingerprint fingerprint(std::span<const double> values, bool finite, int threads, const Poll& poll);

// Writes them as doubles. True if all are among the numbers, up to 2^53, that doubles hold without gaps.
bool convert(std::span<const std::int64_t> whole, std::span<double> doubles, int threads, const Poll& poll);

}  // namespace rankmark
