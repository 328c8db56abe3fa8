"""Files that commands write: none is overwritten by another, and none is left half done."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands import _interrupt
from rankmark.commands.app import app
from rankmark.data.files.whole_files import whole_file

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, OLD, NEW = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (["evaluate", QRELS, OLD], ["-o", "--record"]),
        (["compare", QRELS, OLD, NEW], ["-o", "--record"]),
        (["gate", QRELS, OLD, NEW, "--max-drop", "0.1"], ["-o", "--json"]),
        (["gate", QRELS, OLD, NEW, "--max-drop", "0.1"], ["--junit", "--markdown"]),
        (["gate", QRELS, OLD, NEW, "--max-drop", "0.1"], ["--json", "--record"]),
    ],
)
def test_two_results_in_one_file_are_refused(
    command: list[str], options: list[str], tmp_path: Path
) -> None:
    output = tmp_path / "results"
    for first, second in ((output, output), (output, tmp_path / "." / "results")):
        result = CliRunner().invoke(
            app, [*command, options[0], str(first), options[1], str(second)]
        )
        assert result.exit_code == 2
        assert "is to hold two results; give each its own file" in result.output
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", QRELS, OLD],
        ["compare", QRELS, OLD, NEW],
        [
            "gate",
            QRELS,
            OLD,
            NEW,
            "--max-drop",
            "0.1",
            "--json",
            "{}/gate.json",
            "--markdown",
            "{}/gate.md",
        ],
        ["power", QRELS, OLD, NEW],
        ["report", QRELS, OLD, NEW],
    ],
    ids=lambda command: command[0],
)
def test_a_folder_that_is_missing_is_noticed_before_anything_is_written(
    command: list[str], tmp_path: Path
) -> None:
    said = [one.format(tmp_path) for one in command]
    result = CliRunner().invoke(app, [*said, "-o", str(tmp_path / "none" / "results")])
    assert result.exit_code == 1
    assert "results: cannot be written: No such file or directory" in result.output
    assert not list(tmp_path.iterdir())


def test_several_results_may_go_to_a_device_or_stdout() -> None:
    said = [
        "gate",
        QRELS,
        OLD,
        OLD,
        "--max-drop",
        "0.5",
        "-o",
        "-",
        "--json",
        "/dev/null",
        "--junit",
        "/dev/null",
    ]
    assert CliRunner().invoke(app, said).exit_code == 0


def test_an_interrupt_exits_at_once_unless_something_must_be_cleaned_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    _interrupt(2, None)
    assert codes == [130]
    output = tmp_path / "results"
    with pytest.raises(KeyboardInterrupt), whole_file(output) as file:  # noqa: PT012
        file.write(b"half")
        _interrupt(2, None)
    assert not list(tmp_path.iterdir())
    _interrupt(2, None)
    assert codes == [130, 130]
