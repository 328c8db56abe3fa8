"""trec_eval 10."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankmark.measures.trec_eval_names import FAMILIES, Family
from rankmark.profiles.profile import Difference, Meaning, Profile

# What numbers after a name set, as fields of a notation.
_FIELDS = {
    "k": "{k}",
    "recall": "{recall}",
    "recalls": "{recalls}",
    "multiple": "{multiple}",
    "gains": "{gains}",
    "square": "{beta_squared}",
    "coefficients": "{hit},{noise},{miss},{rest}",
    "length": "{k}",
}
_NOTES: dict[str | None, str] = {
    "gains": "a label without a gain is its own gain",
    "log": "trec_eval prints the logarithm of the value of a query; here it is the value",
    "prefs": "for preferences",
    "qrels_jg": "for judgment groups",
}
OF_PREFERENCES: Mapping[str, Any] = {"ties": "docid-asc"}
"""The conventions of measures of preferences, if they are not those of the version."""


def rows_of(version: int, names: Iterable[str] = FAMILIES) -> tuple[Meaning, ...]:
    """Return what names mean in version 9 or 10, of those that it has."""
    known = ((name, FAMILIES[name]) for name in FAMILIES if name in {*names})
    return tuple(
        row
        for name, family in known
        if family.version <= version
        for row in _rows(name, family, version)
    )


def _rows(name: str, family: Family, version: int) -> list[Meaning]:
    """Return what a name means with numbers after it, and alone."""
    field = _FIELDS.get(family.parameter or "")
    if name.startswith("rbp"):
        field = "{pairs}"
    numbered = f"{name}_{field} | {name}.{field}"
    theirs = name if field is None else f"{name} | {numbered}"
    if family.refused:
        return [Meaning(theirs, None, "; ".join(family.refused))]
    keys = (family.printed, family.judged, family.parameter)
    note = next((_NOTES[key] for key in keys if key in _NOTES), "")
    conventions = OF_PREFERENCES if family.judged == "prefs" else {}
    alone = family.by_default(version)
    if not family.defaults:
        return [Meaning(theirs, alone[0], note, conventions)]
    return [
        Meaning(numbered, family.of_version(version), note, conventions),
        Meaning(name, alone, note, conventions),
    ]


SHARED_DIFFERENCES = (
    Difference(
        "Rndcg leaves out the last rank if the ranking has just one document more than "
        "there are documents with a gain; here every rank counts",
        "one document beyond the gains",
        ("Rndcg",),
    ),
    Difference(
        "with -l, Rndcg is 0 for a query without a label of that level, although the "
        "level has no other effect on it; here it has none at all"
    ),
)
"""What neither version does as described here."""

PROFILE = Profile(
    name="trec_eval10",
    tool="trec_eval",
    version="10.0",
    source="https://github.com/usnistgov/trec_eval",
    summary="TREC's evaluation tool, run with -c: judged queries that the run lacks count 0.",
    compared="every figure in the expected outputs that come with it, in each test run",
    conventions={},
    measures=rows_of(10),
    digits=4,
    differences=(
        *SHARED_DIFFERENCES,
        Difference(
            "with -c and -l 2, num_rel counts labels above 0; here NumRel(rel=2) counts those "
            "from 2 on"
        ),
        Difference(
            "with -J, documents with labels below 0 are removed as unjudged, and iprec_at_recall "
            "and 11pt_avg are -nan if nothing is left; here such a label is a judgment, and they "
            "are 0"
        ),
        Difference("where ndcg is given gains, those that differ by less than 1 count as equal"),
    ),
)
