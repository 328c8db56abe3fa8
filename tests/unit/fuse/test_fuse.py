"""Runs in any form, fused: which queries and documents, ties, depth, and what is refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.preparing.united_runs import UnitedRuns
from rankmark.errors import (
    ChangedError,
    DuplicateError,
    InputError,
    MeasureError,
    MismatchError,
    ParseError,
    SchemaError,
)
from rankmark.verbs.fuse.fusion import Fusion
from rankmark.verbs.fuse.methods import ALL

A = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}}
B = {"q1": {"b": 9.0, "d": 8.0}, "q3": {"z": 5.0}}


def text(run: dict[str, dict[str, float]]) -> str:
    return "".join(
        f"{query} Q0 {doc} {rank} {score} tag\n"
        for query, scores in run.items()
        for rank, (doc, score) in enumerate(scores.items(), 1)
    )


def test_a_fused_run_is_a_run() -> None:
    fused = rm.fuse({"bm25": A, "dense": B})
    assert isinstance(fused, rm.Run)
    assert rm.evaluate({"q1": {"b": 1}, "q2": {"x": 1}}, fused, "RR")["RR"] == 1
    compared = rm.compare({"q1": {"b": 1}}, {"a": A, "fused": fused}, "RR")
    assert compared["fused"]["RR"] == 1
    assert rm.compare_rankings(A, fused, "overlap").per_query("overlap")["q2"] == 1
    again = rm.fuse([fused, A], "CombMAX", norm="none")
    assert again.to_dict()["q1"]["a"] == 3


def test_documents_are_put_in_order_once_and_only_when_somebody_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    ranked = Fusion.ranked

    def counted(self: Fusion, documents: Any, scores: Any, threads: int = 1) -> Any:
        calls.append(len(scores))
        return ranked(self, documents, scores, threads)

    monkeypatch.setattr(Fusion, "ranked", counted)
    given = {query: dict(scores) for query, scores in A.items()}
    fused = rm.fuse([given, B])
    assert repr(fused)
    assert fused.name
    assert calls == []
    given.clear()  # which comes too late
    assert fused.audit.queries == 3
    assert fused.to_dict() == rm.fuse([A, B]).to_dict()
    assert rm.evaluate({"q1": {"b": 1}}, fused, "RR")["RR"] == 1
    assert len(calls) == 2
    unread = pickle.loads(pickle.dumps(rm.fuse([A, B])))
    assert unread.to_dict() == fused.to_dict()


def test_queries_in_some_runs_are_fused_from_the_lists_that_exist() -> None:
    fused = rm.fuse([A, B])
    assert list(fused.to_dict()) == ["q1", "q2", "q3"]
    assert fused.audit.queries == 3
    assert fused.audit.in_all == 1
    assert list(rm.fuse([A, B], queries="all").to_dict()) == ["q1"]


def test_every_form_of_the_same_runs_gives_the_same_bits(tmp_path: Path) -> None:
    expected = rm.fuse([A, B], "wsum", weights=[0.3, 0.7]).to_dict()
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    (tmp_path / "a.json").write_text(json.dumps(A))
    for path, run in zip(paths, (A, B), strict=True):
        path.write_text(text(run))
    rows = [(query, doc, score) for query, scores in A.items() for doc, score in scores.items()]
    for forms in (paths, [str(path) for path in paths], [tmp_path / "a.json", B], [rows, B]):
        assert rm.fuse(forms, "wsum", weights=[0.3, 0.7]).to_dict() == expected
    for threads in (1, 2):
        assert rm.fuse(paths, "wsum", weights=[0.3, 0.7], threads=threads).to_dict() == expected


def test_large_files_are_read_a_few_queries_at_a_time(tmp_path: Path) -> None:
    """They may be interleaved, too, and begin with a header."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{q:03}", f"d{d}", float(score))
        for q in range(150)
        for d, score in zip(rng.choice(60, 20, replace=False), rng.normal(size=20), strict=True)
    ]
    shuffled = [rows[at] for at in rng.permutation(len(rows))]
    a, b = tmp_path / "a.run", tmp_path / "b.tsv"
    a.write_text("".join(f"{q} Q0 {d} 0 {s!r} tag\n" for q, d, s in rows))
    b.write_text(
        "query_id\tdoc_id\tscore\n" + "".join(f"{q}\t{d}\t{-s!r}\n" for q, d, s in shuffled)
    )
    whole = rm.fuse([a, b], "CombMNZ", depth=15)
    parts = rm.fuse([a, b], "CombMNZ", depth=15, memory="64K")
    assert parts.to_dict() == whole.to_dict()
    assert parts.audit == whole.audit


