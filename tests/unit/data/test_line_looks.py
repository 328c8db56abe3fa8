"""Looks at lines find every id that the slow comparison finds."""

import random

import pytest

from rankmark.data.evidence.line_looks import Lines, SameLook
from rankmark.data.evidence.near_ids import NearLook, near_ids

FORMS = [
    ("doc{}", "DOC{}"),
    ("doc{}", "doc{:09}"),
    ("d-{}-x", "d_{} x"),
    ("{}", "{}.0"),
    ("{}", "'{}'"),
    ("{}", "item:{}"),
    ("{}", "a/b/{}"),
    ("page{}", "page{}.html"),
    ("page{}", "page{}#2"),
    ("page{}.html", "page{}"),
    ("a/b/page{}", "page{}"),
    ("x{}", "lib|x{}"),
    ("http://a.org/page/{}", "https://www.a.org/page/{}/"),
    ("caf\u00e9 {}", "cafe\u0301 {}"),
    ("a b {}", "a%20b%20{}"),
    ("A&B {}", "A&amp;B {}"),
    ("\uff11{}", "1{}"),
]


@pytest.mark.parametrize(("ours", "theirs"), FORMS)
def test_every_id_that_is_written_otherwise_is_found(ours: str, theirs: str) -> None:
    rng = random.Random(7)
    numbers = [*dict.fromkeys(rng.randrange(10 ** rng.randrange(1, 8)) for _ in range(60))]
    look = NearLook([ours.format(n) for n in numbers[::3]])
    wanted = [theirs.format(n) for n in numbers[::3]]
    others = [theirs.format(n) for n in numbers] + ["", *(f"other!{n}" for n in range(50))]
    found = look.alike_in(look.likely_in(Lines.of(others)))
    assert {*found} >= {*wanted}
    assert near_ids([([ours.format(n) for n in numbers[::3]], found)]).found == len(wanted)


def test_ids_of_any_length_are_found_among_others() -> None:
    rng = random.Random(8)
    ids = ["x" * n + str(n) for n in range(1, 20)] + ["\u00e9", "9"]
    others = [f"{rng.randrange(10**n)}" for n in range(1, 30) for _ in range(400)]
    lines = Lines.of([*others, "", *ids])
    likely = SameLook(ids).likely_in(lines)
    assert {*likely} >= {*ids}
    assert len(likely) < len(ids) + others.count("9") + 100
    assert (len(lines), lines.at([0])) == (len(others) + len(ids), others[:1])
    assert SameLook([]).likely_in(lines) == Lines.of([]).at(slice(None)) == []
    assert SameLook(["ab"]).likely_in(Lines.of(["\ud800", "ab"])) == ["ab"]
