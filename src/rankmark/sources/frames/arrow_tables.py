"""Hand Arrow tables over to the core without a copy."""

from __future__ import annotations

from typing import Any

from rankmark import _core
from rankmark.errors import SchemaError, shown
from rankmark.sources.tables.table import worded


def exported(source: Any, where: str) -> _core.Table:
    """Export an object that has ``__arrow_c_stream__`` or ``__arrow_c_array__``.

    Raises
    ------
    SchemaError
        If its library fails, or does not return a table.
    """
    try:
        if hasattr(source, "__arrow_c_stream__"):
            capsules = (source.__arrow_c_stream__(),)
        else:
            capsules = source.__arrow_c_array__()
    except (AttributeError, ImportError):
        raise
    except Exception as error:  # whatever its library raises
        raise SchemaError(
            f"{type(source).__name__} could not be exported as Arrow data: {error}",
            "give another form of it",
            where=where,
        ) from error
    if not isinstance(capsules, tuple) or len(capsules) not in {1, 2}:
        raise SchemaError(
            f"__arrow_c_array__() of {type(source).__name__} returned {shown(capsules)}",
            "need two capsules",
            where=where,
        )
    with worded(where, ()):
        if len(capsules) == 2:
            return _core.table_from_array(*capsules)
        try:
            return _core.table_from_stream(*capsules)
        except _core.StreamFault as fault:
            # Ctrl-C in a generator, as Arrow's own code reports it.
            if fault.args[0].rstrip().endswith("\nKeyboardInterrupt"):
                raise KeyboardInterrupt from None
            raise
