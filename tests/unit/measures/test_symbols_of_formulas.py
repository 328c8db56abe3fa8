"""Formulas: their symbols mean the same in all measures, and are told wherever a formula is."""

import json
import math
import re

import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark import ERR, RBP, Measure, P, R
from rankmark.commands.app import app
from rankmark.measures import ALL, EVERY, WSS, Bpref, CoverageError, F, FallOut, Utility, yaAP
from rankmark.measures.base.symbols import SYMBOLS, named_symbols

FUNCTIONS = {"exp", "log2", "ln", "max", "min"}
WORDS = {
    "among", "an", "and", "at", "averaged", "being", "by", "covered", "different", "document",
    "documents", "down", "each", "else", "first", "for", "fulfilled", "gains", "greedy",
    "highest", "ideal", "if", "in", "itself", "judged", "labels", "last", "levels", "mean",
    "nearest", "no", "of", "or", "order", "out", "over", "pairs", "possible", "preferences",
    "query", "rank", "ranking", "ranks", "relevant", "same", "subtopic", "subtopics", "sum",
    "that", "the", "their", "to", "unjudged", "with", "all",
}  # fmt: skip


@pytest.mark.parametrize("one", ALL, ids=str)
def test_a_formula_has_only_words_functions_parameters_and_known_symbols(one: Measure) -> None:
    for name, _ in named_symbols(one.formula):
        assert name in {*SYMBOLS, *one.parameters, *WORDS, *FUNCTIONS}, name


def test_no_symbol_is_unused_or_a_word_or_a_parameter_too() -> None:
    used = {name for one in ALL for name, _ in named_symbols(one.formula)}
    assert set(SYMBOLS) - used == set()
    assert WORDS - used == set()
    parameters = {name for one in ALL for name in one.parameters} - {"k"}
    assert set(SYMBOLS) & (parameters | WORDS | FUNCTIONS) == set()
    for one in ALL:
        words = {name for name, _ in named_symbols(one.formula)} & WORDS
        assert words & set(one.parameters) == set(), "a word would be explained as a parameter"


@pytest.mark.parametrize("one", ALL, ids=str)
def test_a_measure_explains_each_symbol_of_its_formula_once(one: Measure) -> None:
    told = one.symbols
    explained = {name for symbol in told for name, _ in named_symbols(symbol)}
    known = {name for name, _ in named_symbols(one.formula)} & {*SYMBOLS, *one.parameters}
    assert explained == known
    assert all("{" not in meaning for meaning in told.values())


def test_a_meaning_names_the_index_that_the_formula_has() -> None:
    assert R.symbols == {
        "h_k": "the number of relevant documents among the first k",
        "k": SYMBOLS["k"],
        "R": "the number of relevant documents, retrieved or not",
    }
    assert [*ERR.symbols] == ["i", "s_i", "k"]
    assert RBP.symbols["p"] == RBP.parameters["p"].meaning
    assert [*rm.Own("mine", labels=len).symbols] == []


def test_symbols_of_formulas_mean_what_the_measures_compute() -> None:
    labels, missed = [1, 0, 1, None, 0, 1, 0], [1, 0, 0]
    k, n, relevant, h_n, h_4, u_4 = 4, 7, 4, 3, 2, 2
    assert (F(beta=2) @ k)(labels, missed=missed) == (1 + 4) * h_4 / (k + 4 * relevant)
    assert (FallOut @ k)(labels) == u_4 / (n - h_n)
    assert (FallOut(norm="judged") @ k)(labels, missed=missed) == 1 / 5  # N_4 / N
    assert CoverageError(labels, missed=missed) == n + relevant - h_n
    weighted = Utility(hit=2, noise=-1, miss=-3, rest=0.5, collection=20)
    u_n = n - h_n
    expected = 2 * h_n - u_n - 3 * (relevant - h_n) + 0.5 * (20 - u_n - relevant)
    assert weighted(labels, missed=missed) == expected
    ap = rm.AP(labels, missed=missed)
    assert yaAP(labels, missed=missed) == pytest.approx(
        math.log((1 + relevant * ap) / (1 + relevant - relevant * ap))
    )
    below = [1 - min(N_i, 4) / min(4, 5) for N_i in (0, 1, 2)]
    assert Bpref(labels, missed=missed) == pytest.approx(sum(below) / relevant)
    assert WSS(recall=0.75, collection=20)(labels, missed=missed) == pytest.approx(
        (20 - 6) / 20 - 0.25
    )


