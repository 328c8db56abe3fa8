"""Paths of fields, in JSON and in objects with attributes alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from rankmark.data.shapes.plain_forms import LISTS, PLAIN


def at(held: Any, path: str) -> Any:
    """Return what stands at a path in JSON or in objects with attributes; None for nothing."""
    for steps in ways_of(path):
        found = _at(held, steps)
        if found is not None:
            return found
    return None


@cache
def ways_of(path: str) -> tuple[tuple[str, ...], ...]:
    """Return the steps of each of several paths."""
    return tuple(tuple(way.split(".")) if way else () for way in path.split("|"))


def _at(held: Any, steps: tuple[str, ...]) -> Any:
    for number, step in enumerate(steps):
        if type(held) is dict and step != "*" and (found := held.get(step)) is not None:
            held = found
            continue
        if isinstance(held, LISTS):
            if step.isdigit():
                held = held[int(step)] if int(step) < len(held) else None
                continue
            if not _are_attributes(held):
                return _together(_at(one, steps[number:]) for one in held)
            held = _of_attributes(held)
        if step == "*":
            held = _together(held.values()) if isinstance(held, Mapping) else None
            continue
        found = _field(held, step)
        if found is None:
            return _with_dots(held, steps[number:])
        held = found
    return held


def _together(parts: Any) -> list[Any] | None:
    """Put lists together; None if there are some parts and nothing in any."""
    parts = list(parts)
    held = [part for part in parts if part is not None]
    if parts and not held:
        return None
    return [one for part in held for one in (part if isinstance(part, LISTS) else [part])]


def _field(held: Any, name: str) -> Any:
    if isinstance(held, Mapping):
        return held.get(name)
    if isinstance(held, (*PLAIN, *LISTS)):
        return None
    found = getattr(held, name, None)
    return None if callable(found) else found


def _with_dots(held: Any, steps: tuple[str, ...]) -> Any:
    """Return the field whose name contains dots, or the list of fields ``name.0.``, ``name.1.``."""
    if not isinstance(held, Mapping):
        return None
    begin = f"{steps[0]}."
    if not any(isinstance(key, str) and key.startswith(begin) for key in held):
        return None
    for end in range(len(steps), 1, -1):
        found = held.get(".".join(steps[:end]))
        if found is not None:
            return _at(found, steps[end:])
    items: dict[int, dict[str, Any]] = {}
    begin = f"{'.'.join(steps)}."
    for key, value in held.items():
        if isinstance(key, str) and key.startswith(begin):
            number, _, rest = key[len(begin) :].partition(".")
            if number.isdecimal():
                items.setdefault(int(number), {})[rest] = value
    return [items[number] for number in sorted(items)] or None


def _are_attributes(held: Any) -> bool:
    """Return True for attributes as OTLP writes them: a list of objects with a key and a value."""
    first = held[0] if held else None
    return isinstance(first, Mapping) and {*first} == {"key", "value"}


def _of_attributes(held: Any) -> dict[Any, Any]:
    pairs = [one for one in held if isinstance(one, Mapping)]
    return {str(one.get("key")): _value_of(one.get("value")) for one in pairs}


def _value_of(value: Any) -> Any:
    """Return a value of OTLP, such as ``{"stringValue": "a"}``, as plain JSON."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, held),) = value.items()
    inner = held.get("values") if isinstance(held, Mapping) else None
    if not isinstance(inner, LISTS):
        return held
    return _of_attributes(inner) if kind.lower().startswith("kv") else [*map(_value_of, inner)]
