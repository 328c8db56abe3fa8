"""Profiles: what other tools compute under which name, one file a tool.

``rankmark.profiles()`` lists them: the package can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankmark.profiles.known import Profiles


class _Callable(ModuleType):
    """A package that can be called: its name is that of the function, too."""

    def __call__(self) -> Profiles:
        """Return all profiles, in the order in which they are listed."""
        from rankmark.profiles.known import profiles  # noqa: PLC0415

        return profiles()


sys.modules[__name__].__class__ = _Callable
