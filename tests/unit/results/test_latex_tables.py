"""LaTeX: caption, label, where a table stands on the page, several tables, and that it compiles."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.text_tables import Cell
from unit.commands import rankmark_here

FOLDER = Path(rm.__file__).parent / "example"
RUNS = ("bm25.run", "lsa.run", "overlap.run")
FIVE = ("-m", "nDCG@10,AP(rel=1),RR(rel=1)@10,R(rel=1)@100,P(rel=1)@10")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def latex(command: str, *options: str) -> Any:
    return rankmark_here(
        command, "qrels.txt", *RUNS, *FIVE, "--format", "latex", "--quiet", *options
    )


@pytest.fixture(scope="module")
def slices(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give a file with two slices of the queries."""
    path = tmp_path_factory.mktemp("slices") / "by"
    path.write_text("".join(f"q{at:02} part{10 if at % 3 else 2}\n" for at in range(1, 25)))
    return str(path)


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_caption_and_label_are_chosen(command: str) -> None:
    done = latex(command, "--caption", "100% of a_b & c", "--label", "tab:mine")
    assert r"\caption{100\% of a\_b \& c}" in done.stdout
    assert r"\label{tab:mine}" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_wide_tables_span_columns_turn_or_shrink(command: str) -> None:
    assert latex(command).stdout.splitlines()[1] == r"\begin{table}"
    wide = latex(command, "--environment", "table*").stdout
    assert r"\begin{table*}" in wide
    assert r"\end{table*}" in wide
    side = latex(command, "--environment", "sidewaystable").stdout
    assert side.startswith("% \\usepackage{booktabs,siunitx,rotating}\n\\begin{sidewaystable}")
    small = latex(command, "--resize").stdout
    assert small.startswith("% \\usepackage{booktabs,siunitx,graphicx}\n")
    assert small.count(r"\resizebox{") == 1
    assert "\\end{tabular}}\n" in small


def test_several_tables_have_labels_of_their_own(slices: str) -> None:
    tables = ("--tables", "means,differences,slices", "--by", slices)
    text = latex("compare", *tables, "--caption", "Mine").stdout
    assert re.findall(r"\\label\{(.*)\}", text) == [
        "tab:comparison",
        "tab:comparison-differences",
        "tab:comparison-slice-1",
        "tab:comparison-slice-2",
    ]
    first, second, third, fourth = re.findall(r"\\caption\{(.*)\}", text)
    assert first == "Mine"
    assert second.startswith("Means over 24 queries")
    assert third.startswith("Slice part2, 8 queries. Means over 8 queries")
    assert fourth.startswith("Slice part10, 16 queries. Means over 16 queries")


def test_columns_with_thousands_are_no_columns_of_siunitx() -> None:
    rows = [[Cell("a"), Cell("1,690"), Cell("12")], [Cell("b"), Cell("24"), Cell("0.5")]]
    made = MarkedTable(["", "pairs", "mean"], rows, label="tab:it").as_latex()
    assert r"\begin{tabular}{@{}l r S[table-format=2.1]@{}}" in made
    assert "a & 1,690 & 12 " in made


def test_python_has_the_same_tables() -> None:
    compared = rm.compare("qrels.txt", list(RUNS), ["nDCG@10", "AP(rel=1)"])
    text = compared.to_latex(tables=["differences"], environment="table*", label="tab:d")
    assert text.startswith("% \\usepackage{booktabs,siunitx}\n\\begin{table*}")
    assert r"\label{tab:d}" in text
    assert "lsa" in text.partition("midrule")[2]
    for wrong in (
        {"tables": ["slices"]},
        {"tables": ["nothing"]},
        {"environment": "figure"},
        {"label": "tab{x}"},
    ):
        with pytest.raises(rm.errors.InputError):
            compared.to_latex(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "csv", "--caption", "x"), "--caption is for --format latex"),
        (("--resize",), "--resize is for --format latex"),
        (("--format", "latex", "--label", "a}b"), "label is 'a}b'"),
        (("--tables", "means"), "--tables is for --format latex"),
        (("--format", "latex", "--tables", "none"), "'none'; need any of means, differences"),
    ],
)
def test_options_of_latex_are_refused_where_they_do_nothing(
    options: tuple[str, ...], said: str
) -> None:
    done = rankmark_here("compare", "qrels.txt", *RUNS, "-m", "nDCG@10", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_every_table_compiles(tmp_path: Path, slices: str) -> None:
    if subprocess.run(["kpsewhich", "siunitx.sty"], capture_output=True, check=False).returncode:
        pytest.skip("needs siunitx")
    texts = [
        latex("evaluate", "--environment", "table*", "--caption", "50% & more_so").stdout,
        latex("compare", "--resize", "--tables", "means,differences,slices", "--by", slices).stdout,
        latex("compare", "--environment", "sidewaystable", "--label", "tab:side").stdout,
        latex("compare", "--baseline", "bm25", "--environment", "table*", "--label", "x").stdout,
    ]
    document = [
        r"\documentclass[twocolumn]{article}",
        r"\usepackage{booktabs,siunitx,graphicx,rotating}",
        r"\begin{document}",
        *texts,
        r"\end{document}",
    ]
    (tmp_path / "paper.tex").write_text("\n".join(document))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = done.stdout.decode("latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "Overfull" not in log