def test_faults_in_large_files_are_told_with_their_line(tmp_path: Path) -> None:
    lines = [f"q{n // 20} Q0 d{n} {n % 20} {20 - n % 20} tag\n" for n in range(4000)]
    lines[3210] = "q160 Q0 d3210 10 ten tag\n"
    a, b = tmp_path / "a.run", tmp_path / "b.run"
    a.write_text("".join(lines))
    b.write_text("q1 Q0 d1 1 1 tag\n")
    with pytest.raises(ParseError, match=r"a\.run:3211"):
        rm.fuse([a, b], memory="64K")


def test_duplicates_in_large_files_are_refused_as_in_small_ones(tmp_path: Path) -> None:
    lines = [f"q{n // 20} Q0 d{n} {n % 20} {20 - n % 20} tag\n" for n in range(4000)]
    lines[3211] = lines[3210]
    a = tmp_path / "a.run"
    a.write_text("".join(lines))
    for memory in ("64K", "1G"):
        with pytest.raises(DuplicateError, match=r"a\.run:3212: .*; keep one of the two$"):
            rm.fuse([a, B], memory=memory)


def test_a_large_file_that_changes_between_two_readings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = tmp_path / "a.run"
    a.write_text("".join(f"q{n // 20} Q0 d{n} {n % 20} {20 - n % 20} tag\n" for n in range(4000)))
    united = UnitedRuns.parts

    def changed_first(self: UnitedRuns, *given: Any, **options: Any) -> Iterator[Any]:
        a.write_text(a.read_text() + "q9999 Q0 x 1 1 tag\n")
        return united(self, *given, **options)

    monkeypatch.setattr(UnitedRuns, "parts", changed_first)
    with pytest.raises(ChangedError, match=r"a\.run"):
        rm.fuse([a, {"q1": {"d1": 1.0}}], memory="64K")


def test_depth_cuts_lists_before_scores_are_normalised() -> None:
    fused = rm.fuse([A, B], "CombSUM", depth=2).to_dict()
    assert fused["q1"] == {"b": 1.0, "a": 1.0, "d": 0.0}
    audit = rm.fuse([A, B], "CombSUM", depth=2).audit
    assert audit.cut == {"run 1": 1, "run 2": 0}


def test_top_cuts_the_result() -> None:
    assert list(rm.fuse([A, B], top=1).to_dict()["q1"]) == ["b"]


@pytest.mark.parametrize(
    ("ties", "order"),
    [("docid", "cba"), ("docid-asc", "abc"), ("input", "bac"), ("mean", "cba")],
)
def test_ties_in_lists_and_in_the_result_follow_one_rule(ties: Any, order: str) -> None:
    run = {"q": {"b": 1.0, "a": 1.0, "c": 1.0}}
    fused = rm.fuse([run], ties=ties).to_dict()["q"]
    assert "".join(fused) == order
    mean = (1 / 61 + 1 / 62 + 1 / 63) / 3
    expected = [mean] * 3 if ties == "mean" else [1 / 61, 1 / 62, 1 / 63]
    assert list(fused.values()) == pytest.approx(expected)


def test_the_rank_column_can_order_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 2 9 t\nq Q0 b 1 9 t\n")
    assert list(rm.fuse([path], ties="rank").to_dict()["q"]) == ["b", "a"]
    with pytest.raises(InputError, match="needs scores"):
        rm.fuse([path], "wsum", ties="rank")


def test_lower_scores_may_be_better() -> None:
    distances = {"q1": {"a": 0.1, "b": 0.9}}
    assert list(rm.fuse({"x": distances}, lower_better=True).to_dict()["q1"]) == ["a", "b"]
    fused = rm.fuse({"bm25": A, "l2": distances}, "CombSUM", lower_better=["l2"]).to_dict()["q1"]
    assert fused == {"a": 2.0, "b": 0.5, "c": 0.0}


