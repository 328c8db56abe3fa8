"""What -m asks for, as columns in the order of trec_eval, and what -h prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import isfinite, nan
from textwrap import fill

from rankmark.compat.trec_eval.given_options import (
    NOT_COMPUTED,
    WRONG_FILE,
    WRONG_USAGE,
    Options,
    StoppedError,
)
from rankmark.compat.trec_eval.printed_columns import Column, columns_with
from rankmark.errors import MeasureError
from rankmark.measures import Utility
from rankmark.measures.trec_eval_names import ALL_TREC, FAMILIES, NICKNAMES, Family

_COMPUTED_FROM = {
    "qrels": "qrels",
    "prefs": "prefs",
    "qrels_prefs": "prefs",
    "qrels_jg": "qrels_jg",
}


def columns_for(options: Options) -> tuple[list[Column], list[str]]:
    """Return the columns that are asked for, and notes about what is ignored.

    Raises
    ------
    StoppedError
        If a measure does not exist, its parameters cannot be used, or it cannot be computed from
        judgments in this format.
    """
    notes: list[str] = []
    parameters: dict[str, str] = {}
    names: set[str] = set()
    for asked in options.measures or ("official",):
        name, point, text = asked.partition(".")
        if point and not text:
            raise StoppedError(
                WRONG_USAGE,
                f"trec_eval: improper measure in parameter '{name}'",
                f"trec_eval: illegal measure '{name}': leave out the point, or add parameters",
            )
        if text and parameters.setdefault(name, text) != text:
            notes.append(
                f"-m {asked}: trec_eval uses only the first parameters of a measure, {name}."
                f"{parameters[name]}; give all at once, as in -m {name}.{parameters[name]},{text}"
            )
        names |= _named(name, options.version)
    columns = [
        column
        for name in FAMILIES
        if name in names
        for column in _columns(name, parameters.get(name, ""), options)
    ]
    _refuse_other_judgments(columns, options)
    return columns, notes


def _named(name: str, version: int) -> frozenset[str]:
    if name == "all_trec":
        return ALL_TREC[version]
    if name in NICKNAMES:
        return NICKNAMES[name]
    if name in FAMILIES and FAMILIES[name].version <= version:
        return frozenset({name})
    raise StoppedError(WRONG_USAGE, f"trec_eval: illegal measure '{name}'{_instead(name, version)}")


def _instead(name: str, version: int) -> str:
    """Say what to write instead of a name."""
    if name in FAMILIES:
        return f": trec_eval {version} does not have it; leave out --as {version}"
    if found := re.fullmatch(r"(\w+?)[_@](\d[\d.,]*)", name):
        base, numbers = found.groups()
        for family in (f"{base.lower()}_cut", base, base.lower()):
            if family in FAMILIES and FAMILIES[family].parameter:
                return f": write {family}.{numbers}"
    known = {one.lower(): one for one in (*FAMILIES, *NICKNAMES, "all_trec")}
    nearest = [known[one] for one in get_close_matches(name.lower(), known, cutoff=0.7)]
    meant = f": did you mean {', '.join(nearest)}?" if nearest else ":"
    return f"{meant} rankmark trec_eval -h names them all"


def _refuse_other_judgments(columns: Iterable[Column], options: Options) -> None:
    for column in columns:
        needed = FAMILIES[column.family].judged
        if needed not in {"any", _COMPUTED_FROM[options.judgments]}:
            other = "prefs or qrels_prefs" if needed == "prefs" else needed
            raise StoppedError(
                NOT_COMPUTED,
                f"trec_eval: Can't calculate measure '{column.family}' from judgments in "
                f"the format {options.judgments}: it needs -R {other}",
            )


def _columns(name: str, text: str, options: Options) -> list[Column]:
    """Return the columns of a family.

    Raises
    ------
    StoppedError
        If its parameters cannot be used.
    """
    family = FAMILIES[name]
    try:
        if not text or family.parameter is None:
            return columns_with(name, (), options.level, options.version)
        if family.parameter == "gains":
            return [_with_pairs(name, text, options)]
        numbers = _numbers(text, are_ranks=family.parameter == "k")
        if family.defaults:
            return columns_with(name, _cutoffs(numbers, family.parameter), *_of(options))
        return [_with_numbers(name, numbers, options)._replace(name=f"{name}_{text}")]
    except (MeasureError, ValueError) as error:
        raise StoppedError(
            WRONG_FILE,
            f"trec_eval: {error}",
            f"trec_eval: Cannot initialize measure '{name}' with the parameters {text}",
        ) from None


def _of(options: Options) -> tuple[int, int]:
    return options.level, options.version


def _numbers(text: str, *, are_ranks: bool) -> list[float]:
    numbers = [_number(part) for part in text.split(",")]
    if are_ranks and "e" in text.lower():  # of 1e3, trec_eval reads 1
        raise ValueError(f"'{text}' has an exponent: write whole numbers")
    return numbers


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise ValueError(f"parameter '{text}' is not a number")
    return number


def _cutoffs(numbers: Sequence[float], parameter: str) -> list[float]:
    """Return cutoffs in ascending order, those that are ranks as whole numbers."""
    cutoffs = sorted(float(int(number)) if parameter == "k" else number for number in numbers)
    if parameter == "k" and cutoffs[0] < 1:
        raise ValueError("Negative cutoff detected: need whole numbers from 1")
    if len(set(cutoffs)) < len(cutoffs):
        raise ValueError("duplicate cutoffs detected: give each once")
    return cutoffs


def _with_numbers(name: str, numbers: list[float], options: Options) -> Column:
    parameter = FAMILIES[name].parameter
    if parameter == "length":
        return Column(name, None, family=name, length=max(int(numbers[0]), 0))
    if parameter == "square":
        numbers = numbers[:1]
    if parameter != "coefficients":
        return columns_with(name, numbers, *_of(options))[0]
    if len(numbers) != 4:
        raise StoppedError(
            NOT_COMPUTED,
            f"trec_eval.calc_utility: improper number of coefficients: {len(numbers)}, need 4",
            f"trec_eval: Can't calculate measure '{name}'",
        )
    hit, noise, miss, rest = numbers
    collection = options.collection or None
    if rest != 0 and collection is None:
        raise ValueError(
            "the fourth coefficient of utility is for the other documents of the collection: give "
            "their number, -N"
        )
    measure = Utility(
        rel=options.level, hit=hit, noise=noise, miss=miss, rest=rest, collection=collection
    )
    return Column(name, measure, family=name)


def _with_pairs(name: str, text: str, options: Options) -> Column:
    """Return the column for ``label=gain`` and, of rbp, ``p=probability``."""
    (column,) = columns_with(name, (), *_of(options))
    gains: dict[int, float] = {}
    for pair in text.split(","):
        label, sign, number = pair.partition("=")
        if not sign or "=" in number or not label:
            raise ValueError(f"malformed pair parameters in '{text}': need label=gain, as in 1=3")
        if label == "p" and name in {"rbp", "rbp_resid"}:
            assert column.measure is not None  # noqa: S101
            column = column._replace(measure=column.measure(p=_number(number)))
        elif re.fullmatch(r"\+?\d+", label):
            gains.setdefault(int(label), _number(number))
        else:
            raise ValueError(f"'{label}' is not a label: need a whole number from 0")
    if any(not 0 <= gain < float("inf") for gain in gains.values()):
        raise ValueError("a gain is below 0: need gains from 0")
    if name == "rbp" and gains:  # which are scaled before
        assert column.measure is not None  # noqa: S101
        column = column._replace(measure=column.measure(max_rel=1))
    return column._replace(name=f"{name}_{text}", gains=tuple(gains.items()))


_OPTIONS = """\
trec_eval [options] qrels run

