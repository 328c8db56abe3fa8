"""``rankmark demo``: the bundled example collection, evaluated."""

from __future__ import annotations

import os
from pathlib import Path

import click

from rankmark.cli.evaluate import evaluated, publish
from rankmark.cli.faults import told

FOLDER = Path(__file__).parent.parent / "example"


@click.command(short_help="Evaluate the bundled example collection.")
def demo() -> None:
    """Evaluate the bundled example collection and say what to see in the numbers.

    A small corpus about cooking, 24 queries judged from 0 to 3, and three systems: BM25, latent
    semantic analysis, and the plain number of words shared, whose scores nearly all tie.
    """
    with told():
        os.chdir(FOLDER)  # so that names are as short as one would type them
        print(f"$ cd {FOLDER}")
        print("$ rankmark evaluate qrels.txt bm25.run lsa.run overlap.run\n")
        runs = ["bm25.run", "lsa.run", "overlap.run"]
        evaluations = evaluated("qrels.txt", runs, None, threads=None)
        publish(evaluations, "table", per_query=False, output=None)
        print(_LESSONS)


_LESSONS = """
What to see here:
- lsa.run lacks one query (missing 1), which counts 0: --queries both leaves it out.
- one query has nothing relevant (without relevant 1) and counts 0: --no-relevant skip.
- most documents of overlap.run tie, so the rule for ties makes its numbers: --ties mean.
- some of the top 10 was never judged, and counts as not relevant: --bounds, -m Judged@10."""
