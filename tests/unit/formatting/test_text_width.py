"""Tables whose letters take two columns, one, or none."""

import pytest

import rankmark as rm
from rankmark.formatting import text_tables as grids
from rankmark.formatting.text_width import cut, left, right, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [("doc-7", 5), ("", 0), ("日本語", 6), ("ﾊﾝ", 2), ("e\u0301t", 2), ("a\u200bb", 2), ("é", 1)],
)
def test_a_text_takes_as_many_columns_as_a_terminal_gives_it(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(left(text, 9)) == width(right(text, 9)) == 9


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("abcdefghij", 10, "abcdefghij"),
        ("abcdefghijk", 10, "abcd…ghijk"),
        ("abcdefghijk", 9, "abcd…hijk"),
        ("日本語日本語", 12, "日本語日本語"),
        ("日本語日本語", 8, "日…本語"),
        ("日本語日本語", 9, "日本…本語"),
    ],
)
def test_a_long_text_loses_its_middle(text: str, most: int, shown: str) -> None:
    assert cut(text, most) == shown
    assert width(shown) <= most


def test_columns_of_a_table_stand_under_one_another_whatever_the_letters() -> None:
    lines = grids.text(["run", "AP"], [["日本.run", "0.5"], ["bm25.run", "0.25"]], 1).splitlines()
    assert [width(line) for line in lines] == [14, 14, 14]


def test_an_explanation_counts_wide_ids() -> None:
    qrels = {"q": {"文書の識別子" * 8: 1, "doc": 1}}
    told = rm.explain(qrels, {"q": ["doc", *qrels["q"]][:2]}, "q", "AP")
    table = str(told).splitlines()[2:5]
    assert len({width(line) for line in table}) == 1
    assert max(map(width, table)) <= 80
