// How much memory may be used for what has to be gathered.
#pragma once

#include <cstdint>

namespace rankmark {

// In bytes, where the caller sets no other bound.
inline constexpr std::uint64_t kDefaultMemory = std::uint64_t{1} << 29;

}  // namespace rankmark
