"""``rankmark plot``: pictures from the command line."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.verbs.plot.evaluation_plots import Plot
from rankmark.verbs.plot.kinds import COMPARED, KINDS, NAMES
from unit.commands import SCRIPT, rankmark, rankmark_here, told

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))


def wrong_usage(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["curve", "differences"])
def test_a_picture_is_written_to_a_file_as_to_stdout(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    arguments = ["plot", kind, str(QRELS), str(BM25), str(LSA)]
    written = CliRunner().invoke(app, [*arguments, "-o", str(path)])
    assert (written.exit_code, written.stdout) == (0, "")
    assert "lsa answered 23, missing 1" in written.stderr
    piped = CliRunner().invoke(app, arguments)
    assert path.read_bytes() == piped.stdout_bytes
    assert piped.stdout.startswith("<?xml")
    assert [one.name for one in tmp_path.iterdir()] == ["picture.svg"]


@pytest.mark.slow
def test_the_picture_is_the_librarys(tmp_path: Path) -> None:
    path = tmp_path / "picture.PDF"
    options = ["--name", "one", "--name", "two", "--size", "3.3x2.5", "-m", "P", "-m", "R@9"]
    done = rankmark_here("plot", "curve", QRELS, BM25, LSA, "-o", path, *options, "--ties", "mean")
    assert done.returncode == 0
    evs = [rm.evaluate(QRELS, run, ["P", "R@9"], ties="mean") for run in (BM25, LSA)]
    picture = Plot("curve", evs, ["P", "R@9"], names=["one", "two"])
    assert path.read_bytes() == picture.as_file("pdf", (3.3, 2.5))


@pytest.mark.slow
def test_highlights_logarithms_and_titles_are_the_librarys() -> None:
    options = ["--highlight", "lsa", "--log-k", "--no-title", "-m", "P@9"]
    done = rankmark_here("plot", "curve", QRELS, BM25, LSA, *options)
    evs = [rm.evaluate(QRELS, run, "P@9") for run in (BM25, LSA)]
    picture = Plot("curve", evs, "P@9", highlight="lsa", log_k=True, title=False)
    assert done.stdout.encode() == picture.as_file("svg")
    assert "ties by docid" not in done.stdout
    assert "lsa answered 23, missing 1" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--highlight", "none"], "highlight: no run is called 'none'"),
        (["--size", "1x1"], "text leaves no room for a drawing in 1x1 inches; make it larger"),
    ],
)
def test_what_a_picture_cannot_show_is_told_in_one_line(
    options: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "picture.svg"
    done = rankmark_here("plot", "curve", QRELS, BM25, LSA, "-o", path, *options)
    assert done.returncode == 1
    assert message in told(done)
    assert not path.exists()


@pytest.mark.slow
def test_the_ending_says_the_format(tmp_path: Path) -> None:
    for name, beginning in (("a.png", b"\x89PNG"), ("b.pdf", b"%PDF"), ("c.Svg", b"<?xml")):
        path = tmp_path / name
        assert rankmark_here("plot", "judged", QRELS, BM25, "-o", path).returncode == 0
        assert path.read_bytes().startswith(beginning)
    done = rankmark_here("plot", "judged", QRELS, BM25, "-o", tmp_path / "d.jpg")
    assert "end it in .svg, .png or .pdf" in wrong_usage(done)
    assert not (tmp_path / "d.jpg").exists()


@pytest.mark.slow
def test_one_query_goes_to_its_cutoff(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    done = rankmark_here("plot", "dcg", QRELS, BM25, "--query", "q05", "-k", 20, "-o", path)
    assert done.returncode == 0
    assert ">DCG@k and IDCG@k, query q05<" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_may_come_from_standard_input() -> None:
    with Path(BM25).open("rb") as file:
        done = rankmark("plot", "curve", QRELS, "-", "--name", "bm25", stdin=file)
    assert done.stdout == rankmark_here("plot", "curve", QRELS, BM25, "--name", "bm25").stdout
    assert done.returncode == 0


@pytest.mark.slow
def test_stdout_is_the_same_bytes_under_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    rankmark_here("plot", "differences", QRELS, BM25, LSA, "-o", path)
    assert "\u2212" in path.read_text(encoding="utf-8")  # the minus of numbers
    done = rankmark("plot", "differences", QRELS, BM25, LSA, env={"PYTHONIOENCODING": "ascii"})
    assert done.stdout == path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes stdout")
def test_a_closed_stdout_makes_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    closed = ["sh", "-c", '"$@" >&-', "sh", str(SCRIPT), "plot", "curve", QRELS, BM25]
    done = subprocess.run([*closed, "-o", str(path)], stderr=subprocess.PIPE, check=False)
    assert path.exists()
    assert b"Traceback" not in done.stderr
    done = subprocess.run(closed, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"stdout is closed; name a file" in done.stderr


def test_the_help_lists_every_kind_and_what_it_shows() -> None:
    words = " ".join(rankmark_here("plot", "--help").stdout.split())
    lines = {kind: facts.shows for kind, facts in KINDS.items()} | COMPARED
    for kind, shows in lines.items():
        assert f" {kind} {shows} " in words, kind


@pytest.mark.slow
def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    done = rankmark_here("plot", "curve", QRELS, BM25, "-o", tmp_path / "none" / "a.svg")
    assert done.returncode == 1
    assert "cannot be written" in told(done)


@pytest.mark.slow
def test_a_picture_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text("old")
    done = rankmark_here("plot", "curve", QRELS, BM25, "-o", path, "--query", "q99")
    assert done.returncode == 1
    assert "query 'q99' is not among those averaged" in told(done)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.slow
@pytest.mark.parametrize("over", ["qrels.svg", "bm25.svg", "seen.svg"])
def test_a_picture_is_not_written_over_what_it_is_about(tmp_path: Path, over: str) -> None:
    names = {"qrels.svg": QRELS, "bm25.svg": BM25, "seen.svg": QRELS}
    for name, source in names.items():
        shutil.copy(source, tmp_path / name)
    before = (tmp_path / over).read_bytes()
    files = tmp_path / "qrels.svg", tmp_path / "bm25.svg", "--seen", tmp_path / "seen.svg"
    done = rankmark_here("plot", "curve", *files, "-o", tmp_path / over)
    assert done.returncode == 2
    assert f"{over} is an input file; choose another name" in done.stderr
    assert (tmp_path / over).read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pie", QRELS, BM25], "'pie' is not one of"),
        (["differences", QRELS, BM25], "differences takes 2 runs; there is 1"),
        (["judged", QRELS, BM25, "-m", "P@5"], "judged draws no measure"),
        (["heatmap", QRELS, BM25, "-k", "5"], "heatmap does not go down ranks"),
        (["curve", QRELS, BM25, "--size", "big"], "'big'; need inches from 1 to 50"),
        (["curve", QRELS, BM25, "--size", "0x3"], "'0x3'; need inches from 1 to 50"),
        (["curve", QRELS, BM25, "--name", "a", "--name", "b"], "--name is given 2 times for 1 run"),
        (["scatter", QRELS, BM25, LSA, "--log-k"], "scatter has no axis of k"),
        (["curve", QRELS, BM25, "-m", "AP2"], "there is no measure 'AP2'"),
        (["curve", QRELS, BM25, "-m", "MeanRank"], "MeanRank has no cutoff"),
        (["dcg", QRELS, BM25, "-m", "AP"], "ask for nDCG or DCG"),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments: list[str], message: str) -> None:
    assert message in wrong_usage(rankmark_here("plot", *arguments))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals are opened as POSIX has them")
def test_a_terminal_is_given_no_picture() -> None:
    import pty

    ours, theirs = pty.openpty()
    done = rankmark(
        "plot", "curve", QRELS, BM25, capture_output=False, stdout=theirs, stderr=subprocess.PIPE
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert "name a file: -o picture.svg" in done.stderr


@pytest.mark.slow
def test_matplotlib_that_is_not_there_is_said_before_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = rankmark("plot", "curve", "no-such-file", BM25, env={"PYTHONPATH": path})
    assert done.returncode == 1
    assert told(done) == "a picture needs matplotlib; install it: pip install 'rankmark[plot]'"


def drawn_by_page() -> list[str]:
    page = (ROOT / "docs" / "how-to" / "plots.md").read_text(encoding="utf-8")
    return re.findall(r"^rankmark (plot .*\.svg)$", page, re.M)


def test_the_page_shows_every_kind_of_picture() -> None:
    shown = [line.split()[1] for line in drawn_by_page()]
    assert {*NAMES, *COMPARED} - {*shown} == set(), (
        "docs/how-to/plots.md needs a command that draws each: rankmark plot KIND ... -o KIND.svg"
    )
    assert sorted(shown) == sorted([*NAMES, *COMPARED])


@pytest.mark.slow
@pytest.mark.parametrize("line", drawn_by_page())
def test_the_pictures_of_the_page_are_what_its_commands_draw(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    *arguments, name = shlex.split(line)
    done = rankmark_here(*arguments, tmp_path / name)
    assert done.returncode == 0, done.stderr
    shown = ROOT / "docs" / "pictures" / name
    # The words and numbers: other versions of matplotlib may write lines otherwise.
    texts = [
        re.findall(r">([^<>]+)</text>", path.read_text(encoding="utf-8"))
        for path in (shown, tmp_path / name)
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) > 5
