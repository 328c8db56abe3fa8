"""Every measure with every choice of its parameters, read off the slow references' signatures.

A new measure needs nothing here: its reference has the values to try of parameters that it alone
has, in ``CHOICES``.
"""

import importlib
import inspect
import itertools
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import rankmark
from conformance.reference.ranking import labels_of
from rankmark.measures import ALL

# 0 and -1 have gains here, 1.5 has none and 2 less than 1: a mapping may say anything.
GAINS: Mapping[float, float] = {
    -1: 0.25, 0: 0.125, 0.5: 1, 1: 3, 1.5: 0, 2: 2.5, 3: 9, 4: 4.5,
}  # fmt: skip

CHOICES: Mapping[str, tuple[Any, ...]] = {
    "k": (None, 1, 2, 3, 5, 1000),
    "rel": (1.0, 2.0, 0.5),
    "beta": (1.0, 2.0, 0.5),
    "alpha": (0.5,),
    "gain": ("linear", "exp2", GAINS),
    "discount": ("log2", "rank", 2, 3.5),
    "judged": (0.0, -1.0, 1.5),
    "collection": (None, 10_000),
    "p": (0.9, 0.5),
    "T": (1.0, 2.5),
    "cost": (1.0,),
    "ncu.gain": ("linear", GAINS),
    "p_measure.gain": ("linear", GAINS),
    "p_plus.gain": ("linear", GAINS),
    "o_measure.gain": ("linear", GAINS),
    "min_rel": (0.0, 1.0),
    "max_rel": (4.0, "query"),
    "weighted": (False,),  # weights of documents are tried in tests of their own
}
"""Values to try of the parameters of several measures; those of one may differ, as ``ncu.gain``."""


_GOLDEN = {
    path.stem.replace("_", ""): path.stem
    for path in (Path(__file__).parents[1] / "golden").glob("*.toml")
}


def stem_of(measure: Any) -> str:
    """Name the slow reference of a measure, and the file of its golden figures."""
    name = measure.name.lower().replace("_", "")
    return _GOLDEN.get(name, name)


NAMES: Mapping[str, str] = {stem_of(measure): measure.name for measure in ALL}
OVER_LABELS = [measure for measure in ALL if measure.depends_on not in ("subtopics", "anywhere")]
"""Those that see more are tried on judgments of their own: diverse_cases.py, test_holes.py."""


FAMILIES = (
    *("discounted_gains", "diversity", "found_documents", "ordered_pairs", "preferences"),
    *("user_models", "hole"),
)
"""Files of slow references; others in their folder hold what these share."""


@cache
def reference(stem: str) -> Callable[..., float]:
    """Fetch the slow plain-Python function of a measure."""
    for family in FAMILIES:
        module = importlib.import_module(f"conformance.reference.{family}")
        found = vars(module).get(stem)
        if found is not None and found.__module__ == module.__name__:  # not a helper's name
            return found
    pytest.fail(
        f"{NAMES[stem]} has no slow reference: write the function {stem} in a file of "
        "tests/conformance/reference",
        pytrace=False,
    )


def choices(stem: str, parameter: inspect.Parameter) -> tuple[Any, ...]:
    """List the values to try of one parameter: those of its Literal, else those in CHOICES.

    CHOICES of the reference come before those of this file.
    """
    if get_origin(parameter.annotation) is Literal:
        return get_args(parameter.annotation)
    name = parameter.name
    own = getattr(sys.modules[reference(stem).__module__], "CHOICES", {})
    listed = own.get(f"{stem}.{name}") or CHOICES.get(f"{stem}.{name}") or CHOICES.get(name)
    if listed is None:
        pytest.fail(
            f"nothing says which values of {name} to try: write CHOICES = "
            f'{{"{stem}.{name}": (..., ...)}} in the file of {stem} in tests/conformance/reference',
            pytrace=False,
        )
    return listed if parameter.default in listed else (parameter.default, *listed)


@dataclass(frozen=True)
class Case:
    """One measure with its parameters, as the reference takes them."""

    stem: str
    parameters: Mapping[str, Any]

    @cached_property
    def ours(self) -> Any:
        """Give the library's measure."""
        name = NAMES[self.stem]
        named = {key: value for key, value in self.parameters.items() if key != "k"}
        measure = getattr(rankmark, name)(**named) if named else rankmark.measure(name)
        return measure @ self.parameters["k"] if "k" in self.parameters else measure

    @property
    def depends_on_ties(self) -> bool:
        """Tell whether the value depends on which scores are equal, not on the order alone."""
        return self.ours.tie_handling.together

    @property
    def is_summed(self) -> bool:
        """Tell whether the queries' values are added up, as counts are."""
        return self.stem.startswith("num_")

    def value(self, ranking: list[float | None], missed: list[float | None]) -> float:
        """Give the reference's value of one ranking."""
        return reference(self.stem)(ranking, missed, **self.parameters)

    def per_query(
        self,
        qrels: Mapping[str, Mapping[str, float]],
        run: Mapping[str, Mapping[str, float]],
        queries: Iterable[str],
        **conventions: Any,
    ) -> dict[str, float]:
        """Give the reference's value of each query; one without a ranking retrieved nothing."""
        return {
            query_id: self.value(*labels_of(qrels[query_id], run.get(query_id, {}), **conventions))
            for query_id in queries
        }

    def summary(self, values: Iterable[float]) -> float:
        """Give the reference's figure for all queries."""
        listed = list(values)
        if self.parameters.get("aggregate") == "gmean":
            return math.exp(statistics.fmean(math.log(max(value, 1e-5)) for value in listed))
        return sum(listed) if self.is_summed else statistics.fmean(listed)

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.stem}({given})"


@cache
def cases_of(stem: str) -> list[Case]:
    """List a measure with every combination of its parameters, defaults left unsaid."""
    signature = inspect.signature(reference(stem))
    keywords = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    cases = [
        Case(
            stem,
            {
                p.name: value
                for p, value in zip(keywords, chosen, strict=True)
                if value != p.default
            },
        )
        for chosen in itertools.product(*(choices(stem, p) for p in keywords))
    ]
    return [case for case in cases if is_sensible(signature, case.parameters)]


def is_sensible(signature: inspect.Signature, parameters: Mapping[str, Any]) -> bool:
    """Tell whether all that is chosen says something: not rel of graded gains, nor the reverse.

    Nor is the rest of a collection whose size is not told, or a collection of which no share
    is taken; a share is tried alone, as there are many variants.
    """
    if "max_fpr" in parameters:
        return not {"k", "rel"} & set(parameters)
    if "percent" in signature.parameters:
        if "percent" not in parameters:
            return "collection" not in parameters
        return not {"k", "gain"} & set(parameters)
    if "rest" in signature.parameters:
        return ("rest" in parameters) == ("collection" in parameters)
    if not {"rel", "min_rel", "max_rel"} <= set(signature.parameters):
        return True
    return ("rel" if "max_rel" in parameters else "min_rel") not in parameters


def has_cutoff(stem: str) -> bool:
    """Tell whether a measure can be cut at k."""
    return "k" in inspect.signature(reference(stem)).parameters


def all_cases() -> list[Case]:
    """List every measure with every combination of its parameters."""
    return [case for measure in OVER_LABELS for case in cases_of(stem_of(measure))]
