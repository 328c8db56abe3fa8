"""What people typed that is no command line: each error shows the words to type."""

import re
from pathlib import Path

import click
import pytest

import rankmark as rm
from rankmark.commands.app import COMMANDS, app
from rankmark.commands.parts.mistyped import _COMMANDS, _OPTIONS, near
from rankmark.measures.names import measures
from unit.commands import Done, rankmark, rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25 = f"{EXAMPLE}/qrels.txt", f"{EXAMPLE}/bm25.run"
FILES = (QRELS, BM25)


def told(done: Done) -> str:
    """Give the error of wrong usage, below the usage."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    usage, *_, last = done.stderr.splitlines()
    assert usage.startswith("Usage: ")
    return str(last.removeprefix("Error: "))


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        (("check",), "Missing argument 'QRELS'."),
        (("convert", BM25), "Missing argument 'OUT'."),
        (
            ("evaluate", *FILES, "-m", "nDCG@10", "AP"),
            'AP is a measure, and there is no such file; write -m "nDCG@10,AP", or repeat -m',
        ),
        (
            ("evaluate", *FILES, "-m", "nDCG@10,", "AP"),
            'AP is a measure, and there is no such file; write -m "nDCG@10,AP", or repeat -m',
        ),
        (
            ("evaluate", "-m", "nDCG@10", "AP", *FILES),
            'AP is a measure, and there is no such file; write -m "nDCG@10,AP", or repeat -m',
        ),
        (
            ("explain", *FILES, "--query", "q01", "-m", "nDCG@10", "AP"),
            'AP is a measure, and there is no such file; write -m "nDCG@10,AP", or repeat -m',
        ),
        (
            ("gate", QRELS, BM25, "AP", "--max-drop", "0.1"),
            "AP is a measure, and there is no such file; write -m AP",
        ),
        (
            ("evaluate", *FILES, "-m", "nDCG", "10"),
            "there is no file 10; write the cutoff of a measure behind @: -m nDCG@10",
        ),
        (
            ("evaluate", *FILES, "-m", "nDCG@10", "-m", "P", "5"),
            "there is no file 5; write the cutoff of a measure behind @: -m P@5",
        ),
        (
            ("explain", *FILES, "--query", "q01", "-m", "nDCG", "10"),
            "there is no file 10; write the cutoff of a measure behind @: -m nDCG@10",
        ),
        (
            ("evaluate", *FILES, "-m", "nDCG@10", "20"),
            "there is no file 20; write several cutoffs with commas: -m nDCG@10,20",
        ),
        (
            ("evaluate", *FILES, "--metrics", "AP"),
            "there is no option --metrics; did you mean -m/--measure?",
        ),
        (("evaluate", *FILES, "--json"), "there is no option --json; did you mean --format json?"),
        (("evaluate", *FILES, "--per-q"), "there is no option --per-q; did you mean --per-query?"),
        (("evaluate", *FILES, "-q"), "there is no option -q; did you mean --per-query?"),
        (
            ("evaluate", *FILES, "--xyzzy"),
            "there is no option --xyzzy; `rankmark evaluate --help-all` lists them",
        ),
        (("eval", *FILES), "there is no command 'eval'; did you mean evaluate?"),
        (("calls", *FILES), "there is no command 'calls'; did you mean search-calls?"),
        (("merge", *FILES), "there is no command 'merge'; did you mean fuse?"),
        (("xyzzy",), "there is no command 'xyzzy'; `rankmark --help` lists them"),
        (
            FILES,
            f"{QRELS} is a file, and the command comes first: rankmark evaluate QRELS RUN",
        ),
        (
            ("judges", QRELS, QRELS, BM25),
            f"{BM25} is a run, and all arguments are judgments; give it as --runs {BM25}",
        ),
    ],
)
def test_the_error_shows_what_to_type(typed: tuple[str, ...], error: str) -> None:
    assert told(rankmark_here(*typed)) == error


def test_an_unknown_kind_of_plot_names_all_and_the_nearest() -> None:
    error = told(rankmark_here("plot", "curves", *FILES))
    assert "'curve', 'dcg', 'precision-recall'" in error
    assert error.endswith("Did you mean curve?")
    assert told(rankmark_here("plot", *FILES)).endswith("and KIND comes first.")


def test_unknown_words_of_an_option_name_the_nearest() -> None:
    assert told(rankmark_here("evaluate", *FILES, "--format", "tabel")).endswith(
        "Did you mean table?"
    )


def test_other_errors_stay_as_they_are(tmp_path: Path) -> None:
    done = rankmark_here("evaluate", QRELS, "no-such.run", "-m", "nDCG")
    assert (done.returncode, done.stderr) == (
        1,
        "rankmark: no-such.run: there is no such file; check the path\n",
    )
    (tmp_path / "AP").write_text(Path(BM25).read_text(encoding="utf-8"), encoding="utf-8")
    assert rankmark("evaluate", QRELS, "AP", "-m", "nDCG", cwd=tmp_path).returncode == 0
    done = rankmark_here("judges", QRELS, "no-such.txt")
    assert (done.returncode, "no such file" in done.stderr) == (1, True)


def test_measures_and_cutoffs_behind_a_blank_show_how_to_write_them() -> None:
    with pytest.raises(rm.MeasureError, match=r"did not expect 'AP'; write nDCG@10,AP$"):
        measures("nDCG@10 AP")
    with pytest.raises(rm.MeasureError, match=r"did not expect '10'; write nDCG@10$"):
        measures("nDCG 10")
    with pytest.raises(rm.MeasureError, match=r"write NAME\(parameter=value, ...\)@k$"):
        measures("nDCG@10)")


def test_the_folder_of_a_beir_data_set_names_its_judgments(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    for name in ("dev", "test", "train"):
        (tmp_path / "qrels" / f"{name}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    for name in ("corpus", "queries"):
        (tmp_path / f"{name}.jsonl").write_text('{"_id": "d1", "text": "text"}\n')
    done = rankmark_here("evaluate", tmp_path, BM25)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"give one of judgments: {tmp_path}/qrels/test.tsv\n")
    assert rankmark_here("evaluate", QRELS, tmp_path).stderr.endswith("give the file of a run\n")
    (tmp_path / "qrels" / "test.tsv").unlink()
    done = rankmark_here("evaluate", tmp_path, BM25)
    assert done.stderr.endswith(f"give one of judgments: {tmp_path}/qrels/dev.tsv\n")


def test_words_for_commands_and_options_are_meant_for_some_that_exist() -> None:
    assert {*_COMMANDS.values()} <= {*COMMANDS}
    assert not {*_COMMANDS} & {*COMMANDS}
    found = [app.get_command(click.Context(app), name) for name in COMMANDS]
    options = {opt for one in found if one for parameter in one.params for opt in parameter.opts}
    assert {*_OPTIONS.values()} <= options


@pytest.mark.parametrize(
    ("word", "meant"),
    [("eval", "evaluate"), ("ann", "ann-recall"), ("choose", "choose-queries"), ("tune!", "tune")],
)
def test_words_that_begin_or_resemble_a_name_are_near_it(word: str, meant: str) -> None:
    assert near(word, COMMANDS)[0] == meant
    assert near("", COMMANDS) == []


def test_completion_knows_the_names_and_the_options() -> None:
    def completed(*words: str) -> list[str]:
        env = {"_RANKMARK_COMPLETE": "bash_complete", "COMP_CWORD": str(len(words))}
        done = rankmark(env=env | {"COMP_WORDS": " ".join(("rankmark", *words))})
        return re.findall(r"plain,(\S+)", done.stdout)

    assert completed("search") == ["search-calls"]
    assert completed("evaluate", "--help") == ["--help", "--help-all"]
