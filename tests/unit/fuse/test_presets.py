"""What engines do, by figures worked out from their formulas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError
from rankmark.verbs.fuse.methods import method
from rankmark.verbs.fuse.norms import NORMS
from rankmark.verbs.fuse.presets import PRESETS

if TYPE_CHECKING:
    from rankmark.verbs.fuse.fused_run import FusedRun

KEYWORD = {"q": {"a": 10.0, "b": 8.0, "c": 6.0}}
VECTOR = {"q": {"b": 0.9, "d": 0.7, "a": 0.5}}


def fused(preset: str, **options: Any) -> dict[str, float]:
    found: FusedRun = rm.fuse([KEYWORD, VECTOR], preset=preset, **options)
    return found.to_dict()["q"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_method_with_a_norm_that_exists(name: str) -> None:
    preset = PRESETS[name]
    found = method(preset.method)
    assert set(preset.norms.values()) <= set(NORMS)
    assert (found.uses == "scores") or not preset.norms
    fused(name)


@pytest.mark.parametrize(
    ("preset", "first", "second"),
    [
        ("elasticsearch-rrf", 1 / 61, 1 / 62),
        ("opensearch-rrf", 1 / 61, 1 / 62),
        ("milvus-rrf", 1 / 61, 1 / 62),
        ("vespa-reciprocal_rank", 1 / 61, 1 / 62),
        ("azure", 1 / 61, 1 / 62),
        ("langchain", 0.5 / 61, 0.5 / 62),
        ("llamaindex-reciprocal_rerank", 1 / 60, 1 / 61),
        ("qdrant-rrf", 1 / 2, 1 / 3),
    ],
)
def test_rrf_means_several_formulas(preset: str, first: float, second: float) -> None:
    scores = fused(preset)
    assert scores["d"] == pytest.approx(second)
    assert scores["b"] == pytest.approx(first + second)


def test_weaviate_counts_ranks_from_0_and_weighs_vectors_threefold() -> None:
    scores = fused("weaviate-ranked")
    assert scores["b"] == pytest.approx(0.25 / 61 + 0.75 / 60)
    assert scores["c"] == pytest.approx(0.25 / 62)


def test_weaviates_own_example_of_scores() -> None:
    """From a comment in its source: 1, 8, 6, 11 become 0, 0.7, 0.5, 1."""
    run = {"q": {"a": 1.0, "b": 8.0, "c": 6.0, "d": 11.0}}
    scores = rm.fuse([run, run], preset="weaviate").to_dict()["q"]
    assert scores == pytest.approx({"d": 1, "b": 0.7, "c": 0.5, "a": 0})


def test_qdrant_divides_ranks_by_weights() -> None:
    """Weight 3 at the third place is weight 1 at the first: 1 / (3/3 + 1) = 0.5."""
    scores = fused("qdrant-rrf", weights=[3, 1])
    assert scores["c"] == pytest.approx(0.5)
    assert scores["d"] == pytest.approx(1 / 3)


def test_qdrants_dbsf_uses_the_samples_deviation() -> None:
    values = np.array([10.0, 8.0, 6.0])
    low, wide = values.mean() - 3 * values.std(ddof=1), 6 * values.std(ddof=1)
    assert fused("qdrant-dbsf")["c"] == pytest.approx((6 - low) / wide)
    single = rm.fuse([{"q": {"x": 4.0}}, VECTOR], preset="qdrant-dbsf").to_dict()["q"]
    assert single["x"] == 0.5


def test_opensearch_never_scores_0_and_means_over_lists() -> None:
    arithmetic = fused("opensearch")
    assert arithmetic == pytest.approx({"b": 0.75, "a": 0.5005, "d": 0.25, "c": 0.0005})
    geometric = fused("opensearch-geometric_mean")
    assert geometric["d"] == pytest.approx(0.5)  # in one list only, and not punished
    assert geometric["a"] == pytest.approx(math.sqrt(0.001))
    harmonic = fused("opensearch-harmonic_mean", weights=[0.3, 0.7])
    assert harmonic["b"] == pytest.approx(1 / (0.3 / 0.5 + 0.7 / 1))


@pytest.mark.parametrize(
    ("preset", "norm", "constant_list"),
    [
        ("elasticsearch-linear", "min-max", 3.0),
        ("opensearch", None, 0.5),
        ("weaviate", None, 0.25),
        ("vespa-normalize_linear", None, 0.5),
        ("llamaindex-relative_score", None, 0.5),
    ],
)
def test_min_max_of_equal_scores_differs_by_engine(
    preset: str, norm: str | None, constant_list: float
) -> None:
    run = {"q": {"x": 3.0, "y": 3.0}}
    scores = rm.fuse([run, VECTOR], preset=preset, norm=norm).to_dict()["q"]
    assert scores["x"] == scores["y"] == constant_list


def test_elasticsearch_scales_negative_lists_against_0() -> None:
    run = {"q": {"x": -2.0, "y": -4.0}}
    scores = rm.fuse([run, VECTOR], preset="elasticsearch-linear", norm="min-max").to_dict()["q"]
    assert scores["x"] == pytest.approx(0.5)


def test_opensearchs_z_score_is_never_below_a_thousandth() -> None:
    run = {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}
    scores = rm.fuse([run], preset="opensearch", norm="z").to_dict()["q"]
    assert scores["x"] == pytest.approx(1 / np.std([1, 2, 3]))
    assert scores["z"] == pytest.approx(0.001)
    assert scores["y"] == 3.0  # the mean itself becomes the highest score


def test_milvus_norms_by_metric() -> None:
    scores = fused("milvus-weighted", norm=["arctan", "cosine"], weights=[0.2, 1.0])
    assert scores["a"] == pytest.approx(0.2 * 2 * math.atan(10) / math.pi + (1 + 0.5) / 2)


def test_llamaindex_divides_weights_by_their_sum() -> None:
    assert fused("llamaindex-relative_score", weights=[1, 3])["d"] == pytest.approx(0.75 * 0.5)
    assert fused("llamaindex-simple")["a"] == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"preset": "nosuch"}, "preset is 'nosuch'"),
        ({"preset": "llamaindex"}, "llamaindex-relative_score"),
        ({"preset": "qdrant-rrf", "method": "RRF"}, "both given"),
        ({"preset": "qdrant-dbsf", "weights": [1, 2]}, "takes no weights"),
        ({"preset": "opensearch", "weights": [0.5, 0.6]}, "sum 1"),
        ({"preset": "milvus-weighted", "weights": [0.5, 1.5]}, "from 0 to 1"),
        ({"preset": "azure", "norm": "z"}, "norm does not apply"),
    ],
)
def test_presets_refuse_what_their_tools_refuse(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rm.fuse([KEYWORD, VECTOR], **options)


def test_weaviate_needs_weights_of_more_than_two_lists() -> None:
    with pytest.raises(InputError, match="give their weights"):
        rm.fuse([KEYWORD, VECTOR, KEYWORD], preset="weaviate")
