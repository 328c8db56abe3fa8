"""Random arrays of labels or scores in which a place may be empty."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from generators.forms import Grid
from generators.random_collections import dice


@st.composite
def grids(draw: st.DrawFn, shape: tuple[int, int], values: Any, least: int = 1) -> Grid:
    """Give an array of a few values, and where there is something: ``least`` times a row."""
    queries, items = shape
    few = draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))
    thrown = draw(dice)
    numbers = [[thrown.choice(few) for _ in range(items)] for _ in range(queries)]
    present = np.array([[thrown.random() < 0.5 for _ in range(items)] for _ in range(queries)])
    if least:
        present[:, thrown.randrange(items)] = True
    return Grid(np.array(numbers), present)