Evaluate a run against judgments, and print trec_eval's measures. The run, or the
judgments, may be '-', standard input. Options may stand before or after the files.

  -q, --query_eval_wanted            print the values of each query, too
  -m, --measure NAME[.PARAMETERS]    a measure or a set of measures, several times; the
                                     parameters follow a point: -m P.5,10 -m ndcg.1=3,2=7
  -c, --complete_rel_info_wanted     average over all judged queries; a missing one counts 0
  -l, --level_for_rel LEVEL          the lowest relevant label; 1 by default
  -n, --nosummary                    print no values over all queries
  -M, --Max_retrieved_per_topic N    use the first N documents of each ranking
  -N, --Number_docs_in_coll N        the size of the collection, for utility
  -J, --Judged_docs_only             remove unjudged documents from the rankings
  -R, --Rel_info_format FORMAT       qrels (qid iter docno rel), prefs (qid jg jsg docno rel),
                                     qrels_prefs or qrels_jg (qrels whose iter names a judge)
  -T, --Results_format FORMAT        trec_results (qid iter docno rank score tag), the only one
  -Z, --Zscore FILE                  print z-scores; the lines of FILE are: qid measure mean stdev
  -D, --Debug_level N[.QID]          evaluate only this query; nothing is printed for debugging
  -o                                 does nothing
  -h, --help                         print this, and explain the measures given by -m
  -v, --version                      print the version
  --as 9|10                          the version whose numbers are printed; 10 by default
  --bug-compatible                   reproduce this version's defects, where they are defined

