// What keeps a function a function of its own, and what keeps it from being one.
#pragma once

#ifdef __GNUC__
#define RANKMARK_NOT_INLINE [[gnu::noinline]]
#define RANKMARK_INLINE [[gnu::always_inline]]
#else
#define RANKMARK_NOT_INLINE
#define RANKMARK_INLINE
#endif
