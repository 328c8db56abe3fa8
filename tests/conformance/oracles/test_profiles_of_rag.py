"""Under their profiles, we agree with deepeval, ragas, LlamaIndex, Haystack and TruLens."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.agreement import agrees_by_name
from conformance.oracles.rag_tools import SAYS

# Random judgments and lists without repetitions; the last list has the same id twice.
*RANDOM, REPEATED = [
    json.loads(line)
    for line in (Path(__file__).parent / "rag_figures.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("tool", SAYS)
def test_names_under_the_profile_of_a_tool_have_its_figures(tool: str) -> None:
    assert len(RANDOM) == 15
    for case in RANDOM:
        said = case["said"][tool]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmarkWarning)
            ev = rm.evaluate(case["qrels"], case["run"], list(said), profile=tool)
        # ragas adds 1e-10 to the number by which it divides.
        agrees_by_name(tool, ev, said, abs=1e-10 if tool == "ragas" else 1e-12)


@pytest.mark.parametrize("tool", SAYS)
def test_the_figures_are_those_of_the_tools(tool: str) -> None:
    for case in [*RANDOM, REPEATED]:
        try:
            now = SAYS[tool](case["qrels"], case["run"])
        except ImportError:
            pytest.skip(f"{tool} is not installed")
        assert now == pytest.approx(case["said"][tool], abs=1e-12)


def test_what_an_id_that_is_retrieved_again_does_to_each_tool() -> None:
    qrels, run, said = REPEATED["qrels"], REPEATED["run"], REPEATED["said"]
    with pytest.raises(rm.DuplicateError):
        rm.evaluate(qrels, run, "ap", profile="llamaindex")

    def here(tool: str, name: str) -> Any:
        return rm.evaluate(qrels, run, name, profile=tool, duplicates="first")[name]

    for tool, once in (
        ("llamaindex", ("hit_rate", "mrr", "precision", "recall")),
        ("haystack", [*said["haystack"]]),
        ("ragas", ("id_based_context_precision", "id_based_context_recall")),
        ("trulens", ("recall_at_k", "recall_at_k(k=3)", "ndcg_at_k(k=3)", "mrr", "ir_hit_rate")),
    ):
        for name in once:
            assert here(tool, name) == pytest.approx(said[tool][name])
    # Counted as often as it is retrieved: the values are higher than those of its documents.
    assert (said["llamaindex"]["ap"], here("llamaindex", "ap")) == (1.0, 0.5)
    assert said["llamaindex"]["ndcg"] == 1.0
    assert here("llamaindex", "ndcg") == pytest.approx(0.613147, abs=1e-6)
    assert said["ragas"]["context_precision"] == pytest.approx(1.0)
    assert here("ragas", "context_precision") == 1.0
    assert said["trulens"]["precision_at_k"] == 0.5
    assert here("trulens", "precision_at_k") == pytest.approx(1 / 3)
    ranked = rm.evaluate({"q": {"a": 1, "c": 1}}, {"q": ["a", "b", "c"]}, "AP(norm=hits)")
    assert (
        rm.evaluate(
            {"q": {"a": 1, "c": 1}},
            {"q": ["a", "b", "c"]},
            "contextual_precision",
            profile="deepeval",
        )["contextual_precision"]
        == ranked["AP(norm=hits)"]
    )


@pytest.mark.parametrize(
    ("tool", "name", "remedy"),
    [
        ("deepeval", "contextual_recall", "write R"),
        ("deepeval", "ContextualRelevancyMetric", "write P"),
        ("llamaindex", "MRR(use_granular_mrr=True)", "write AP"),
    ],
)
def test_names_that_are_not_computed_say_what_to_write(tool: str, name: str, remedy: str) -> None:
    with pytest.raises(rm.MeasureError, match=remedy):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, name, profile=tool)


# Retrieved and expected ids, and what ragas 0.4.3 gave as precision and recall by ids.
BY_IDS: list[tuple[list[Any], list[Any], float, float]] = [
    (["a", "a", "b", "x"], ["a", "c"], 1 / 3, 0.5),
    (["a", "b", "c"], ["a", "b", "c", "d"], 1.0, 0.75),
    ([1, 2], ["1", "3"], 0.5, 0.5),
]


@pytest.mark.parametrize(("retrieved", "expected", "precision", "recall"), BY_IDS)
def test_ragas_compares_ids_as_sets_of_texts(
    retrieved: list[Any], expected: list[Any], precision: float, recall: float
) -> None:
    names = ["id_based_context_precision", "id_based_context_recall"]
    ev = rm.evaluate({"q": expected}, {"q": retrieved}, names, profile="ragas", duplicates="first")
    agrees_by_name("ragas", ev, dict(zip(names, (precision, recall), strict=True)), abs=1e-12)
