"""Lists of several runs in the core: united, ordered, written; and read by extents of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmark import _core
from rankmark._core import ListOptions, Rankings, United

DOCID = ListOptions("docid", 1 << 40)
LAYOUT: dict[str, Any] = {
    "separator": "",
    "columns": 6,
    "query": 0,
    "document": 2,
    "number": 4,
    "rank": 3,
    "begin": 0,
    "labels": False,
    "by_rank": False,
    "more_columns": True,
    "wanted": "lines",
}
Lists = dict[str, dict[str, float]]


def rankings(run: Lists, options: ListOptions = DOCID) -> Rankings:
    found = _core.rankings_from_dict(run, options)
    assert found is not None
    return found


def united(*runs: Lists) -> United:
    of_runs = [rankings(run) for run in runs]
    queries = list(dict.fromkeys(query for run in runs for query in run))
    numbers = [
        list(run.query_ids()).index(query) if query in run.query_ids() else -1
        for run in of_runs
        for query in queries
    ]
    return United(of_runs, np.array(numbers, dtype=np.int64), 2)


def random_run(rng: np.random.Generator, queries: int, levels: int) -> Lists:
    return {
        f"q{query}": {
            f"d{doc}": float(rng.integers(0, levels))
            for doc in rng.choice(300, rng.integers(1, 200), replace=False)
        }
        for query in range(queries)
        if rng.random() < 0.9
    }


def test_every_document_of_the_lists_is_there_once() -> None:
    rng = np.random.default_rng(1)
    runs = [random_run(rng, 30, 50) for _ in range(3)]
    found = united(*runs)
    starts, at = found.starts(), found.at()
    ids = found.ids(np.arange(starts[-1]))
    queries = list(dict.fromkeys(query for run in runs for query in run))
    for number, query in enumerate(queries):
        here = slice(starts[number], starts[number + 1])
        assert sorted(ids[here]) == sorted({doc for run in runs for doc in run.get(query, {})})
        for run, rows in zip(runs, at[:, here], strict=True):
            scores = run.get(query, {})
            ranked = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
            assert [doc for doc, row in zip(ids[here], rows, strict=True) if row >= 0] == [
                doc for doc in ids[here] if doc in scores
            ]
            assert all(
                ranked[row] == doc for doc, row in zip(ids[here], rows, strict=True) if row >= 0
            )


SCORES = {
    "spread": lambda rng, n: rng.normal(0, 1e3, n),
    "equal": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "close": lambda rng, n: 1e9 + rng.integers(0, 50, n) * 1e-6,
    "tiny": lambda rng, n: rng.integers(-5, 6, n) * 5e-324,
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0], n),
    "extremes": lambda rng, n: rng.choice([np.inf, -np.inf, 1.8e308, -1.8e308, 0.0], n),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
def test_documents_are_ordered_by_score_and_then_by_the_rule(kind: str, ties: str) -> None:
    rng = np.random.default_rng(2)
    found = united(*(random_run(rng, 8, 50) for _ in range(2)))
    starts = found.starts()
    scores = np.asarray(SCORES[kind](rng, int(starts[-1])), dtype=np.float64)
    ids = found.ids(np.arange(starts[-1]))
    order = found.order(scores, ties, 2).tolist()
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        rows = list(range(begin, end))
        if ties != "input":
            rows.sort(key=ids.__getitem__, reverse=ties == "docid")
        assert order[begin:end] == sorted(rows, key=lambda row: -scores[row])


def test_lines_are_read_as_the_same_numbers() -> None:
    found = united({"q": {"a": 1.0, "b": 0.5}}, {"q": {"c": 3.0}})
    numbers = np.array([1 / 3, 1e-300, 123456789.0])
    order = found.order(numbers, "docid", 1)
    text = found.lines(order, numbers, b"tag", 1)
    assert isinstance(text, bytes)
    lines = text.decode().splitlines()
    assert [line.split()[2] for line in lines] == ["c", "a", "b"]
    assert [line.split()[3] for line in lines] == ["1", "2", "3"]
    assert [float(line.split()[4]) for line in lines] == [123456789.0, 1 / 3, 1e-300]
    assert lines[0].split()[4] == "123456789"


@pytest.mark.parametrize("run", [{"q": {"a b": 1.0}}, {"q q": {"a": 1.0}}, {"#q": {"a": 1.0}}])
def test_lines_do_not_hold_ids_with_blanks(run: Lists) -> None:
    found = united(run)
    assert found.lines(np.array([0]), np.array([1.0]), b"tag", 1) is None
    assert united({"q": {"a": 1.0}}).lines(np.array([0]), np.array([1.0]), b"a tag", 1) is None


def test_dicts_are_ranked_as_rows_are() -> None:
    rng = np.random.default_rng(3)
    run = random_run(rng, 20, 12)
    of_dict = rankings(run)
    docs = list(dict.fromkeys(doc for scores in run.values() for doc in scores))
    triples = [
        (number, docs.index(doc), score)
        for number, scores in enumerate(run.values())
        for doc, score in scores.items()
    ]
    queries, documents, scores = (np.array(column) for column in zip(*triples, strict=True))
    of_rows = _core.rankings_from_rows(
        queries.astype(np.uint32),
        [*run],
        documents.astype(np.uint32),
        docs,
        scores.astype(np.float64),
        DOCID,
    )
    assert of_dict.query_ids() == of_rows.query_ids()
    for name in ("tied", "rises", "given", "kept"):
        assert of_dict.counts(name).tolist() == of_rows.counts(name).tolist()
    numbers = np.arange(len(run), dtype=np.int64)
    for mine, other in zip(
        United([of_dict], numbers, 1).run(0), United([of_rows], numbers, 1).run(0), strict=True
    ):
        assert mine.tolist() == other.tolist()


@pytest.mark.parametrize("wrong", [{"q": {"a": 1}}, {1: {"a": 1.0}}, {"q": ["a"]}, {"q": {1: 1.0}}])
def test_other_dicts_are_left_to_slower_ways(wrong: dict[Any, Any]) -> None:
    assert _core.rankings_from_dict(wrong, DOCID) is None


@pytest.mark.parametrize("block", [64, 1000, 1 << 19])
def test_extents_hold_the_lines_of_their_query(block: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    path = tmp_path / "a.run"
    rows = [(f"q{rng.integers(0, 9)}", f"d{number}", number) for number in range(400)]
    lines = [f"{query} Q0 {doc} 0 {score} tag" for query, doc, score in rows]
    path.write_text("\n".join(lines))  # the last line has no end
    layout = _core.TextLayout(**LAYOUT)
    with path.open("rb") as file:
        found = _core.query_extents(file.fileno(), layout, 2, block, None)
        ids, queries, begins, ends = found
        content = path.read_bytes()
        for number, begin, end in zip(queries, begins, ends, strict=True):
            words = {line.split()[0].decode() for line in content[begin:end].splitlines()}
            assert words == {ids[number]}
        chosen = np.isin(queries, [0, 3])
        extents = np.column_stack([begins[chosen], ends[chosen]]).ravel()
        part, count = _core.rankings_from_file(
            file.fileno(), layout, DOCID, 2, block, None, extents
        )
    wanted = {ids[0], ids[3]}
    assert set(part.query_ids()) == wanted
    assert count == sum(query in wanted for query, _, _ in rows)


def test_rows_become_dicts_of_dicts() -> None:
    columns: list[Any] = [["q", "q", "r", "q"], ["b", "a", "a", "c"], np.array([0.5, 2.0, 1.0, 0])]
    table = _core.table_from_columns(["query", "document", "score"], columns)
    found = _core.nested(table, 0, 1, 2)
    assert found == {"q": {"b": 0.5, "a": 2.0, "c": 0.0}, "r": {"a": 1.0}}
    assert [*found] == ["q", "r"]
    assert [*found["q"]] == ["b", "a", "c"]  # a query may come back
    with pytest.raises(IndexError):
        _core.nested(table, 0, 1, 3)


def test_values_of_rows_are_spread_over_documents() -> None:
    starts, at = np.array([0, 3, 3, 5]), np.array([1, -1, 0, -1, 0], dtype=np.int32)
    found = np.empty(5)
    _core.spread_rows(starts, at, np.array([0, 2, 2]), np.array([7.0, 8.0, 9.0]), -1.0, found)
    assert found.tolist() == [8, -1, 7, -1, 9]
    nowhere = np.full(5, -1, dtype=np.int32)
    _core.spread_rows(starts, nowhere, np.zeros(3, dtype=np.int64), np.empty(0), -1.0, found)
    assert found.tolist() == [-1] * 5
    with pytest.raises(IndexError):
        _core.spread_rows(starts, at, np.array([0, 2, 2]), np.zeros(2), 0.0, found)
    with pytest.raises(ValueError, match="the row of each document"):
        _core.spread_rows(starts, at, np.array([0, 2, 2]), np.zeros(3), 0.0, np.empty(4))
    with pytest.raises(ValueError, match="the row of each document"):
        _core.spread_rows(np.array([0, 4, 3, 5]), at, np.array([0, 2, 2]), np.zeros(3), 0.0, found)


def test_what_the_seam_cannot_use_is_refused(tmp_path: Path) -> None:
    run = rankings({"q": {"a": 1.0}})
    found = united({"q": {"a": 1.0, "b": 0.5}, "r": {"c": 1.0}})
    with pytest.raises(IndexError):
        United([run], np.array([1]), 1)
    with pytest.raises(ValueError, match="as many queries"):
        United([run, run], np.array([0]), 1)
    with pytest.raises(ValueError, match="a score for each"):
        found.order(np.zeros(2), "docid", 1)
    for wrong in ([-1], [3], [2, 0]):  # too low, too high, back to an earlier query
        with pytest.raises(IndexError):
            found.ids(np.array(wrong))
        with pytest.raises(IndexError):
            found.table(np.array(wrong), np.zeros(3))
        with pytest.raises(IndexError):
            found.lines(np.array(wrong), np.zeros(3), b"tag", 1)
    with pytest.raises(IndexError):
        found.run(1)
    with pytest.raises(ValueError, match="no count"):
        run.counts("hits")
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 1 t\n")
    with path.open("rb") as file:
        for extents, kind in (
            ([0, 99], _core.FileFault),
            ([5, 1], ValueError),
            ([-1, 3], ValueError),
        ):
            with pytest.raises(kind):
                _core.rankings_from_file(
                    file.fileno(),
                    _core.TextLayout(**LAYOUT),
                    DOCID,
                    1,
                    64,
                    None,
                    np.array(extents, dtype=np.int64),
                )
