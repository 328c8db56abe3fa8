// What keeps a function a function of its own.
#pragma once

#ifdef __GNUC__
#define RANKMARK_NOT_INLINE [[gnu::noinline]]
#else
#define RANKMARK_NOT_INLINE
#endif
