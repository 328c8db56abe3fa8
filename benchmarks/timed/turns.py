"""How a warm process takes its turns: `process.Server` is the other end."""

import json
import sys
import timeit
from collections.abc import Callable, Mapping


def answer(work: Callable[[], object], means: Mapping[str, float], calls: int = 1) -> None:
    """Say that all is ready, then time some calls for each line read."""
    print(json.dumps(means), flush=True)
    for _ in sys.stdin:
        print(timeit.timeit(work, number=calls) / calls, flush=True)