def test_lists_without_scores_can_be_fused_by_rank() -> None:
    lists = {"q1": ["b", "a"]}
    assert rm.fuse([lists, A]).to_dict()["q1"]["b"] == 1 / 61 + 1 / 62
    assert rm.fuse([lists], "CombSUM", norm="rank").to_dict()["q1"] == {"b": 1.0, "a": 0.5}
    with pytest.raises(InputError, match="run 1 has only an order"):
        rm.fuse([lists, A], "CombSUM")


@pytest.mark.parametrize(
    ("constant", "expected"), [(None, 1), (0, 0), (0.5, 0.5), ("raw", 3), ("positive", 1)]
)
def test_lists_of_equal_scores_become_a_constant(constant: Any, expected: float) -> None:
    run = {"q1": {"a": 3.0, "b": 3.0}, "q2": {"x": 1.0, "y": 0.0}}
    fused = rm.fuse([run], "CombSUM", constant=constant)
    assert set(fused.to_dict()["q1"].values()) == {expected}
    assert fused.audit.constant == {"run 1": 1}


def test_min_max_may_know_the_lowest_score() -> None:
    fused = rm.fuse([A], "CombSUM", norm="min-max(low=0)").to_dict()
    assert fused["q1"] == pytest.approx({"a": 1, "b": 2 / 3, "c": 1 / 3})
    assert fused["q2"] == {"x": 1.0}
    assert str(rm.fuse([A], "CombSUM", norm="min-max(low=0, high=6)").method) == (
        'CombSUM(norm="min-max(low=0, high=6)")'
    )


@pytest.mark.parametrize("weighting", ["factor", "stretch"])
def test_scaled_rrf_is_1_for_a_document_that_is_first_in_all_lists(weighting: str) -> None:
    run = {"q": {"a": 3.0, "b": 2.0}}
    method = f'RRF(k=10, weighting="{weighting}", scaled=True)'
    fused = rm.fuse([run, run, {"q": {"a": 1.0}}], method, weights=[3, 1, 0.5]).to_dict()["q"]
    assert fused["a"] == pytest.approx(1)
    assert 0 < fused["b"] < 1
    assert str(rm.fuse([run], method).method) == method.replace(', weighting="factor"', "")


def test_the_audit_counts_overlap_and_ties() -> None:
    tied = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0}}
    audit = rm.fuse({"x": tied, "y": B}).audit
    assert audit.documents == 5
    assert audit.overlap == 1 / 5
    assert audit.tied == {"x": 2 / 3, "y": 0}
    assert audit.answered == {"x": 1, "y": 2}
    assert "20.0% in more than one list" in str(audit)
    assert audit.to_dict()["retrieved"] == {"x": 3, "y": 3}


def test_scores_keep_their_order_when_written_and_read(tmp_path: Path) -> None:
    fused = rm.fuse([A, B])
    for name in ("fused.run", "fused.json", "fused.csv"):
        rm.convert(fused, tmp_path / name, kind="run")
        again = rm.fuse([tmp_path / name], "CombMAX", norm="none").to_dict()
        assert again == fused.to_dict()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_fused_run_becomes_a_frame(library: str) -> None:
    pytest.importorskip(library)
    fused = rm.fuse([A, B])
    frame = getattr(fused, f"to_{'arrow' if library == 'pyarrow' else library}")()
    columns = frame.to_pydict() if library == "pyarrow" else frame.to_dict(**_AS_LISTS[library])
    assert [*columns] == ["query_id", "doc_id", "rank", "score"]
    assert columns["query_id"] == ["q1"] * 4 + ["q2", "q3"]
    assert columns["doc_id"] == ["b", "a", "d", "c", "x", "z"]
    assert columns["rank"] == [1, 2, 3, 4, 1, 1]
    assert rm.fuse([frame], "CombMAX", norm="none").to_dict() == fused.to_dict()


_AS_LISTS: dict[str, dict[str, Any]] = {
    "pandas": {"orient": "list"},
    "polars": {"as_series": False},
}


