"""The page of all profiles, written from their declarations.

python tests/conformance/profile_page.py    # writes docs/other-tools/profiles-by-tool.md
"""

from collections.abc import Iterator
from pathlib import Path

import rankmark as rm
from rankmark.conventions import DECLARED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "other-tools" / "profiles-by-tool.md"


def page() -> str:
    """Write the page."""
    return "\n".join([*_overview(), *(line for one in rm.profiles() for line in _section(one))])


def _overview() -> Iterator[str]:
    words = [word for word in DECLARED if any(word in one.conventions for one in rm.profiles())]
    yield from (
        "# Profiles by tool",
        "",
        "For each [profile](profiles.md): the tool's conventions, its names of measures with the "
        "measure here that gives the same number, on which data both were compared, and what "
        "cannot be reproduced.",
        "This page is generated from the declarations in `src/rankmark/profiles/`.",
        "",
        "In a tool's names, square brackets enclose what may be left out, and braces stand for a "
        "value: `{k}` for a cutoff, `{rel}` for the lowest relevant label, and others for the "
        "parameter of that name, as `Rprec_mult_{multiple}` for `Rprec(multiple=...)`.",
        "[Conventions](../reference/conventions.md) explains the words of the following table.",
        "",
        f"| profile | tool | {' | '.join(words)} |",
        f"|---|---|{'---|' * len(words)}",
    )
    for one in rm.profiles():
        values = [str(one.conventions.get(word, DECLARED[word].default)) for word in words]
        yield f"| [`{one.name}`](#{one.name}) | {one.tool} {one.version} | {' | '.join(values)} |"
    yield ""


def _section(one: rm.Profile) -> Iterator[str]:
    digits = "all decimals" if one.digits is None else f"{one.digits} decimals"
    chosen = ", ".join(f"`{name}={value!r}`" for name, value in one.conventions.items())
    yield from (
        f"## {one.name}",
        "",
        one.summary,
        f"{one.tool} {one.version}, {one.source}; it prints {digits}.",
        f"Compared on: {one.compared}.",
        f"Conventions: {chosen or 'the defaults'}.",
        "",
        f"| {one.tool} | here | note |",
        "|---|---|---|",
    )
    for row in one.measures:
        theirs = " or ".join(f"`{text}`" for text in row.theirs.split(" | "))
        here = f"`{row.here}`" if row.measures else row.here
        yield f"| {theirs} | {here} | {'; '.join(row.notes)} |"
    yield ""
    if one.differences:
        yield from ("No convention reproduces:", "")
        for difference in one.differences:
            warned = "" if difference.when is None else f" (warning: {difference.when})"
            yield f"- {difference.what}{warned}"
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
