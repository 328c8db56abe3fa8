"""The records of campaigns, of which docs/evidence/reliability.md is made."""

import json
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORDS = Path(__file__).with_name("records")


def write_record(
    campaign: str,
    *,
    promise: str,
    method: str,
    command: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    figures: Sequence[str] = (),
    found: Sequence[str] = (),
    not_covered: Sequence[str] = (),
) -> None:
    """Write what a campaign did and found to ``records/CAMPAIGN.json``.

    Parameters
    ----------
    campaign
        The name of the file, in snake case.
    promise
        What users may rely on, in one sentence.
    method
        How the promise is tested, in a few sentences.
    command
        What runs the campaign again.
    columns, rows
        A table of figures: numbers and texts.
    figures
        Figures that the table has no place for, a sentence each.
    found
        What was found and fixed, a sentence each.
    not_covered
        What the campaign does not show, a sentence each.
    """
    record = {
        "campaign": campaign,
        "promise": promise,
        "method": method,
        "command": command,
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {system()}, Python {platform.python_version()}",
        "columns": list(columns),
        "rows": [list(row) for row in rows],
        "figures": list(figures),
        "found": list(found),
        "not covered": list(not_covered),
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (RECORDS / f"{campaign}.json").write_text(text + "\n", encoding="utf-8")


def read_records() -> list[dict[str, Any]]:
    """Read the records, in the order of their names."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(RECORDS.glob("*.json"))]


def commit() -> str:
    """Give the commit that is checked out, with a plus sign if files were changed since."""
    asked = ["git", "describe", "--always", "--dirty=+"]
    return subprocess.run(
        asked, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


def system() -> str:
    """Name the operating system."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return platform.system()
    return f"{release['NAME']} {release.get('VERSION_ID', '')}".strip()
