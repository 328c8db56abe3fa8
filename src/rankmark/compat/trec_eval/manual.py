"""What -h prints: the options, and the measures asked for."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import TYPE_CHECKING

from rankmark.compat.trec_eval.given_options import Options
from rankmark.compat.trec_eval.requested import columns_for
from rankmark.measures.trec_eval_names import ALL_TREC, FAMILIES, NICKNAMES

if TYPE_CHECKING:
    from rankmark.compat.trec_eval.printed_columns import Column
    from rankmark.measures.trec_eval_names import Family

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
