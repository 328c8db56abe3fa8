"""How a warm process takes its turns: `process.Server` is the other end."""

import json
import sys
import time
import timeit
from collections.abc import Callable, Mapping


def answer(work: Callable[[], object], means: Mapping[str, float], calls: int = 1) -> None:
    """Say that all is ready, then time some calls for each line read."""
    print(json.dumps(means), flush=True)
    for _ in sys.stdin:
        used = time.process_time()
        seconds = timeit.timeit(work, number=calls)
        used = time.process_time() - used
        print(seconds / calls, used / calls, flush=True)
