"""The rows of the table, one file a group: each group measures and yields its rows."""

from collections.abc import Callable, Iterator

from bench import Bench
from table import Row

from rows.compat import compat
from rows.dense import dense
from rows.dicts import dicts
from rows.explain import explain
from rows.files import files
from rows.formats import formats
from rows.frames import frames
from rows.fusion import fusion
from rows.growth import growth
from rows.imports import imports
from rows.instructions import instructions
from rows.lists import lists
from rows.logs import logs
from rows.measures import measures
from rows.memory import memory
from rows.neighbours import neighbours
from rows.query import query
from rows.recommended import recommended
from rows.rewards import rewards
from rows.robust import robust
from rows.seen import seen
from rows.similarity import similarity
from rows.spark import spark
from rows.subtopics import subtopics
from rows.threads import threads
from rows.units import units
from rows.verbs import verbs

Group = Callable[[Bench], Iterator[Row]]

GROUPS: dict[str, Group] = {
    "files": files,
    "threads": threads,
    "measures": measures,
    "memory": memory,
    "verbs": verbs,
    "growth": growth,
    "robust": robust,
    "dicts": dicts,
    "compat": compat,
    "lists": lists,
    "frames": frames,
    "dense": dense,
    "neighbours": neighbours,
    "formats": formats,
    "units": units,
    "seen": seen,
    "recommended": recommended,
    "subtopics": subtopics,
    "similarity": similarity,
    "fusion": fusion,
    "explain": explain,
    "query": query,
    "rewards": rewards,
    "imports": imports,
    "instructions": instructions,
    "logs": logs,
    "spark": spark,
}
