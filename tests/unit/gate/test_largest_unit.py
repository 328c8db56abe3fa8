"""A gate whose sample may lack the heaviest queries, or the largest clusters, of the population."""

import re
from typing import Any, ClassVar

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError
from rankmark.statistics.reweighting import lower_bound


class Drawn:
    """A hundred queries that do not change, and what a log says of them."""

    scores: ClassVar = {f"q{n}": {"s": 1.0} for n in range(100)}
    equal: ClassVar = dict.fromkeys(scores, 1.0)

    def gate(self, **options: Any) -> rm.GateResult:
        new = {query: dict(each) for query, each in self.scores.items()}
        return rm.gate(None, self.scores, new, "s", max_drop=0.05, score_range=(0, 1), **options)


def test_a_heavy_query_of_the_weights_that_nobody_judged_is_not_ignored() -> None:
    gate = Drawn().gate
    assert gate(weights=Drawn.equal).holds
    found = gate(weights=Drawn.equal | {"head1": 50.0, "head2": 2.0})
    assert found.verdict == "cannot tell"
    (one,) = found.conditions
    assert one.decision.low == lower_bound(np.zeros(100), weights=np.ones(100), largest=50.0)
    assert (
        "a query that weighs 50 may be missing here, as weights names 2 queries that are not "
        "averaged; the largest here weighs 1; for rare losses, 100 queries are worth 2.0 that are "
        "drawn by weight and counted once"
    ) in found.notes
    assert "59 queries of equal weight are needed" in str(found)
    stated = gate(weights=Drawn.equal, largest_weight=50.0).conditions[0]
    assert stated.decision == one.decision


def test_without_a_largest_weight_it_is_said_for_which_populations_the_gate_holds() -> None:
    weights = Drawn.equal | {"q7": 4.0}
    (said,) = (one for one in Drawn().gate(weights=weights).notes if "is known" in one)
    assert said.startswith("no query heavier than 4 is known, and the verdicts hold only if there")
    halves = {"half": [f"q{n}" for n in range(50, 100)]}
    found = Drawn().gate(weights=weights, slices=halves)
    assert any("in a slice: than its own query of most" in one for one in found.notes)


def test_large_clusters_that_nobody_judged_are_not_ignored_either() -> None:
    gate = Drawn().gate
    own = {query: query for query in Drawn.scores}
    assert gate(clusters=own).holds
    larger = own | dict.fromkeys((f"other{n}" for n in range(20)), "user")
    found = gate(clusters=larger)
    assert found.verdict == "cannot tell"
    assert found.conditions[0].decision.low == lower_bound(np.zeros(100), largest=20.0)
    assert gate(clusters=own, largest_cluster=20).conditions == found.conditions
    # Of a cluster, only a part may have been drawn.
    assert gate(clusters=larger, largest_cluster=1).holds
    both = gate(clusters=larger, weights=Drawn.equal | {"other1": 7.0, "q1": 2.0})
    assert "has size 7" in str(both)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"largest_weight": 2}, "largest_weight is given, and no weights"),
        ({"largest_cluster": 2}, "largest_cluster is given, and no clusters"),
        (
            {"weights": Drawn.equal, "clusters": Drawn.equal, "largest_weight": 2},
            "clusters are what is drawn",
        ),
        ({"weights": Drawn.equal, "largest_weight": 0.5}, "0.5, and a query weighs 1"),
        ({"weights": Drawn.equal | {"h": 9.0}, "largest_weight": 5}, "5, and a query weighs 9"),
        ({"clusters": Drawn.equal, "largest_cluster": 5}, "5, and a cluster has 100"),
        ({"weights": Drawn.equal | {"h": -1.0}}, "the weight of query 'h' is -1.0"),
    ],
)
def test_a_largest_unit_that_cannot_be_is_refused(options: dict[str, Any], found: str) -> None:
    with pytest.raises(InputError, match=re.escape(found)):
        Drawn().gate(**options)
