"""What verbs answer does not depend on the order, the names, the scale or the form of the data.

``evaluate`` is asked in test_nothing_but_the_data_matters.py and test_every_form.py.
"""

import json
import math
import random
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rankmark as rm

MEASURE = "nDCG@5"
Rows = dict[str, dict[str, float]]
# What names the inputs, and not what they say.
OF_INPUTS = {
    "name",
    "first",
    "second",
    "sha256",
    "read",
    "qrels",
    "run",
    "runs",
    "settings",
    "form",
    "baseline",
}
OF_INPUTS |= {"new", "notes", "audit", "source", "summary", "text", "columns", "explain"}
OF_ORDER = {"missed", "worst"}  # lists whose equals stand in the order of the judgments


def collection(queries: int = 60) -> tuple[Rows, Rows, Rows]:
    """Judgments and two runs with ties, whose queries are not in the order of their ids."""
    dice = random.Random(3)
    qrels: Rows = {}
    runs: tuple[Rows, Rows] = ({}, {})
    for number in dice.sample(range(10, 10 + queries), queries):
        documents = [f"d{document}" for document in dice.sample(range(10, 50), 15)]
        qrels[f"q{number}"] = {document: dice.choice([0, 0, 1, 2]) for document in documents[:9]}
        qrels[f"q{number}"][documents[0]] = 1
        for run in runs:
            run[f"q{number}"] = {d: dice.randint(1, 24) / 8 for d in dice.sample(documents, 11)}
    return qrels, *runs


DATA = collection()


def answered(result: Any) -> Any:
    """Give what a result says, without the names of its inputs."""
    found = json.loads(result.to_json())

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            told = {key: kept(one) for key, one in value.items() if key not in OF_INPUTS}
            return {key: len(one) if key in OF_ORDER else one for key, one in told.items()}
        return [*map(kept, value)] if isinstance(value, list) else value

    return kept(found)


JUDGED_AGAIN = {
    query: {doc: (label + int(doc[1:])) % 3 for doc, label in labels.items()}
    for query, labels in DATA[0].items()
}
# Verbs of judgments and two runs, some of which need only a part of these.
VERBS: dict[str, Any] = {
    "compare": lambda q, a, b: answered(
        rm.compare(q, {"first": a, "second": b}, [MEASURE, "AP"], baseline="first")
    ),
    "gate": lambda q, a, b: answered(rm.gate(q, a, b, MEASURE, max_drop=0.1)),
    "gate_power": lambda q, a, b: answered(rm.gate_power(q, a, b, MEASURE, max_drop=0.1)),
    "RRF": lambda _, a, b: rm.fuse([a, b], "RRF").to_dict(),
    "wsum": lambda _, a, b: rm.fuse([a, b], "wsum").to_dict(),
    "Condorcet": lambda _, a, b: rm.fuse([a, b], "Condorcet").to_dict(),
    "tune_fusion": lambda q, a, b: answered(
        rm.tune_fusion(
            q, {"first": a, "second": b}, MEASURE, methods="RRF", folds=3, repeats=2, step=0.25
        )
    ),
    "fusion_bounds": lambda q, a, b: answered(
        rm.fusion_bounds(q, {"first": a, "second": b}, MEASURE)
    ),
    "compare_rankings": lambda _, a, b: answered(rm.compare_rankings(a, b)),
    "abstention": lambda q, a, _: answered(rm.abstention(q, a, resamples=200)),
    "compare_judgments": lambda q, *_: answered(
        rm.compare_judgments(q, JUDGED_AGAIN, interval="bootstrap", resamples=200)
    ),
    "explain": lambda q, a, _: answered(rm.explain(q, a, "q12", MEASURE)),
}


def shuffled(rows: Rows, seed: int) -> Rows:
    """Give the queries, and the documents of each, in another order."""
    dice = random.Random(seed)
    items = [(query, dict(dice.sample([*v.items()], len(v)))) for query, v in rows.items()]
    return dict(dice.sample(items, len(items)))


def frame(rows: Rows, value: str) -> pd.DataFrame:
    """Give a frame whose rows and columns stand in another order."""
    table = [(query, doc, number) for query, v in rows.items() for doc, number in v.items()]
    made = pd.DataFrame(table, columns=["query_id", "doc_id", value])
    return made.sample(frac=1, random_state=7)[[value, "doc_id", "query_id"]]


