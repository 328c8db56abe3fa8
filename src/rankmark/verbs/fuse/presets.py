"""Presets: how search engines and frameworks fuse lists, as far as they document it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

import numpy as np

from rankmark.array_types import Floats
from rankmark.conventions import ListTies
from rankmark.errors import InputError, shown

Weights = Literal["any", "none", "of sum 1", "shares", "up to 1", "alpha"]


@dataclass(frozen=True)
class Preset:
    """How a tool fuses.

    Parameters
    ----------
    name
        The tool and its word for this way.
    method
        The method with its parameters.
    ties
        The order of equal scores, in lists and in the result.
    weights
        Which weights it takes: "any" from 0; "none"; those of which each is from 0 to 1 and the
        "of sum 1"; "shares", which are divided by their sum, and are equal without any; those
        "up to 1"; and "alpha", of a keyword and a vector list, 0.25 and 0.75 without any.
    equal
        Whether the runs have weights 1/m if none are given, instead of 1.
    norms
        What a norm that the caller chooses is in this tool, if it is another one.
    window
        How many documents of each list the tool fuses, unless it is told otherwise. It is not cut
        here, as a list that came from the tool has been cut.
    """

    name: str
    method: str
    ties: ListTies = "input"
    weights: Weights = "any"
    equal: bool = False
    norms: Mapping[str, str] = field(default_factory=dict)
    window: str = ""

    def weights_of(self, given: Floats | None, runs: int) -> Floats | None:
        """Return the weights of the runs, as the tool uses them; None for 1 each."""
        if given is None:
            return self._usual(runs)
        if self.weights == "none":
            raise InputError(f"{self.name} takes no weights", "leave them out")
        if self.weights in {"of sum 1", "up to 1"} and (given > 1).any():
            raise InputError(
                f"weights is {given.tolist()}", f"{self.name} takes weights from 0 to 1"
            )
        if self.weights == "of sum 1" and abs(given.sum() - 1) > 1e-9:
            raise InputError(
                f"weights is {given.tolist()}, of sum {given.sum():g}",
                f"{self.name} takes weights of sum 1",
            )
        return given / given.sum() if self.weights == "shares" else given

    def _usual(self, runs: int) -> Floats | None:
        if self.weights == "alpha":
            if runs != 2:
                raise InputError(
                    f"{self.name} has weights for a keyword and a vector list, and there are "
                    f"{runs} runs",
                    "give their weights",
                )
            return np.array([0.25, 0.75])
        return np.full(runs, 1 / runs) if self.equal else None


_OPENSEARCH = {"min-max": "min-max-opensearch", "z": "z-opensearch"}
_PAGE = "pagination_depth, or the size"

PRESETS = {
    preset.name: preset
    for preset in (
        Preset("elasticsearch-rrf", "RRF(k=60)", window="rank_window_size, 10"),
        Preset(
            "elasticsearch-linear",
            'wsum(norm="none")',
            norms={"min-max": "min-max-elasticsearch"},
            window="rank_window_size, 10",
        ),
        Preset("opensearch-rrf", "RRF(k=60)", weights="of sum 1", window=_PAGE),
        *(
            Preset(
                f"opensearch-{kind}_mean",
                f'{kind}_mean(norm="min-max-opensearch")',
                weights="of sum 1",
                equal=True,
                norms=_OPENSEARCH,
                window=_PAGE,
            )
            for kind in ("arithmetic", "geometric", "harmonic")
        ),
        Preset("weaviate-ranked", "RRF(k=60, origin=0)", "docid-asc", "alpha"),
        Preset("weaviate-relative_score", "wsum(constant=1)", "docid-asc", "alpha"),
        Preset(
            "qdrant-rrf", 'RRF(k=2, origin=0, weighting="stretch")', window="limit of each prefetch"
        ),
        Preset(
            "qdrant-dbsf",
            'CombSUM(norm="3-sigma-sample", constant=0.5)',
            weights="none",
            window="limit of each prefetch",
        ),
        Preset("milvus-rrf", "RRF(k=60)", "docid-asc", "none", window="limit of each request"),
        Preset(
            "milvus-weighted",
            'wsum(norm="none")',
            "docid-asc",
            "up to 1",
            window="limit of each request",
        ),
        Preset("vespa-reciprocal_rank", "RRF(k=60)", window="rerank-count, 100"),
        Preset("vespa-normalize_linear", "wsum(constant=0.5)", window="rerank-count, 100"),
        Preset("azure", "RRF(k=60)", window="50 of text, k of vectors"),
        Preset("langchain", "RRF(k=60)", equal=True, window="k of each retriever"),
        Preset("llamaindex-reciprocal_rerank", "RRF(k=60, origin=0)", weights="none"),
        Preset(
            "llamaindex-relative_score", 'wsum(constant="positive")', weights="shares", equal=True
        ),
        Preset(
            "llamaindex-dist_based_score",
            'wsum(norm="3-sigma", constant="positive")',
            weights="shares",
            equal=True,
        ),
        Preset("llamaindex-simple", 'CombMAX(norm="none")', weights="none"),
    )
}
_USUAL = {
    "opensearch": "opensearch-arithmetic_mean",
    "weaviate": "weaviate-relative_score",
    "qdrant": "qdrant-rrf",
}
"""What an engine does unless it is told otherwise."""


def preset_named(name: object) -> Preset:
    """Return a preset by its name; an engine alone means what it does by default."""
    known = name.lower() if isinstance(name, str) else ""
    found = PRESETS.get(_USUAL.get(known, known))
    if found is None:
        begun = [preset for preset in PRESETS if known and preset.startswith(known)]
        similar = begun or get_close_matches(known, PRESETS, 3)
        needed = ", ".join(similar or PRESETS)
        raise InputError(f"preset is {shown(name)}", f"need one of {needed}")
    return found
