"""Records of results, and what ``rankmark verify`` says of them."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app
from rankmark.results.records.run_record import evaluation_header, found_header

COLLECTION = Path(rm.__file__).parent / "example"


def rankmark(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "bm25.run", "lsa.run"):
        shutil.copy(COLLECTION / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVALUATE = ["evaluate", "qrels.txt", "bm25.run", "lsa.run", "-m", "nDCG@10", "-m", "AP"]
GATE = ["gate", "qrels.txt", "bm25.run", "lsa.run", "-m", "nDCG@10", "--max-drop", "5%"]
CASES = {
    "evaluate": EVALUATE,
    "with conventions": [*EVALUATE, "--ties", "mean", "--depth", "20", "--no-relevant", "skip"],
    "rel": [*EVALUATE, "--rel", "2", "--queries", "q01,q02,q03"],
    "gate": GATE,
    "gate that looks again": [
        *GATE[:6],
        "-m",
        "RR",
        "--anytime",
        "--max-drop",
        "0.2",
        "--rel",
        "2",
    ],
    "comparison": ["compare", *EVALUATE[1:], "--seed", "7", "--resamples", "500", "--rel", "2"],
    "comparison of slices": ["compare", *EVALUATE[1:], "--by", "users.txt"],
    "gate with clusters": [*GATE, "--cluster", "users.txt"],
}
OF_LISTS = [*("-m", "ILD@5", "-m", "ItemCoverage@5"), "--items", "items.csv", "--history", "h.csv"]
CASES |= {f"{name} of lists": [*CASES[name], *OF_LISTS] for name in ("evaluate", "comparison")}
CASES["all lists alone"] = [*EVALUATE[:4], "-m", "ItemCoverage@5", "--catalogue", "ids.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_was_recorded_is_found_again_wherever_the_folder_goes(
    folder: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "users.txt").write_text("".join(f"q{n:02} u{n % 8}\n" for n in range(1, 25)))
    _write_items(folder)
    assert rankmark(*CASES[case], "--record", "r.json").exit_code in {0, 3}
    found = rm.verify("r.json")
    assert (found.same, found.exit_code, found.moves) == (True, 0, ())
    moved = folder.parent / f"elsewhere {case}"
    shutil.copytree(folder, moved)
    shutil.rmtree(folder)
    folder.mkdir()
    monkeypatch.chdir(folder)
    done = rankmark("verify", moved / "r.json")
    assert (done.exit_code, "the same" in done.output) == (0, True)


def _write_items(folder: Path) -> None:
    run = (folder / "bm25.run").read_text() + (folder / "lsa.run").read_text()
    ids = sorted({line.split()[2] for line in run.splitlines()})
    (folder / "ids.txt").write_text("".join(f"{one}\n" for one in ids))
    kinds = (f"{one},{one.split('-')[0]}\n" for one in ids)
    (folder / "items.csv").write_text("item_id,category\n" + "".join(kinds))
    seen = (f"u{number % 9},{one}\n" for number, one in enumerate(ids))
    (folder / "h.csv").write_text("user_id,item_id\n" + "".join(seen))


@pytest.mark.parametrize("command", [EVALUATE, ["compare", *EVALUATE[1:]]])
def test_what_is_known_of_items_is_an_input_and_their_numbers_are_recorded(
    folder: Path, command: list[str]
) -> None:
    _write_items(folder)
    assert rankmark(*command, *OF_LISTS, "--record", "r.json").exit_code == 0
    record = json.loads((folder / "r.json").read_text())
    roles = [one["role"] for one in record["inputs"]]
    assert roles == ["qrels", "run", "run", "history", "items"]
    assert rm.verify("r.json").same
    with (folder / "h.csv").open("a") as file:
        file.write("u1,one more\n")
    moved = [move.what for move in rm.verify("r.json").moves]
    assert moved[0] == "h.csv"
    assert any("ItemCoverage@5" in what for what in moved)


def test_a_word_is_recorded_even_if_a_file_has_its_name(folder: Path) -> None:
    _write_items(folder)
    (folder / "history").mkdir()
    words = ["--catalogue", "history", "--history", "h.csv", "-m", "ItemCoverage@5"]
    assert rankmark(*EVALUATE, *words, "--record", "r.json").exit_code == 0
    assert json.loads((folder / "r.json").read_text())["choices"]["catalogue"] == "history"


def test_a_record_says_what_was_read_chosen_and_found(folder: Path) -> None:
    assert rankmark(*GATE, "--record", "r.json", "--ties", "docid-asc").exit_code == 3
    record = json.loads((folder / "r.json").read_text())
    assert record["rankmark"] == rm.__version__
    assert [one["role"] for one in record["inputs"]] == ["qrels", "run", "run"]
    evaluated = json.loads(rm.evaluate("qrels.txt", "lsa.run", "nDCG@10").to_json())
    assert record["inputs"][2]["sha256"] == evaluated["run"]["sha256"]
    assert record["conventions"]["ties"] == "docid-asc"
    assert record["conventions"]["no_relevant"] == "zero"
    assert record["values"]["means"]["lsa.run"] == evaluated["scores"]
    assert record["values"]["conditions"][0]["verdict"] == "cannot tell"
    assert record["seeds"] == {}
    assert {"python", "numpy", "scipy"} < set(record["environment"])


def test_the_seed_of_a_comparison_is_recorded(folder: Path) -> None:
    drawn = ["--test", "bootstrap", "--seed", "7"]
    assert rankmark("compare", *EVALUATE[1:], "--record", "r.json", *drawn).exit_code == 0
    record = json.loads((folder / "r.json").read_text())
    assert record["seeds"]["seed"] == 7
    assert record["seeds"]["resamples"] >= 10_000
    changed(folder, lambda record: record["choices"].update(seed=8))
    moves = rm.verify("r.json").moves
    assert {"differences[nDCG@10, bm25, lsa].p", "differences[AP, bm25, lsa].p"} <= {
        move.what for move in moves
    }


def test_what_moved_is_named(folder: Path) -> None:
    rankmark(*EVALUATE, "--record", "r.json")
    run = folder / "lsa.run"
    run.write_text(run.read_text().replace("q01 Q0 bread-01 1 0.963966", "q01 Q0 bread-01 1 0.1"))
    done = rankmark("verify", "r.json")
    assert done.exit_code == 3
    title, *lines = done.output.splitlines()
    assert title.startswith("r.json: moved (evaluate, 3 inputs, ")
    assert lines[0].startswith("input changed: lsa.run: 323f63")
    assert any(line.startswith("number changed: means.lsa.run.nDCG@10: 0.538") for line in lines)
    assert not any("bm25" in line for line in lines)


def changed(folder: Path, change: Any) -> None:
    record = json.loads((folder / "r.json").read_text())
    change(record)
    (folder / "r.json").write_text(json.dumps(record))


def test_a_mean_that_moved_in_its_last_bit_has_moved(folder: Path) -> None:
    rankmark(*EVALUATE, "--record", "r.json")

    def nudge(record: dict[str, Any]) -> None:
        record["values"]["means"]["lsa.run"]["AP"] += 1e-15

    changed(folder, nudge)
    assert [move.what for move in rm.verify("r.json").moves] == ["means.lsa.run.AP"]


@pytest.mark.slow
def test_bounds_may_differ_in_what_scipy_rounds(folder: Path) -> None:
    rankmark(*GATE, "--record", "r.json")

    def nudge(record: dict[str, Any]) -> None:
        record["values"]["conditions"][0]["low"] += 1e-13

    changed(folder, nudge)
    assert rm.verify("r.json").same
    changed(folder, lambda record: record["values"].update(verdict="holds"))
    (move,) = rm.verify("r.json").moves
    assert move == ("number", "verdict", "holds", "cannot tell")


def test_another_version_is_shown_and_moves_nothing(folder: Path) -> None:
    rankmark(*EVALUATE, "--record", "r.json")
    changed(folder, lambda record: record.update(rankmark="0.0.1"))
    done = rankmark("verify", "r.json")
    assert done.exit_code == 0
    assert f"version changed: rankmark: 0.0.1 then, {rm.__version__} now" in done.output


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it is not an object"),
        (b"{}", "it has no rankmark"),
    ],
)
def test_what_is_no_record_is_refused(folder: Path, content: bytes, words: str) -> None:
    (folder / "r.json").write_bytes(content)
    done = rankmark("verify", "r.json")
    assert done.exit_code == 1
    assert done.stderr.startswith(f"rankmark: r.json: {words}; need a file that --record wrote")


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(schema=99),
        lambda record: record.update(inputs=[3]),
        lambda record: record.update(inputs=[]),
        lambda record: record.update(command="dance"),
        lambda record: record.update(choices={}),
        lambda record: record["choices"].update(tie="x"),
        lambda record: record["choices"].update(ties="x"),
        lambda record: record["choices"].update(measures=[["x"]]),
    ],
)
def test_a_record_that_was_damaged_is_refused_in_one_line(folder: Path, change: Any) -> None:
    rankmark(*EVALUATE, "--record", "r.json")
    changed(folder, change)
    done = rankmark("verify", "r.json")
    assert done.exit_code in {1, 2}
    assert len(done.stderr.splitlines()) == 1
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("gate", lambda record: record["inputs"].pop()),
        ("gate", lambda record: record["choices"]["systems"][0].pop()),
        ("gate", lambda record: record["choices"]["systems"][1].__setitem__(1, 7)),
        ("comparison", lambda record: record["inputs"][1].update(role="ruin")),
        ("comparison", lambda record: record["choices"]["names"].pop()),
    ],
)
def test_choices_that_do_not_fit_the_inputs_are_refused(
    folder: Path, case: str, change: Any
) -> None:
    rankmark(*CASES[case], "--record", "r.json")
    changed(folder, change)
    with pytest.raises(rm.InputError, match="cannot be read"):
        rm.verify("r.json")


def test_a_missing_input_is_named(folder: Path) -> None:
    rankmark(*EVALUATE, "--record", "r.json")
    (folder / "lsa.run").unlink()
    done = rankmark("verify", "r.json")
    assert done.exit_code == 1
    assert "r.json: its run 'lsa.run' is missing; put it at " in done.stderr
    assert rankmark("verify", "none.json").exit_code == 1


def test_what_cannot_be_read_again_is_not_recorded(folder: Path) -> None:
    done = rankmark("evaluate", "qrels.txt", "-", "--record", "r.json")
    assert done.exit_code == 2
    assert "standard input cannot be read again" in done.stderr
    assert rankmark(*EVALUATE, "--record", "bm25.run").exit_code == 2
    assert not (folder / "r.json").exists()


def test_aggregates_are_not_recorded(folder: Path) -> None:
    done = rankmark(*EVALUATE, "--aggregate", "median", "--record", "r.json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--record writes the scores of the runs, not --aggregate" in done.stderr
    assert not (folder / "r.json").exists()


def test_the_header_that_a_run_brings_is_kept_and_one_is_made(folder: Path) -> None:
    header = '# ir_metadata.start\n# schema version: 0.1\n# tag: "lsa"\n# ir_metadata.end\n'
    text = header + (folder / "lsa.run").read_text()
    (folder / "lsa.run.gz").write_bytes(gzip.compress(text.encode()))
    rankmark(
        "gate",
        "qrels.txt",
        "bm25.run",
        "lsa.run.gz",
        "-m",
        "AP",
        "--max-drop",
        "0.1",
        "--record",
        "r.json",
    )
    first, second = json.loads((folder / "r.json").read_text())["ir_metadata"]
    assert first["found"] is None
    assert second["found"] == header
    assert second["evaluation"].splitlines() == [
        "# ir_metadata.start",
        "# schema version: 0.1",
        '# tag: "lsa.run.gz"',
        "# research goal:",
        "#   evaluation:",
        "#     reported_measures:",
        '#       - "AP"',
        "#     baseline:",
        '#       - "bm25.run"',
        "#     significance_test:",
        '#       - name: "bounds of the mean difference by reweighting"',
        "# data:",
        "#   test_collection:",
        '#     qrels: "qrels.txt"',
        "# ir_metadata.end",
    ]
    (folder / "annotated.run").write_text(second["evaluation"] + (folder / "lsa.run").read_text())
    again = rm.evaluate("qrels.txt", "annotated.run", "AP")
    assert again["AP"] == rm.evaluate("qrels.txt", "lsa.run", "AP")["AP"]
    assert found_header((folder / "annotated.run").read_text()) == second["evaluation"]


def test_a_header_holds_any_name_on_one_line() -> None:
    header = evaluation_header(
        tag="a\n# ir_metadata.end\n\x1b",
        qrels="\udcff: #",
        measures=["P@1"],
        baseline=None,
        tests=[],
    )
    assert header.isascii()
    assert header.count("ir_metadata.end\n") == 1
    assert found_header("no header\n") is None
    assert found_header("# ir_metadata.start\nq1 Q0 d 1 1 x\n") is None