Documents are ordered by score, and those with equal scores by their ids, from high to low;
the rank column is not used. Judged queries that are not in the run are left out without -c.
Exit codes: 0; 1 wrong usage; 2 a file that cannot be read; 4 a measure that cannot be
computed, or a document that stands twice; 7 no query is in both files.
"""


def manual(options: Options) -> str:
    """Return the text that explains the options, and the measures that were given.

    Raises
    ------
    StoppedError
        If a measure does not exist.
    """
    version = options.version
    parts = [_OPTIONS, _sets(version)]
    if not options.measures:
        parts.append("Measures are explained by -h -m NAME, such as -h -m map or -h -m official.\n")
        return "\n".join(parts)
    # Their formats may differ here.
    columns = [
        column
        for judgments in ("qrels", "prefs", "qrels_jg")
        for name in options.measures
        if _judged(name) == judgments
        for column in columns_for(options._replace(measures=(name,), judgments=judgments))[0]
    ]
    parts += [_explained(name, columns) for name in FAMILIES if name in {c.family for c in columns}]
    return "\n".join(parts)


def _judged(asked: str) -> str:
    """Return the judgments that a measure, or the measures of a set, are computed from."""
    name = asked.partition(".")[0]
    needed = {FAMILIES[one].judged for one in NICKNAMES.get(name, {name}) if one in FAMILIES}
    return next(iter(needed - {"any"}), "qrels")


def _sets(version: int) -> str:
    number = {name: len(names) for name, names in NICKNAMES.items()}
    number["all_trec"] = len(ALL_TREC[version])
    sets = ", ".join(f"{name} ({number[name]})" for name in number)
    known = [name for name, family in FAMILIES.items() if family.version <= version]
    text = f"Measures: {', '.join(known)}. Sets, with how many measures: {sets}."
    return fill(text, 88, break_long_words=False) + "\n"


def _explained(name: str, columns: Iterable[Column]) -> str:
    family = FAMILIES[name]
    measure = next(column.measure for column in columns if column.family == name)
    if measure is None:
        return f"{name}\n    {_TEXTS[name]}\n"
    summary = (type(measure).__doc__ or "").split("\n", 1)[0]
    lines = [
        name,
        f"    {summary}",
        f"    {measure}: {measure.formula}",
        f"    Parameters: {_PARAMETERS.get(family.parameter or '', 'none')}{_defaults(family)}",
    ]
    if family.judged not in {"any", "qrels"}:
        lines.append(f"    Judgments: -R {family.judged}")
    if family.printed == "log":
        lines.append("    Over all queries: the geometric mean")
    return "\n".join(lines) + "\n"


_TEXTS = {
    "runid": "The tag of the run, from its last line.",
    "relstring": "The labels of the first 10 documents, or as many as the parameter says: a\n"
    "    digit; > above 9; - for an unjudged document; . for a label below 0.",
}
_PARAMETERS = {
    "k": "cutoffs, P.5,10",
    "recall": "recalls, from 0 to 1",
    "recalls": "recalls, from 0 to 1",
    "multiple": "multiples of the number of relevant documents",
    "gains": "gains by label, 1=3,2=7; others are the label itself; for rbp and rbp_resid also "
    "p=0.8",
    "square": "the square of beta",
    "coefficients": "four: of relevant documents retrieved, of others retrieved, of relevant ones "
    "missed,\n      and of the rest of the collection",
}


def _defaults(family: Family) -> str:
    if not family.defaults:
        return ""
    return "; by default " + ",".join(f"{number:g}" for number in family.defaults)
