"""Each difference in fused scores that is explained still exists: one that has gone must leave."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

PATH = Path(__file__).with_name("differences_of_fusion.toml")
ENTRIES = tomllib.loads(PATH.read_text(encoding="utf-8"))["difference"]


def name_of(entry: dict[str, Any]) -> str:
    return "-".join([entry["oracle"], *entry["theirs"].values()])


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_our_figure_is_ours_and_not_theirs(entry: dict[str, Any]) -> None:
    fused = rm.fuse(entry["runs"], entry["method"], **entry["options"])
    found = fused.to_dict()["q1"][entry["document"]]
    assert found == pytest.approx(entry["our_figure"], rel=1e-12)
    assert found != pytest.approx(entry["their_figure"], rel=1e-6)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ranx") is None, reason="ranx is not installed")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry["oracle"] == "ranx"], ids=name_of
)
def test_ranx_still_gives_its_figure(entry: dict[str, Any]) -> None:
    import ranx  # pyright: ignore[reportMissingImports]

    runs = [ranx.Run(run, name=str(number)) for number, run in enumerate(entry["runs"])]
    fused = ranx.fuse(runs, params={}, **entry["theirs"])
    assert fused["q1"][entry["document"]] == pytest.approx(entry["their_figure"])
