"""The examples for Dask, Ray and torch.distributed run where these are installed."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "training.md"
QRELS = {f"q{query}": {"a": 1, "b": query % 2} for query in range(9)}
RUN = {query: {"a": 0.5, "b": 0.7, "c": hash(query) % 9} for query in QRELS}
PART = """
def part(qrels, run):
    acc = rm.Accumulator(["nDCG@10", "AP"])
    acc.update(qrels, run)
    return acc
"""


def example(library: str) -> str:
    text = PAGE.read_text("utf-8")
    (found,) = re.findall(rf"^```text\n(import {library}.*?)^```", text, re.M | re.S)
    return found


def names() -> dict[str, Any]:
    """Give what the examples before define."""
    runs = [{query: RUN[query] for query in [*RUN][n::3]} for n in range(3)]
    space = {"__name__": "__main__", "rm": rm, "qrels": rm.Qrels(QRELS), "runs": runs}
    exec("from functools import reduce\n" + PART, space)
    return space


@pytest.mark.parametrize("library", ["dask", "ray"])
def test_parts_of_a_cluster_are_merged(library: str) -> None:
    pytest.importorskip(library)
    space = names()
    exec(example(library), space)
    assert space["ev"] == rm.evaluate(QRELS, RUN, ["nDCG@10", "AP"])


def test_parts_of_torch_are_gathered(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    dist = torch.distributed
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/met", rank=0, world_size=1)
    features, labels = torch.rand(6, 4, 3), torch.randint(0, 2, (6, 4))
    rows = torch.tensor([[0, 1, 2], [3, 4, 5], [5, 0, 1]])  # some come twice
    loader = [
        {"features": features[r], "labels": labels[r], "query_id": r, "mask": labels[r] >= 0}
        for r in rows
    ]
    space = names() | {"loader": loader, "model": lambda batch: batch.sum(-1)}
    exec(example("torch"), space)
    dist.destroy_process_group()
    whole = rm.evaluate(labels.numpy(), np.asarray(features.sum(-1)), ["nDCG@10", "AP"])
    assert space["ev"] == whole
