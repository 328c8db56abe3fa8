"""Profiles give the figures beyond accuracy that tools gave, by running them on these lists."""

from typing import Any

import pytest

import rankmark as rm

HISTORY = {"u1": [*"ab"], "u2": [*"ac"], "u3": [*"ab"], "u4": [*"ad"], "u5": [*"bc"]}
LISTS = {"u1": [*"cde"], "u2": [*"bde"], "u3": [*"dce"], "u4": [*"bce"], "u5": [*"ade"]}
TEST = {"u1": ["c"], "u2": ["b", "e"], "u3": ["e"], "u4": ["c"], "u5": ["d"]}
CATEGORIES = {"a": "X", "b": "X", "c": "Y", "d": ["Y", "Z"], "e": "Z"}
VECTORS = {item: [float(one in names) for one in "XYZ"] for item, names in CATEGORIES.items()}

# At k = 2 and 3. In full where the tool was run for this, else with the six decimals of a note.
FIGURES = {
    "recommenders": {
        "precision_at_k(k={k})": (0.4, 0.4),
        "recall_at_k(k={k})": (0.7, 1.0),
        "ndcg_at_k(k={k})": (0.5750013399816746, 0.7363160592582204),
        "map(k={k})": (0.5, 0.6333333333333333),
        "map_at_k(k={k})": (0.5, 0.6333333333333333),
        "novelty": (2.504935594743131, 1.6699570631620873),
        "diversity": (0.8183503419072273, 0.9394501139690759),
        "diversity(item_sim_measure=item_feature_vector)": (0.717157287525381, 0.717157287525381),
        "serendipity": (0.706449537933322, 0.804299691955548),
        "Serendipity(by='history')": (0.294952318434805, 0.32996821228987),
        # At k = 3 the tool says 1.25: the one item without history is not in the denominator.
        "catalog_coverage": (1.0, 1.0),
        "distributional_coverage": (1.8464393446710154, 2.1492553971685),
    },
    "evidently": {
        "NoveltyMetric(k={k})": (1.504936, 1.504936),
        "PopularityBias(k={k}).current_apr": (2.0, 2.0),
        "PopularityBias(k={k}, normalize_arp=True).current_apr": (0.5, 0.5),
        "PopularityBias(k={k}).current_coverage": (1.0, 1.0),
        "PopularityBias(k={k}).current_gini": (0.333333, 0.333333),
        "PersonalizationMetric(k={k})": (0.5, 0.333333),
    },
    "elliot": {
        "ItemCoverage@{k}": (4, 5),
        "UserCoverage@{k}": (5, 5),
        "Gini@{k}": (0.5, 0.666667),
        "SEntropy@{k}": (1.846439, 2.149255),
        "EFD@{k}": (0.934408, 1.026941),
        "EPC@{k}": (0.230948, 0.270614),
        "ARP@{k}": (2.0, 1.333333),
        "APLT@{k}": (0.4, 0.6),
        "ACLT@{k}": (0.8, 1.8),
        "PopREO@{k}": (0.5, 0.0),
        "PopRSP@{k}": (0.384615, 0.0),
    },
    "recbole": {
        "averagepopularity@{k}": (2.0, 1.333333),
        "tailpercentage@{k}": (0.4, 0.266667),
        # With the padding item the tool says .6667 and .8333, and .5 and .388889.
        "itemcoverage@{k}": (0.8, 1.0),
        "giniindex@{k}": (0.4, 0.266667),
        "shannonentropy@{k}": (0.319964, 0.297950),
    },
}
GIVEN: dict[str, dict[str, Any]] = {
    "recommenders": {"items": VECTORS, "catalogue": "history"},
    "evidently": {"catalogue": "history"},
    "elliot": {"catalogue": [*"abcde"]},
    "recbole": {"catalogue": [*"abcde"]},
}
WHOLE = 1e-9, 5.1e-7  # with all digits, and with six decimals


@pytest.mark.filterwarnings("ignore::rankmark.errors.ProfileWarning")
@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("tool", FIGURES)
def test_figures_are_those_of_the_tool(tool: str, at: int) -> None:
    k = at + 2
    said = {name.format(k=k): figures[at] for name, figures in FIGURES[tool].items()}
    lists = {user: items[:k] for user, items in LISTS.items()}  # as some tools have no k
    within = WHOLE[tool != "recommenders"]
    for catalogue in ("history", "union") if tool == "recommenders" else [None]:
        given = GIVEN[tool] | ({"catalogue": catalogue} if catalogue else {})
        ev = rm.evaluate(TEST, lists, [*said], profile=tool, history=HISTORY, **given)
        other = {"history": "distributional", "union": "catalog"}.get(catalogue or "", "-")
        for name, figure in said.items():
            if not name.startswith(other):
                assert ev[name] == pytest.approx(figure, abs=within), name


FAIR = {
    "EXP(combo=MinMaxRatio)": (0.5385596211497442, 0.20438239758848611),
    "EXP(combo=MaxMinDiff)": (0.37628842168308385, 0.6487982101190621),
    "NDKL": (0.5343484167172657, 0.3103258766508394),
}


@pytest.mark.parametrize("at", [0, 1])
def test_figures_are_those_of_fairranktune(at: int) -> None:
    groups = dict(zip("abcde", "XXYYY", strict=True))
    lists, asked = {"q": [*"abcde"[: (5, 3)[at]]]}, [*FAIR, "EXPU(combo=MinMaxRatio)"]
    given: dict[str, Any] = {"groups": groups, "catalogue": [*groups]}
    ev = rm.evaluate({"q": ["a", "c"]}, lists, asked, profile="fairranktune", **given)
    for name, figures in FAIR.items():
        assert ev[name] == pytest.approx(figures[at], abs=1e-9), name
    if not at:
        assert ev[asked[-1]] == pytest.approx(0.8078394317246163, abs=1e-9)
