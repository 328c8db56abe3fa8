"""What action.yml runs: `rankmark gate`, with its verdict in the job's summary and annotations.

The inputs of the action are environment variables; so are the files that GitHub reads.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Run the gate, and return its exit code."""
    given = {name: os.environ.get(f"GATE_{name}", "").strip() for name in _INPUTS}
    with tempfile.TemporaryDirectory() as folder:
        arguments = _arguments(given)
        told = _written(arguments, "--json", Path(folder, "gate.json"))
        summary = _written(arguments, "--markdown", Path(folder, "gate.md"))
        command = [sys.executable, "-m", "rankmark", "gate", *arguments]
        done = subprocess.run(command, check=False, stderr=subprocess.PIPE, encoding="utf-8")
        print(done.stderr, end="", file=sys.stderr)
        if told.exists():
            _publish(json.loads(told.read_text("utf-8")), summary.read_text("utf-8"))
        elif done.returncode:
            _publish_error(done.stderr.strip())
    return done.returncode


_INPUTS = ("QRELS", "BASELINE", "RUN", "MEASURES", "MAX_DROP", "UNCHANGED", "CONFIG", "OPTIONS")


def _arguments(given: dict[str, str]) -> list[str]:
    measures = [f"--measure={one}" for one in _lines(given["MEASURES"])]
    options = [word for line in _lines(given["OPTIONS"]) for word in _words(line)]
    named = [
        f"--{name.lower().replace('_', '-')}={given[name]}"
        for name in ("MAX_DROP", "UNCHANGED", "CONFIG")
        if given[name]
    ]
    qrels = [given["QRELS"]] if given["QRELS"] else []
    scores = [] if qrels else ["--scores"]
    files = [*qrels, given["BASELINE"], *_lines(given["RUN"])]
    return [*scores, *measures, *named, *options, "--", *files]


def _written(arguments: list[str], option: str, usual: Path) -> Path:
    """Return the file that an option writes: the one that `options` names, or else this one."""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, path = word.partition("=")
        if name == option:
            return Path(path if equals else following)
    arguments.insert(0, f"{option}={usual}")
    return usual


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _words(line: str) -> list[str]:
    """Split `--junit gate.xml` as a shell does; `--junit=my gate.xml` is one word."""
    if "=" in line.split(maxsplit=1)[0]:
        return [line]
    try:
        return shlex.split(line)
    except ValueError:  # a quotation mark without its other
        return [line]


def _publish(result: dict, summary: str) -> None:
    """Write the summary, the output `verdict`, and an annotation for each condition."""
    _append("GITHUB_STEP_SUMMARY", summary)
    _append("GITHUB_OUTPUT", f"verdict={result['verdict']}\n")
    for condition in result["conditions"]:
        kind = "notice" if condition["verdict"] == "holds" else "error"
        title = f"{condition['name']}: {condition['verdict']}"
        print(f"::{kind} title={_escaped(title, ',:')}::{_escaped(condition['reason'])}")


def _publish_error(said: str) -> None:
    """Write what was wrong with the input as an annotation, and to the summary."""
    print(f"::error title=rankmark gate::{_escaped(said)}")
    quoted = "".join(f"    {line}\n" for line in said.splitlines())
    _append("GITHUB_STEP_SUMMARY", f"### The gate could not decide: its input is wrong\n\n{quoted}")


def _append(variable: str, text: str) -> None:
    if variable in os.environ:
        with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(text)


def _escaped(text: str, also: str = "") -> str:
    """Write a text so that it cannot end a workflow command or begin another."""
    for character in f"%\r\n{also}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


if __name__ == "__main__":
    sys.exit(main())
