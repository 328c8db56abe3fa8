"""rankmark fuses dicts that are already there: METHOD."""

import sys

import fused_lists
import turns

import rankmark as rm

METHOD = {"rrf": "RRF(k=60)", "wsum": "wsum(constant=0)"}[sys.argv[1]]
runs = fused_lists.dicts()


def fuse() -> rm.FusedRun:
    """Fuse, with an audit, into a run."""
    return rm.fuse(runs, METHOD)


turns.answer(fuse, fused_lists.means(fuse().to_dict()))
