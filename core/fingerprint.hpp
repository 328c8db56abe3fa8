// A number by which values are known again, and the first of them that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rankmark {

struct Fingerprint {
  std::uint64_t value;             // of all bits, in their order
  std::optional<std::size_t> bad;  // the first that is NaN, or infinite where that is no number either
};

// Reads each value once. Not for secrets: whoever wants to can make two that look alike.
Fingerprint fingerprint(std::span<const double> values, bool finite) noexcept;

}  // namespace rankmark
