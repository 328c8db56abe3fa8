// Asking for memory before it is needed.
#pragma once

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace rankmark {

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
