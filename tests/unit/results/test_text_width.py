"""Tables whose letters take two columns, one, or none."""

import pytest

import rankmark as rm
from rankmark.results import text_tables as grids
from rankmark.results.text_width import cut, cut_apart, folded, left, right, width


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


@pytest.mark.parametrize("letter", ["a", "漢"])
def test_a_word_of_millions_of_letters_is_folded_in_time_that_grows_with_it(letter: str) -> None:
    long = f"{letter * 2_000_000} end"
    lines = folded(long, 80, 2)
    assert "".join(map(str.strip, lines)).replace(" ", "") == long.replace(" ", "")
    assert max(map(width, lines)) == 80


def test_a_wide_letter_takes_a_line_of_one_column() -> None:
    assert folded("漢字", 1) == ["漢", "字"]


def test_a_printed_result_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"q": {"a": 1.0, "b": 0.5}}
    results = [
        rm.evaluate({"q": {"a": 2, "c": 1}}, run, "recall@10"),
        rm.compare_rankings(run, run),
    ]
    whole = [str(result) for result in results]
    assert all(max(map(width, text.splitlines())) > 60 for text in whole)
    monkeypatch.setenv("COLUMNS", "60")
    for result, text in zip(results, whole, strict=True):
        assert max(map(width, str(result).splitlines())) <= 60
        assert str(result).split() == text.split()


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["short", "names"], ["short", "names"]),
        (["a" * 9 + "1" + "b" * 9, "a" * 9 + "2" + "b" * 9], ["…1…", "…2…"]),
        (["same" * 5, "same" * 5], ["sames…mesame"] * 2),
        (["x" * 30, "x" * 31, "y"], ["xxxx…xxxxx 1", "xxxx…xxxxx 2", "y"]),
        (["p" * 20 + f"{n}" * 30 + "q" * 20 for n in range(3)], None),
    ],
)
def test_different_names_differ_when_they_are_cut(texts: list[str], shown: list[str]) -> None:
    found = cut_apart(texts, 12)
    assert shown is None or found == shown
    assert len({*found}) == len({*texts})
    assert all(width(one) <= 12 for one in found)


def test_what_was_cut_has_one_ellipsis_when_it_is_cut_again() -> None:
    assert cut(cut("x" * 60, 40), 38).count("…") == 1
    assert "……" not in cut(cut("x" * 60, 40), 38)
