// Asking for memory before it is needed.
#pragma once

#include <cstddef>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace rankmark {

inline constexpr std::size_t kAhead = 16;  // as many loads as a core keeps under way

inline void prefetch(const void* place) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(place), _MM_HINT_T0);
#else
  (void)place;
#endif
}

}  // namespace rankmark
