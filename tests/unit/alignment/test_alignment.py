"""The waist is what the documentation shows, and rare features stay with those that see them."""

import dataclasses
import pickle
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rankmark as rm
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.alignment.cache import Cache
from rankmark.data.preparing.matching import match

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}}
RUN = {"q1": {"x": 0.9, "b": 0.8, "a": 0.8}, "q2": {"e": 0.7, "d": 0.5}}
DIVERSE = {"q": {"s1": {"a": 2, "b": 0}, "s2": {"a": 1, "c": 1}}}
RARE = {"by_group", "by_subtopic", "novelty", "views"}


@contextmanager
def files_called() -> Iterator[set[str]]:
    """Collect the names of the modules whose functions are called."""
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:  # no module or class body
            called.add(Path(frame.f_code.co_filename).stem)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)


def test_it_has_the_fields_that_the_documentation_shows() -> None:
    page = (Path(__file__).parents[3] / "docs/development/how-it-works.md").read_text()
    table = page[page.index("| field |") : page.index("Unjudged documents are the gaps")]
    shown = re.findall(
        r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines() if line)
    )
    fields = [field.name for field in dataclasses.fields(Alignment) if field.name[0] != "_"]
    assert sorted(fields) == sorted(shown)


@pytest.mark.parametrize("ties", ["docid", "mean", "best"])
def test_an_ordinary_evaluation_meets_no_rare_feature(ties: Any) -> None:
    with files_called() as called:
        ev = rm.evaluate(QRELS, RUN, ["nDCG@10", "AP", "RR"], ties=ties)
        assert ev.tie_interval
        assert ev.bounds
        assert ev.explain("q1", "AP")
        assert ev.to_dict()
    assert "evaluate" in called
    assert not called & RARE
    with files_called() as called:
        rm.evaluate(rm.Qrels(DIVERSE, subtopics=True), {"q": ["a"]}, "alpha_nDCG", ties=ties)
    assert called >= {"by_subtopic", "novelty", "views"}


def test_labels_are_labels_and_documents_have_a_column_of_their_own() -> None:
    qrels, run = rm.Qrels(DIVERSE, subtopics=True), rm.Run({"q": ["c", "x", "a"]})
    a, _ = match(qrels, run, Conventions(), needs=Needs(subtopics=True))
    view = a.views["subtopics"]
    assert a.label.tolist() == [1, 2]
    assert a.ideal_label.tolist() == [2, 1, 0]
    assert view.document.tolist() == [0, 2]  # from the greatest id to the least
    assert view.ideal_document.tolist() == [2, 0, 1]
    assert not match(qrels, run, Conventions(), needs=Needs())[0].views


@pytest.mark.parametrize("ties", ["docid", "mean", "best"])
def test_a_measure_over_labels_is_explained_by_labels_where_there_are_subtopics(ties: Any) -> None:
    greatest = {"q": {"a": 2, "b": 0, "c": 1}}
    run = {"q": {"b": 0.9, "c": 0.5, "a": 0.5}}
    by_subtopic = rm.evaluate(
        rm.Qrels(DIVERSE, subtopics=True), run, ["AP", "alpha_nDCG"], ties=ties
    )
    for name in ("AP", "P@2", "nDCG@3", "Prefs"):
        told = by_subtopic.explain("q", name)
        plain = rm.evaluate(greatest, run, name, ties=ties).explain("q")
        assert told.value == plain.value
        assert told.counts == plain.counts
        assert [row["contribution"] for row in told.rows] == [
            row["contribution"] for row in plain.rows
        ]
        assert len(told.ideal) == len(plain.ideal)


def test_what_judgments_keep_is_bounded_and_the_same_to_the_bit() -> None:
    qrels, run = rm.Qrels(QRELS), rm.Run(RUN)
    names = [f"nDCG@{k}" for k in range(1, 201)]
    one_by_one = [rm.evaluate(qrels, run, name)[name] for name in names]
    assert len(qrels._ideals) == 8
    at_once = rm.evaluate(qrels, run, [*names, *names[:3]])
    assert [at_once[name] for name in names] == one_by_one
    assert at_once["nDCG@1"] == rm.evaluate(QRELS, RUN, "nDCG@1")["nDCG@1"]
    assert len(qrels._ideals) == 8
    assert max(len(known) for _, _, known in qrels._ideals.values()) == Cache.most


def test_what_the_measures_of_an_evaluation_share_is_dropped_after_it() -> None:
    qrels, run = rm.Qrels(QRELS), rm.Run(RUN)
    for ties in ("docid", "mean", "best"):
        ev = rm.evaluate(qrels, run, ["AP", "P@5", "nDCG@10"], ties=ties)
        assert not ev._kept.alignment._cache
        assert ev._kept.alignment._ideal
        assert not rm.evaluate(QRELS, run, "AP", ties=ties)._kept.alignment._ideal
    again = pickle.loads(pickle.dumps(ev))
    assert not again._kept.alignment._ideal
    assert again == ev


def test_the_oldest_value_makes_room_for_a_new_one() -> None:
    known = Cache()
    for number in range(Cache.most + 2):
        assert known.keep(number, str(number)) == str(number)
    assert list(known) == list(range(2, Cache.most + 2))
    known.keep(5, "five")
    assert len(known) == Cache.most


def test_threads_can_share_what_judgments_keep() -> None:
    qrels, run = rm.Qrels(QRELS), rm.Run(RUN)
    names = [f"nDCG@{k}" for k in range(1, 41)]

    def means(turn: int) -> list[float]:
        order = names[turn:] + names[:turn]
        found = {name: rm.evaluate(qrels, run, name)[name] for name in order}
        return [found[name] for name in names]

    with ThreadPoolExecutor(8) as pool:
        each = list(pool.map(means, range(0, 40, 5)))
    assert all(one == each[0] for one in each)
    assert len(qrels._ideals) <= 8