def test_measures_are_a_table_with_names_formulas_and_symbols() -> None:
    listed = rm.measures()
    printed, shown = str(listed), listed._repr_html_()
    for one in ALL:
        assert f"  {one}  " in printed
        assert one.full_name in printed
        assert one.formula in printed
    for symbol, meaning in SYMBOLS.items():
        assert f"  {symbol}  " in printed
        assert meaning.replace("{i}", "i") in printed
        assert f">{symbol}</td>" in shown
    few = type(listed)([P, rm.measure("NumNonrelJudgedRet")])
    assert [line.split()[0] for line in str(few).partition("symbol ")[2].splitlines()[1:]] == [
        *("k", "h_i", "N_i")
    ]
    assert str(type(listed)()) == ""


def test_the_command_line_and_python_list_the_same_facts() -> None:
    done = CliRunner().invoke(app, ["measures", "--format", "json"])
    rows = json.loads(done.stdout)["rows"]
    assert rows == rm.measures().to_dict()["rows"]
    assert [row["symbols"] for row in rows] == [one.symbols for one in EVERY]
    assert str(rm.measures()) in CliRunner().invoke(app, ["measures"]).stdout
    page = CliRunner().invoke(app, ["measures", "R@5"]).stdout
    assert "\nR = h_k / R\n" in page
    assert "\n  R    the number of relevant documents, retrieved or not\n" in page
    found = rm.measures()
    table = found.to_arrow().to_pylist()
    assert found.to_polars().columns == [*found.to_pandas().columns] == [*table[0]] == [*rows[0]]
    assert table[1]["symbols"][0] == "h_k: the number of relevant documents among the first k"


def test_measures_are_found_by_words() -> None:
    found = rm.measures().search("RANK reciprocal")
    assert {"RR", "ERR"} <= {one.name for one in found}
    assert [one.name for one in rm.measures().search("ndcg_cut")] == ["nDCG"]
    assert rm.measures().search("no such words") == []
    done = CliRunner().invoke(app, ["measures", "--search", "rank reciprocal"])
    assert done.stdout.strip() == str(found)
    none = CliRunner().invoke(app, ["measures", "--search", "no such words"])
    assert (none.exit_code, none.stdout) == (
        0,
        "No names or descriptions contain no such words.\n",
    )
    alone = CliRunner().invoke(app, ["measures", "--search", "ndcg_cut"]).stdout
    assert alone == CliRunner().invoke(app, ["measures", "nDCG"]).stdout


def as_text(latex: str) -> str:
    """Write LaTeX as formulas are written in text, without its words."""
    text = re.sub(r"\\text\{[^}]*\}", " ", latex)
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", text)
    text = text.replace(r"\varepsilon", " eps ").replace(r"\log_2", " log2 ")
    text = re.sub(r"\\(alpha|beta)", r" \1 ", text)
    text = re.sub(r"(?<=\w)_\{([^{}]*)\}", r"_(\1)", re.sub(r"\\(sum|max)_", r"\\\1 ", text))
    return re.sub(r"\\[a-z]+|\\,|\\:|[{}]", " ", text)


@pytest.mark.parametrize("one", ALL, ids=str)
def test_the_formula_in_latex_has_the_symbols_of_the_one_in_text(one: Measure) -> None:
    known = {*SYMBOLS, *one.parameters}
    typeset = {name for name, _ in named_symbols(as_text(one.latex))}
    assert typeset - FUNCTIONS <= known, typeset - FUNCTIONS - known
    in_text = {name for name, _ in named_symbols(one.formula)}
    assert typeset & known == in_text & known
    assert one.latex.count(r"\left") == one.latex.count(r"\right")
    assert one.latex.count("{") == one.latex.count("}")
