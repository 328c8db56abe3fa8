"""Under their profiles, we agree with ranx, BEIR and MTEB: figures that they gave."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.agreement import agrees_by_name
from conformance.oracles.peers import SAYS

pytestmark = pytest.mark.filterwarnings("ignore:.*may differ from", "ignore:unsafe cast")

# Random collections: ties, unjudged documents, missing queries, documents with the id of their
# query, graded labels, labels below 0, queries to which nothing is relevant.
PINNED = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("peer_figures.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
CASES = [(tool, number) for tool in SAYS for number in range(len(PINNED))]
DIGITS = {"beir": 5, "mteb": 5}  # BEIR rounds all, MTEB all but MRR

# bm25-t5zs.run of DL-Hard: computed by ranx 0.3.21, BEIR 2.2.0 and MTEB 2.26.24.
ON_DL_HARD: dict[str, dict[str, float]] = {
    "ranx": {
        "ndcg@10": 0.40839937748834393,
        "ndcg_burges@10": 0.39296958746799276,
        "map-l2": 0.2383338800753068,
        "mrr@10-l2": 0.5853809523809523,
        "precision@5": 0.45599999999999996,
        "recall@100": 0.514669248593551,
        "f1@10": 0.1944725566805299,
        "r-precision": 0.25592483510626957,
        "hits@10": 3.92,
        "hit_rate@1": 0.58,
        "dcg@5": 3.2145397851151727,
    },
    "beir": {
        "NDCG@10": 0.4084,
        "NDCG@100": 0.43338,
        "MAP@100": 0.23955,
        "Recall@100": 0.51467,
        "P@10": 0.392,
        "MRR@10": 0.65338,
        "Accuracy@10": 0.84,
    },
    "mteb": {
        "NDCG@10": 0.4084,
        "MAP@100": 0.23955,
        "Recall@100": 0.51467,
        "P@10": 0.392,
        "MRR@100": 0.6571041723859986,
        "HitRate@10": 0.84,
    },
}


def assert_said(ev: rm.Evaluation, tool: str, said: dict[str, float]) -> None:
    tolerance = 1.01 * 10.0 ** -DIGITS[tool] / 2 if tool in DIGITS else 1e-12
    agrees_by_name(tool, ev, said, abs=tolerance)


def of_tool(case: dict[str, Any], tool: str) -> dict[str, float]:
    return dict(case["said"].get(tool, {}))


@pytest.mark.parametrize(("tool", "number"), CASES)
def test_their_figures_of_random_collections_come_out(tool: str, number: int) -> None:
    case = PINNED[number]
    if said := of_tool(case, tool):
        assert_said(rm.evaluate(case["qrels"], case["run"], list(said), profile=tool), tool, said)


@pytest.mark.parametrize("tool", SAYS)
def test_the_figures_are_those_of_the_tools(tool: str) -> None:
    for case in PINNED:
        if said := of_tool(case, tool):
            now = SAYS[tool](case["qrels"], case["run"], list(said))
            assert now == pytest.approx(said, abs=1e-12)


@pytest.mark.parametrize("tool", SAYS)
def test_their_figures_of_public_data_come_out(shared_data: Path, tool: str) -> None:
    folder = shared_data / "dl-hard-passage"
    qrels, run = folder / "dl_hard-passage.qrels", folder / "bm25-t5zs.run"
    said = ON_DL_HARD[tool]
    assert_said(rm.evaluate(qrels, run, list(said), profile=tool), tool, said)
