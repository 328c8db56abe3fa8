"""What may be wrong with a log: counted, and dropped only where that is asked for."""

import json
import math

import pytest

import rankmark as rm

nw = pytest.importorskip("narwhals")
pytest.importorskip("duckdb")

from unit.clicks.test_log_formats import listed  # noqa: E402
from unit.clicks.test_read_log import COLUMNS, two_engines  # noqa: E402

ROWS = [
    # issue, query, user, variant, doc, rank, click
    ("i1", "p", "u", "A", "a", 1, 0),
    ("i1", "p", "u", "A", "b", 2, 0),
    ("i1", "p", "u", "A", "a", 3, 1),  # shown again
    ("i2", "p", "u", "B", "a", 1, 1),  # the user is in another variant
    ("i3", "q", "v", "A", "a", 1, 3),
    ("i3", "q", "v", "A", "b", 3, 0),  # a gap
    ("i4", "q", "v", "A", "a", None, 1),  # no rank
    ("i5", "r", "w", "A", None, None, 0),  # nothing was found
    ("i5", "r", "w", "A", None, None, 1),  # a click on nothing
    ("i6", "r", "w", "A", "a", 1, 0),
    ("i6", "s", "w", "A", "b", 2, 0),  # two queries in an issue
]
NAMES = ("query_id", "query", "user", "variant", "doc", "rank", "click")
DIRTY = {name: [row[at] for row in ROWS] for at, name in enumerate(NAMES)}


@two_engines
def test_what_may_be_wrong_is_counted_and_kept(form):
    found = rm.read_log(form(DIRTY), bot_clicks=3).audit.to_dict()
    assert found == {
        **{"impressions": 9, "clicked": 4, "issues": 6, "empty": 1, "queries": 3, "single": 0},
        **{"users": 3, "orphans": 1, "duplicates": 1, "unranked": 1, "gaps": 1, "bots": 1},
        **{"bot_clicks": 3, "crossover": 1, "mixed": 1, "ordinals": None, "dropped": {}},
    }


DROPPED = {
    "duplicates": {("i1", "a", 3)},
    "unranked": {("i4", "a", None)},
    "gaps": {("i3", "a", 1), ("i3", "b", 3)},
    "bots": {("i3", "a", 1), ("i3", "b", 3), ("i4", "a", None)},
    "crossover": {("i1", "a", 1), ("i1", "b", 2), ("i1", "a", 3), ("i2", "a", 1)},
}


@two_engines
@pytest.mark.parametrize("word", DROPPED)
def test_what_is_dropped_is_counted(form, word):
    log = rm.read_log(form(DIRTY), drop=word, bot_clicks=3)
    rows = {(issue, doc, None if math.isnan(rank or 0) else rank) for issue, doc, rank in
            listed(log, "query_id", "doc", "rank")}  # fmt: skip
    every = {(row[0], row[4], row[5]) for row in ROWS if row[4] is not None}
    assert every - rows == DROPPED[word]
    assert log.audit.dropped == {word: len(DROPPED[word])}
    assert f"left out because of {word}: {len(DROPPED[word])}" in str(log)
    if word == "duplicates":  # the first place, and the click on the second
        assert ("i1", "a", 1, 1) in listed(log, "query_id", "doc", "rank", "click")


def test_several_words_are_dropped_one_after_the_other():
    log = rm.read_log(DIRTY, drop=["gaps", "unranked", "crossover", "duplicates"])
    assert listed(log, "query_id", "doc") == [("i6", "a"), ("i6", "b")]
    assert log.audit.dropped == {"crossover": 4, "duplicates": 0, "gaps": 2, "unranked": 1}
    assert log.audit.issues == 2


def test_words_that_do_not_apply_are_refused():
    with pytest.raises(rm.InputError, match="drop is 'robots'; need one of duplicates"):
        rm.read_log(DIRTY, drop="robots")
    with pytest.raises(rm.InputError, match="drop=crossover needs user and variant"):
        rm.read_log(COLUMNS, drop="crossover")


def test_a_log_says_what_it_holds():
    log = rm.read_log(DIRTY, bot_clicks=3, columns={"query": "query"})
    text = str(log)
    assert text.startswith("6 issues of 3 queries by 3 users: 9 documents shown, 4 clicked\n")
    assert "users with more than 3 clicks" in text
    assert "clicks at another place" not in text
    assert json.loads(log.to_json())["audit"]["crossover"] == 1
    assert "crossover" in log.to_csv()