def test_the_order_of_two_runs_changes_no_score() -> None:
    rng = np.random.default_rng(5)
    one, other = (
        {
            f"q{q}": {f"d{d}": float(rng.normal()) for d in rng.choice(30, 15, replace=False)}
            for q in range(20)
        }
        for _ in range(2)
    )
    for method in ("RRF", "wsum", "CombMNZ(norm='z')", "Borda", "Condorcet", "CombMED"):
        found = rm.fuse([one, other], method)
        assert found.to_dict() == rm.fuse([other, one], method).to_dict()
        alone = rm.fuse([{"q3": one["q3"]}, {"q3": other["q3"]}], method).to_dict()
        assert alone["q3"] == found.to_dict()["q3"]  # no query sees its neighbours


@pytest.mark.parametrize("name", [each.name for each in ALL])
def test_a_fused_run_travels(name: str) -> None:
    fused = rm.fuse([A, B], name)
    again = pickle.loads(pickle.dumps(fused))
    assert again.to_dict() == fused.to_dict()
    assert again.method == fused.method
    assert again.audit == fused.audit


def test_settings_say_how_it_was_made() -> None:
    fused = rm.fuse({"a": A, "b": B}, "wsum", weights={"b": 2, "a": 1}, depth=10)
    assert fused.settings == {
        "preset": None,
        "method": "wsum",
        "weights": {"a": 1.0, "b": 2.0},
        "queries": "any",
        "ties": "docid",
        "depth": 10,
        "top": None,
        "lower_better": [],
        "unit": None,
        "combine": "best",
        "unit_depth": None,
    }
    assert fused.weights == {"a": 1.0, "b": 2.0}
    assert "norm min-max; constant 1; weights 1, 2" in str(fused)


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"method": "RFF"}, MeasureError, "unknown method of fusion 'RFF'"),
        ({"method": "RRF(k=-1)"}, MeasureError, "need a number above -1"),
        ({"method": "RBC(p=1)"}, MeasureError, "above 0 and below 1"),
        ({"method": "RRF", "norm": "z"}, InputError, "norm does not apply"),
        ({"method": "CombSUM", "weights": [1, 2]}, InputError, "takes no weights"),
        ({"method": "CombSUM", "norm": "minmax"}, InputError, "need one of none, min-max"),
        ({"method": "CombSUM", "norm": ["z"]}, InputError, "there are 2 runs"),
        ({"method": "CombSUM", "norm": "z(low=1)"}, InputError, "with wrong parameters"),
        ({"method": "CombSUM", "constant": "one"}, InputError, "constant is 'one'"),
        ({"weights": [1]}, InputError, "there are 2 runs"),
        ({"weights": [1, -1]}, InputError, "from 0"),
        ({"weights": [0, 0]}, InputError, "not all of them 0"),
        ({"weights": "ab"}, InputError, "need a list of numbers"),
        ({"weights": {"x": 1}}, InputError, "one weight to each run"),
        ({"depth": 0}, InputError, "depth"),
        ({"top": 0}, InputError, "top"),
        ({"ties": "best"}, InputError, "ties is 'best'"),
        ({"queries": "both"}, InputError, "queries is 'both'"),
        ({"lower_better": ["x"]}, InputError, "is no run"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        rm.fuse([A, B], **options)


def test_wrong_inputs_are_refused() -> None:
    with pytest.raises(InputError):
        rm.fuse([])
    with pytest.raises(MismatchError, match="no query that two of the runs have"):
        rm.fuse([{"1": {"a": 1.0}}, {"q1": {"a": 1.0}}])
    with pytest.raises(DuplicateError, match="appears twice"):
        rm.fuse([[("q", "a", 1.0), ("q", "a", 2.0)], A])
    with pytest.raises(InputError, match="score that is inf"):
        rm.fuse([{"q1": {"a": float("inf")}}, A], "CombSUM")
    with pytest.raises(SchemaError, match="like one run"):
        rm.fuse(A)


def test_inputs_are_not_changed() -> None:
    a, b = json.loads(json.dumps(A)), json.loads(json.dumps(B))
    rm.fuse([a, b], "wsum", lower_better=True)
    assert (a, b) == (A, B)
