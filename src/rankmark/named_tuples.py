"""Named tuples whose annotations are not compiled, as nothing reads them while rankmark runs.

``typing`` compiles the annotation of each field, in some Pythons when the class is made. All named
tuples of a small evaluation together would take as long as a third of the other imports.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Fields(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Fields):
        """As that of ``typing``."""
