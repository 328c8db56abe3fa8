"""Tests under the thread sanitizer run without polars, whose allocator crashes under it."""

import sys

sys.modules["polars"] = None  # type: ignore[assignment]
