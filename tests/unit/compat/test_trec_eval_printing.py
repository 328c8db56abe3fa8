"""How the command line of trec_eval writes numbers."""

import math

import numpy as np
import pytest

from rankmark.compat.trec_eval.evaluating import Evaluated
from rankmark.compat.trec_eval.given_options import Options
from rankmark.compat.trec_eval.printed_columns import Column
from rankmark.compat.trec_eval.printing import lines
from rankmark.measures import AP

HALVES = (np.arange(10_001) + 0.5) / 10_000  # where four decimals are rounded up or down
VALUES = {
    "shares": np.arange(10_001) / 10_000,
    "halves": HALVES,
    "just below halves": np.nextafter(HALVES, 0),
    "just above halves": np.nextafter(HALVES, 2),
    "fractions": np.array([n / d for d in range(1, 200) for n in range(d + 1)]),
    "any shares": np.random.default_rng(29).random(20_000),
    "others": np.array([-0.0, 0.0, -0.00001, -1.5, -1e6, 5e-324, 1.00004, 1e-5, 2.5, 1e300]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_is_written_with_four_decimals_as_python_rounds_them(kind: str) -> None:
    values = VALUES[kind]
    queries = [*map(str, range(len(values)))]
    columns = [Column("map", AP, family="map")]
    found = Evaluated(columns, queries, values[:, None], {}, "", len(queries), None, [])
    text = "".join(lines(found, Options(per_query=True, summary=False)))
    written = [line.split("\t")[2] for line in text.splitlines()]
    assert written == [f"{value:6.4f}" for value in values.tolist()]


def test_values_that_are_not_numbers_are_written_as_by_c() -> None:
    values = np.array([[math.nan], [1.0], [math.nan]])
    found = Evaluated([Column("map", AP)], ["a", "b", "c"], values, {}, "", 3, None, [])
    text = "".join(lines(found, Options(per_query=True, summary=False)))
    assert [line.split("\t")[2] for line in text.splitlines()] == ["  -nan", "1.0000", "  -nan"]
