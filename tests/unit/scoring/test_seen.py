"""What a user had already takes no part in the ranking, whatever the form of the three sides."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"0": {"1": 2, "4": 1}, "1": {"0": 1, "3": 1}, "2": {"2": 1}}
RUN = {
    "0": {"0": 0.9, "1": 0.8, "2": 0.8, "3": 0.8, "4": 0.1},
    "1": {"2": 0.9, "0": 0.5, "3": 0.5, "1": 0.5},
    "2": {"0": 0.3, "2": 0.3},
}
HAD = {"0": {"0", "2"}, "1": {"2", "4"}}
LEFT = {
    query: {doc: score for doc, score in held.items() if doc not in HAD.get(query, ())}
    for query, held in RUN.items()
}
MEASURES = ["nDCG@3", "AP", "RR", "NumRet", "Judged@2"]


def grid(nested: Any, fill: float = 0) -> Any:
    values = np.full((3, 5), fill, dtype=float)
    for query, held in nested.items():
        for doc in held:
            values[int(query), int(doc)] = held[doc] if isinstance(held, dict) else 1
    return values


def rows(nested: dict[str, dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(q, d, number) for q, held in nested.items() for d, number in held.items()]


SEEN: dict[str, Callable[[], Any]] = {
    "dict of sets": lambda: HAD,
    "dict of lists": lambda: {int(q): list(map(int, held)) for q, held in HAD.items()},
    "dict of ratings": lambda: {q: dict.fromkeys(held, 4.5) for q, held in HAD.items()},
    "pairs": lambda: [(q, d) for q, held in HAD.items() for d in held] * 2,
    "frame": lambda: pl.DataFrame(
        [(int(q), int(d), 0.5) for q, held in HAD.items() for d in held],
        schema=["user", "item", "rating"],
        orient="row",
    ),
    "dense": lambda: grid(HAD),
    "dense of bool": lambda: grid(HAD) > 0,
    "csr": lambda: sp.csr_matrix(grid(HAD)),
    "csr with zeros": lambda: sp.csr_matrix(
        (np.array([0.0, 1, 1, 1, 1]), ([0, 0, 0, 1, 1], [1, 0, 2, 2, 4])), shape=(3, 5)
    ),
    "qrels": lambda: rm.Qrels(HAD),
    "file": lambda: io.BytesIO("".join(f"{q} 0 {d} 1\n" for q in HAD for d in HAD[q]).encode()),
    "JSON": lambda: io.BytesIO(json.dumps({q: sorted(HAD[q]) for q in HAD}).encode()),
}
RUNS: dict[str, Callable[[], Any]] = {
    "dict": lambda: RUN,
    "dict of ints": lambda: {int(q): {int(d): s for d, s in RUN[q].items()} for q in RUN},
    "pairs": lambda: {q: list(RUN[q].items()) for q in RUN},
    "rows": lambda: rows(RUN),
    "frame of ints": lambda: pl.DataFrame(
        [(int(q), int(d), s) for q, d, s in rows(RUN)],
        schema=["qid", "docid", "score"],
        orient="row",
    ),
    "csr": lambda: sp.csr_matrix(grid(RUN)),
    "dense": lambda: rm.Run(grid(RUN), mask=grid(RUN) > 0),
    "file": lambda: io.BytesIO("".join(f"{q} 0 {d} 1 {s} t\n" for q, d, s in rows(RUN)).encode()),
    "JSON": lambda: io.BytesIO(json.dumps(RUN).encode()),
}


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("ties", ["docid", "input", "mean"])
def test_it_is_as_if_it_had_not_been_retrieved(run: str, seen: str, ties: Any) -> None:
    if ties == "input" and run in {"csr", "dense"}:
        return  # these stand in another order
    wanted = rm.evaluate(QRELS, LEFT, MEASURES, ties=ties)
    ev = rm.evaluate(QRELS, RUNS[run](), MEASURES, ties=ties, seen=SEEN[seen]())
    assert ev.scores.tolist() == wanted.scores.tolist()
    assert ev.audit.seen == 3
    assert "documents left out as seen: 3" in str(ev)
    assert ev.settings["seen"]["documents"] == 4


@pytest.mark.parametrize("run", RUNS)
def test_every_number_behind_the_scores_is_without_it(run: str) -> None:
    given = RUNS[run]()
    given = given if isinstance(given, rm.Run) else rm.Run(given)
    ev = rm.evaluate(QRELS, given, MEASURES, seen=HAD)
    wanted = rm.evaluate(QRELS, LEFT, MEASURES)
    assert ev.tie_interval == wanted.tie_interval
    assert ev.bounds == wanted.bounds
    assert ev.audit.tied_share == wanted.audit.tied_share
    for query in QRELS:
        assert ev.explain(query, "AP").rows == wanted.explain(query, "AP").rows
        same = rm.explain(QRELS, given, query, "AP", seen=HAD)
        assert same.rows == wanted.explain(query, "AP").rows


def test_labels_and_scores_side_by_side_lose_what_was_seen() -> None:
    labels, scores = np.array([[0, 1, 1]]), np.array([[0.9, 0.8, 0.7]])
    seen = np.array([[1, 0, 0]])
    assert rm.evaluate(labels, scores, "RR", seen=seen)["RR"] == 1.0
    assert rm.evaluate(labels, scores, "RR", seen=sp.csr_matrix(seen))["RR"] == 1.0
    ev = rm.evaluate([{"b"}], [["a", "b"]], "RR", seen=[{"a"}])
    assert ev["RR"] == 1.0


def test_it_goes_with_what_else_is_left_out() -> None:
    qrels, run = {"a": {"c": 1}}, {"a": [("a", 0.9), ("b", 0.8), ("b", 0.7), ("c", 0.1)]}
    for seen in ({"a": {"b"}}, {"a": {"b", "a"}}):
        ev = rm.evaluate(qrels, run, "RR", seen=seen, drop_self=True, duplicates="first")
        assert ev["RR"] == 1.0
    ev = rm.evaluate(qrels, run, ["RR", "NumRet"], seen={"a": {"b"}}, duplicates="best", depth=1)
    assert tuple(ev.values()) == (0.0, 1.0)


def test_two_runs_are_explained_without_it() -> None:
    difference = rm.explain(QRELS, RUN, "0", "AP", against=LEFT, seen=HAD)
    assert difference.difference == 0.0


def test_what_is_relevant_and_was_seen_is_told_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match="seen: 1 relevant document is in seen"):
        ev = rm.evaluate(QRELS, RUN, "RR", seen={"0": {"1", "0"}})
    assert ev.per_query("RR")["0"] == pytest.approx(1 / 3)


def test_ids_that_cannot_meet_are_refused() -> None:
    with pytest.raises(rm.MismatchError, match="seen: none of its queries is judged: it has 'u0'"):
        rm.evaluate(QRELS, RUN, seen={"u0": {"1"}})
    with pytest.raises(rm.SchemaError, match="seen has 3 x 4 queries and items, the qrels have 3"):
        rm.evaluate(grid(QRELS), grid(RUN), seen=np.zeros((3, 4)))
    with pytest.raises(rm.InputError, match="seen: qrels: query '0': found None"):
        rm.evaluate(QRELS, RUN, seen={"0": None})


def test_nothing_seen_leaves_all_as_it_was() -> None:
    wanted = rm.evaluate(QRELS, RUN, MEASURES)
    for seen in (np.zeros((3, 5)), {"0": set()}, sp.csr_matrix((3, 5)), {"0": {"1": 0}}):
        ev = rm.evaluate(QRELS, RUN, MEASURES, seen=seen)
        assert ev.scores.tolist() == wanted.scores.tolist()
        assert ev.audit.seen == 0
    assert rm.evaluate(QRELS, RUN, MEASURES).audit.seen is None


def test_the_command_line_takes_a_file(tmp_path: Path) -> None:
    qrels, run, seen = tmp_path / "qrels", tmp_path / "run", tmp_path / "seen.csv"
    qrels.write_text("".join(f"{q} 0 {d} {n}\n" for q, d, n in rows(QRELS)))
    run.write_text("".join(f"{q} 0 {d} 1 {s} t\n" for q, d, s in rows(RUN)))
    seen.write_text("user,item,rating\n" + "".join(f"{q},{d},3\n" for q in HAD for d in HAD[q]))
    done = rankmark_here(
        "evaluate", str(qrels), str(run), "-m", "RR", "--seen", str(seen), "--format", "json"
    )
    (told,) = json.loads(done.stdout)["runs"]
    assert told["scores"]["RR"] == rm.evaluate(QRELS, LEFT, "RR")["RR"]
    assert told["audit"]["seen"] == 3


@pytest.mark.parametrize("of", ["seen", "drop_self"])
def test_lists_that_were_cut_before_are_told(of: str) -> None:
    users = [f"u{n}" for n in range(20)]
    qrels = {user: {"hit": 1} for user in users}
    had = {user: [user] if of == "drop_self" else ["a", "b"] for user in users}
    whole = {user: [*had[user], "x", "y", "hit", "z", "w", "v"] for user in users}
    options: Any = {"drop_self": True} if of == "drop_self" else {"seen": had}
    assert rm.evaluate(qrels, whole, "R@5", **options)["R@5"] == 1
    cut = {user: found[:5] for user, found in whole.items()}
    with pytest.warns(rm.RankmarkWarning, match=r"20 queries have fewer than 5 documents left"):
        rm.evaluate(qrels, cut, ["R@3", "R@5"], **options)
    with pytest.warns(rm.RankmarkWarning, match=r"run 'b': 20 queries have fewer than 5"):
        rm.compare(qrels, {"a": whole, "b": cut}, "R@5", **options)
    rm.evaluate(qrels, cut, ["R@3", "AP"], **options)
    rm.evaluate(qrels, {user: found[:3] for user, found in whole.items()}, "R@5", **options)


def test_ids_of_files_that_are_no_text_are_left_out_too() -> None:
    judged, had = io.BytesIO(b"q 0 b 1\n"), io.BytesIO(b"q 0 \xff 1\nq 0 \xff 1\n")
    run = io.BytesIO(b"q Q0 \xff 1 2 t\nq Q0 b 2 1 t\n")
    evaluation = rm.evaluate(judged, run, "RR", seen=had)
    assert evaluation["RR"] == 1
    assert evaluation.audit.seen == 1
