"""What a gate is asked on the command line, to decide it or to plan it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankmark.gating.gate_options import BY_NAME, OF_CONDITIONS, GateOption

if TYPE_CHECKING:
    from rankmark.command_parts import options

T = TypeVar("T")
FOR_EACH = ("max_drop", "max_query_drop")
"""Options that are given once for all measures, or once for each."""


def gate_option(one: GateOption) -> Callable[[options.Command], options.Command]:
    """Make an option of the command line, which is None unless it is given."""
    usual = "" if one.default in {None, False} else f" [default: {one.default}]"
    kinds: dict[str, Any] = {
        "whole": click.IntRange(min=one.lowest),
        "word": click.Choice(one.words),
        "file": click.Path(allow_dash=True),
        "confidence": click.FloatRange(0.5, 1, min_open=True, max_open=True),
        "max_query_drop": float,
    }
    names = [one.flag, *([one.also] if one.also else []), one.name]
    if one.kind == "flag" or one.name == "require_better":
        return click.option(*names, is_flag=True, default=None, help=one.help)
    return click.option(
        *names,
        type=kinds.get(one.name, kinds.get(one.kind, str)),
        multiple=one.name in FOR_EACH,
        metavar=one.metavar,
        help=f"{one.help}{usual}",
    )


def asked_conditions(
    measures: Sequence[str], chosen: Mapping[str, Any], config: str | None
) -> tuple[list[dict[str, dict[str, Any]]], dict[str, Any]]:
    """Return the conditions that the options describe, and what all of them have in common.

    What is impossible is wrong usage.
    """
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.gating.gate_conditions import as_conditions, refuse_combinations  # noqa: PLC0415

    names = [*measures] or ([] if config else ["nDCG@10"])
    each = {name: _for_each(names, chosen[name], BY_NAME[name].flag) for name in FOR_EACH}
    conditions = [
        {name: {key: values[at] for key, values in each.items() if values[at] is not None}}
        for at, name in enumerate(names)
    ]
    # Without -m, they are for the conditions of the file.
    shared = {} if names else {name: chosen[name][0] for name in FOR_EACH if chosen[name]}
    of_conditions = {
        name: chosen[name]
        for name in OF_CONDITIONS
        if name not in FOR_EACH and chosen[name] is not None
    }
    try:
        if config is None:  # which may have what is missing here
            refuse_combinations({k: v for k, v in chosen.items() if v is not None}, {})
        if config is None or any(chosen[name] for name in FOR_EACH):
            as_conditions(conditions, of_conditions)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return conditions, shared


def _for_each(measures: Sequence[str], given: Sequence[T], option: str) -> Sequence[T | None]:
    """Return a value for each measure, of an option that is given once for all or once for each."""
    if given[1:] and len(given) != len(measures):
        raise click.UsageError(
            f"{len(given)} {option} and {len(measures)} -m; give one for all, or one for each"
        )
    return given if given[1:] else (*given, None)[:1] * len(measures)
