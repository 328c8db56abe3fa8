"""Random arrays of labels or scores in which a place may be empty."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from generators.forms import Grid


@st.composite
def grids(draw: st.DrawFn, shape: tuple[int, int], values: Any, least: int = 1) -> Grid:
    """Give an array of a few values, and where there is something: ``least`` times a row."""
    queries, items = shape
    few = draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))
    numbers = [[draw(st.sampled_from(few)) for _ in range(items)] for _ in range(queries)]
    present = np.array([[draw(st.booleans()) for _ in range(items)] for _ in range(queries)])
    if least:
        present[:, draw(st.integers(0, items - 1))] = True
    return Grid(np.array(numbers), present)