def scaled(rows: Rows, factor: float) -> Rows:
    return {query: {doc: score * factor for doc, score in v.items()} for query, v in rows.items()}


def frames() -> list[pd.DataFrame]:
    return [frame(DATA[0], "label"), frame(DATA[1], "score"), frame(DATA[2], "score")]


def written(folder: Path, kind: str) -> list[str]:
    paths = [str(folder / f"{name}.{kind}") for name in ("qrels", "first", "second")]
    for path, table in zip(paths, frames(), strict=True):
        table.to_parquet(path) if kind == "parquet" else table.to_csv(path, index=False)
    return paths


def trec(folder: Path) -> list[str]:
    paths = [str(folder / name) for name in ("qrels", "first.run", "second.run")]
    lines = [
        f"{q} 0 {d} {label}\n" for q, v in shuffled(DATA[0], 1).items() for d, label in v.items()
    ]
    Path(paths[0]).write_text("".join(lines))
    for path, run in zip(paths[1:], DATA[1:], strict=True):
        lines = [
            f"{q} Q0 {d} {rank} {v[d]!r} tag\n"
            for q, v in shuffled(run, 2).items()
            for rank, d in enumerate(sorted(v, key=lambda doc: (v[doc], doc), reverse=True), 1)
        ]
        Path(path).write_text("".join(lines))
    return paths


OTHERS: dict[str, Any] = {
    "rows in another order": lambda _: [shuffled(rows, 5) for rows in DATA],
    "frames, with other orders of rows and columns": lambda _: frames(),
    "lists of pairs": lambda _: [
        DATA[0],
        *({query: [*v.items()] for query, v in shuffled(run, 3).items()} for run in DATA[1:]),
    ],
    "CSV": lambda folder: written(folder, "csv"),
    "Parquet": lambda folder: written(folder, "parquet"),
    "TREC": trec,
    "scores times 2^-60": lambda _: [DATA[0], *(scaled(run, 2.0**-60) for run in DATA[1:])],
    "scores times 2^700": lambda _: [DATA[0], *(scaled(run, 2.0**700) for run in DATA[1:])],
}


def first_difference(one: Any, other: Any, place: str = "") -> str:
    """Name the first place where two answers differ, if any; numbers may do so in rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f"{place}: keys {sorted(one.keys() ^ other.keys())}"
        pairs = [(f"{place}/{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{place}[{n}]", *both) for n, both in enumerate(zip(one, other, strict=True))]
    elif isinstance(one, float) and isinstance(other, float):
        is_same = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
        return "" if is_same else f"{place}: {one} and {other}"
    else:
        return "" if one == other else f"{place}: {str(one)[:80]} and {str(other)[:80]}"
    return next(filter(None, (first_difference(a, b, at) for at, a, b in pairs)), "")


@cache
def expected_of(verb: str) -> Any:
    with rm.quiet():
        return VERBS[verb](*DATA)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_sees_only_the_data(verb: str, other: str, tmp_path: Path) -> None:
    if verb == "abstention" and "times" in other:
        pytest.skip("the confidence is the score of the first document, in its own unit")
    with rm.quiet():
        found = VERBS[verb](*OTHERS[other](tmp_path))
    assert first_difference(expected_of(verb), found) == ""


@pytest.mark.parametrize("verb", ["RRF", "wsum", "Condorcet"])
def test_fusing_query_by_query_gives_what_fusing_all_gives(verb: str) -> None:
    together = VERBS[verb](*DATA)
    for query in DATA[0]:
        one = VERBS[verb](*({query: rows[query]} for rows in DATA))
        assert one == {query: together[query]}


@pytest.mark.parametrize("verb", ["compare", "gate", "RRF", "wsum", "compare_rankings"])
def test_renaming_documents_in_order_changes_only_names(verb: str) -> None:
    renamed = [
        {query: {f"doc-{doc[1:]}": value for doc, value in v.items()} for query, v in rows.items()}
        for rows in DATA
    ]
    with rm.quiet():
        expected, found = VERBS[verb](*DATA), VERBS[verb](*renamed)
    as_before = json.loads(json.dumps(found).replace('"doc-', '"d'))
    assert first_difference(json.loads(json.dumps(expected)), as_before) == ""
