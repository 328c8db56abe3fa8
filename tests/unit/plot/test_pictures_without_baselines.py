"""Pictures in which no run is a baseline, unless it was named."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

import rankmark as rm

mpl.use("Agg")
EXAMPLE = Path(rm.__file__).parent / "example"


def compared(measures: Any = ("nDCG@10", "AP"), **options: Any) -> rm.Comparison:
    return rm.compare(EXAMPLE / "qrels.txt", str(EXAMPLE / "*.run"), measures, **options)


@pytest.mark.slow
def test_only_a_named_baseline_is_black() -> None:
    def shades(found: rm.Comparison) -> dict[str, str]:
        ax = found.plot("leaderboard", measure="AP")
        dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
        names = [label.get_text() for label in ax.get_yticklabels()]
        return dict(zip(names, [to_hex(dot.get_markeredgecolor()) for dot in dots], strict=True))

    assert "#000000" not in shades(compared()).values()
    named = shades(compared(baseline="lsa"))
    assert named.pop("lsa") == "#000000"
    assert "#000000" not in named.values()
    assert named == {run: shades(compared())[run] for run in named}
    with pytest.raises(rm.InputError, match="from a baseline, and there are 3 runs without one"):
        compared(["nDCG@3", "nDCG@10"]).plot("cutoffs", measure="nDCG")


@pytest.mark.slow
def test_the_report_names_no_baseline_unless_there_is_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    rm.write_report(compared("AP"), page)
    without = page.read_text(encoding="utf-8")
    assert '<span class="tag">baseline</span>' not in without
    assert ">Minus</th>" in without
    assert ">Baseline</th>" not in without
    rm.write_report(compared("AP", baseline="lsa"), page)
    named = page.read_text(encoding="utf-8")
    assert '<span class="tag">baseline</span>' in named
    assert ">Baseline</th>" in named


def test_tables_name_no_baseline_unless_there_is_one() -> None:
    for found in (compared("AP"), rm.compare(EXAMPLE / "qrels.txt", pair(), "AP")):
        for text in (str(found), found.to_markdown(), found.to_latex(), found._repr_html_()):
            assert "baseline" not in text
        assert found.settings["baseline"] is None
    assert "baseline" in str(compared("AP", baseline="lsa"))


def pair() -> list[Path]:
    return [EXAMPLE / "bm25.run", EXAMPLE / "lsa.run"]
