"""Notes that change no decision are shown on request only, and never lost."""

from pathlib import Path

import pytest

import rankmark as rm
from rankmark.results.details import Brief, Detail, shown
from unit.commands import rankmark_here

FOLDER = Path(rm.__path__[0]) / "example"
COMMANDS = {
    "compare": ("-m", "nDCG@10"),
    "gate": ("-m", "nDCG@10", "--max-drop", "0.2", "--worst", "0"),
    "power": ("-m", "nDCG@10", "--resamples", "20"),
}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def run(command: str, *options: str) -> str:
    files = ("qrels.txt", "bm25.run", "lsa.run")
    return str(rankmark_here(command, *files, *COMMANDS[command], *options).stdout)


def test_several_details_are_counted_and_a_single_one_is_shown() -> None:
    one, two = Detail("one"), Detail("two:")
    assert shown(["first", one]) == ["first", "one"]
    rows = ["first", one, two, Detail("  its row")]
    assert shown(rows) == ["first", "2 more notes: to_text(verbose=True)"]
    assert shown(rows, verbose=True) == rows


def test_what_is_as_usual_is_not_counted() -> None:
    usual = Brief("", "conventions: as usual")
    assert shown(["first", usual]) == ["first"]
    assert shown(["first", usual], verbose=True) == ["first", usual.whole]
    counts = Brief("judged 2", "judged 2, missing 0")
    assert shown([counts]) == ["judged 2"]
    assert shown([counts], verbose=True) == ["judged 2, missing 0"]
    line = "conventions: queries=judged ties=docid no_relevant=zero"
    assert line in run("power", "-v").splitlines()
    assert line not in run("power").splitlines()


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_a_command_leaves_details_out_and_says_how_many(command: str) -> None:
    short, whole = run(command).splitlines(), run(command, "-v").splitlines()
    number, ending = short[-1].split(" ", 1)
    assert ending == "more notes: --verbose"
    assert int(number) > 1
    assert "more notes" not in "".join(whole)
    detail = "seed 0" if command != "gate" else "(reweighting bound)"
    assert any(detail in line for line in whole)
    assert not any(detail in line for line in short)
    assert (
        rankmark_here(command, "a", "b", "c", *COMMANDS[command], "-v", "--quiet").returncode == 2
    )


def test_what_could_reverse_a_comparison_is_no_detail() -> None:
    found = rm.compare("qrels.txt", ["bm25.run", "lsa.run", "overlap.run"], "AP")
    essential = shown(found.layout().below)
    assert "another order of ties could reverse 2 of 3 differences" in essential
    assert any("is unreliable" in line for line in essential)
    assert any("p-values corrected by holm for 3 tests" in line for line in essential)


@pytest.mark.parametrize("form", ["table", "csv", "latex"])
def test_runs_that_miss_nothing_and_are_judged_alike_need_no_audit(
    form: str, tmp_path: Path
) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    for name, last in (("a", 2), ("b", 2), ("c", 1)):
        lines = [
            f"q{q} Q0 {d} {r} {-r} t\n" for q in range(1, last + 1) for r, d in enumerate("ab")
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [tmp_path / name for name in ("qrels", "a.run", "b.run", "c.run")]
    options = ("-m", "RR", "--format", form)

    def notes(*command: object) -> str:
        done = rankmark_here(*command)
        return str(done.stdout if form == "table" else done.stderr)

    complete = notes("evaluate", *files[:3], *options)
    assert "judged 2" not in complete
    assert "Judged@10" not in complete
    assert complete.count("\n") < notes("evaluate", *files[:3], *options, "-v").count("\n")
    assert "c answered 1, missing 1" in notes("evaluate", *files, *options)


def test_results_hide_nothing_from_programs() -> None:
    files = ("qrels.txt", "bm25.run", "lsa.run")
    compared = rm.compare(files[0], files[1:], "nDCG@10")
    gated = rm.gate(*files, max_drop=0.2)
    planned = rm.gate_power(*files, max_drop=0.2, resamples=20)
    for result, notes in (
        (compared, compared.legend),
        (gated, gated.to_dict()["notes"]),
        (planned, planned.to_dict()["notes"]),
    ):
        whole, short, html = result.to_text(verbose=True), str(result), result._repr_html_()
        details = [note for note in notes if isinstance(note, Detail)]
        assert len(details) > 1
        assert all(note in whole for note in details)
        assert not any(note in short or note in html for note in details)
        assert "more notes: to_text(verbose=True)" in short
        assert "more notes: to_text(verbose=True)" in html
    for result in (compared, gated):
        assert len(result.to_markdown(verbose=True)) > len(result.to_markdown())
