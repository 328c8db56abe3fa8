"""What was meant where a command line was mistyped; imported when it cannot be read."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import click

from rankmark.errors import RankmarkError

_COMMANDS = {
    "score": "evaluate",
    "metrics": "measures",
    "diff": "compare",
    "significance": "compare",
    "ttest": "compare",
    "merge": "fuse",
    "validate": "check",
    "lint": "check",
    "draw": "plot",
    "agreement": "judges",
    "kappa": "judges",
    "tau": "similarity",
    "rbo": "similarity",
}
"""Words for what a command does."""
_OPTIONS = {
    "--metric": "--measure",
    "--metrics": "--measure",
    "--measures": "--measure",
    "--k": "--cutoffs",
    "--at": "--cutoffs",
    "--relevance-level": "--rel",
    "--level-for-rel": "--rel",
    "--query-eval-wanted": "--per-query",
    "-l": "--rel",
    "-q": "--per-query",
}
"""Words of other tools for an option."""
_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)")
_NO_CHOICE = re.compile(r"'(.*)' is not one of ")


def near(word: str, known: Collection[str]) -> list[str]:
    """Return the known words that a word begins, that have it as a part, or that look like it."""
    typed = word.lower().strip("-")
    begun = [one for one in known if one.lower().strip("-").startswith(typed) and typed]
    parts = [one for one in known if len(typed) > 2 and typed in one.lower()]
    return begun or parts or get_close_matches(word.lower(), known, 3, 0.6)


def _did_you_mean(words: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(words)}?" if words else ""


def unknown_command(name: str, known: Collection[str], context: click.Context) -> click.UsageError:
    """Say which command was meant."""
    if os.path.exists(name):  # noqa: PTH110
        found = f"{name} is a file, and the command comes first: rankmark evaluate QRELS RUN"
        return click.UsageError(found, context)
    meant = [_COMMANDS[name]] if name in _COMMANDS else near(name, known)
    instead = _did_you_mean(meant) or "; `rankmark --help` lists them"
    return click.UsageError(f"there is no command {name!r}{instead}", context)


def explained(error: click.UsageError, context: click.Context, given: Sequence[str]) -> Exception:
    """Return the error that says what was meant, if that is known."""
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(error.option_name, context)
    if extra := _EXTRA.search(error.message):
        words = [*_files(context.command, context.params), *extra[1].split()]
        measures = [value for flag, value in pairwise(given) if flag in {"-m", "--measure"}]
        return _stray_word(words, measures, context) or error
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Parameter):
        meant = _nearest_choice(error.message, error.param, context)
        found = click.BadParameter(error.message + meant, context, error.param, error.param_hint)
        return found if meant else error  # which may be a missing argument, without a message
    return error


def stray_word(context: click.Context) -> click.UsageError | None:
    """Say how a measure or a cutoff is given that was taken for a file, as no such file exists."""
    measures = [*map(str, context.params.get("measures") or ())]
    return _stray_word([*_files(context.command, context.params)], measures, context)


def _unknown_option(name: str, context: click.Context) -> click.UsageError:
    options = {
        opt: one
        for one in context.command.get_params(context)
        if isinstance(one, click.Option)
        for opt in one.opts
    }
    form = options.get("--format")
    if form is not None and name.strip("-") in getattr(form.type, "choices", ()):
        meant = [f"--format {name.strip('-')}"]
    elif _OPTIONS.get(name) in options:
        meant = ["/".join(options[_OPTIONS[name]].opts)]
    else:
        meant = near(name, options) if name.startswith("--") else []
    instead = _did_you_mean(meant[:3]) or f"; `rankmark {context.info_name} --help-all` lists them"
    return click.UsageError(f"there is no option {name}{instead}", context)


def _nearest_choice(message: str, parameter: click.Parameter, context: click.Context) -> str:
    """Say which of the words was meant; a file in the place of an argument has none before it."""
    choices, word = getattr(parameter.type, "choices", ()), _NO_CHOICE.match(message)
    if not choices or word is None:
        return ""
    if isinstance(parameter, click.Argument) and os.path.exists(word[1]):  # noqa: PTH110
        return f" {word[1]} is a file, and {parameter.make_metavar(context)} comes first."
    meant = near(word[1], choices)
    return f" Did you mean {' or '.join(meant)}?" if meant else ""


def _stray_word(
    words: Sequence[str], measures: Sequence[str], context: click.Context
) -> click.UsageError | None:
    for word in words:
        if os.path.lexists(word):
            continue
        if word.isdecimal() and measures:
            found = f"there is no file {word}{_as_cutoff(word, measures)}"
            return click.UsageError(found, context)
        if _are_measures(word):
            instead = f"-m {word}"
            if measures:
                instead = (
                    f'-m "{",".join([*(one.rstrip(",") for one in measures), word])}", or repeat -m'
                )
            found = f"{word} is a measure, and there is no such file; write {instead}"
            return click.UsageError(found, context)
    return None


def _as_cutoff(number: str, measures: Sequence[str]) -> str:
    for measure in reversed(measures):
        if "@" not in measure:
            return f"; write the cutoff of a measure behind @: -m {measure}@{number}"
    return f"; write several cutoffs with commas: -m {measures[-1]},{number}"


def _are_measures(word: str) -> bool:
    from rankmark.measures.names import every  # noqa: PLC0415

    try:
        return bool(every([word]))
    except RankmarkError:
        return False


def _files(command: click.Command, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments that are files."""
    for one in command.params:
        value = given.get(str(one.name))
        if isinstance(one, click.Argument) and isinstance(one.type, click.Path) and value:
            yield from [value] if isinstance(value, str) else value
