"""``citations``: whether the passages that answers cite support their sentences."""

import math
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.spans.forms import FORMS

NAMES = ("query_id", "sentence", "passage", "support", "together", "without")
ROWS = [
    dict(zip(NAMES, row, strict=True))
    for row in (
        ("q", "s1", "1", "yes", "yes", None),
        ("q", "s1", "2", "no", None, "yes"),
        ("q", "s2", "3", "no", None, None),
        ("q", "s3", None, None, None, None),
    )
]
THIRDS = {"precision": 1 / 3, "recall": 1 / 3, "F": 1 / 3}


def alce(rows: list[tuple[Any, ...]], **options: Any) -> dict[str, float]:
    """Score one answer: (sentence, passage, alone, together, without)."""
    return dict(rm.citations([("q", *row) for row in rows], method="alce", **options))


@pytest.mark.parametrize("form", FORMS)
def test_three_sentences_have_the_figures_of_alce_in_every_form(form: str, tmp_path: Path) -> None:
    found = rm.citations(FORMS[form](ROWS, tmp_path))
    assert dict(found) == pytest.approx(THIRDS, abs=1e-15)
    assert found.settings["method"] == "alce"
    assert (found.audit.sentences, found.audit.without_citation) == (3, 1)  # type: ignore[union-attr]


def test_a_citation_that_is_needed_is_precise_and_one_that_is_not_is_not() -> None:
    def two(without: str) -> list[tuple[Any, ...]]:
        return [("s", 1, "yes", "yes", None), ("s", 2, "no", "yes", without)]

    assert alce(two("yes"))["precision"] == 0.5
    assert alce(two("no"))["precision"] == 1.0


def test_a_repeated_citation_counts_as_often_as_it_is_there() -> None:
    assert alce([("s", 1, "yes", "yes", None)] * 2) == dict.fromkeys(THIRDS, 1.0)


def test_a_citation_out_of_range_discredits_its_sentence() -> None:
    rows = [("s", 1, "yes", None, None), ("t", 1, "yes", "yes", None), ("t", 9, None, None, None)]
    found = alce(rows, passages=5)
    assert found == {"precision": 1.0, "recall": 0.5, "F": pytest.approx(2 / 3)}
    assert alce(rows, passages={"q": ["1", "2"]}) == found
    with pytest.warns(
        rm.RankmarkWarning, match="no citation is of a passage that exists, such as '0'"
    ):
        assert alce([("s", 0, None, None, None)], passages=5)["recall"] == 0.0
    weighted = rm.citations([("q", *row[:3]) for row in rows], passages=5)
    assert weighted["precision"] == pytest.approx(2 / 3)
    assert weighted.audit.out_of_range == 1  # type: ignore[union-attr]


def test_only_the_first_citations_count() -> None:
    rows = [("s", 1, "no", "no", None), ("s", 2, "no", "no", None), ("s", 3, None, None, None)]
    found = rm.citations([("q", *row) for row in rows], method="alce", at_most_citations=2)
    assert found["precision"] == 0.0
    assert found.audit.beyond == 1  # type: ignore[union-attr]
    assert alce([("s", 1, "yes", None, None), ("s", 2, "no", None, None)], at_most_citations=1) == (
        dict.fromkeys(THIRDS, 1.0)
    )


def test_support_has_the_weights_of_trec_rag() -> None:
    judged = {
        "q": [("s1", "a", "full"), ("s1", "b", "partial"), ("s2", "c", "no"), ("s3", None, None)]
    }
    found = rm.citations(judged)
    assert found.settings["method"] == "trec_rag"
    assert found["precision"] == 0.5
    assert found["recall"] == pytest.approx(1 / 3)
    assert rm.citations(judged, partial=0.2)["precision"] == pytest.approx(0.4)
    # Only the first citation of a sentence was judged in 2024.
    assert rm.citations(judged, at_most_citations=1)["precision"] == 0.5


def test_answers_without_citations_and_queries_without_answers() -> None:
    judged = {"q": [("s1", "a", "full")], "r": [("s1", None, None)], "t": []}
    found = rm.citations(judged)
    assert found.per_query("precision") == {"q": 1.0, "r": 0.0, "t": 0.0}
    assert found.audit.missing == 1  # type: ignore[union-attr]
    assert rm.citations(judged, queries="both").queries == ("q", "r")
    left_out = rm.citations(judged, empty="nan")
    assert math.isnan(left_out.per_query("F")["r"])
    assert left_out["precision"] == 0.5
    assert left_out["recall"] == pytest.approx(1 / 3)
    rows = [{**ROWS[0], "query_id": "q"}, {"query_id": "r"}]
    assert rm.citations(rows).per_query("recall") == {"q": 1.0, "r": 0.0}


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "partial": ([("q", "s", "1", "partial", "yes")], {}, "partial, and ALCE's scores"),
    "together": ([("q", "s", "1", "no", None), ("q", "s", "2", "no", None)], {}, "together of row"),
    "contradiction": (
        [("q", "s", "1", "no", "yes"), ("q", "s", "2", "no", "no")],
        {},
        "together of row 1 contradicts",
    ),
    "without": ([("q", "s", "1", "no", "yes"), ("q", "s", "2", "no", "yes")], {}, "without of row"),
    "unjudged": ([("q", "s", "1", None)], {}, "support of row 1 is empty"),
    "no number": ([("q", "s", "one", "full")], {"passages": 3}, "passage of row 1 is 'one'"),
    "no sentence": (
        [("q", None, "1", "full")],
        {},
        "sentence of row 1 is empty, and",
    ),
    "no query": ([(None, "s", "1", "full")], {}, "query_id of row 1 is empty"),
    "passages": ([("q", "s", "1", "full")], {"passages": 0}, "passages is 0"),
    "method": ([("q", "s", "1", "full")], {"method": "ragas"}, "method is 'ragas'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str) -> None:
    given, options, told = WRONG[name]
    with pytest.raises(rm.InputError, match=told):
        rm.citations(given, **options)
