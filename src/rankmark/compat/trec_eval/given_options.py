"""The options of the command, and how it ends without a result: trec_eval's exit codes."""

from __future__ import annotations

import getopt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

WRONG_USAGE = 1
WRONG_FILE = 2
NOT_COMPUTED = 4
NO_QUERIES = 7
NOT_PRINTED = 8
WRONG_ZSCORES = 255


class StoppedError(Exception):
    """The command ends with an exit code other than 0.

    Parameters
    ----------
    code
        The exit code, trec_eval's.
    lines
        What is written to standard error.
    """

    def __init__(self, code: int, *lines: str) -> None:
        super().__init__(*lines)
        self.code = code
        self.lines = lines


VERSIONS = {"9": 9, "10": 10}
JUDGMENTS = {"qrels": "trec", "prefs": "prefs", "qrels_prefs": "qrels_jg", "qrels_jg": "qrels_jg"}
"""The formats of judgments that -R names, and what they are called elsewhere here."""

USAGE = """\
Usage: trec_eval [-h] [-q] [-c] [-l level] [-m measure[.parameters]]... qrels run
   -h: explain all options, and the measures given by -m
   -q: print the values of each query, too
   -c: average over all judged queries; a missing one counts 0
   -m: compute this measure, or this set of measures; '-m official' is the default"""

_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format": "-o",
    "Zscore=": "-Z",
    "as=": "--as",
    "bug-compatible": "--bug-compatible",
}


class Options(NamedTuple):
    """What was asked for.

    Parameters
    ----------
    files
        The paths of the judgments and of the run, ``-`` for standard input.
    measures
        Names and sets, with their parameters.
    version
        The version of trec_eval whose numbers are computed.
    bug_compatible
        Whether defects of this version are reproduced.
    per_query, summary
        Whether the values of queries, and those of all queries together, are printed.
    complete
        Whether all judged queries are averaged.
    level
        The lowest relevant label.
    depth, judged_only
        Conventions of the same names.
    collection
        The number of documents in the collection, 0 if it is not known.
    judgments
        The format of the judgments, as trec_eval calls it.
    only
        The one query to evaluate, if not all.
    zscores
        The file of means and standard deviations for z-scores.
    help, name
        Whether help, or the version, is printed instead of a result.
    """

    files: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    version: int = 10
    bug_compatible: bool = False
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    collection: int = 0
    judgments: str = "qrels"
    only: str | None = None
    zscores: str | None = None
    help: bool = False
    name: bool = False


def options_of(arguments: Sequence[str]) -> Options:
    """Parse a command line as trec_eval does, with options before or after the files.

    Raises
    ------
    StoppedError
        If it cannot be understood.
    """
    try:
        given, files = getopt.gnu_getopt(list(arguments), _SHORT, [*_LONG])
    except getopt.GetoptError as error:
        raise _misused(error.msg) from None
    options = Options(tuple(files))
    for option, value in given:
        options = _with(options, _LONG.get(option[2:], _LONG.get(f"{option[2:]}=", option)), value)
        if options.name:
            return options  # trec_eval prints it at once, whatever else follows
    if not options.help and len(files) != 2:
        are = "file is" if len(files) == 1 else "files are"
        raise _misused(f"{len(files)} {are} given; give the judgments and the run")
    if files == ["-", "-"]:
        raise _misused("both files are standard input; give the path of one")
    return options


_FLAGS: dict[str, dict[str, Any]] = {
    "-h": {"help": True},
    "-v": {"name": True},
    "-q": {"per_query": True},
    "-n": {"summary": False},
    "-c": {"complete": True},
    "-J": {"judged_only": True},
    "-o": {},  # of an old format that trec_eval no longer prints
    "--bug-compatible": {"bug_compatible": True},
}


def _with(options: Options, option: str, value: str) -> Options:
    if option in _FLAGS:
        return options._replace(**_FLAGS[option])
    if option == "-m":
        return options._replace(measures=(*options.measures, value))
    return options._replace(**_VALUES[option](value))


def _level(value: str) -> dict[str, Any]:
    return {"level": _whole("-l", value, 0)}


def _depth(value: str) -> dict[str, Any]:
    return {"depth": _whole("-M", value, 1)}


def _collection(value: str) -> dict[str, Any]:
    return {"collection": _whole("-N", value, 0)}


def _only(value: str) -> dict[str, Any]:
    _, point, query = value.partition(".")
    return {"only": query if point else None}


def _zscores(value: str) -> dict[str, Any]:
    return {"zscores": value}


def _version(value: str) -> dict[str, Any]:
    if value not in VERSIONS:
        raise _misused(f"--as is {value}: need 9 or 10")
    return {"version": VERSIONS[value]}


def _judgments(value: str) -> dict[str, Any]:
    if value not in JUDGMENTS:
        raise StoppedError(
            WRONG_FILE,
            f"trec_eval: Illegal rel_format '{value}': need one of {', '.join(JUDGMENTS)}",
        )
    return {"judgments": value}


def _results(value: str) -> dict[str, Any]:
    if value != "trec_results":
        raise StoppedError(
            WRONG_FILE,
            f"trec_eval: Illegal retrieval results format '{value}': need trec_results",
        )
    return {}


_VALUES: dict[str, Callable[[str], dict[str, Any]]] = {
    "-l": _level,
    "-M": _depth,
    "-N": _collection,
    "-D": _only,
    "-Z": _zscores,
    "-R": _judgments,
    "-T": _results,
    "--as": _version,
}


def _whole(option: str, value: str, least: int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise _misused(f"option {option} is {value}: need a whole number from {least}")
    return number


def _misused(what: str) -> StoppedError:
    return StoppedError(WRONG_USAGE, f"trec_eval: {what}", USAGE)
