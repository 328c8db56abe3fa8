"""ranx fuses its own runs that are already there, its functions compiled: METHOD."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys
from typing import Any

import fused_lists
import ranx
import turns

METHOD = sys.argv[1]
runs = [ranx.Run(run, name=str(number)) for number, run in enumerate(fused_lists.dicts())]
WAYS: dict[str, dict[str, Any]] = {
    "rrf": {"norm": None, "params": {"k": 60}},
    "wsum": {"norm": "min-max", "params": {"weights": [1, 1, 1]}},
}


def fuse() -> ranx.Run:
    """Fuse into a run."""
    return ranx.fuse(runs, method=METHOD, **WAYS[METHOD])


fused = fuse()
found = {str(query): dict(fused.run[query].items()) for query in fused.run}
turns.answer(fuse, fused_lists.means(found))
