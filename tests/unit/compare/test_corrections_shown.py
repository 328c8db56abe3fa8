"""Every correction with every test that it goes with, in every format."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app

EXAMPLE = Path(rm.__file__).parent / "example"
FILES = [str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run", "overlap.run")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "correction"),
    [
        ("randomisation", "max-t"),
        ("bootstrap", "max-t"),
        ("randomisation", "tukey"),
        ("t", "tukey"),
        ("t", "hochberg"),
        ("sign", "none"),
    ],
)
def test_corrections_are_shown_in_every_format(test: str, correction: str) -> None:
    said = ["compare", *FILES, "-m", "AP", "--correction", correction, "--test", test, "--quiet"]
    for form in ("table", "markdown", "latex", "csv", "json"):
        shown = CliRunner().invoke(app, [*said, "--resamples", "500", "--format", form])
        assert shown.exit_code == 0, shown.output
        assert "0.47" in shown.stdout
    document = json.loads(shown.stdout)
    assert document["settings"]["correction"] == correction
    assert all(0 <= row["adjusted_p"] <= 1 for row in document["differences"])
    result = rm.compare(FILES[0], FILES[1:], "AP", correction=correction, test=test, resamples=500)  # type: ignore[arg-type]
    assert len(result.slices) == 0
