"""Cells that hold the ids of several documents are refused, or split if asked."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.data.evidence.listed_ids import as_list, pieces
from unit.commands import rankmark_here

WRITTEN: dict[str, tuple[Callable[[list[str]], str], str]] = {
    "Python": (str, "list"),
    "JSON": (json.dumps, "list"),
    "NumPy": (lambda ids: str(np.array(ids)), "list"),
    "semicolons": (";".join, ";"),
    "commas": (", ".join, ","),
    "bars": ("|".join, "|"),
    "blanks": (" ".join, " "),
}
QRELS = {f"q{n}": [f"n{n}"] for n in range(10)}
LISTS = {f"q{n}": [f"n{n}", f"x{n}"] for n in range(9)} | {"q9": ["x9", "n9"]}


def cells(written: str, folder: Path) -> dict[str, Any]:
    join = WRITTEN[written][0]
    held = {query: [join(ids)] for query, ids in LISTS.items()}
    frame = pd.DataFrame({"query_id": [*held], "doc_id": [ids[0] for ids in held.values()]})
    frame.to_csv(folder / "run.csv", index=False)
    frame.to_parquet(folder / "run.parquet", index=False)
    (folder / "run.json").write_text(json.dumps(held))
    files = {ending: folder / f"run.{ending}" for ending in ("csv", "parquet", "json")}
    return {"lists": held, "pandas": frame, **files}


@pytest.mark.parametrize("written", WRITTEN)
def test_lists_in_cells_are_refused_or_split_in_every_form(written: str, tmp_path: Path) -> None:
    split = WRITTEN[written][1]
    for name, run in cells(written, tmp_path).items():
        with pytest.raises(rm.SchemaError, match=r"split|seem to be a") as refused, rm.quiet():
            rm.evaluate(QRELS, run, "RR")
        assert f"split={split!r}" in str(refused.value), name
        with rm.quiet():
            assert rm.evaluate(QRELS, run, "RR", split=split)["RR"] == pytest.approx(0.95), name
            prepared = rm.Run(run, split=split)
            assert rm.evaluate(QRELS, prepared, "Success@1")["Success@1"] == 0.9, name
            report = rm.check(QRELS, run)
            assert "refused" in {found.code for found in report.files[1].findings}, name


@pytest.mark.parametrize("written", WRITTEN)
def test_lists_in_cells_of_judgments_are_refused_or_split(written: str) -> None:
    join, split = WRITTEN[written]
    qrels = {query: [join([f"n{query[1:]}", f"m{query[1:]}"])] for query in QRELS}
    with pytest.raises(rm.SchemaError) as refused, rm.quiet():
        rm.evaluate(qrels, LISTS, "R@2")
    assert f"split={split!r}" in str(refused.value)
    assert rm.evaluate(rm.Qrels(qrels, split=split), LISTS, "R@2")["R@2"] == 0.5


def test_the_command_splits(tmp_path: Path) -> None:
    path, qrels = cells("Python", tmp_path)["csv"], tmp_path / "qrels.json"
    qrels.write_text(json.dumps(QRELS))
    done = rankmark_here("evaluate", qrels, path, "-m", "RR", "--split", "list")
    assert (done.returncode, "0.9500" in done.stdout) == (0, True)
    done = rankmark_here("evaluate", qrels, path, "-m", "RR")
    assert (done.returncode, "--split list" in done.stderr) == (1, True)
    out = tmp_path / "out.json"
    assert rankmark_here("convert", path, out, "--as", "run", "--split", "list").returncode == 0


@pytest.mark.parametrize("written", WRITTEN)
def test_batches_and_explanations_see_lists_too(written: str, tmp_path: Path) -> None:
    for run in cells(written, tmp_path).values():
        with pytest.raises(rm.SchemaError, match="split"):
            rm.Accumulator("RR").update(QRELS, run)
        # One list is little evidence if it has no brackets.
        with (
            pytest.raises(rm.SchemaError, match="split")
            if WRITTEN[written][1] == "list"
            else (pytest.warns(rm.RankmarkWarning, match="split"))
        ):
            rm.explain(QRELS, run, "q3", "RR")


def test_what_was_seen_may_not_be_lists_either() -> None:
    seen = {query: [str([f"x{query[1:]}", "y"])] for query in QRELS}
    with pytest.raises(rm.SchemaError, match="seen: ids are lists written as text"):
        rm.evaluate(QRELS, LISTS, "RR", seen=seen)
    run = {query: [f"x{query[1:]}", *ids[:0], f"n{query[1:]}"] for query, ids in LISTS.items()}
    assert rm.evaluate(QRELS, run, "RR", seen=seen, split="list")["RR"] == 1


def test_several_documents_with_one_score_are_refused() -> None:
    run = pd.DataFrame({"query_id": ["q0"], "doc_id": ["n0;x0"], "score": [1.5]})
    with pytest.raises(rm.SchemaError, match="one score for several documents"):
        rm.evaluate(QRELS, run, "RR", split=";")
    with pytest.raises(rm.InputError, match="split is ''"):
        rm.Run(run, split="")


def test_pairs_of_numbers_in_parentheses_are_ids() -> None:
    labels = {f"({n}, {n + 1})": float(n % 2) for n in range(10)}
    assert rm.evaluate({"q": labels}, {"q": [*labels]}, "RR")["RR"] == 0.5
    lists = {f"[{n}, {n + 1}]": float(n % 2) for n in range(10)}
    with pytest.raises(rm.SchemaError, match="lists written as text"):
        rm.evaluate({"q": lists}, {"q": [*lists]}, "RR")


def test_a_cell_without_a_list_is_an_id() -> None:
    assert as_list("[Reissue]") is None
    assert as_list("['a' 'b']") == ["a", "b"]
    assert as_list("{'k': 1}") is None
    assert pieces("[a, b]", "list") == ["a", "b"]
    assert pieces("[]", "list") == []
    assert pieces("a", "list") == ["a"]
    assert pieces(" a ;; b", ";") == ["a", "b"]


@pytest.mark.parametrize(
    "pattern",
    [
        "10.1002/(SICI)1097-4571({}){}:9<1::AID>3.0.CO;2-{}",
        "https://a.b/c;v={}?q=1,{}&r=[{}]",
        "Paris, Texas ({}, {}, {})",
        "[{}] Title; with | all, {} {}",
        "['{}', {}, {}]x",
        "[{}{}{}]",
    ],
)
def test_real_ids_may_have_commas_brackets_and_semicolons(pattern: str) -> None:
    rng = random.Random(8)
    names = [pattern.format(*(rng.randrange(99) for _ in range(3))) for _ in range(3000)]
    names = [*dict.fromkeys(names)]
    qrels = {f"q{n}": dict.fromkeys(rng.sample(names, 20), 1) for n in range(50)}
    run = {query: {d: rng.random() for d in rng.sample(names, 60)} for query in qrels}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(qrels, run, "RR")


def test_titles_that_contain_titles_are_ids() -> None:
    places = ["France", "Paris", "Texas", "Lyon", "Japan"]
    qrels = {f"q{n}": {places[n % 5]: 1} for n in range(30)}
    run = {
        query: {f"History of {place}": 1.0, f"Bay, {place}": 0.9, f"x{place}": 0.5}
        for query, (place,) in ((query, [*held]) for query, held in qrels.items())
    }
    with rm.quiet():
        assert rm.evaluate(qrels, run, "RR")["RR"] == 0


def test_runs_that_are_fused_may_not_hold_lists() -> None:
    held = {query: [str(ids)] for query, ids in LISTS.items()}
    for call in (
        lambda: rm.fuse([held, LISTS]),
        lambda: rm.tune_fusion(QRELS, [held, LISTS], "RR"),
    ):
        with pytest.raises(rm.SchemaError, match="ids are lists written as text"):
            call()
    run = rm.Run(held, split="list")
    assert [*rm.fuse([run, run]).to_dict()["q1"]] == LISTS["q1"]
    vouched = rm.Run(held, contents="scores")
    rm.fuse([vouched, vouched])


def joined_lists(between: str) -> list[dict[str, list[str]]]:
    """Two rankings of the same documents in other orders, each in two cells."""
    held: list[dict[str, list[str]]] = [{}, {}]
    for n in range(8):
        for system, order in enumerate(("abcdef", "bacfgh")):
            ids = [f"{one}{n}" for one in order]
            held[system][f"q{n}"] = [between.join(ids[:4]), between.join(ids[4:])]
    return held


@pytest.mark.parametrize("between", [";", "|", ",", ", ", " ", "\n"])
@pytest.mark.parametrize("form", ["lists", "frames", "files", "one of the two"])
def test_runs_whose_cells_are_joined_are_not_fused(between: str, form: str, tmp_path: Path) -> None:
    runs: list[Any] = [*joined_lists(between)]
    if form == "one of the two":
        runs[1] = {
            q: [one for c in cells for one in c.split(between)] for q, cells in runs[1].items()
        }
    elif form == "files":
        for at, run in enumerate(runs):
            runs[at] = tmp_path / f"{at}.json"
            runs[at].write_text(json.dumps(run))
    elif form == "frames":
        runs = [
            pd.DataFrame(
                [(q, c) for q, cells in run.items() for c in cells], columns=["q", "doc_id"]
            )
            for run in runs
        ]
    split = between.strip(" ") or " "
    refused = rf"hold several ids.*rm\.Run\(\.\.\., split={re.escape(repr(split))}\)"
    columns = {"query_id": "q"} if form == "frames" else None
    with pytest.raises(rm.SchemaError, match=refused):
        rm.fuse(runs, columns=columns)
    if form != "one of the two":
        apart = rm.fuse([rm.Run(run, split=split, columns=columns) for run in runs])
        assert apart.audit.overlap == 0.5


def test_ids_with_parts_are_fused() -> None:
    rng = random.Random(5)
    for pattern in ("{}|{}", "v{};p{}", "{} {}", "10/{},{}"):
        for depth in (1, 3, 20):
            runs = []
            for _ in range(3):
                docs = [pattern.format(rng.randrange(9), rng.randrange(9)) for _ in range(800)]
                runs.append(
                    {f"q{n}": [*dict.fromkeys(docs[40 * n :][:40])][:depth] for n in range(20)}
                )
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                rm.fuse(runs)


def test_numbers_as_numpy_prints_them_are_lists() -> None:
    cells = {str(n): [f"[{n} {n + 1}]"] for n in range(8)}
    for call in (
        lambda: rm.compare_judgments(cells, cells),
        lambda: rm.fuse([cells, cells]),
        lambda: rm.evaluate(cells, {q: [str(n) for n in range(9)] for q in cells}, "RR"),
        lambda: rm.evaluate({q: [q] for q in cells}, cells, "RR"),
    ):
        with pytest.raises(rm.SchemaError, match="ids are lists written as text"):
            call()
    assert as_list("[ 0  1\n 2 ]") == ["0", "1", "2"]
    assert as_list("[0 1 2 ... 8 9]") == ["0", "1", "2", "...", "8", "9"]
    with rm.quiet():
        assert rm.evaluate({q: [q] for q in cells}, cells, "RR", split="list")["RR"] == 1


def test_documents_of_units_spans_and_calls_may_not_be_lists_either() -> None:
    cell = "['a', 'b']"
    spans = pd.DataFrame({"query_id": ["q"], "doc_id": [cell], "start": [0], "end": [9]})
    calls = pd.DataFrame({"query_id": ["q"], "call": [1], "doc_id": [cell]})
    run = {"q": {"c1": 1.0}}
    for call in (
        lambda: rm.evaluate({"q": {"a": 1}}, run, "RR", parents={"c1": cell}),
        lambda: rm.evaluate_spans({"q": [("a", 0, 20)]}, spans, "SpanRecall"),
        lambda: rm.evaluate_calls({"q": {"a": 1}}, calls, "RR"),
        lambda: rm.compare_judgments({"q": {cell: 1}}, {"q": {cell: 1}}),
    ):
        with pytest.raises(rm.SchemaError, match="ids are lists written as text"):
            call()


JOINED = [(";", ";"), ("|", "|"), (",", ","), (", ", ","), (" ", " ")]


@pytest.mark.parametrize(("between", "split"), JOINED)
def test_seen_documents_that_are_joined_are_refused_or_split(between: str, split: str) -> None:
    judged = {f"u{n}": {f"d{n}": 1, f"d{n + 1}": 0} for n in range(6)}
    run = {f"u{n}": [f"d{m}" for m in range(8)] for n in range(6)}
    seen = {f"u{n}": [between.join([f"d{n + 1}", f"d{n + 2}"])] for n in range(6)}
    apart = {user: cell.split(between) for user, (cell,) in seen.items()}
    with pytest.raises(rm.SchemaError, match=r"seen: ids such as 'd1.* hold several ids"):
        rm.evaluate(judged, run, "RR", seen=seen)
    found = rm.evaluate(judged, run, "RR", seen=seen, split=split)
    assert dict(found) == dict(rm.evaluate(judged, run, "RR", seen=apart))


def test_seen_documents_as_numpy_prints_them_are_refused() -> None:
    judged = {str(n): {str(n): 1, str(n + 1): 0} for n in range(6)}
    run = {str(n): [str(m) for m in range(8)] for n in range(6)}
    with pytest.raises(rm.SchemaError, match="ids are lists written as text"):
        rm.evaluate(judged, run, "RR", seen={q: [f"[{q} {int(q) + 1}]"] for q in judged})


def test_seen_ids_with_separators_of_their_own_are_ids() -> None:
    judged = {f"u{n}": {f"a|{n}": 1, f"a|{n + 1}": 0} for n in range(6)}
    run = {f"u{n}": [f"a|{m}" for m in range(8)] for n in range(6)}
    seen = {f"u{n}": [f"a|{n + 1}"] for n in range(6)}
    assert rm.evaluate(judged, run, "RR", seen=seen).audit.seen == 6


@pytest.mark.parametrize("between", [between for between, _ in JOINED])
@pytest.mark.parametrize("first", [False, True])
def test_documents_that_one_judge_joins_are_refused(between: str, first: bool) -> None:
    people = {f"q{n}": {f"d{m}": m % 2 for m in range(n, n + 4)} for n in range(6)}
    joined = {query: {between.join(labels): 1} for query, labels in people.items()}
    with pytest.raises(rm.SchemaError, match=r"hold several ids .*rm\.Qrels\(\.\.\., split="):
        rm.compare_judgments(*((joined, people) if first else (people, joined)))
