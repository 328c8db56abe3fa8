"""Every coefficient of two rankings with every choice of its parameters, and its slow reference."""

import importlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankmark import similarity
from rankmark.similarity import RankBiasedOverlap

CHOICES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "kendall_distance": {
        "p": (0, 0.25, 0.5, 1),
        "form": ("full", "top-k"),
        "normalized": (True, False),
    },
    "kendall_tau": {"variant": ("a", "b", "c")},
    "spearman_rho": {},
    "spearman_footrule": {"form": ("full", "top-k"), "normalized": (True, False)},
    "weighted_tau": {"additive": (True, False), "rank": ("both", "a")},
    "tau_ap": {"variant": ("a", "b"), "symmetric": (False, True)},
    "rbo": {"p": (0.5, 0.9), "ties": ("a", "b", "w")},
    "average_overlap": {"k": (None, 1, 3, 100), "ties": ("a", "b", "w")},
    "overlap": {"k": (None, 2, 100), "norm": ("mean", "k", "min", "count")},
    "jaccard": {"k": (None, 2, 100)},
}


@dataclass(frozen=True)
class Case:
    """One coefficient with its parameters."""

    name: str
    parameters: Mapping[str, Any]

    def ours(self, a: Any, b: Any, **more: Any) -> dict[str, float]:
        """Give the library's values."""
        return as_values(getattr(similarity, self.name)(a, b, **self.parameters, **more))

    def reference(self, a: Any, b: Any) -> dict[str, float]:
        """Give the slow reference's values."""
        return as_values(reference(self.name)(a, b, **self.parameters))

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.name}({given})"


def stem_of(name: str) -> str:
    """Name the file that a coefficient stands in."""
    module: str = getattr(similarity, name).__module__
    return module.rpartition(".")[2]


def reference(name: str) -> Any:
    """Fetch the slow plain-Python function of a coefficient."""
    module = importlib.import_module(f"conformance.reference.similarity.{stem_of(name)}")
    return getattr(module, name)


def as_values(found: Any) -> dict[str, float]:
    """Name the values of a coefficient, of which RBO has several."""
    if isinstance(found, RankBiasedOverlap):
        names = ("min", "residual", "extrapolated", "truncated", "normalized")
        return {name: getattr(found, name) for name in names}
    return found if isinstance(found, dict) else {"": float(found)}


CASES = [
    Case(name, dict(zip(choices, chosen, strict=True)))
    for name, choices in CHOICES.items()
    for chosen in itertools.product(*choices.values())
]
