"""rankmark fuses dicts that are already there: METHOD [dicts]."""

import sys

import fused_lists
import turns

import rankmark as rm

METHOD = {"rrf": "RRF(k=60)", "wsum": "wsum(constant=0)"}[sys.argv[1]]
AS_DICTS = "dicts" in sys.argv[2:]
runs = fused_lists.dicts()


def fuse() -> rm.FusedRun | dict[str, dict[str, float]]:
    """Fuse, with an audit, into a run whose documents are in order, or into dicts."""
    fused = rm.fuse(runs, METHOD)
    _ = fused.audit  # with it, documents are put in order
    return fused.to_dict() if AS_DICTS else fused


turns.answer(fuse, fused_lists.means(rm.fuse(runs, METHOD).to_dict()))
