"""What action.yml runs: `rankmark gate`, with its verdict in the job's summary and annotations.

The inputs of the action are environment variables; so are the files that GitHub reads.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Run the gate, and return its exit code."""
    given = {name: os.environ.get(f"GATE_{name}", "").strip() for name in _INPUTS}
    with tempfile.TemporaryDirectory() as folder:
        told, summary = Path(folder, "gate.json"), Path(folder, "gate.md")
        files = [f"--json={told}", f"--markdown={summary}"]
        command = [sys.executable, "-m", "rankmark", "gate", *files, *_arguments(given)]
        done = subprocess.run(command, check=False)
        if told.exists():
            _publish(json.loads(told.read_text("utf-8")), summary.read_text("utf-8"))
    return done.returncode


_INPUTS = ("QRELS", "BASELINE", "RUN", "MEASURES", "MAX_DROP", "CONFIG", "OPTIONS")


def _arguments(given: dict[str, str]) -> list[str]:
    measures = [f"--measure={one.strip()}" for one in given["MEASURES"].splitlines() if one.strip()]
    options = [one.strip() for one in given["OPTIONS"].splitlines() if one.strip()]
    margin = [f"--max-drop={given['MAX_DROP']}"] if given["MAX_DROP"] else []
    config = [f"--config={given['CONFIG']}"] if given["CONFIG"] else []
    qrels = [given["QRELS"]] if given["QRELS"] else []
    scores = [] if qrels else ["--scores"]
    files = [*qrels, given["BASELINE"], *given["RUN"].splitlines()]
    return [*scores, *measures, *margin, *config, *options, "--", *files]


def _publish(result: dict, summary: str) -> None:
    """Write the summary, the output `verdict`, and an annotation for each condition."""
    _append("GITHUB_STEP_SUMMARY", summary)
    _append("GITHUB_OUTPUT", f"verdict={result['verdict']}\n")
    for condition in result["conditions"]:
        kind = "notice" if condition["verdict"] == "holds" else "error"
        title = f"{condition['name']}: {condition['verdict']}"
        print(f"::{kind} title={_escaped(title, ',:')}::{_escaped(condition['reason'])}")


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
