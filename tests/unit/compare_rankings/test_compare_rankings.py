"""Two runs compared: which queries, which documents, and what is said about it."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import (
    DuplicateError,
    InputError,
    MeasureError,
    MismatchError,
    ParseError,
    SchemaError,
)
from rankmark.similarity import RBO, TAU, kendall_tau, overlap, rbo

OLD = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}, "q3": {"z": 1.0}}
NEW = {"q2": {"x": 5.0, "y": 4.0}, "q1": {"b": 9.0, "a": 8.0, "d": 7.0}, "q4": {"z": 1.0}}


def text(run: dict[str, dict[str, float]]) -> str:
    """Write a run as TREC text, ranks the wrong way round."""
    lines = [
        f"{query} Q0 {doc} {len(documents) - at} {score} tag\n"
        for query, documents in run.items()
        for at, (doc, score) in enumerate(documents.items())
    ]
    return "".join(lines)


def test_each_query_has_the_value_of_its_two_rankings() -> None:
    found = rm.compare_rankings(OLD, NEW, ["tau", "RBO(p=0.8)", "overlap@2"])
    assert found.queries == ("q1", "q2")
    assert found.names == ["tau", "RBO(p=0.8)", "overlap@2"]
    assert found.scores.shape == (2, 3)
    assert found.per_query("tau") == {q: kendall_tau(OLD[q], NEW[q]) for q in ("q1", "q2")}
    wanted = {q: float(rbo(OLD[q], NEW[q], p=0.8)) for q in ("q1", "q2")}
    assert found.per_query("RBO(p=0.8)") == pytest.approx(wanted)
    assert found["overlap@2"] == np.mean([overlap(OLD[q], NEW[q], 2) for q in ("q1", "q2")])


def test_queries_of_one_run_alone_are_left_out_and_told() -> None:
    audit = rm.compare_rankings(OLD, NEW).audit
    assert (audit.compared, audit.both, audit.only_a, audit.only_b) == (2, 2, 1, 1)
    assert (audit.only_a_examples, audit.only_b_examples) == (("q3",), ("q4",))
    assert "queries: 2 in both, 1 only in a, 1 only in b" in str(audit)


def test_queries_of_either_run_are_compared_with_nothing() -> None:
    found = rm.compare_rankings(OLD, NEW, ["RBO", "tau"], queries="either")
    assert found.queries == ("q1", "q2", "q3", "q4")
    assert found.audit.both == 2
    per_query = found.per_query("RBO")
    assert per_query["q3"] == per_query["q4"] == 0
    assert math.isnan(found.per_query("tau")["q3"])
    assert found.audit.undefined == {"RBO(p=0.9)": 0, "tau": 2}
    assert found["tau"] == np.nanmean(found.scores[:, 1])
    assert "undefined: tau for 2" in str(found.audit)


def test_a_mean_of_nothing_is_nan_and_null_in_json() -> None:
    found = rm.compare_rankings({"q": ["a"]}, {"q": ["a"]}, "tau")
    assert math.isnan(found["tau"])
    assert json.loads(found.to_json())["scores"] == {"tau": None}


@pytest.mark.parametrize(
    ("ties", "wanted"),
    [("tied", 0.0), ("docid", 1.0), ("docid-asc", -1.0), ("input", -1.0)],
)
def test_equal_scores_are_ties_or_have_the_order_asked_for(ties: Any, wanted: float) -> None:
    tied, ranked = {"q": {"a": 1.0, "b": 1.0}}, {"q": ["b", "a"]}
    found = rm.compare_rankings(tied, ranked, "tau(variant=a)", ties=ties)["tau(variant=a)"]
    assert found == wanted


def test_the_rank_column_is_trusted_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text(OLD))
    by_score = rm.compare_rankings(tmp_path / "run", OLD, "tau")
    by_rank = rm.compare_rankings(tmp_path / "run", tmp_path / "run", "tau", ties="rank")
    assert by_score["tau"] == 1
    assert by_rank["tau"] == 1
    backwards = tmp_path / "backwards"
    rows = [
        f"{q} Q0 {d} {at} {score} tag\n"
        for q, documents in OLD.items()
        for at, (d, score) in enumerate(documents.items())
    ]
    backwards.write_text("".join(rows))
    assert rm.compare_rankings(tmp_path / "run", backwards, "tau", ties="rank")["tau"] == -1


def test_ranks_are_not_trusted_where_there_are_none() -> None:
    with pytest.raises(InputError, match='ties="rank" needs a rank column, and <mapping> has none'):
        rm.compare_rankings(OLD, NEW, ties="rank")


def test_only_what_a_coefficient_can_see_is_looked_at() -> None:
    long = {"q": [str(n) for n in range(3000)]}
    assert rm.compare_rankings(long, long, ["tau@10", "overlap@20"]).audit.depth == 20
    assert rm.compare_rankings(long, long, "RBO(p=0.5)").audit.depth == 54
    assert rm.compare_rankings(long, long, ["tau@10", "rho"]).audit.depth is None


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("value", ["min", "residual", "extrapolated", "normalized", "max"])
def test_leaving_deep_ranks_out_changes_no_digit_of_rbo(p: float, value: str) -> None:
    rng = np.random.default_rng(5)
    one, other = ({"q": rng.permutation(4000)[:3000].tolist()} for _ in range(2))
    found = rm.compare_rankings(one, other, RBO(p=p, value=value)).scores[0, 0]
    whole = getattr(rbo(one["q"], other["q"], p=p), value)
    assert found == pytest.approx(whole, abs=1e-14)


def test_a_file_a_mapping_a_frame_and_rows_are_compared_alike(tmp_path: Path) -> None:
    import polars as pl

    (tmp_path / "run").write_text(text(OLD))
    rows = [(q, d, s) for q, documents in OLD.items() for d, s in documents.items()]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    wanted = rm.compare_rankings(OLD, NEW, ["tau", "RBO", "AO"]).scores
    for source in (tmp_path / "run", frame, rows, rm.Run(OLD)):
        found = rm.compare_rankings(source, NEW, ["tau", "RBO", "AO"])
        assert np.array_equal(found.scores, wanted)


def test_a_query_that_comes_back_in_a_file_is_one_ranking(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q1 Q0 a 1 3 t\nq2 Q0 x 1 2 t\nq1 Q0 b 2 2 t\nq2 Q0 y 2 1 t\nq1 Q0 c 3 1 t\n")
    both = {query: OLD[query] for query in ("q1", "q2")}
    assert rm.compare_rankings(path, both, "tau").scores.tolist() == [[1.0], [1.0]]


def test_runs_without_a_common_query_are_refused() -> None:
    with pytest.raises(MismatchError, match=r"no query in common: the first has 'q1'.*'q4'"):
        rm.compare_rankings(OLD, {"q4": ["a"]})


def test_a_document_twice_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    twice = "document 'a' appears twice for query 'q1'"
    with pytest.raises(DuplicateError, match=f"run:2: {twice}.*; keep one of the two$"):
        rm.compare_rankings(tmp_path / "run", OLD)
    (tmp_path / "run.jsonl").write_text('{"query_id": "q1", "doc_id": "a", "score": 1}\n' * 2)
    for run in ({"q1": ["a", "a"]}, tmp_path / "run.jsonl"):
        with pytest.raises(
            DuplicateError, match=r"document 'a' appears twice.*; keep one of the two$"
        ):
            rm.compare_rankings(run, OLD)


def test_what_cannot_be_read_is_told_as_evaluate_tells_it(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 two t\n")
    with pytest.raises(ParseError, match="run:2: "):
        rm.compare_rankings(tmp_path / "run", OLD)
    with pytest.raises(SchemaError, match="NaN"):
        rm.compare_rankings({"q1": {"a": math.nan}}, OLD)
    with pytest.raises(InputError, match="holds no documents"):
        rm.compare_rankings({"q1": {}}, OLD)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rhubarb", "position 1: unknown coefficient 'rhubarb'; choose from distance, tau"),
        ("tau(q=1)", "position 5: tau has no parameter 'q'; it takes variant, missing, k"),
        ("tau(variant=d)", 'position 5: variant is \'d\'; need one of "a", "b", "c"'),
        ("RBO(p=1)", "position 5: p is 1; need a number above 0 and below 1"),
        ("RBO(p=0.5, p=0.6)", "position 12: p is given twice"),
        ("tau@0", "k is 0; need a whole number from 1"),
        ("tau@x", "the cutoff is 'x'; need a whole number from 1"),
        ("tau(variant", "expected parameter=value or )"),
        ("tau 10", "did not expect '10'"),
        ("", "unknown coefficient ''"),
    ],
)
def test_a_mistyped_coefficient_is_refused_with_its_place(name: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        rm.compare_rankings(OLD, NEW, name)
    assert message in str(caught.value)


def test_names_of_functions_and_objects_find_the_same_coefficient() -> None:
    found = rm.compare_rankings(OLD, NEW, ["kendall_tau@10", "tau@10", TAU @ 10, "RBO", RBO])
    assert found.names == ["tau@10", "RBO(p=0.9)"]
    assert found["Tau@10"] == found[TAU @ 10]
    with pytest.raises(
        MeasureError,
        match=r"tau was not compared; this comparison has tau@10, RBO\(p=0\.9\)",
    ):
        found["tau"]


def test_everything_that_was_chosen_stands_in_the_settings() -> None:
    settings = rm.compare_rankings(OLD, NEW, "RBO(p=0.8, ties=w)@5").settings
    assert settings["coefficients"] == {
        'RBO(p=0.8, ties="w")@5': {"p": 0.8, "ties": "w", "value": "extrapolated", "k": 5}
    }
    assert (settings["queries"], settings["ties"]) == ("both", "tied")
    assert settings["a"] == {"form": "mapping"}


def test_a_comparison_becomes_what_one_uses_next(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text(OLD))
    found = rm.compare_rankings(tmp_path / "run", NEW, ["tau"])
    written = json.loads(found.to_json())
    assert written["per_query"] == {q: {"tau": s} for q, s in found.per_query("tau").items()}
    assert len(written["a"]["sha256"]) == 64
    assert "per_query" not in found.to_dict(per_query=False)
    assert found.to_pandas()["tau"].tolist() == found.scores[:, 0].tolist()
    assert found.to_polars().columns == ["query_id", "tau"]
    assert found.to_arrow().num_rows == 2
    assert str(found).startswith("tau  0.6667\n")
    assert repr(found) == "RankingComparison(2 queries: tau=0.6667)"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"queries": "all"}, "queries is 'all'; need one of both, either"),
        ({"ties": "a"}, "ties is 'a'"),
    ],
)
def test_options_that_there_are_not_are_refused(option: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rm.compare_rankings(OLD, NEW, **option)


def test_documents_that_must_be_in_both_runs_are_counted() -> None:
    with pytest.raises(MismatchError, match="items in only one of the two rankings: 2"):
        rm.compare_rankings(OLD, NEW, "tau(missing=error)")


def test_documents_that_share_a_score_are_told_also_where_an_order_breaks_them() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 0.5, "d": 0.2}}
    for ties in ("tied", "docid", "input"):
        audit = rm.compare_rankings(tied, {"q": ["a", "b"]}, "tau", ties=ties).audit  # type: ignore[arg-type]
        assert (audit.tied_a, audit.tied_b) == (0.5, 0.0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tauAP(symmetric=no)", "symmetric is 'no'; need True or False"),
        ("distance(normalized=1)", "normalized is 1; need True or False"),
        ("footrule(normalized=no)", "normalized is 'no'"),
        ("weighted_tau(additive=no)", "additive is 'no'"),
        ("weighted_tau(weigher=rank)", "weigher is 'rank'; need a function"),
        ("tau@" + "9" * 5000, "need a whole number from 1"),
    ],
)
def test_a_parameter_that_means_nothing_is_refused(name: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        rm.compare_rankings(OLD, NEW, name)


def test_true_and_false_may_be_written_in_a_name() -> None:
    found = rm.compare_rankings(OLD, NEW, ["tauAP(symmetric=true)", "distance(normalized=False)"])
    assert found.names == ["distance(normalized=False)", "tauAP(symmetric=True)"][::-1]


def test_a_weigher_has_its_own_name() -> None:
    def steep(rank: int) -> float:
        return 1 / (rank + 1) ** 2

    found = rm.compare_rankings(OLD, NEW, rm.similarity.WEIGHTED_TAU(weigher=steep))
    assert found.names == ["weighted_tau(weigher=steep)"]
    assert found.settings["coefficients"][found.names[0]]["weigher"] == "steep"


def test_the_format_of_a_prepared_run_is_not_said_again() -> None:
    with pytest.raises(InputError, match="the run is already prepared"):
        rm.compare_rankings(rm.Run(OLD), NEW, run_format="trec")


def test_rbo_that_hardly_falls_is_computed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rbo(list("abc"), list("bca"), p=1 - 1e-12)
    assert 0 < found.min < found.extrapolated == pytest.approx(1)
    term_by_term = rbo(list("abcde"), list("bcdae"), p=0.99).min
    monkeypatch.setattr(sys.modules["rankmark.similarity.rbo"], "_MOST_TERMS", 0)
    by_difference = rbo(list("abcde"), list("bcdae"), p=0.99).min
    assert by_difference == pytest.approx(term_by_term, abs=1e-12)
