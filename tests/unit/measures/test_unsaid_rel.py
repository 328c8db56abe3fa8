"""Graded labels, and measures for which nobody said from which label on they are relevant."""

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, RBP, P, nDCG
from unit.commands import rankmark_here

STARS = {"u": {"a": 4.5, "b": 0.5, "c": 1}, "v": {"d": 3}}
RUN = {"u": ["c", "a", "b"], "v": ["d", "e"]}
SOURCE_OPTIONS = (
    "AP, P@5 count labels >= 1 as relevant; labels go up to 4.5; set rel to change this, as in "
    "AP(rel=3)"
)


def lines(asked: Any, qrels: Any = STARS) -> list[str]:
    return [line for line in rm.evaluate(qrels, RUN, asked).provenance if "as relevant; " in line]


def test_a_line_says_what_counts_as_relevant_where_nobody_did() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rm.evaluate(STARS, RUN, ["AP", "nDCG@10", "P@5"])
    assert lines(["AP", "nDCG@10", "P@5"]) == [SOURCE_OPTIONS]
    assert str(found).count(SOURCE_OPTIONS) == 1
    assert found._repr_html_().count("labels go up to 4.5") == 1
    assert found.to_dict()["notes"] == json.loads(found.to_json())["notes"] == [SOURCE_OPTIONS]


def test_more_than_three_measures_are_counted() -> None:
    (line,) = lines(None)
    assert line.startswith("AP, RR@10, R@100 and 1 more count labels >= 1 as relevant; ")


@pytest.mark.parametrize(
    "asked",
    [
        "nDCG@10",
        "AP(rel=1)",
        "map-l1",
        "P(rel=1)@5, AP(rel=4)",
        AP(rel=1),
        AP(rel=2) @ 5,
        AP(rel=1) @ [5, 10],
        AP(norm="min")(rel=1.0) @ 3,
        AP(rel=1)(norm="min"),
        [P(rel=1) @ 5, nDCG],
        pickle.loads(pickle.dumps(AP(rel=1))),
        copy.deepcopy(AP(rel=1)),
        "ERR(max_rel=5)",
        RBP(max_rel=5),
        "Judged@10, NumRet",
    ],
    ids=str,
)
def test_nothing_is_said_where_somebody_chose_or_nothing_is_to_be_chosen(asked: Any) -> None:
    _ = lines("AP"), lines(AP), lines([P @ 5])  # which are equal to some of these
    assert lines(asked) == []
    assert "notes" not in rm.evaluate(STARS, RUN, asked).to_dict()


@pytest.mark.parametrize("asked", ["AP", AP, [AP @ 5], "map", RBP, "NumRel", AP @ [1, 2]], ids=str)
def test_it_is_said_of_names_and_of_measures(asked: Any) -> None:
    _ = lines("AP(rel=1)"), lines(AP(rel=1)), lines([AP(rel=1) @ 5])
    assert len(lines(asked)) == 1


@pytest.mark.parametrize(
    "labels",
    [
        {"a": 1, "b": 0},
        {"a": 2, "b": 2},
        {"a": 1, "b": -1},
        {"a": 0, "b": 0},
        {"a": 0.5, "b": 0.25},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")  # no label reaches rel=1
def test_labels_of_one_grade_need_no_word(labels: dict[str, float]) -> None:
    assert lines(None, {"u": labels}) == []


@pytest.mark.parametrize(
    ("labels", "rel"),
    [([1, 2], 2), ([0, 1, 2, 3], 2), ([1, 2, 3, 4, 5], 3), ([1, 5], 5), ([0.5, 1], 0.5)],
)
def test_the_example_is_a_label_from_the_upper_half(labels: list[float], rel: float) -> None:
    (line,) = lines("AP", {"u": {f"d{i}": label for i, label in enumerate(labels)}})
    assert line.endswith(f"as in AP(rel={rel})")


def test_matrices_and_prepared_judgments_say_it_as_well() -> None:
    labels, scores = np.array([[5, 3, 0], [0, 0, 1]]), np.array([[0.1, 0.3, 0.2], [0.3, 0.2, 0.1]])
    assert any("labels go up to 5" in line for line in rm.evaluate(labels, scores, "RR").provenance)
    prepared = rm.Qrels(STARS)
    for _ in range(2):
        assert lines(["AP", "P@5"], prepared) == [SOURCE_OPTIONS]
    assert lines("AP(rel=2)", prepared) == []


def test_the_command_line_says_it_once_under_the_table(tmp_path: Path) -> None:
    qrels, runs = tmp_path / "qrels.txt", [tmp_path / "a.run", tmp_path / "b.run"]
    qrels.write_text(
        "".join(f"{q} 0 {d} {x}\n" for q, docs in STARS.items() for d, x in docs.items())
    )
    for path in runs:
        path.write_text(
            "".join(f"{q} Q0 {d} 1 {-i} t\n" for q in RUN for i, d in enumerate(RUN[q]))
        )
    done = rankmark_here("evaluate", qrels, *runs, "-m", "AP", "-m", "P@5")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == SOURCE_OPTIONS
    assert done.stdout.count("labels go up to") == 1
    as_csv = rankmark_here("evaluate", qrels, *runs, "-m", "AP,P@5", "--format", "csv")
    assert "labels go up to" not in as_csv.stdout
    assert SOURCE_OPTIONS in as_csv.stderr.splitlines()
    as_json = json.loads(
        rankmark_here("evaluate", qrels, runs[0], "-m", "AP,P@5", "--format", "json").stdout
    )
    assert as_json["runs"][0]["notes"] == [SOURCE_OPTIONS]
    assert (
        "labels go up to" not in rankmark_here("evaluate", qrels, *runs, "-m", "AP(rel=1)").stdout
    )
