"""What is printed by RecTools, RePlay and LensKit, by their names; user by user where they do."""

import json
from typing import Any

import pytest

import rankmark as rm

RECTOOLS = {
    "miuf": "MeanInvUserFreq(k={k})",
    "arp": "AvgRecPopularity(k={k})",
    "arp_normalised": "AvgRecPopularity(k={k}, normalize=True)",
    "ild_hamming": "IntraListDiversity(k={k})",
    "serendipity": "Serendipity(k={k})",
    "coverage_count": "CatalogCoverage(k={k})",
    "coverage_share": "CatalogCoverage(k={k}, normalize=True)",
}
REPLAY = ("Surprisal", "Novelty", "Unexpectedness", "CategoricalDiversity", "Coverage")
LENSKIT = ("MeanPopRank", "ListGini")
KS = {"D": (2, 3), "D_short": (2, 3), "R": (1, 5, 10)}


@pytest.fixture(scope="module")
def printed(shared_data: Any) -> dict[str, Any]:
    folder = shared_data / "oracles"
    if not (folder / "beyond_accuracy_rectools.json").is_file():
        pytest.skip("the figures of other tools are not here")
    return {
        tool: json.loads((folder / f"beyond_accuracy_{tool}.json").read_text("utf-8"))
        for tool in ("rectools", "replay", "lenskit")
    }


def evaluated(printed: dict[str, Any], name: str, tool: str, asked: list[str], **given: Any) -> Any:
    """Evaluate a set under the profile of a tool."""
    data = printed["rectools"]["data"][name]
    return rm.evaluate(
        data["relevant"], data["run"], asked, profile=tool, history=data["history"], **given
    )


@pytest.mark.parametrize("name", KS)
def test_figures_are_those_of_rectools(printed: dict[str, Any], name: str) -> None:
    data, figures = printed["rectools"]["data"][name], printed["rectools"]["figures"][name]
    asked = {f"{short}@{k}": long.format(k=k) for k in KS[name] for short, long in RECTOOLS.items()}
    categories = {item: [*names] for item, names in data["categories"].items()}
    ev = evaluated(
        printed, name, "rectools", [*asked.values()], items=categories, catalogue=data["catalogue"]
    )
    for short, long in asked.items():
        assert ev[long] == pytest.approx(figures[short], abs=1e-9), long
        if by_user := figures.get(f"{short} per user"):
            assert dict(ev.per_query(long)) == pytest.approx(by_user, abs=1e-9), long


@pytest.mark.filterwarnings("ignore::rankmark.errors.ProfileWarning")
@pytest.mark.parametrize("name", KS)
def test_figures_are_those_of_replay(printed: dict[str, Any], name: str) -> None:
    data, figures = printed["rectools"]["data"][name], printed["replay"]["figures"][name]
    asked = [f"{short}@{k}" for k in KS[name] for short in REPLAY]
    first = {item: names[0] for item, names in data["categories"].items()}
    ev = evaluated(printed, name, "replay", asked, items=first, catalogue="history")
    assert {one: ev[one] for one in asked} == pytest.approx(
        {one: figures[one] for one in asked}, abs=1e-9
    )


@pytest.mark.parametrize("name", KS)
def test_figures_are_those_of_lenskit(printed: dict[str, Any], name: str) -> None:
    data, figures = printed["rectools"]["data"][name], printed["lenskit"]["figures"][name]
    asked = [f"{short}@{k}" for k in KS[name] for short in LENSKIT]
    ev = evaluated(printed, name, "lenskit", asked, catalogue=data["catalogue"])
    for one in asked:
        known = figures[one]
        assert ev[one] == pytest.approx(known.get("x.mean", known.get("x")), abs=1e-9), one
