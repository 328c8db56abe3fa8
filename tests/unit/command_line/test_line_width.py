"""Lines are as wide as the terminal, and nothing is cut off; files have no limit."""

import io
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.results.text_tables import text
from rankmark.results.text_width import fitted, folded, line_width
from unit.commands import rankmark_here

LONG = "a-long-descriptive-name-of-a-run-with-its-settings-k1=0.9_b=0.4"
QRELS, BM25 = "qrels.txt", "bm25.run"
LSA = f"{LONG}.run"
COMMANDS = {
    "evaluate": ["evaluate", QRELS, BM25, LSA, "overlap.run"],
    "evaluate one": ["evaluate", QRELS, LSA, "-m", "nDCG,AP,RR,P@5,R@5,bpref,RBP,ERR,Rprec,F@5"],
    "compare": ["compare", QRELS, BM25, LSA],
    "compare all": ["compare", QRELS, BM25, LSA, "overlap.run", "-m", "nDCG@10,AP"],
    "gate": ["gate", QRELS, BM25, LSA, "-m", "nDCG@10", "--max-drop", "0.1"],
    "power": ["power", QRELS, BM25, LSA, "-m", "nDCG@10,AP,RR,P@5", "--resamples", "20"],
    "power of a gate": ["power", QRELS, "-m", "nDCG@10", "--max-drop", "0.1"],
    "similarity": ["similarity", BM25, LSA, "-m", "tau@10,RBO,AO@10,overlap@10,Jaccard@10"],
    "check": ["check", QRELS, BM25, LSA, "overlap.run"],
    "explain": ["explain", QRELS, LSA, "--query", "q02"],
    "explain two": ["explain", QRELS, BM25, "--query", "q02", "--against", LSA],
    "reconcile": ["reconcile", QRELS, LSA, "-m", "nDCG@10", "--value", "0.54", "--changes", "1"],
    "measures": ["measures"],
    "a measure": ["measures", "nDCG"],
    "a set": ["measures", "beir"],
    "profiles": ["profiles"],
    "a profile": ["profiles", "trec_eval10"],
}


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the example, one run of which has a long name."""
    example = Path(rm.__file__).parent / "example"
    for name in ("qrels.txt", "bm25.run", "overlap.run"):
        (tmp_path / name).write_bytes((example / name).read_bytes())
    (tmp_path / LSA).write_bytes((example / "lsa.run").read_bytes())
    monkeypatch.chdir(tmp_path)


def words(shown: str) -> str:
    """Leave out everything that depends on where lines end."""
    return "".join(shown.split()).replace("\\", "")


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_fits_the_terminal(name: str, columns: int) -> None:
    done = rankmark_here(*COMMANDS[name], columns=columns)
    assert done.returncode in {0, 3}, done.stderr
    wide = [line for line in done.stdout.splitlines() if len(line) > columns]
    assert all(line.strip(" \\") == LSA for line in wide), wide  # commands can be pasted
    if any(LSA in str(word) for word in COMMANDS[name]) and name != "explain":
        assert LONG in words(done.stdout)  # a name is folded, but whole


@pytest.mark.usefixtures("collection")
def test_a_wide_terminal_and_a_file_have_tables_of_one_block() -> None:
    here = rankmark_here(*COMMANDS["compare"], columns=400)
    piped = rankmark_here(*COMMANDS["compare"])
    assert here.stdout == piped.stdout
    assert piped.stdout.count("wins/ties/losses") == 1
    rankmark_here(*COMMANDS["compare"], "--output", "out.txt", columns=80)
    assert Path("out.txt").read_text(encoding="utf-8") == piped.stdout


@pytest.mark.usefixtures("collection")
def test_a_wide_terminal_shows_the_ideal_documents_of_an_explanation() -> None:
    asked = ["explain", QRELS, BM25, "--query", "q02"]
    assert "ideal document" not in rankmark_here(*asked, columns=80).stdout
    assert "ideal document" in rankmark_here(*asked, columns=200).stdout


def test_results_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["b", "a"], "q2": ["b"]}
    found = rm.compare(qrels, {"x": run, "y": {"q1": ["a"], "q2": ["b"]}}, ["AP", "nDCG"])
    assert line_width() is None
    assert str(found) == found.to_text()
    monkeypatch.setenv("COLUMNS", "80")
    assert str(found) == found.to_text(width=80)
    assert max(map(len, str(found).splitlines())) <= 80


def test_what_is_printed_in_a_notebook_takes_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    monkeypatch.setattr("sys.stdout", shown())
    assert line_width() == 80


def test_a_table_is_narrowed_by_headings_then_names_then_blocks() -> None:
    head, rows = ["run", "a measure", "other"], [["one-of-two-long-names", "0.5", "0.25"]]
    assert text(head, rows, 1, width=39) == (
        "run                    a measure  other\none-of-two-long-names        0.5   0.25\n"
    )
    assert text(head, rows, 1, width=38).splitlines()[0].split() == ["a"]
    folds = text(head, rows, 1, width=33).splitlines()[2:]
    assert [line.split() for line in folds] == [["one-of-two-long-", "0.5", "0.25"], ["names"]]
    assert text(head, rows, 1, width=26) == (
        "                        a\n"
        "run               measure\n"
        "one-of-two-long-      0.5\n"
        "  names\n"
        "\n"
        "run               other\n"
        "one-of-two-long-   0.25\n"
        "  names\n"
    )


def test_what_belongs_to_a_column_stays_behind_it() -> None:
    shown = text(["run", "AP", "interval", "RR"], [["x", "0.5", "[0.1, 0.9]", "1"]], 1, width=22)
    assert "interval" in shown.splitlines()[0]
    blocks = text(
        ["run", "AP", "RR", "interval"],
        [["x", "0.5", "1", "[0.1, 0.9]"]],
        1,
        width=20,
        attached=["interval"],
    ).split("\n\n")
    assert [block.splitlines()[0].split() for block in blocks] == [
        ["run", "AP"],
        ["run", "RR", "interval"],
    ]


def test_words_fold_at_signs_and_commands_can_be_pasted() -> None:
    assert folded("bm25-with-rm3", 10) == ["bm25-with-", "rm3"]
    assert folded("日本語の検索", 6) == ["日本語", "の検索"]
    command = "to explain: rankmark explain q.txt 'a run.txt' -m nDCG@10"
    assert fitted(command, 40) == (
        "to explain: rankmark explain q.txt \\\n    'a run.txt' -m nDCG@10"
    )
    assert fitted("  one two three", 11) == "  one two\n    three"
