"""Measures at many cutoffs: ranges, lists, and ``--cutoffs``."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.measures.cutoff_series import at_cutoffs, cutoffs_in
from unit.commands import rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25 = (f"{EXAMPLE}/{name}" for name in ("qrels.txt", "bm25.run"))


@pytest.mark.parametrize(
    ("text", "cutoffs"),
    [
        ("1..20", range(1, 21)),
        ("1,5,10", [1, 5, 10]),
        ("10..100..10", range(10, 101, 10)),
        ("1..100..10", range(1, 92, 10)),
        ("1..3, 2 ,1000", [1, 2, 3, 1000]),
        ("7..7", [7]),
        ("1..1000", range(1, 1001)),
    ],
)
def test_ranges_and_lists_are_cutoffs(text: str, cutoffs: list[int]) -> None:
    assert cutoffs_in(text) == tuple(cutoffs)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "need numbers, or ranges"),
        ("1..", "need numbers, or ranges"),
        ("1...5", "need numbers, or ranges"),
        ("1-5", "need numbers, or ranges"),
        ("-1", "need numbers, or ranges"),
        ("1,,2", "need numbers, or ranges"),
        ("5..1", "has '5..1'; need ranges that rise"),
        ("0..5", "need ranges that rise, from 1"),
        ("1..5..0", "need ranges that rise"),
        ("1..1001", "more than 1,000 numbers"),
        ("1..999999999999", "more than 1,000 numbers"),
        ("1..600,2001..2600", "more than 1,000 numbers"),
        ("9" * 5000, "need numbers, or ranges"),
    ],
)
def test_what_is_no_cutoff_is_refused(text: str, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        cutoffs_in(text)


def test_measures_keep_their_parameters() -> None:
    found = at_cutoffs(["AP(rel=2)", "P(rel=1),R"], [1, 5])
    assert [*map(str, found)] == ["AP(rel=2)@1", "AP(rel=2)@5", "P@1", "P@5", "R@1", "R@5"]
    assert "rel" in found[2].chosen
    with pytest.raises(rm.MeasureError, match="nDCG@10 has a cutoff already; name nDCG"):
        at_cutoffs("nDCG@10", [1])
    with pytest.raises(rm.MeasureError, match="Bpref has no cutoff"):
        at_cutoffs(["P", "Bpref"], [1])


def test_the_command_evaluates_at_each_cutoff() -> None:
    command = ["evaluate", QRELS, BM25, "--format", "csv", "--quiet"]
    many = rankmark_here(*command, "-m", "P,AP(rel=2)", "--cutoffs", "1..3,10")
    listed = rankmark_here(*command, "-m", "P@1,2,3,10", "-m", "AP(rel=2)@1,2,3,10")
    assert many.stdout == listed.stdout
    assert many.stdout.startswith("run,P@1,P@2,P@3,P@10,AP(rel=2)@1")
    default = rankmark_here(*command, "--cutoffs", "5")
    assert default.stdout.startswith("run,nDCG@5\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cutoffs", "5..1"], "need ranges that rise"),
        (["--cutoffs", "1", "-m", "nDCG@10"], "nDCG@10 has a cutoff already"),
        (["-m", "Bpref", "--cutoffs", "1"], "Bpref has no cutoff"),
        (["-m", "nope", "--cutoffs", "1"], "there is no measure 'nope'"),
    ],
)
def test_wrong_usage_is_told(options: list[str], message: str) -> None:
    done = rankmark_here("evaluate", QRELS, BM25, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_runs_are_compared_at_each_cutoff_as_one_family() -> None:
    lsa = BM25.replace("bm25", "lsa")
    command = ["compare", QRELS, BM25, lsa, "--test", "t", "--family", "all", "--format", "json"]
    done = rankmark_here(*command, "--cutoffs", "1..3")
    found = json.loads(done.stdout)
    assert [row["measure"] for row in found["differences"]] == ["nDCG@1", "nDCG@2", "nDCG@3"]
    assert {row["family"] for row in found["differences"]} == {3}
