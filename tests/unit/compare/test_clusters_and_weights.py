"""Queries that belong together, and queries that count more than others, in comparisons."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

EXAMPLE = Path(rm.__file__).parent / "example"
FILES = {name: EXAMPLE / f"{name}.run" for name in ("bm25", "lsa", "overlap")}


def compared(**options: Any) -> rm.Comparison:
    return rm.compare(EXAMPLE / "qrels.txt", FILES, ["nDCG@10", "AP", "Success@5"], **options)


def test_clusters_widen_intervals_and_are_taken_from_a_file(tmp_path: Path) -> None:
    queries = compared().queries
    halves = {query: "ab"[at % 2] for at, query in enumerate(queries)}
    file = tmp_path / "clusters.tsv"
    file.write_text("".join(f"{query}\t{cluster}\n" for query, cluster in halves.items()))
    in_memory = compared(test="t", clusters=halves)
    assert compared(test="t", clusters=file).differences == in_memory.differences
    assert in_memory.settings["clusters"] == 2
    assert in_memory.differences != compared(test="t").differences
    with pytest.raises(rm.InputError, match="clusters has none for"):
        compared(clusters={queries[0]: "a"})
    with pytest.raises(rm.InputError, match="clusters has none for 2 of"):
        compared(clusters=halves | {queries[0]: None, queries[1]: math.nan})
    file = tmp_path / "clusters.json"
    file.write_text(json.dumps(halves))
    assert compared(test="t", clusters=file).differences == in_memory.differences
    with pytest.raises(rm.InputError, match="takes queries to be independent"):
        compared(test="sign", clusters=halves)


def test_weights_count_in_means_intervals_and_tests(tmp_path: Path) -> None:
    queries = compared().queries
    twice = {query: 2.0 if at < 5 else 0.0 if at < 8 else 1.0 for at, query in enumerate(queries)}
    file = tmp_path / "weights.txt"
    file.write_text("".join(f"{query} {weight}\n" for query, weight in twice.items()))
    for test in ("randomisation", "t"):
        result = compared(baseline="bm25", weights=twice, test=test)
        assert compared(baseline="bm25", weights=file, test=test).leaderboard == result.leaderboard
        assert result["lsa"]["AP"] == pytest.approx(
            result.evaluations["lsa"].aggregate("AP", weights=twice)
        )
        for row in result.differences:
            assert row.difference == pytest.approx(
                result[row.run][row.measure] - result["bm25"][row.measure]
            )
            assert row.low <= row.difference <= row.high
            assert math.isnan(row.d_z)
            assert row.reversible_by == ""
    alike = compared(baseline="bm25", weights=dict.fromkeys(queries, 3.0), interval="t")
    plain = compared(baseline="bm25", interval="t")
    for weighted, row in zip(alike.differences, plain.differences, strict=True):
        assert weighted.p == row.p
        assert (weighted.low, weighted.high) == pytest.approx((row.low, row.high))
    assert any("weighted" in line for line in alike.legend)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "sign"}, "test sign treats all queries alike"),
        ({"correction": "max-t"}, "correction max-t treats all queries alike"),
        ({"interval": "BCa"}, "interval BCa treats all queries alike"),
    ],
)
def test_what_knows_no_weights_is_refused(options: Any, message: str) -> None:
    weights = dict.fromkeys(compared().queries, 1.0)
    with pytest.raises(rm.InputError, match=message):
        compared(weights=weights, **options)
    with pytest.raises(rm.InputError, match="all weights are 0"):
        compared(weights=dict.fromkeys(weights, 0.0))
    with pytest.raises(rm.InputError, match="without a weight"):
        compared(weights={})
